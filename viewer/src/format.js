// Numbers and units as a reader wants them.

const MINUS = '\u2212';

/**
 * A number with a few significant digits; exponents only where they help.
 * @param {number|null} value
 * @param {number} [digits]
 */
export function formatNumber(value, digits = 4) {
    if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
    if (!Number.isFinite(value)) return value > 0 ? '\u221e' : `${MINUS}\u221e`;
    if (value === 0) return '0';
    const size = Math.abs(value);
    let text;
    if (Number.isInteger(value) && size < 1e7) text = groupThousands(String(size));
    else if (size >= 1e-3 && size < 1e6) text = String(Number(size.toPrecision(digits)));
    else
        text = size
            .toExponential(digits - 1)
            .replace(/\.?0+e/, 'e')
            .replace('e+', 'e');
    return (value < 0 ? MINUS : '') + text.replace('e-', `e${MINUS}`);
}

function groupThousands(text) {
    return text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, '\u202f') : text;
}

/** Unit as a reader sees it; pure numbers have none. */
export function unitText(unit) {
    return unit && unit !== '1' && unit !== '-' ? unit : '';
}

/** A number with its unit. */
export function formatQuantity(value, unit, digits = 4) {
    const text =
        typeof value === 'number' || value === null ? formatNumber(value, digits) : String(value);
    return unitText(unit) ? `${text}\u00a0${unit}` : text;
}

/**
 * Time with as many decimals as the length of the run asks for, so that it does not jump about.
 * @param {number} t
 * @param {number} span length of the run
 */
export function formatTime(t, span) {
    if (!Number.isFinite(t)) return '\u2013';
    const decimals = span > 0 ? Math.min(9, Math.max(0, 4 - Math.floor(Math.log10(span)))) : 3;
    return t.toFixed(decimals).replace('-', MINUS);
}

/** Decimals that a multiple of the step needs: 0.25 needs two. */
function decimalsOf(step) {
    for (let d = 0; d < 9; ++d) {
        const scaled = step * 10 ** d;
        if (scaled > 0.5 && Math.abs(scaled - Math.round(scaled)) < 1e-4) return d;
    }
    return 9;
}

/**
 * Labels of axis ticks: as many decimals as the distance of the ticks needs.
 * @param {number[]} ticks
 */
export function formatTicks(ticks) {
    const values = ticks.filter((v) => v !== null && Number.isFinite(v));
    if (!values.length) return ticks.map(() => '');
    const largest = Math.max(...values.map(Math.abs));
    const step = values.length > 1 ? Math.abs(values[1] - values[0]) : largest || 1;
    const exponential = largest > 0 && (largest >= 1e5 || largest < 1e-3);
    return ticks.map((v) => {
        if (v === null || !Number.isFinite(v)) return '';
        if (Math.abs(v) < step * 1e-6) return '0';
        if (exponential) {
            const power = Math.floor(Math.log10(Math.abs(v)) + 1e-9);
            const digits = Math.min(6, decimalsOf(step / 10 ** power));
            return v.toExponential(digits).replace('e+', 'e').replaceAll('-', MINUS);
        }
        return v.toFixed(decimalsOf(step)).replace('-', MINUS);
    });
}

/** "1 event", "3 events". */
export function count(n, noun) {
    return `${formatNumber(n)} ${noun}${n === 1 ? '' : 's'}`;
}
