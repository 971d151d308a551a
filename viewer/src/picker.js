// The searchable list of signals, group by group: for a plot over time (any number of signals) or
// for a phase diagram (one for each axis).
import { h, button } from './dom.js';
import { unitText } from './format.js';
import { allSignals, sortGroups } from './series.js';

const MOST_ROWS = 250; // longer lists are cut; the search narrows them

/** Whether all words of the search stand in the signal's names. */
function matches(signal, words) {
    const text = `${signal.path} ${signal.label} ${signal.unit}`.toLowerCase();
    return words.every((w) => text.includes(w));
}

/**
 * Opens the list.
 * @param {HTMLElement} host
 * @param {object} store
 * @param {{mode: 'time'|'phase', title: string, chosen: string[], done: (paths: string[]) => void}} options
 *        phase: chosen and done are [x, y]
 */
export function openPicker(host, store, options) {
    const phase = options.mode === 'phase';
    const signals = allSignals(store.runs);
    const chosen = phase ? [...options.chosen] : new Set(options.chosen);
    const list = h('div.picker-list', { role: 'group', 'aria-label': 'Signals' });
    const note = h('div.picker-note', { 'aria-live': 'polite' });
    const search = h('input.picker-search', {
        type: 'search',
        placeholder: 'Search, for example "gap" or "bird velocity"',
        'aria-label': 'Search signals',
        oninput: fill,
    });
    const apply = h(
        'button.primary',
        { type: 'button', onclick: finish },
        phase ? 'Show diagram' : 'Show signals',
    );
    const panel = h(
        'div.picker',
        { role: 'dialog', 'aria-modal': 'true', 'aria-label': options.title },
        h(
            'div.picker-head',
            {},
            h('h2', {}, options.title),
            button({ icon: 'close', label: 'Close the list', cls: 'ghost', onclick: close }),
        ),
        search,
        phase ? h('div.picker-axes', {}, h('span', {}, 'x'), h('span', {}, 'y')) : null,
        list,
        h('div.picker-foot', {}, note, apply),
    );
    const shade = h('div.shade', {}, panel);
    const before = document.activeElement;

    function count() {
        const n = phase ? chosen.filter(Boolean).length : chosen.size;
        apply.disabled = phase ? n < 2 : n === 0;
        note.textContent = phase ? 'Choose one signal for each axis.' : `${n} chosen`;
    }

    function row(signal) {
        const text = [
            h('span.picker-label', {}, signal.label),
            h('span.picker-path', {}, signal.path),
            h('span.picker-unit', {}, unitText(signal.unit)),
        ];
        if (!phase) {
            const box = h('input', {
                type: 'checkbox',
                checked: chosen.has(signal.path),
                onchange: (event) => {
                    if (event.target.checked) chosen.add(signal.path);
                    else chosen.delete(signal.path);
                    count();
                },
            });
            return h('label.picker-row', {}, box, ...text);
        }
        const radio = (axis) =>
            h('input', {
                type: 'radio',
                name: `percuss-axis-${axis}`,
                'aria-label': `${signal.label} on the ${'xy'[axis]} axis`,
                checked: chosen[axis] === signal.path,
                onchange: () => {
                    chosen[axis] = signal.path;
                    count();
                },
            });
        return h('div.picker-row', {}, radio(0), radio(1), ...text);
    }

    function fill() {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = signals.filter((s) => matches(s, words));
        const groups = new Map();
        for (const s of found.slice(0, MOST_ROWS)) {
            if (!groups.has(s.group)) groups.set(s.group, []);
            groups.get(s.group).push(s);
        }
        const total = (g) => found.filter((s) => s.group === g).length;
        const sections = sortGroups(groups.keys()).map((g) =>
            h(
                'details',
                { open: true },
                h('summary', {}, g, h('span.count', {}, String(total(g)))),
                groups.get(g).map(row),
            ),
        );
        if (!found.length) sections.push(h('p.picker-empty', {}, 'No signal has these words.'));
        if (found.length > MOST_ROWS)
            sections.push(
                h(
                    'p.picker-empty',
                    {},
                    `${MOST_ROWS} of ${found.length} signals are listed; search to narrow them down.`,
                ),
            );
        list.replaceChildren(...sections);
        count();
    }

    function close() {
        shade.remove();
        before?.focus?.();
    }

    function finish() {
        close();
        options.done(phase ? chosen : [...chosen]);
    }

    shade.addEventListener('keydown', (event) => {
        event.stopPropagation(); // the page's keys rest while the list is open
        if (event.key === 'Escape') close();
        if (event.key === 'Enter' && !apply.disabled && event.target === search) finish();
        if (event.key === 'Tab') keepFocus(event);
    });
    function keepFocus(event) {
        const focusable = [...panel.querySelectorAll('button, input, summary')].filter(
            (e) => !e.disabled,
        );
        const edge = event.shiftKey ? focusable[0] : focusable[focusable.length - 1];
        if (document.activeElement !== edge) return;
        event.preventDefault();
        (event.shiftKey ? focusable[focusable.length - 1] : focusable[0]).focus();
    }
    shade.addEventListener('pointerdown', (event) => {
        if (event.target === shade) close();
    });
    fill();
    host.append(shade);
    search.focus();
}
