// The event strip: one row for each kind of event over the whole time of the run. Rows are legend
// and filter at once. Events that fall on the same pixel are binned; a strong tick is many.
import { h } from './dom.js';
import { eventColor } from './theme.js';
import { count, formatNumber, formatTime } from './format.js';

const ROW = 13; // px
const BIN = 2; // px
const MARGIN = 6; // px at both ends, so that ticks at the ends are whole
const PLAIN = {
    impact: { name: 'Impact', value: ['approach speed', 'm/s'] },
    close: { name: 'Close' },
    open: { name: 'Open' },
    stick: { name: 'Stick' },
    slip: { name: 'Slip' },
    rejected: { name: 'Step repeated', value: ['step', 's'] },
    unconverged: { name: 'Not converged', value: ['residual', ''] },
    switch: { name: 'Switch' },
};

/**
 * @param {HTMLElement} host
 * @param {{store: object, timeline: object, theme: object}} app
 */
export function makeEventStrip(host, { store, timeline, theme }) {
    const hiddenKinds = new Set();
    const rows = h('div.event-rows');
    const canvas = h('canvas.event-canvas', {
        tabindex: '0',
        role: 'slider',
        'aria-label': 'Events over time. Click: nearest event; n and p: next and previous one.',
        'aria-valuemin': '0',
        'aria-valuemax': '1',
    });
    const marker = h('div.event-marker', { 'aria-hidden': 'true' });
    const tip = h('div.tooltip', { hidden: true });
    const area = h('div.event-area', {}, canvas, marker, tip);
    const note = h('div.event-note');
    host.append(rows, area, note);
    let kinds = []; // indices of the kinds that this run has
    let byKind = new Map();
    let bins = [];
    let width = 0;

    const span = () => timeline.span || 1;
    const inner = () => Math.max(1, width - 2 * MARGIN);
    const toX = (t) => MARGIN + ((t - timeline.range[0]) / span()) * inner();
    const binOf = (t) => Math.round(toX(t) / BIN) * BIN;
    const toTime = (x) => timeline.range[0] + ((x - MARGIN) / inner()) * span();
    const kindName = (k) => store.run.events.kinds[k];
    const plain = (k) => PLAIN[kindName(k)]?.name ?? kindName(k);

    function load() {
        byKind = new Map();
        for (const event of store.run.events.list) {
            if (!byKind.has(event.kind)) byKind.set(event.kind, []);
            byKind.get(event.kind).push(event);
        }
        kinds = [...byKind.keys()].sort((a, b) => a - b);
        rows.replaceChildren(
            ...kinds.map((k) => {
                const swatch = h('span.event-swatch');
                swatch.style.backgroundColor = eventColor(theme.colors, kindName(k));
                return h(
                    'label.event-row',
                    { title: `${count(byKind.get(k).length, 'event')}: ${plain(k)}` },
                    h('input', {
                        type: 'checkbox',
                        checked: !hiddenKinds.has(kindName(k)),
                        'aria-label': `Show events: ${plain(k)}`,
                        onchange: (e) => {
                            if (e.target.checked) hiddenKinds.delete(kindName(k));
                            else hiddenKinds.add(kindName(k));
                            draw();
                        },
                    }),
                    swatch,
                    h('span.event-name', {}, plain(k)),
                    h('span.event-count', {}, formatNumber(byKind.get(k).length)),
                );
            }),
        );
        const { dropped } = store.run.events;
        const texts = [];
        if (!kinds.length)
            texts.push(
                store.run.frameCount && store.run.complete
                    ? 'No events: no contact opened, closed or slipped, and no step was repeated.'
                    : 'No events are stored.',
            );
        if (dropped > 0) texts.push(`${count(dropped, 'older event')} not kept.`);
        note.textContent = texts.join(' ');
        note.hidden = !texts.length;
        area.hidden = !kinds.length;
        rows.hidden = !kinds.length;
        resize();
    }

    /** Counts events for each pixel and row. */
    function makeBins() {
        bins = kinds.map((k) => {
            const row = new Map();
            for (const event of byKind.get(k)) {
                const x = binOf(event.time);
                row.set(x, (row.get(x) || 0) + 1);
            }
            return row;
        });
    }

    function draw() {
        const ratio = window.devicePixelRatio || 1;
        const height = Math.max(1, kinds.length * ROW);
        canvas.width = Math.max(1, Math.round(width * ratio));
        canvas.height = Math.round(height * ratio);
        canvas.style.height = `${height}px`;
        const context = canvas.getContext('2d');
        context.scale(ratio, ratio);
        const { colors } = theme;
        if (store.window) {
            const x = toX(store.window[0]);
            context.fillStyle = colors.axisGrid;
            context.fillRect(x, 0, toX(store.window[1]) - x, height);
        }
        kinds.forEach((k, row) => {
            const y = row * ROW;
            context.fillStyle = colors.axisGrid;
            context.fillRect(MARGIN, y + ROW / 2, inner(), 1);
            if (hiddenKinds.has(kindName(k))) return;
            context.fillStyle = eventColor(colors, kindName(k));
            const most = Math.max(...bins[row].values());
            for (const [x, n] of bins[row]) {
                context.globalAlpha = 0.3 + 0.7 * Math.sqrt(n / most);
                context.fillRect(x - 1, y + 2, BIN, ROW - 4);
            }
            context.globalAlpha = 1;
        });
        place();
    }

    function place() {
        marker.style.transform = `translateX(${toX(timeline.time).toFixed(1)}px)`;
        canvas.setAttribute(
            'aria-valuenow',
            String(Math.round(((timeline.time - timeline.range[0]) / span()) * 1000) / 1000),
        );
        canvas.setAttribute('aria-valuetext', `${formatTime(timeline.time, timeline.span)} s`);
    }

    function resize() {
        width = area.clientWidth;
        if (!width || !kinds.length) return;
        makeBins();
        draw();
    }

    const visible = () => kinds.filter((k) => !hiddenKinds.has(kindName(k)));

    /** The event nearest to a time, in one row if that has any. */
    function nearest(t, kind) {
        const pool = kind !== undefined ? [kind] : visible();
        let best = null;
        for (const k of pool)
            for (const event of byKind.get(k))
                if (!best || Math.abs(event.time - t) < Math.abs(best.time - t)) best = event;
        return best;
    }

    function eventAt(clientX, clientY) {
        const rect = canvas.getBoundingClientRect();
        const row = kinds[Math.floor((clientY - rect.top) / ROW)];
        const usable = row !== undefined && !hiddenKinds.has(kindName(row)) ? row : undefined;
        return nearest(toTime(clientX - rect.left), usable);
    }

    function describe(event) {
        const name = event.object >= 0 ? store.run.contactNames[event.object] : '';
        const value = PLAIN[kindName(event.kind)]?.value;
        const parts = [
            plain(event.kind) + (name ? ` ${name}` : ''),
            `${formatTime(event.time, timeline.span)} s`,
        ];
        if (value && Number.isFinite(event.value))
            parts.push(`${value[0]} ${formatNumber(event.value)} ${value[1]}`.trim());
        if (event.normal > 0) parts.push(`impulse ${formatNumber(event.normal)} N s`);
        if (event.tangential > 0) parts.push(`tangential ${formatNumber(event.tangential)} N s`);
        return parts.join(' \u00b7 ');
    }

    canvas.addEventListener('click', (e) => {
        const event = eventAt(e.clientX, e.clientY);
        if (event) jump(event.time);
    });
    canvas.addEventListener('pointermove', (e) => {
        const event = eventAt(e.clientX, e.clientY);
        tip.hidden = !event;
        if (!event) return;
        const rect = area.getBoundingClientRect();
        const x = e.clientX - rect.left;
        const row = kinds.indexOf(event.kind);
        const same = bins[row].get(binOf(event.time)) || 1;
        tip.textContent = describe(event) + (same > 1 ? ` \u00b7 ${same} here` : '');
        const left = Math.max(0, Math.min(x + 8, rect.width - tip.offsetWidth));
        tip.style.transform = `translate(${left}px, calc(-100% - 4px))`;
    });
    canvas.addEventListener('pointerleave', () => {
        tip.hidden = true;
    });

    function jump(t) {
        timeline.pause();
        timeline.setTime(t);
    }

    timeline.changed.on(place);
    theme.changed.on(load);
    store.windowChanged.on(draw);
    store.runChanged.on(load);
    new ResizeObserver(resize).observe(area);
    load();

    return {
        count: () => store.run.events.list.length,
        /** Goes to the next (1) or previous (-1) event that is shown. */
        step(direction) {
            const t = timeline.time;
            const least = 1e-9 * span();
            let best = null;
            for (const k of visible())
                for (const event of byKind.get(k)) {
                    const ahead = direction * (event.time - t);
                    if (ahead > least && (best === null || ahead < direction * (best - t)))
                        best = event.time;
                }
            if (best !== null) jump(best);
        },
        /** Where an event is on the screen: the index counts the events of that kind. */
        pointOf(kind, index) {
            const k = store.run.events.kinds.indexOf(kind);
            const event = byKind.get(k)?.[index];
            if (!event) return null;
            const rect = canvas.getBoundingClientRect();
            return {
                x: rect.left + toX(event.time),
                y: rect.top + (kinds.indexOf(k) + 0.5) * ROW,
                time: event.time,
            };
        },
    };
}
