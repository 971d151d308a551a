// The list of bodies: search, choose, clear.
import { h } from './dom.js';
import { bodyColor } from './theme.js';

const MOST_ROWS = 400;

/**
 * Fills a panel with the bodies of the run in view.
 * @param {HTMLElement} panel
 * @param {{store: object, theme: object}} app
 * @returns {{refresh: Function}}
 */
export function makeBodyList(panel, { store, theme }) {
    const search = h('input', {
        type: 'search',
        placeholder: 'Search bodies',
        'aria-label': 'Search bodies',
        oninput: fill,
    });
    const list = h('div.body-list', { role: 'listbox', 'aria-label': 'Bodies' });
    panel.append(search, list);

    function fill() {
        const { run } = store;
        const word = search.value.trim().toLowerCase();
        const found = [];
        run.bodyNames.forEach((name, i) => {
            if (name.toLowerCase().includes(word)) found.push(i);
        });
        search.hidden = run.bodyCount < 10;
        const rows = found.slice(0, MOST_ROWS).map((i) => {
            const swatch = h('span.body-swatch');
            swatch.style.backgroundColor = bodyColor(theme.colors, i);
            return h(
                'button.body-row',
                {
                    type: 'button',
                    role: 'option',
                    'aria-selected': i === store.body ? 'true' : 'false',
                    onclick: () => store.selectBody(i === store.body ? -1 : i),
                },
                swatch,
                h('span', {}, run.bodyNames[i]),
            );
        });
        if (!run.bodyCount) rows.push(h('p.empty', {}, 'The model has no bodies.'));
        else if (!found.length) rows.push(h('p.empty', {}, 'No body has this name.'));
        if (found.length > MOST_ROWS)
            rows.push(
                h('p.empty', {}, `${MOST_ROWS} of ${found.length} are listed; search for others.`),
            );
        const top = list.scrollTop;
        list.replaceChildren(...rows);
        list.scrollTop = top;
    }
    store.bodyChanged.on(() => {
        if (!panel.hidden) fill();
    });
    store.runChanged.on(() => {
        if (!panel.hidden) fill();
    });
    return { refresh: fill };
}
