// From signal paths to what a plot draws: one series for each path and each run that has it, on one
// common time axis, and the words on the axes.
import uPlot from 'uplot';
import { formatQuantity, unitText } from './format.js';

const QUANTITIES = {
    J: 'energy',
    N: 'force',
    Pa: 'stress',
    'N m': 'torque',
    'N s': 'impulse',
    m: 'length',
    'm/s': 'speed',
    rad: 'angle',
    'rad/s': 'angular velocity',
    s: 'time',
};
const BY_PATH = [
    [/\.gap$/, 'gap'],
    [/\.position\.[xyz]$/, 'position'],
    [/\.velocity\.\w+$/, 'velocity'],
    [/\.state$/, 'state'],
    [/residual$/, 'residual'],
];
const COMPONENT = /\.(x|y|z|w|n|t1|t2)$/;

const LETTER = 6.2; // px of a letter of an axis label

/**
 * What an axis for these signals is called: "gap [m]".
 * @param {object[]} signals
 * @param {number} [room] px; a label that is too long gives way to the quantity, then to the unit
 */
export function axisLabel(signals, room = Infinity) {
    const unit = unitText(signals[0]?.unit);
    const rule = BY_PATH.find(([pattern]) => signals.every((s) => pattern.test(s.path)));
    const names = [rule ? rule[1] : QUANTITIES[unit] || 'value'];
    if (signals.length === 1) names.unshift(signals[0].label);
    const texts = names.map((name) => (unit ? `${name} [${unit}]` : name));
    if (unit) texts.push(`[${unit}]`);
    return texts.find((t) => t.length * LETTER <= room) ?? texts[texts.length - 1];
}

/** Path without its component: body.ball.position.x and .y are one quantity. */
export function quantityOf(path) {
    return path.replace(COMPONENT, '');
}

/** The signal of a path in the first run that has it. */
export function findSignal(runs, path) {
    for (const run of runs) {
        const signal = run.signalByPath.get(path);
        if (signal) return signal;
    }
    return null;
}

/** Paths of all runs, each once, in the order of the first run that has them. */
export function allSignals(runs) {
    const seen = new Map();
    for (const run of runs)
        for (const signal of run.signals) if (!seen.has(signal.path)) seen.set(signal.path, signal);
    return [...seen.values()];
}

/** Splits paths into groups of at most two units: a plot has one axis on each side. */
export function splitByUnits(runs, paths) {
    const groups = [];
    for (const path of paths) {
        const signal = findSignal(runs, path);
        if (!signal) continue;
        let group =
            groups.find((g) => g.units.has(signal.unit)) || groups.find((g) => g.units.size < 2);
        if (!group) groups.push((group = { units: new Set(), paths: [] }));
        group.units.add(signal.unit);
        group.paths.push(path);
    }
    return groups.map((g) => g.paths);
}

function sameTimes(a, b) {
    if (a === b) return true;
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
    return true;
}

/** Series of a plot, in order: all runs of the first path, then of the second one... */
export function makeSeries(runs, paths) {
    const series = [];
    paths.forEach((path, pathIndex) => {
        for (const run of runs) {
            const signal = run.signalByPath.get(path);
            if (signal) series.push({ run, signal, pathIndex });
        }
    });
    return series;
}

/** Data of uPlot for these series: times and one list of values for each. */
export function alignSeries(series) {
    if (!series.length) return [[]];
    const times = series.map((s) => s.run.signalTime);
    if (times.every((t) => sameTimes(t, times[0])))
        return [times[0], ...series.map((s) => s.signal.values)];
    return uPlot.join(
        series.map((s) => [Array.from(s.run.signalTime), Array.from(s.signal.values)]),
    );
}

/** Text of a value for legends. */
export function valueText(signal, index) {
    const value = index >= 0 ? signal.values[index] : null;
    return formatQuantity(value ?? null, signal.unit);
}

/** Groups in the order in which a reader looks for them. */
export const GROUP_ORDER = ['Energy', 'Systems', 'Joints', 'Meshes', 'Contacts', 'Bodies', 'Solver'];

/** Sorts names of groups: the known ones first, then the others by name. */
export function sortGroups(names) {
    const rank = (n) => (GROUP_ORDER.includes(n) ? GROUP_ORDER.indexOf(n) : GROUP_ORDER.length);
    return [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}
