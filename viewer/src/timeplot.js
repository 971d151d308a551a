// One plot over time: uPlot with a draggable time cursor, linked zoom and a legend with values.
import uPlot from 'uplot';
import { h } from './dom.js';
import { nearestIndex } from './data.js';
import { formatTicks } from './format.js';
import { alignSeries, axisLabel, makeSeries, valueText } from './series.js';
import { impactStems } from './stems.js';
import { seriesColor } from './theme.js';

export const PLOT_FONT =
    '11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
export const LABEL_ROOM = 20; // px right of the axis: half of its last label
const AXIS_WIDTH = 66;
const RIGHT_AXIS_WIDTH = 60;
const CLICK_DISTANCE = 4;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const ZOOM_STEP = 1.25;
const SMALLEST_WINDOW = 1e-7; // of the whole range

/** Range of an axis with a little air; usable for constants and for nothing at all. */
function paddedRange(min, max) {
    if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max))
        return [0, 1];
    const size = Math.max(Math.abs(min), Math.abs(max));
    const gap = max - min > 1e-12 * size ? 0.07 * (max - min) : 0.1 * size || 1;
    return [min - gap, max + gap];
}

/** Range of a logarithmic axis: whole decades. */
function decades(min, max) {
    if (!(min > 0) || !(max > 0)) return [1e-3, 1];
    const low = Math.floor(Math.log10(min));
    return [10 ** low, 10 ** Math.max(low + 1, Math.ceil(Math.log10(max)))];
}

/**
 * @param {HTMLElement} host
 * @param {{paths: string[], log: boolean}} spec
 * @param {{store: object, timeline: object, theme: object}} app
 * @returns plot with element, setTime, setWindow, resize, redraw, destroy, times
 */
