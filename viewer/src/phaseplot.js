// A phase diagram: one signal against another, with a point at the current time. The part of the
// curve inside the time window of the other plots is drawn strongly, the rest faintly.
import uPlot from 'uplot';
import { h } from './dom.js';
import { nearestIndex, lastAtOrBefore } from './data.js';
import { formatTicks } from './format.js';
import { axisLabel, valueText } from './series.js';
import { seriesColor } from './theme.js';
import { LABEL_ROOM, PLOT_FONT, runName } from './timeplot.js';

/** Extremes of a list without its gaps. */
function extremes(lists) {
    let min = Infinity;
    let max = -Infinity;
    for (const list of lists)
        for (const v of list)
            if (v !== null && v !== undefined) {
                if (v < min) min = v;
                if (v > max) max = v;
            }
    if (!(min <= max)) return [0, 1];
    const gap = max > min ? 0.06 * (max - min) : 0.1 * Math.abs(max) || 1;
    return [min - gap, max + gap];
}

/**
 * @param {HTMLElement} host
 * @param {{x: string, y: string}} spec paths
 * @param {{store: object, timeline: object, theme: object}} app
 */
export function makePhasePlot(host, spec, app) {
    const { store, timeline, theme } = app;
    const curves = store.runs
        .map((run) => ({ run, x: run.signalByPath.get(spec.x), y: run.signalByPath.get(spec.y) }))
        .filter((c) => c.x && c.y);
    const colorOf = (c) => seriesColor(theme.colors, store.comparing ? c.run.index : 0);
    const thinned = curves.some((c) => c.run.frames.points < c.run.frames.stored);
    const xRange = extremes(curves.map((c) => c.x.values));
    const yRange = extremes(curves.map((c) => c.y.values));
    const entries = curves.map((c) => {
        const swatch = h('span.swatch');
        const value = h('span.value');
        const name = store.comparing ? runName(c.run) : `${c.y.label} against ${c.x.label}`;
        return {
            c,
            swatch,
            value,
            element: h('span.legend-entry', {}, swatch, h('span.name', {}, name), value),
        };
    });
    const body = h('div.plot-body');
    host.append(
        h(
            'div.legend',
            {},
            entries.map((e) => e.element),
        ),
        body,
    );
    if (thinned)
        host.append(
            h(
                'div.plot-note',
                {},
                'The signals are thinned: a point joins values that lie close together in time, ' +
                    'not exactly at one instant.',
            ),
        );

    function drawPart(u, c, from, to, alpha) {
        const context = u.ctx;
        const { values: xs } = c.x;
        const { values: ys } = c.y;
        context.save();
        context.beginPath();
        context.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        context.clip();
        context.beginPath();
        let pen = false;
        for (let i = Math.max(0, from); i <= to && i < xs.length; ++i) {
            if (xs[i] === null || ys[i] === null) {
                pen = false;
                continue;
            }
            const x = u.valToPos(xs[i], 'x', true);
            const y = u.valToPos(ys[i], 'y', true);
            if (pen) context.lineTo(x, y);
            else context.moveTo(x, y);
            pen = true;
        }
        context.strokeStyle = colorOf(c);
        context.globalAlpha = alpha;
        context.lineWidth = 1.3 * devicePixelRatio;
        context.lineJoin = 'round';
        context.stroke();
        context.restore();
    }

    function drawCurves(u) {
        for (const c of curves) {
            const last = c.x.values.length - 1;
            if (!store.window) {
                drawPart(u, c, 0, last, 1);
                continue;
            }
            drawPart(u, c, 0, last, 0.2);
            const from = lastAtOrBefore(c.run.signalTime, store.window[0]);
            drawPart(u, c, from, lastAtOrBefore(c.run.signalTime, store.window[1]) + 1, 1);
        }
        placePoints();
    }

    const axis = (scale, side, signal) => ({
        scale,
        side,
        label: (u) =>
            signal
                ? axisLabel(
                      [signal],
                      (side === 2 ? u.bbox.width : u.bbox.height) / devicePixelRatio + 14,
                  )
                : '',
        labelFont: PLOT_FONT,
        labelSize: 16,
        labelGap: side === 2 ? -2 : 0,
        font: PLOT_FONT,
        size: side === 2 ? 22 : 50,
        gap: 4,
        space: side === 2 ? 64 : 28,
        stroke: () => theme.colors.axis,
        ticks: { stroke: () => theme.colors.axisGrid, size: 4 },
        grid: { stroke: () => theme.colors.axisGrid, width: 1 },
        values: (u, ticks) => formatTicks(ticks),
    });
    const zoom = { x: null, y: null };
    const plot = new uPlot(
        {
            mode: 2,
            width: 300,
            height: 220,
            padding: [8, LABEL_ROOM, 0, 0],
            legend: { show: false },
            scales: {
                x: { time: false, range: () => zoom.x ?? xRange },
                y: { range: () => zoom.y ?? yRange },
            },
            axes: [axis('x', 2, curves[0]?.x), axis('y', 3, curves[0]?.y)],
            series: [
                {},
                {
                    facets: [
                        { scale: 'x', auto: true },
                        { scale: 'y', auto: true },
                    ],
                    paths: () => null,
                },
            ],
            cursor: {
                drag: { x: true, y: true, setScale: false, uni: 20 },
                points: { show: false },
                dataIdx: () => null,
                bind: { dblclick: () => () => setZoom(null, null) },
            },
            hooks: { draw: [drawCurves], setSelect: [onSelect] },
        },
        [null, [xRange, yRange]],
        body,
    );
    const points = curves.map(() => h('div.phase-point'));
    plot.over.append(...points);

    function setZoom(x, y) {
        zoom.x = x;
        zoom.y = y;
        plot.setData([null, [xRange, yRange]], true);
    }

    function onSelect(u) {
        const { left, top, width, height } = u.select;
        if (width < 4 && height < 4) return;
        const x = width > 4 ? [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')] : zoom.x;
        const y = height > 4 ? [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')] : zoom.y;
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        setZoom(x, y);
    }

    function placePoints() {
        if (!plot?.over) return;
        curves.forEach((c, k) => {
            const point = points?.[k];
            if (!point) return;
            const i = nearestIndex(c.run.signalTime, timeline.time);
            const x = i >= 0 ? c.x.values[i] : null;
            const y = i >= 0 ? c.y.values[i] : null;
            point.hidden = x === null || y === null;
            if (point.hidden) return;
            const left = plot.valToPos(x, 'x').toFixed(1);
            const top = plot.valToPos(y, 'y').toFixed(1);
            point.style.transform = `translate(${left}px, ${top}px)`;
            point.style.backgroundColor = colorOf(c);
        });
    }

    function updateLegend() {
        for (const { c, value } of entries) {
            const i = nearestIndex(c.run.signalTime, timeline.time);
            value.textContent = `(${valueText(c.x, i)}, ${valueText(c.y, i)})`;
        }
    }

    function recolor() {
        for (const { c, swatch } of entries) swatch.style.borderTopColor = colorOf(c);
    }
    recolor();
    updateLegend();

    let size = [300, 220];
    return {
        kind: 'phase',
        setTime: placePoints,
        updateLegend,
        setWindow() {
            plot.redraw(false, false);
        },
        resize(width, height) {
            const next = [Math.max(120, Math.floor(width)), Math.max(120, Math.floor(height))];
            if (next[0] === size[0] && next[1] === size[1]) return;
            size = next;
            plot.setSize({ width: next[0], height: next[1] });
            placePoints();
        },
        redraw() {
            recolor();
            plot.redraw(false, true);
            placePoints();
        },
        shownTime: () => null,
        destroy() {
            plot.destroy();
        },
    };
}
