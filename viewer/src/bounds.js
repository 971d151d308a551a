// Where the motion takes place and how large things are: for the camera, the ground and the glyphs.
import { decodeArray } from './data.js';

const SAMPLES = 120; // frames that are looked at
const FAR = 12; // a path that many times longer than the mechanism does not set the first view

/** Half the largest extent of a drawing around the origin of its frame. */
function reach(drawing) {
    const [x, y, z] = drawing.size || [0, 0, 0];
    switch (drawing.kind) {
        case 'sphere':
        case 'hole':
            return x;
        case 'box':
            return 0.5 * Math.hypot(x, y, z);
        case 'cylinder':
            return Math.hypot(x, z / 2);
        case 'capsule':
            return x + z / 2;
        case 'rod':
            return z / 2;
        case 'plane':
            return x > 0 ? Math.min(Math.hypot(x, y), 1e3) : 0;
        default:
            return 0;
    }
}

/** Points of each body (and of the ground) with a radius: [x, y, z, r]. */
function collectPoints(run) {
    const points = [];
    const put = (body, position, r) => {
        if (body < -1 || body >= run.bodyCount || !position?.every?.(Number.isFinite)) return;
        points.push({ body, position, r: Number.isFinite(r) ? r : 0 });
    };
    for (let i = 0; i < run.bodyCount; ++i) put(i, [0, 0, 0], 0);
    for (const d of run.drawings) {
        if (!d.a) continue;
        const unboundedGround = d.kind === 'plane' && d.a.body < 0 && !(d.size?.[0] > 0);
        if (!unboundedGround) put(d.a.body, d.a.position, reach(d));
        if (d.b && d.b !== d.a) put(d.b.body, d.b.position, 0);
        for (const v of d.vertices || [])
            put(d.a.body, [d.a.position[0] + v[0], d.a.position[1] + v[1], d.a.position[2]], 0);
    }
    return points;
}

const emptyBox = () => ({
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
});

function grow(box, p, r) {
    for (let k = 0; k < 3; ++k) {
        box.min[k] = Math.min(box.min[k], p[k] - r);
        box.max[k] = Math.max(box.max[k], p[k] + r);
    }
}

const isEmpty = (box) => !(box.min[0] <= box.max[0]);
const diagonal = (box) => (isEmpty(box) ? 0 : Math.hypot(...box.max.map((v, k) => v - box.min[k])));

function rotate([w, x, y, z], v) {
    const tx = 2 * (y * v[2] - z * v[1]);
    const ty = 2 * (z * v[0] - x * v[2]);
    const tz = 2 * (x * v[1] - y * v[0]);
    return [
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    ];
}

const MESH_SAMPLES = 600; // points of a mesh that are looked at in a frame

/** Takes in points of the meshes at one frame. */
function growByMeshes(box, meshes, frame) {
    for (const { position, count, reach } of meshes) {
        const step = Math.max(1, Math.floor(count / MESH_SAMPLES));
        for (let i = 0; i < count; i += step) {
            const o = 3 * (frame * count + i);
            const p = [position[o], position[o + 1], position[o + 2]];
            if (p.every(Number.isFinite)) grow(box, p, reach);
        }
    }
}

/** Positions of the meshes of a run, and half the width of their bars and beams. */
function collectMeshes(run) {
    return (run.raw?.meshes?.items || []).map((m) => ({
        position: decodeArray(m.position),
        count: m.position?.shape?.[1] ?? 0,
        reach: Math.max(0, ...(m.lines || []).map((l) => 0.5 * Math.max(...l.size))),
    }));
}

/** Box of all points at one frame, without the ground. */
function frameBox(run, points, meshes, frame) {
    const box = emptyBox();
    growByMeshes(box, meshes, frame);
    const n = run.bodyCount;
    for (const { body, position, r } of points) {
        if (body < 0) continue;
        const i = frame * n + body;
        const q = run.rotation.subarray(4 * i, 4 * i + 4);
        const v = rotate(q, position);
        const p = v.map((c, k) => c + run.position[3 * i + k]);
        if (p.every(Number.isFinite)) grow(box, p, r);
    }
    return box;
}

function median(values) {
    const sorted = values.filter((v) => v > 0).sort((a, b) => a - b);
    return sorted.length ? sorted[sorted.length >> 1] : 0;
}

/** Typical size of a single body. */
function bodySize(run, points) {
    const boxes = new Map();
    for (const { body, position, r } of points) {
        if (body < 0) continue;
        if (!boxes.has(body)) boxes.set(body, emptyBox());
        grow(boxes.get(body), position, r);
    }
    return median([...boxes.values()].map(diagonal));
}

/**
 * @param {object} run
 * @returns {{center: number[], min: number[], max: number[], size: number, mechanism: number,
 *            body: number}} size: diagonal of the whole motion; mechanism: of a typical frame;
 *            body: of a typical body
 */
export function measure(run) {
    const points = collectPoints(run);
    const meshes = collectMeshes(run);
    const all = emptyBox();
    const ground = emptyBox();
    for (const { body, position, r } of points) if (body < 0) grow(ground, position, r);
    const sizes = [];
    let first = null;
    const step = Math.max(1, Math.ceil(run.frameCount / SAMPLES));
    for (let frame = 0; frame < run.frameCount; frame += step) {
        const box = frameBox(run, points, meshes, frame);
        if (isEmpty(box)) continue;
        first ??= box;
        sizes.push(diagonal(box));
        grow(all, box.min, 0);
        grow(all, box.max, 0);
    }
    let mechanism = median(sizes) || diagonal(all) || diagonal(ground) || 1;
    let box = all;
    if (first && diagonal(all) > FAR * Math.max(diagonal(first), 0.2 * mechanism)) box = first;
    // Ground points belong to the picture when they are near.
    if (
        !isEmpty(ground) &&
        (isEmpty(box) || diagonal(ground) < 4 * Math.max(diagonal(box), mechanism))
    ) {
        box = { min: [...box.min], max: [...box.max] };
        grow(box, ground.min, 0);
        grow(box, ground.max, 0);
    }
    if (isEmpty(box)) box = { min: [-1, -1, -1], max: [1, 1, 1] };
    const size = diagonal(box) || mechanism;
    mechanism = Math.max(mechanism, 0.02 * size);
    return {
        center: box.min.map((v, k) => (v + box.max[k]) / 2),
        min: box.min,
        max: box.max,
        size,
        mechanism,
        body: bodySize(run, points) || mechanism,
    };
}
