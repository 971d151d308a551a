// Colours of fields on meshes: one scale from dark to light for what has one sign, one with a grey
// middle for what has two.
import { formatNumber } from './format.js';

// Lightness grows along the first scale; the two ends of the second one are equally dark.
const SEQUENTIAL = ['#4a5db0', '#3f8fc0', '#49b3a4', '#98cc72', '#ecd95c', '#f2994a', '#d33d32'];
const DIVERGING = ['#23439b', '#4f86c6', '#a9c6dd', '#dddddd', '#e8b795', '#d3704f', '#9c2430'];
const STEPS = 255; // byte 255 means: no value

function parse(text) {
    return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
}

/** Red, green, blue at s in [0, 1] of a list of colours. */
function mix(colors, s) {
    const at = Math.min(Math.max(s, 0), 1) * (colors.length - 1);
    const i = Math.min(Math.floor(at), colors.length - 2);
    const a = parse(colors[i]);
    const b = parse(colors[i + 1]);
    return a.map((v, k) => v + (at - i) * (b[k] - v));
}

/**
 * How a field is shown: the range of its scale, and a colour for each byte of its values.
 * @param {{name: string, unit: string, least: number, most: number}} field
 * @returns {{low: number, high: number, colors: string[], table: Float32Array}}
 */
export function makeScale(field) {
    const { least, most } = field;
    const size = Math.max(Math.abs(least), Math.abs(most));
    const signed = least < -0.02 * size && most > 0.02 * size;
    const colors = signed ? DIVERGING : SEQUENTIAL;
    let [low, high] = signed ? [-size, size] : [least, most];
    // What has one sign and comes near zero begins there.
    if (!signed && least >= 0 && least < 0.3 * most) low = 0;
    if (!signed && most <= 0 && most > 0.3 * least) high = 0;
    if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1), low + (Math.abs(low) || 1)];
    const table = new Float32Array(3 * STEPS);
    for (let i = 0; i < STEPS; ++i) {
        const value = least + ((most - least) * i) / (STEPS - 1);
        table.set(mix(colors, (value - low) / (high - low)), 3 * i);
    }
    return { low, high, colors, table };
}

const PREFIXES = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
    [1e-3, 'm'],
    [1e-6, '\u00b5'],
];

/**
 * Unit with a prefix that suits a size: 2.3e6 Pa is shown in MPa.
 * @returns {{factor: number, unit: string}} divide by the factor
 */
export function suitableUnit(size, unit) {
    if (!unit || unit === '1' || !(size > 0)) return { factor: 1, unit: unit === '1' ? '' : unit };
    const row = PREFIXES.find(([f]) => size >= 0.9999 * f) || PREFIXES[PREFIXES.length - 1];
    const prefixed = /^(Pa|N|N m|J|m\/s|m)$/.test(unit) ? row : [1, ''];
    return { factor: prefixed[0], unit: prefixed[1] + unit };
}

/** A field's name for people: "axial_force" is "axial force", "mises" is "von Mises stress". */
export function fieldLabel(name) {
    const words = { mises: 'von Mises stress', none: 'no field' };
    return words[name] || name.replaceAll('_', ' ');
}

/** The numbers at the ends and in the middle of a scale, and their unit. */
export function scaleTicks(scale, unit) {
    const suited = suitableUnit(Math.max(Math.abs(scale.low), Math.abs(scale.high)), unit);
    const values = [scale.low, (scale.low + scale.high) / 2, scale.high];
    return { unit: suited.unit, texts: values.map((v) => formatNumber(v / suited.factor, 3)) };
}
