// The choice of the field that colours the meshes, and the bar that says what the colours mean.
import { h } from './dom.js';
import { fieldLabel, makeScale, scaleTicks } from './colormap.js';

const NO_FIELD = 'none';

/** The field that a page opens with: the first result; without results the speed. */
export function openingField(run) {
    const fields = run.fields;
    return (fields.find((f) => f.name !== 'speed') || fields[0])?.name ?? NO_FIELD;
}

/**
 * @param {HTMLElement} host
 * @param {{store: object, viewport: object}} app
 */
export function makeColorBar(host, { store, viewport }) {
    const choice = h('select.field-choice', { 'aria-label': 'Colour of the meshes' });
    const bar = h('div.color-scale', { role: 'img' });
    const ticks = h('div.color-ticks', {});
    const box = h('div.color-bar', {}, choice, bar, ticks);
    host.append(box);

    function show() {
        const field = store.run.fields.find((f) => f.name === store.field);
        bar.hidden = ticks.hidden = !field;
        if (!field) return;
        const scale = makeScale(field);
        const { unit, texts } = scaleTicks(scale, field.unit);
        bar.style.background = `linear-gradient(to right, ${scale.colors.join(', ')})`;
        ticks.replaceChildren(
            ...texts.map((text, i) => h('span', {}, i === 2 && unit ? `${text}\u00a0${unit}` : text)),
        );
        bar.setAttribute(
            'aria-label',
            `${fieldLabel(field.name)} from ${texts[0]} to ${texts[2]} ${unit}, range of the run`,
        );
        bar.title =
            'Range over the whole run. Results of elements are shown as means at the nodes, so peaks ' +
            'inside of one element are a little lower than the signals say.';
    }

    function fill() {
        const fields = store.run.fields;
        box.hidden = !viewport.available || !fields.length;
        if (box.hidden) return;
        choice.replaceChildren(
            ...[...fields.map((f) => f.name), NO_FIELD].map((name) =>
                h('option', { value: name }, fieldLabel(name)),
            ),
        );
        choice.value = store.field;
        show();
    }
    choice.addEventListener('change', () => store.setField(choice.value));
    store.fieldChanged.on(() => {
        choice.value = store.field;
        show();
    });
    store.runChanged.on(fill);
    fill();
}
