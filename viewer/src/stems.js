// Impacts in a plot of contact loads: an impact has no force but an impulse, drawn as a stem with a
// head, in newton seconds, on the axis at the right.
import { unitText } from './format.js';

const LOAD = /^contact\.(.*)\.load\.n$/;
const HEAD = 2.5; // px

/** Impacts of the contact whose load a series shows, with their normal impulses. */
function impactsOf({ run, signal }) {
    const name = LOAD.exec(signal.path)?.[1];
    const contact = name === undefined ? -1 : run.contactNames.indexOf(name);
    const kind = run.events.kinds.indexOf('impact');
    if (contact < 0 || kind < 0) return [];
    return run.events.list.filter((e) => e.kind === kind && e.object === contact && e.normal > 0);
}

/** Whether a path is the load of a contact that has impacts. */
export function hasImpacts(runs, path) {
    return runs.some((run) => {
        const signal = run.signalByPath.get(path);
        return signal !== undefined && impactsOf({ run, signal }).length > 0;
    });
}

/**
 * @param {object[]} series of the plot
 * @returns {{count: number, range: number[], label: string, draw: function}|null} null: no impacts
 */
export function impactStems(series) {
    const lists = series.map(impactsOf);
    let largest = 0;
    let count = 0;
    for (const list of lists)
        for (const e of list) {
            largest = Math.max(largest, e.normal);
            count += 1;
        }
    if (!count) return null;
    const unit = unitText(series[0].signal.unit === 'N m' ? 'N m s' : 'N s');
    return {
        count,
        range: [-0.07 * largest, 1.07 * largest],
        label: `impact [${unit}]`,
        draw(u, colorOf) {
            const { ctx, bbox } = u;
            const ratio = devicePixelRatio || 1;
            const zero = u.valToPos(0, 'y2', true);
            ctx.save();
            ctx.beginPath();
            ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
            ctx.clip();
            ctx.lineWidth = ratio;
            lists.forEach((list, i) => {
                ctx.strokeStyle = ctx.fillStyle = colorOf(series[i], i);
                for (const e of list) {
                    const x = u.valToPos(e.time, 'x', true);
                    if (x < bbox.left || x > bbox.left + bbox.width) continue;
                    const y = u.valToPos(e.normal, 'y2', true);
                    ctx.beginPath();
                    ctx.moveTo(x, zero);
                    ctx.lineTo(x, y);
                    ctx.stroke();
                    ctx.beginPath();
                    ctx.arc(x, y, HEAD * ratio, 0, 2 * Math.PI);
                    ctx.fill();
                }
            });
            ctx.restore();
        },
    };
}
