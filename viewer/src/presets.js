// Ready-made plots, and which of them a page opens with.
import { allSignals } from './series.js';
import { hasImpacts } from './stems.js';

export const MOST_SERIES = 6; // more lines than that cannot be told apart

const JOINT_LOAD = /\.(force|torque)\.[xyz]$/;
const JOINT_RATE = /\.(rate|rate_?\w*|speed|speed_\w+)$/;

/** Name of a preset and the test that its signals pass. */
const PRESETS = [
    { name: 'Energy', test: (s) => /^energy\.(kinetic|potential|total)$/.test(s.path) },
    {
        name: 'Work and losses',
        test: (s) => s.path.startsWith('energy.') && !/\.(kinetic|potential|total)$/.test(s.path),
        most: 8,
    },
    { name: 'Contact forces and impacts', test: (s) => /^contact\..*\.load\.n$/.test(s.path) },
    { name: 'Mean contact forces', test: (s) => /^contact\..*\.force\.n$/.test(s.path) },
    { name: 'Largest contact forces', test: (s) => /^contact\..*\.force_max\.n$/.test(s.path) },
    { name: 'Contact gaps', test: (s) => /^contact\..*\.gap$/.test(s.path) },
    { name: 'Contact impulses', test: (s) => /^contact\..*\.impulse\.n$/.test(s.path) },
    {
        name: 'Coordinates',
        test: (s) => s.group === 'Systems' && !/\.(rate|acceleration|force)$/.test(s.path),
    },
    {
        name: 'Joint coordinates',
        test: (s) => s.group === 'Joints' && !JOINT_LOAD.test(s.path) && !JOINT_RATE.test(s.path),
    },
    { name: 'Joint forces', test: (s) => /^joint\..*\.force\.[xyz]$/.test(s.path) },
    {
        name: 'Stress and section forces',
        test: (s) => /^mesh\..*\.(mises|bending_moment|axial_force)\.max$/.test(s.path),
    },
    {
        name: 'Mesh positions',
        test: (s) =>
            /^mesh\..*\.position\.[xyz]$/.test(s.path) && !/\.(all|surface)\.position/.test(s.path),
        farthest: true,
    },
    { name: 'Strain energy', test: (s) => /^mesh\..*\.energy\.strain$/.test(s.path) },
    { name: 'Solver residual', test: (s) => s.path === 'solver.residual', log: true },
    {
        name: 'Body positions',
        test: (s) => /^body\..*\.position\.[xyz]$/.test(s.path),
    },
];

/** Signals that change come first: the position z of a planar model says nothing. */
function isConstant(signal) {
    const { values } = signal;
    for (let i = 1; i < values.length; ++i) if (values[i] !== values[0]) return false;
    return true;
}

/** How far a signal goes: of the many groups of a mesh those that move most are shown. */
function travel(signal) {
    let [low, high] = [Infinity, -Infinity];
    for (const v of signal.values)
        if (v !== null && Number.isFinite(v)) {
            low = Math.min(low, v);
            high = Math.max(high, v);
        }
    return high > low ? high - low : 0;
}

/**
 * Presets that the runs have signals for.
 * @returns {{name: string, paths: string[], of: number, log: boolean}[]} of: all that fit
 */
export function availablePresets(runs) {
    const signals = allSignals(runs);
    return PRESETS.map((p) => {
        const fit = signals.filter(p.test);
        if (p.farthest) fit.sort((a, b) => travel(b) - travel(a));
        const shows = (s) => !isConstant(s) || hasImpacts(runs, s.path);
        return { ...p, fit, shows, of: fit.length, log: Boolean(p.log) };
    }).filter((p) => p.of > 0);
}

/** The paths that a preset shows: at most six, those that change first. */
export function presetPaths(preset, most = preset.most ?? MOST_SERIES) {
    if (preset.fit.length <= Math.min(most, 3)) return preset.fit.map((s) => s.path);
    const chosen = [];
    for (const s of preset.fit) {
        if (chosen.length >= most) break;
        if (preset.shows(s)) chosen.push(s);
    }
    return (chosen.length ? chosen : preset.fit.slice(0, most)).map((s) => s.path);
}

/** Title of a plot: on the compare page with the name of its one signal. */
export function presetTitle(preset, paths, comparing) {
    const only =
        comparing && paths.length === 1 ? preset.fit.find((s) => s.path === paths[0]) : null;
    return only ? `${preset.name}: ${only.label}` : preset.name;
}

/** Presets of a fresh page. */
export function openingPlots(runs) {
    const presets = availablePresets(runs);
    const get = (name) => presets.find((p) => p.name === name);
    const comparing = runs.length > 1;
    const plots = [];
    const put = (preset, paths) =>
        plots.push({
            kind: 'time',
            title: presetTitle(preset, paths, comparing),
            paths,
            log: preset.log,
            of: preset.of,
        });
    const add = (name, most) => {
        const preset = get(name);
        if (preset && plots.length < 4) put(preset, presetPaths(preset, most));
    };
    // A result of the first format has no loads.
    const loads = 'Contact forces and impacts';
    add(get(loads) ? loads : 'Mean contact forces', comparing ? 1 : MOST_SERIES);
    const energy = get('Energy');
    if (comparing && energy) {
        const total = energy.fit.find((s) => s.path === 'energy.total') || energy.fit[0];
        put(energy, [total.path]);
    } else add('Energy');
    add('Coordinates', comparing ? 1 : 4);
    add('Joint coordinates', comparing ? 1 : 4);
    add('Mesh positions', comparing ? 1 : 4);
    add('Stress and section forces', comparing ? 1 : 4);
    add('Contact gaps', comparing ? 1 : MOST_SERIES);
    if (plots.length < 2) add('Body positions', comparing ? 1 : 3);
    if (!plots.length && presets.length) add(presets[0].name);
    return plots;
}
