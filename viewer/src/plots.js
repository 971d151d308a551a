// The column of plots: cards that are added, edited and removed, linked by time and zoom. The card
// of the selected body stands on top.
import { h, button, popover, setPressed } from './dom.js';
import { makeTimePlot } from './timeplot.js';
import { makePhasePlot } from './phaseplot.js';
import { openPicker } from './picker.js';
import {
    availablePresets,
    openingPlots,
    presetPaths,
    presetTitle,
    MOST_SERIES,
} from './presets.js';
import { findSignal, quantityOf, splitByUnits } from './series.js';
import { formatTime } from './format.js';

const LEGEND_PERIOD = 120; // ms between updates of the numbers in the legends while playing
const SMALLEST_PLOT = 128;
const LARGEST_PLOT = 320;

/**
 * @param {HTMLElement} host
 * @param {{store: object, timeline: object, theme: object}} app
 */
export function makePlots(host, app) {
    const { store, timeline, theme } = app;
    const cards = [];
    const selection = { card: null, quantity: '' };
    const list = h('div.plot-list', { tabindex: '-1' });
    const empty = h('p.plot-empty', { hidden: true });
    const zoomText = h('span.zoom-text');
    const resetZoom = button({
        icon: 'reset',
        text: 'Whole time',
        label: 'Show the whole time in all plots',
        cls: 'ghost',
        onclick: () => store.setWindow(null),
    });
    host.append(makeToolbar(), list);
    list.append(empty);

    // ---- Tool bar ----
    function makeToolbar() {
        const add = button({
            icon: 'plus',
            text: 'Add plot',
            label: 'Add a plot',
            onclick: () => {},
        });
        const menu = h('div.menu', { role: 'menu', 'aria-label': 'Kinds of plots' });
        const pop = popover(add, menu, fillMenu);
        function item(text, action, detail = '') {
            return h(
                'button',
                {
                    type: 'button',
                    role: 'menuitem',
                    onclick: () => {
                        pop.close();
                        action();
                    },
                },
                h('span', {}, text),
                h('span.detail', {}, detail),
            );
        }
        function fillMenu() {
            const presets = availablePresets(store.runs);
            menu.replaceChildren(
                item('Choose signals\u2026', pickSignals),
                item('Phase diagram\u2026', pickPhase, 'x against y'),
                h('hr'),
                ...presets.map((p) => item(p.name, () => addPreset(p), `${p.of}`)),
            );
        }
        return h(
            'div.toolbar.plot-toolbar',
            {},
            h('h2', {}, 'Plots'),
            h('div.anchor', {}, add, menu),
            h('span.spacer'),
            zoomText,
            resetZoom,
        );
    }

    function addPreset(preset) {
        const paths = presetPaths(preset, store.comparing ? 1 : undefined);
        const title = presetTitle(preset, paths, store.comparing);
        addPlot({ kind: 'time', title, paths, log: preset.log, of: preset.of }, true);
    }

    function pickSignals() {
        openPicker(document.body, store, {
            mode: 'time',
            title: 'Signals of a new plot',
            chosen: [],
            done: (paths) => addPaths(paths),
        });
    }

    function pickPhase() {
        openPicker(document.body, store, {
            mode: 'phase',
            title: 'Phase diagram',
            chosen: suggestPhase(),
            done: ([x, y]) => addPlot({ kind: 'phase', title: 'Phase diagram', x, y }, true),
        });
    }

    /** A coordinate and its rate, where a joint or body has both. */
    function suggestPhase() {
        const paths = store.run.signalByPath;
        for (const path of paths.keys()) {
            const joint = /^(joint\..*)\.angle$/.exec(path);
            if (joint && paths.has(`${joint[1]}.rate`)) return [path, `${joint[1]}.rate`];
            const body = /^(body\..*)\.position\.([xyz])$/.exec(path);
            if (body && paths.has(`${body[1]}.velocity.${body[2]}`))
                return [path, `${body[1]}.velocity.${body[2]}`];
        }
        return [];
    }

    function addPaths(paths) {
        for (const group of splitByUnits(store.runs, paths))
            addPlot({ kind: 'time', title: titleOf(group), paths: group, log: false }, true);
    }

    function titleOf(paths) {
        if (paths.length === 1) return findSignal(store.runs, paths[0])?.label ?? paths[0];
        const first = paths[0].split('.');
        const same = paths.every((p) => p.split('.')[0] === first[0]);
        const names = {
            energy: 'Energy',
            system: 'Systems',
            joint: 'Joints',
            contact: 'Contacts',
            body: 'Bodies',
            mesh: 'Meshes',
            solver: 'Solver',
        };
        return same ? names[first[0]] || 'Signals' : 'Signals';
    }

    // ---- Cards ----
    function makeCard(spec, { tools = [], heading = null } = {}) {
        const body = h('div.card-body');
        const card = { spec, body, plot: null, element: null };
        card.element = h(
            'section.card',
            { 'aria-label': `Plot: ${spec.title}` },
            h(
                'header',
                {},
                heading ?? h('h3', {}, spec.title),
                noteOf(spec),
                h('span.spacer'),
                ...tools,
            ),
            body,
        );
        return card;
    }

    function noteOf(spec) {
        if (!spec.of || store.comparing || spec.paths.length >= spec.of) return null;
        return h(
            'span.note',
            { title: 'Use the pencil to choose others' },
            `${spec.paths.length} of ${spec.of}`,
        );
    }

    function build(card) {
        card.plot?.destroy();
        card.body.replaceChildren();
        const make = card.spec.kind === 'phase' ? makePhasePlot : makeTimePlot;
        card.plot = make(card.body, card.spec, app);
        card.plot.setTime();
    }

    /** Adds a plot; `reveal` scrolls to it. */
    function addPlot(spec, reveal = false) {
        let card = null;
        const log =
            spec.kind === 'time'
                ? button({
                      text: 'log',
                      label: 'Logarithmic axis',
                      cls: 'ghost small',
                      pressed: Boolean(spec.log),
                      onclick: (event) => {
                          spec.log = !spec.log;
                          setPressed(event.currentTarget, spec.log);
                          build(card);
                          layout();
                      },
                  })
                : null;
        const tools = [
            log,
            button({
                icon: 'edit',
                label: `Choose the signals of ${spec.title}`,
                cls: 'ghost small',
                onclick: () => edit(card),
            }),
            button({
                icon: 'close',
                label: `Remove ${spec.title}`,
                cls: 'ghost small',
                onclick: () => remove(card),
            }),
        ].filter(Boolean);
        card = makeCard(spec, { tools });
        cards.push(card);
        list.append(card.element);
        build(card);
        layout();
        if (reveal) card.element.scrollIntoView({ block: 'nearest' });
        return card;
    }

    function edit(card) {
        const { spec } = card;
        const phase = spec.kind === 'phase';
        openPicker(document.body, store, {
            mode: spec.kind,
            title: `Signals of ${spec.title}`,
            chosen: phase ? [spec.x, spec.y] : spec.paths,
            done: (paths) => {
                if (phase) [spec.x, spec.y] = paths;
                else {
                    const [first, ...more] = splitByUnits(store.runs, paths);
                    spec.paths = first;
                    spec.of = 0;
                    for (const group of more)
                        addPlot({ kind: 'time', title: titleOf(group), paths: group, log: false });
                    card.element.querySelector('.note')?.remove();
                }
                build(card);
                layout();
            },
        });
    }

    function remove(card) {
        card.plot?.destroy();
        card.element.remove();
        cards.splice(cards.indexOf(card), 1);
        layout();
    }

    // ---- The card of the selected body ----
    function bodyQuantities() {
        const { run, body } = store;
        const name = run.bodyNames[body];
        const joints = new Map();
        const contacts = new Set();
        for (const d of run.drawings) {
            if (d.a?.body !== body && d.b?.body !== body) continue;
            if (d.owner === 'joint') joints.set(d.object, d.name);
            if (d.owner === 'contact') contacts.add(d.name);
        }
        const ofContact = (s) => {
            const contact = run.contactNames[s.contact];
            return (
                contact !== undefined &&
                [...contacts].some((c) => contact === c || contact.startsWith(`${c}.`))
            );
        };
        const quantities = new Map();
        for (const s of run.signals) {
            const own = s.body === body;
            if (!own && !joints.has(s.joint) && !ofContact(s)) continue;
            const key = quantityOf(s.path);
            const text = own
                ? key.replace(`body.${name}.`, '').replaceAll('_', ' ')
                : key.split('.').join(' ').replaceAll('_', ' ');
            if (!quantities.has(key)) quantities.set(key, { text, paths: [], own });
            quantities.get(key).paths.push(s.path);
        }
        return new Map([...quantities].sort((a, b) => Number(b[1].own) - Number(a[1].own)));
    }

    function showSelection() {
        if (selection.card) {
            selection.card.plot?.destroy();
            selection.card.element.remove();
            selection.card = null;
        }
        const name = store.run.bodyNames[store.body];
        if (store.body < 0 || name === undefined) {
            layout();
            return;
        }
        const quantities = bodyQuantities();
        const close = button({
            icon: 'close',
            label: 'Clear the selection',
            key: 'Esc',
            cls: 'ghost small',
            onclick: () => store.selectBody(-1),
        });
        const heading = h(
            'h3',
            {},
            h('span.selected-mark', { 'aria-hidden': 'true' }),
            `Body ${name}`,
        );
        if (!quantities.size) {
            const card = makeCard(
                { title: `Body ${name}`, paths: [] },
                { tools: [close], heading },
            );
            card.body.append(h('p.plot-empty', {}, 'The file holds no signals of this body.'));
            selection.card = card;
            list.prepend(card.element);
            layout();
            return;
        }
        // Another body keeps the quantity that was shown before.
        const keys = [...quantities.keys()];
        const wanted = keys.find((k) => quantities.get(k).text === selection.quantity) ?? keys[0];
        const spec = { kind: 'time', title: `Body ${name}`, paths: [], log: false };
        const choice = h(
            'select',
            {
                'aria-label': `Quantity of ${name}`,
                onchange: () => {
                    use(choice.value);
                    build(card);
                    layout();
                },
            },
            keys.map((k) =>
                h('option', { value: k, selected: k === wanted }, quantities.get(k).text),
            ),
        );
        const keep = button({
            icon: 'pin',
            label: 'Keep this plot when the selection changes',
            cls: 'ghost small',
            onclick: () => addPlot({ ...spec, title: `${name}: ${selection.quantity}` }),
        });
        const use = (key) => {
            selection.quantity = quantities.get(key).text;
            spec.paths = quantities.get(key).paths.slice(0, MOST_SERIES);
        };
        use(wanted);
        const card = makeCard(spec, { tools: [choice, keep, close], heading });
        card.element.classList.add('selected');
        selection.card = card;
        list.prepend(card.element);
        build(card);
        layout();
        list.scrollTop = 0;
    }

    // ---- Layout and links ----
    const allCards = () => (selection.card ? [selection.card, ...cards] : cards);

    function layout() {
        empty.hidden = allCards().length > 0;
        empty.textContent = store.runs.some((r) => r.signals.length)
            ? 'No plots. Add one with the button above.'
            : 'The file holds no signals.';
        const width = list.clientWidth - 2 - 10; // border of the card, padding of the list
        if (width < 50) return;
        const n = Math.max(2, Math.min(4, allCards().length));
        const share = (list.clientHeight - 8) / n - 8;
        for (const card of allCards()) {
            if (!card.plot) continue;
            const other =
                card.element.offsetHeight -
                (card.body.querySelector('.plot-body')?.offsetHeight ?? 0);
            const tall = card.spec.kind === 'phase' ? 1.5 : 1;
            const height = Math.max(SMALLEST_PLOT, Math.min(LARGEST_PLOT, share - other)) * tall;
            card.plot.resize(width, height);
        }
    }

    let lastLegend = 0;
    timeline.changed.on(() => {
        for (const card of allCards()) card.plot?.setTime();
        const now = performance.now();
        if (timeline.playing && now - lastLegend < LEGEND_PERIOD) return;
        lastLegend = now;
        for (const card of allCards()) card.plot?.updateLegend();
    });
    timeline.played.on(() => {
        for (const card of allCards()) card.plot?.updateLegend();
    });
    store.windowChanged.on((window) => {
        for (const card of allCards()) card.plot?.setWindow(window);
        showZoom(window);
    });
    store.bodyChanged.on(showSelection);
    theme.changed.on(() => {
        for (const card of allCards()) card.plot?.redraw();
    });

    function showZoom(window) {
        resetZoom.hidden = !window;
        zoomText.textContent = window
            ? `${formatTime(window[0], timeline.span)} to ${formatTime(window[1], timeline.span)} s`
            : '';
    }
    showZoom(null);

    let observed = 0;
    new ResizeObserver(() => {
        cancelAnimationFrame(observed);
        observed = requestAnimationFrame(layout);
    }).observe(list);
    for (const spec of openingPlots(store.runs)) addPlot(spec);
    layout();
    layout(); // once more: a scroll bar may have come or gone

    return {
        addPlot,
        addPaths,
        pickSignals,
        pickPhase,
        /** Times that the cursors of the plots show. */
        times: () =>
            allCards()
                .map((c) => c.plot?.shownTime() ?? null)
                .filter((t) => t !== null),
        count: () => allCards().length,
        stems: () => allCards().map((c) => c.plot?.stemCount?.() ?? 0),
    };
}
