// Reads the data object of the page (DATA.md) and decodes its arrays when they are first asked for.
// Everything that may be missing or cut off gets an empty stand-in here, so that no other module
// has to ask.

const ARRAY_TYPES = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u8: Uint8Array };

/** Bytes of a base64 text. */
function decodeBase64(text) {
    if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/**
 * Decodes one array of the data object.
 * @param {object|undefined} array `{type, shape, data}`; anything else gives an empty array
 * @param {Function} [fallback] type of the empty array
 * @returns {Float64Array|Float32Array|Int32Array|Uint8Array}
 */
export function decodeArray(array, fallback = Float32Array) {
    const Type = array && ARRAY_TYPES[array.type];
    if (!Type || typeof array.data !== 'string') return new (Type || fallback)(0);
    const bytes = decodeBase64(array.data);
    const count = Math.floor(bytes.length / Type.BYTES_PER_ELEMENT);
    return new Type(bytes.buffer, 0, count);
}

/** A property that is computed at its first use. */
function lazy(target, key, compute) {
    Object.defineProperty(target, key, {
        configurable: true,
        enumerable: true,
        get() {
            const value = compute();
            Object.defineProperty(target, key, { value, enumerable: true });
            return value;
        },
    });
}

/** Index of the last entry of a sorted array that is <= value; -1 if there is none. */
export function lastAtOrBefore(sorted, value) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

/** Index of the entry of a sorted array that is nearest to value; -1 if it is empty. */
export function nearestIndex(sorted, value) {
    const i = lastAtOrBefore(sorted, value);
    if (i < 0) return sorted.length ? 0 : -1;
    if (i + 1 < sorted.length && sorted[i + 1] - value < value - sorted[i]) return i + 1;
    return i;
}

/** Values of a signal with null in place of what is not finite, as the plots want gaps. */
function withGaps(values) {
    for (let i = 0; i < values.length; ++i)
        if (!Number.isFinite(values[i]))
            return Array.from(values, (v) => (Number.isFinite(v) ? v : null));
    return values;
}

function makeSignals(run, list) {
    const count = run.signalTime.length;
    return list.map((raw) => {
        const signal = {
            path: String(raw.path ?? ''),
            group: String(raw.group || 'Other'),
            label: String(raw.label || raw.path || ''),
            unit: String(raw.unit ?? ''),
            body: Number.isInteger(raw.body) ? raw.body : -1,
            contact: Number.isInteger(raw.contact) ? raw.contact : -1,
            joint: Number.isInteger(raw.joint) ? raw.joint : -1,
        };
        lazy(signal, 'values', () => {
            const values = decodeArray(raw.values);
            if (values.length >= count) return withGaps(values.subarray(0, count));
            return Array.from({ length: count }, (_, i) =>
                Number.isFinite(values[i]) ? values[i] : null,
            );
        });
        return signal;
    });
}

/** Events sorted by time, those at times that are not finite left out. */
function makeEvents(raw) {
    const events = { kinds: raw.kinds || [], dropped: raw.dropped || 0 };
    lazy(events, 'list', () => {
        const time = decodeArray(raw.time, Float64Array);
        const kind = decodeArray(raw.kind, Uint8Array);
        const object = decodeArray(raw.object, Int32Array);
        const value = decodeArray(raw.value, Float64Array);
        const normal = decodeArray(raw.normal, Float64Array);
        const tangential = decodeArray(raw.tangential, Float64Array);
        const list = [];
        for (let i = 0; i < time.length && i < kind.length; ++i)
            if (Number.isFinite(time[i]) && kind[i] < events.kinds.length)
                list.push({
                    time: time[i],
                    kind: kind[i],
                    object: object[i] ?? -1,
                    value: value[i] ?? NaN,
                    normal: normal[i] ?? NaN,
                    tangential: tangential[i] ?? NaN,
                });
        return list.sort((a, b) => a.time - b.time);
    });
    return events;
}

/** Number of whole frames that all arrays of the animation hold. */
function countFrames(raw, bodyCount) {
    const rows = (array) => (array?.shape?.length ? array.shape[0] : 0);
    const frames = [raw.time?.shape?.[0] ?? 0];
    if (bodyCount) frames.push(rows(raw.bodies.position), rows(raw.bodies.rotation));
    for (const mesh of raw.meshes?.items || []) frames.push(rows(mesh.position));
    return Math.min(...frames);
}

/**
 * Drawings whose frames sit on points of meshes: such a point becomes a place behind the bodies, and
 * the frame names it as its body.
 * @returns {{drawings: object[], anchors: {mesh: number, point: number}[]}}
 */
function placeOnMeshes(drawings, bodyCount) {
    const anchors = [];
    const moved = (frame) => {
        if (!frame || !Number.isInteger(frame.mesh) || !(frame.point >= 0)) return frame;
        let i = anchors.findIndex((a) => a.mesh === frame.mesh && a.point === frame.point);
        if (i < 0) i = anchors.push({ mesh: frame.mesh, point: frame.point }) - 1;
        return { ...frame, body: bodyCount + i };
    };
    const placed = drawings.map((d) => ({ ...d, a: moved(d.a), ...(d.b ? { b: moved(d.b) } : {}) }));
    return { drawings: placed, anchors };
}

/**
 * One run of the data object.
 * @param {object} raw
 * @param {number} index place among the runs of the page
 */
function makeRun(raw, index) {
    const names = raw.bodies?.names || [];
    const contactNames = raw.contacts?.names || [];
    const { drawings, anchors } = placeOnMeshes(raw.drawings || [], names.length);
    const run = {
        index,
        title: raw.title || raw.file || 'Untitled run',
        file: raw.file || '',
        command: raw.command || '',
        version: raw.version || '',
        dimension: raw.dimension === 2 ? 2 : 3,
        complete: raw.complete !== false,
        verdict: raw.verdict || { level: 'notice', text: 'The file carries no verdict.' },
        warnings: raw.warnings || [],
        evidence: raw.evidence || [],
        summary: raw.summary || [],
        model: raw.model || '',
        frames: raw.frames || { stored: 0, drawn: 0, points: 0 },
        drawings,
        anchors, // points of meshes that drawings are fixed to
        fields: raw.meshes?.fields || [], // what may colour the meshes
        bodyNames: names,
        bodyCount: names.length,
        placeCount: names.length + anchors.length,
        contactNames,
        contactCount: contactNames.length,
        frameCount: countFrames(raw, names.length),
        events: makeEvents(raw.events || {}),
        raw, // for kinds of drawing that bring their own keys
    };
    lazy(run, 'time', () => decodeArray(raw.time, Float64Array).subarray(0, run.frameCount));
    lazy(run, 'position', () => decodeArray(raw.bodies?.position));
    lazy(run, 'rotation', () => decodeArray(raw.bodies?.rotation));
    lazy(run, 'contactState', () => decodeArray(raw.contacts?.state, Uint8Array));
    lazy(run, 'contactPoint', () => decodeArray(raw.contacts?.point));
    lazy(run, 'contactForce', () => decodeArray(raw.contacts?.force));
    lazy(run, 'signalTime', () => decodeArray(raw.signal_time, Float64Array));
    lazy(run, 'signals', () => makeSignals(run, raw.signals || []));
    lazy(run, 'signalByPath', () => new Map(run.signals.map((s) => [s.path, s])));
    lazy(run, 'range', () => timeRange(run));
    return run;
}

/** First and last time of frames, signals and events. */
function timeRange(run) {
    let first = Infinity;
    let last = -Infinity;
    const add = (t) => {
        if (!Number.isFinite(t)) return;
        first = Math.min(first, t);
        last = Math.max(last, t);
    };
    for (const times of [run.time, run.signalTime])
        if (times.length) {
            add(times[0]);
            add(times[times.length - 1]);
        }
    const events = run.events.list;
    if (events.length) {
        add(events[0].time);
        add(events[events.length - 1].time);
    }
    return first <= last ? [first, last] : [0, 0];
}

/**
 * Reads the data object out of the page and frees its text.
 * @param {Document} document
 * @returns {{generator: string, runs: object[], problem: string}} problem: why there is nothing
 */
export function readPageData(document) {
    const element = document.getElementById('percuss-data');
    let raw = null;
    try {
        raw = JSON.parse(element.textContent);
    } catch (error) {
        return {
            generator: '',
            runs: [],
            problem: `The data of this page cannot be read: ${error.message}`,
        };
    }
    element.textContent = '';
    if (!raw || raw.percuss === 'no data' || !Array.isArray(raw.runs) || !raw.runs.length)
        return {
            generator: '',
            runs: [],
            problem: 'This page holds no run yet. Write one with: percuss report RESULT.h5',
        };
    if (raw.format !== 1)
        return {
            generator: raw.generator || '',
            runs: [],
            problem: `The data have format ${raw.format}, and this page knows format 1.`,
        };
    return { generator: raw.generator || '', runs: raw.runs.map(makeRun), problem: '' };
}