export function makeTimePlot(host, spec, app) {
    const { store, timeline, theme } = app;
    const series = makeSeries(store.runs, spec.paths);
    const units = [...new Set(series.map((s) => s.signal.unit))].slice(0, 2);
    const scaleOf = (s) => (units.indexOf(s.signal.unit) === 1 ? 'y2' : 'y');
    const colorOf = (s, i) => seriesColor(theme.colors, store.comparing ? s.run.index : i);
    const dashOf = (s) => (store.comparing ? DASHES[s.pathIndex % DASHES.length] : []);
    const stems = spec.log || units.length > 1 ? null : impactStems(series);
    const legend = makeLegend();
    const body = h('div.plot-body');
    host.append(legend.element, body);

    let data = alignSeries(series);
    if (spec.log)
        data = data.map((list, i) =>
            i ? Array.from(list, (v) => (v > 0 ? v : v === undefined ? v : null)) : list,
        );

    function axisOf(scale, side) {
        const own = series.filter((s) => scaleOf(s) === scale);
        const unique = [...new Map(own.map((s) => [s.signal.path, s.signal])).values()];
        return {
            scale,
            side,
            label: (u) => axisLabel(unique, u.bbox.height / devicePixelRatio + 14),
            labelFont: PLOT_FONT,
            labelSize: 16,
            labelGap: 0,
            font: PLOT_FONT,
            size: side === 3 ? AXIS_WIDTH - 16 : RIGHT_AXIS_WIDTH - 16,
            gap: 4,
            space: 19,
            stroke: () => theme.colors.axis,
            ticks: { stroke: () => theme.colors.axisGrid, size: 4 },
            grid: { show: side === 3, stroke: () => theme.colors.axisGrid, width: 1 },
            values: (u, ticks) => (spec.log ? ticks.map(decadeText) : formatTicks(ticks)),
        };
    }

    const stemAxis = () => ({
        ...axisOf('y2', 1),
        label: stems.label,
        stroke: () => theme.colors.axis,
    });

    const yScale = () => ({
        distr: spec.log ? 3 : 1,
        range: (u, min, max) => (spec.log ? decades(min, max) : paddedRange(min, max)),
    });
    const window0 = store.window ?? timeline.range;
    const options = {
        width: 300,
        height: 150,
        padding: [8, units.length > 1 || stems ? 0 : LABEL_ROOM, 0, 0],
        legend: { show: false },
        focus: { alpha: 0.35 },
        scales: {
            x: { time: false, auto: false, min: window0[0], max: window0[1] || 1 },
            y: yScale(),
            y2: stems ? { auto: false, range: () => stems.range } : yScale(),
        },
        axes: [
            {
                label: 'time [s]',
                labelFont: PLOT_FONT,
                labelSize: 14,
                labelGap: -3,
                font: PLOT_FONT,
                size: 22,
                gap: 3,
                space: 64,
                stroke: () => theme.colors.axis,
                ticks: { stroke: () => theme.colors.axisGrid, size: 4 },
                grid: { stroke: () => theme.colors.axisGrid, width: 1 },
                values: (u, ticks) => formatTicks(ticks),
            },
            axisOf('y', 3),
            ...(units.length > 1 ? [axisOf('y2', 1)] : stems ? [stemAxis()] : []),
        ],
        series: [
            {},
            ...series.map((s, i) => ({
                label: s.signal.label,
                scale: scaleOf(s),
                stroke: () => colorOf(s, i),
                dash: dashOf(s),
                width: 1.4,
                points: { show: s.run.signalTime.length < 3, size: 5 },
            })),
        ],
        cursor: {
            sync: {
                key: 'percuss',
                filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
            },
            drag: { x: true, y: false, setScale: false, dist: CLICK_DISTANCE },
            points: { size: 5 },
            bind: { dblclick: () => () => store.setWindow(null) },
        },
        hooks: {
            setCursor: [
                (u) => legend.hover(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null),
            ],
            setSelect: [onSelect],
            draw: [(u) => stems?.draw(u, colorOf), () => placeCursor()],
        },
    };
    const plot = new uPlot(options, data, body);
    const line = h('div.time-line', { 'aria-hidden': 'true' }, h('div.time-handle'));
    plot.over.append(line);
    plot.over.setAttribute('aria-label', `Plot of ${series.map((s) => s.signal.label).join(', ')}`);

    function onSelect(u) {
        const { left, width } = u.select;
        if (width <= CLICK_DISTANCE) return;
        const from = u.posToVal(left, 'x');
        const to = u.posToVal(left + width, 'x');
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        zoomTo(from, to);
    }

    /** Sets the linked time window, kept inside the run. */
    function zoomTo(from, to) {
        const [first, last] = timeline.range;
        const least = SMALLEST_WINDOW * (last - first);
        const a = Math.max(first, Math.min(from, to));
        const b = Math.min(last, Math.max(from, to));
        if (!(b - a > least)) return;
        store.setWindow(a <= first && b >= last ? null : [a, b]);
    }

    plot.over.addEventListener(
        'wheel',
        (event) => {
            event.preventDefault();
            const { min, max } = plot.scales.x;
            const rect = plot.over.getBoundingClientRect();
            const at = plot.posToVal(event.clientX - rect.left, 'x');
            const delta = event.deltaY || event.deltaX;
            if (event.shiftKey) {
                const [first, last] = timeline.range;
                const move = Math.max(
                    first - min,
                    Math.min(last - max, Math.sign(delta) * 0.1 * (max - min)),
                );
                zoomTo(min + move, max + move);
                return;
            }
            const k = delta > 0 ? ZOOM_STEP : 1 / ZOOM_STEP;
            zoomTo(at - (at - min) * k, at + (max - at) * k);
        },
        { passive: false },
    );

    // A click moves the time; dragging the line scrubs; dragging elsewhere zooms (uPlot's select).
    let down = null;
    const timeAt = (clientX) =>
        plot.posToVal(clientX - plot.over.getBoundingClientRect().left, 'x');
    plot.over.addEventListener('pointerdown', (event) => {
        down = event.button === 0 ? event.clientX : null;
    });
    plot.over.addEventListener('pointerup', (event) => {
        if (down !== null && Math.abs(event.clientX - down) <= CLICK_DISTANCE)
            timeline.setTime(timeAt(event.clientX));
        down = null;
    });
    line.addEventListener('mousedown', (event) => event.stopPropagation());
    line.addEventListener('pointerdown', (event) => {
        event.stopPropagation();
        line.setPointerCapture(event.pointerId);
    });
    line.addEventListener('pointermove', (event) => {
        if (line.hasPointerCapture(event.pointerId)) timeline.setTime(timeAt(event.clientX));
    });

    function placeCursor() {
        if (!plot?.over || !line.parentNode) return;
        const { min, max } = plot.scales.x;
        const inside = timeline.time >= min && timeline.time <= max;
        line.hidden = !inside;
        if (inside) {
            const x = plot.valToPos(timeline.time, 'x');
            line.style.transform = `translateX(${x.toFixed(1)}px)`;
        }
    }

    function makeLegend() {
        const entries = series.map((s, i) => {
            const swatch = h('span.swatch');
            swatch.style.borderTopStyle = dashOf(s).length ? 'dashed' : 'solid';
            const value = h('span.value');
            const name = store.comparing
                ? spec.paths.length > 1
                    ? `${s.signal.label} \u00b7 ${runName(s.run)}`
                    : runName(s.run)
                : s.signal.label;
            const element = h(
                'span.legend-entry',
                { title: s.signal.path },
                swatch,
                h('span.name', {}, name),
                value,
            );
            element.addEventListener('mouseenter', () => plot.setSeries(i + 1, { focus: true }));
            element.addEventListener('mouseleave', () => plot.setSeries(null, { focus: false }));
            return { element, swatch, value, s };
        });
        let hovered = null;
        const self = {
            element: h(
                'div.legend',
                {},
                entries.map((e) => e.element),
            ),
            hover(t) {
                hovered = t;
                self.update();
            },
            update() {
                const t = hovered ?? timeline.time;
                for (const { value, s } of entries) {
                    const text = valueText(s.signal, nearestIndex(s.run.signalTime, t));
                    if (value.textContent !== text) value.textContent = text;
                }
            },
            recolor() {
                entries.forEach((e, i) => {
                    e.swatch.style.borderTopColor = colorOf(e.s, i);
                });
            },
        };
        return self;
    }

    legend.recolor();
    legend.update();
    let size = [300, 150];
    const self = {
        kind: 'time',
        setTime: placeCursor,
        updateLegend: legend.update,
        setWindow(window) {
            const [min, max] = window ?? timeline.range;
            plot.setScale('x', { min, max: max > min ? max : min + 1 });
        },
        resize(width, height) {
            const next = [Math.max(120, Math.floor(width)), Math.max(90, Math.floor(height))];
            if (next[0] === size[0] && next[1] === size[1]) return;
            size = next;
            plot.setSize({ width: next[0], height: next[1] });
            placeCursor();
        },
        redraw() {
            legend.recolor();
            plot.redraw(false, true);
        },
        /** Impacts that the plot draws, for tests. */
        stemCount: () => stems?.count ?? 0,
        /** Time at the place of the drawn cursor line, for tests. */
        shownTime() {
            const x = Number(/translateX\((-?[\d.]+)px\)/.exec(line.style.transform)?.[1]);
            return line.hidden || !Number.isFinite(x) ? null : plot.posToVal(x, 'x');
        },
        destroy() {
            plot.destroy();
        },
    };
    self.setWindow(store.window);
    return self;
}

function decadeText(v) {
    if (v === null || v === undefined) return '';
    const power = Math.log10(v);
    return Math.abs(power - Math.round(power)) < 1e-6
        ? `1e${Math.round(power)}`.replace('-', '\u2212')
        : '';
}

/** Short name of a run for legends. */
export function runName(run) {
    return run.name ?? (run.file.replace(/\.h5$/, '') || run.title);
}
