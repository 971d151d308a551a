// Poses of bodies at a time, and the few matrix operations that the animation needs in its loop.
// Matrices are column-major 4 x 4 in flat arrays, as WebGL wants them.
import { lastAtOrBefore } from './data.js';

/** Writes the matrix of a position and a unit quaternion (w, x, y, z) at `o` of `out`. */
export function composeMatrix(out, o, px, py, pz, w, x, y, z, sx = 1, sy = 1, sz = 1) {
    out[o] = (1 - 2 * (y * y + z * z)) * sx;
    out[o + 1] = 2 * (x * y + w * z) * sx;
    out[o + 2] = 2 * (x * z - w * y) * sx;
    out[o + 3] = 0;
    out[o + 4] = 2 * (x * y - w * z) * sy;
    out[o + 5] = (1 - 2 * (x * x + z * z)) * sy;
    out[o + 6] = 2 * (y * z + w * x) * sy;
    out[o + 7] = 0;
    out[o + 8] = 2 * (x * z + w * y) * sz;
    out[o + 9] = 2 * (y * z - w * x) * sz;
    out[o + 10] = (1 - 2 * (x * x + y * y)) * sz;
    out[o + 11] = 0;
    out[o + 12] = px;
    out[o + 13] = py;
    out[o + 14] = pz;
    out[o + 15] = 1;
}

/** out[o] <- a[i] * b[j] for affine matrices; the axes of b are scaled by s. */
export function multiplyMatrix(out, o, a, i, b, j, s = 1) {
    for (let column = 0; column < 4; ++column) {
        const c = j + 4 * column;
        const k = column < 3 ? s : 1;
        const x = b[c] * k;
        const y = b[c + 1] * k;
        const z = b[c + 2] * k;
        const w = column === 3 ? 1 : 0;
        const r = o + 4 * column;
        out[r] = a[i] * x + a[i + 4] * y + a[i + 8] * z + a[i + 12] * w;
        out[r + 1] = a[i + 1] * x + a[i + 5] * y + a[i + 9] * z + a[i + 13] * w;
        out[r + 2] = a[i + 2] * x + a[i + 6] * y + a[i + 10] * z + a[i + 14] * w;
        out[r + 3] = w;
    }
}

/** Writes the point a[i] * (x, y, z) to `out`. */
export function transformPoint(out, a, i, x, y, z) {
    out[0] = a[i] * x + a[i + 4] * y + a[i + 8] * z + a[i + 12];
    out[1] = a[i + 1] * x + a[i + 5] * y + a[i + 9] * z + a[i + 13];
    out[2] = a[i + 2] * x + a[i + 6] * y + a[i + 10] * z + a[i + 14];
    return out;
}

/** Writes the matrix that lays the unit z axis from p to q, with radius r, at `o` of `out`. */
export function spanMatrix(out, o, p, q, r) {
    let zx = q[0] - p[0];
    let zy = q[1] - p[1];
    let zz = q[2] - p[2];
    const length = Math.hypot(zx, zy, zz);
    const unit = length > 0 ? 1 / length : 0;
    zx *= unit;
    zy *= unit;
    zz = unit ? zz * unit : 1;
    // x axis: perpendicular to z and to the world axis that is furthest from it.
    let xx;
    let xy;
    let xz;
    if (Math.abs(zz) < 0.9) [xx, xy, xz] = [zy, -zx, 0];
    else [xx, xy, xz] = [0, zz, -zy];
    const n = 1 / (Math.hypot(xx, xy, xz) || 1);
    xx *= n;
    xy *= n;
    xz *= n;
    out[o] = xx * r;
    out[o + 1] = xy * r;
    out[o + 2] = xz * r;
    out[o + 3] = 0;
    out[o + 4] = (zy * xz - zz * xy) * r;
    out[o + 5] = (zz * xx - zx * xz) * r;
    out[o + 6] = (zx * xy - zy * xx) * r;
    out[o + 7] = 0;
    out[o + 8] = zx * length;
    out[o + 9] = zy * length;
    out[o + 10] = zz * length;
    out[o + 11] = 0;
    out[o + 12] = p[0];
    out[o + 13] = p[1];
    out[o + 14] = p[2];
    out[o + 15] = 1;
}

/**
 * Frame before a time, and the part of the way to the next one.
 * @returns {{frame: number, part: number}} frame -1: the run has no frames
 */
export function locate(times, t) {
    if (!times.length) return { frame: -1, part: 0 };
    const frame = Math.max(0, lastAtOrBefore(times, t));
    if (frame + 1 >= times.length || t <= times[frame]) return { frame, part: 0 };
    const step = times[frame + 1] - times[frame];
    return { frame, part: step > 0 ? Math.min(1, (t - times[frame]) / step) : 0 };
}

/**
 * Matrices of the points of meshes that drawings are fixed to, behind those of the bodies.
 * @param {object} run
 * @param {object[]} meshes after their update (meshes.js)
 * @param {Float32Array} out as for poseBodies
 */
export function poseAnchors(run, meshes, out) {
    run.anchors.forEach(({ mesh, point }, i) => {
        const m = meshes[mesh];
        const o = 16 * (run.bodyCount + i + 1);
        if (!m || point >= m.count) {
            out.fill(0, o, o + 16);
            return;
        }
        const [x, y, z] = m.points.subarray(3 * point, 3 * point + 3);
        const turn = m.turns ? m.turns.subarray(4 * point, 4 * point + 4) : [1, 0, 0, 0];
        composeMatrix(out, o, x, y, z, ...turn);
    });
}

/**
 * Matrices of all bodies at a time, interpolated between drawn frames. Entry 0 is the ground, body
 * i is entry i + 1. A body whose pose is not a number gets a zero matrix and so disappears.
 * @param {object} run
 * @param {number} t
 * @param {boolean} interpolate false: the pose of the drawn frame at or before t
 * @param {Float32Array} out (bodyCount + 1) * 16
 * @param {(body: number) => number} depth added to z: keeps planar bodies apart
 */
export function poseBodies(run, t, interpolate, out, depth) {
    composeMatrix(out, 0, 0, 0, 0, 1, 0, 0, 0);
    const { frame, part } = locate(run.time, t);
    const { position: p, rotation: r, bodyCount: n } = run;
    if (frame < 0) {
        out.fill(0, 16);
        return;
    }
    const s = interpolate ? part : 0;
    for (let i = 0; i < n; ++i) {
        let a = (frame * n + i) * 3;
        let b = s > 0 ? a + 3 * n : a;
        const x = p[a] + s * (p[b] - p[a]);
        const y = p[a + 1] + s * (p[b + 1] - p[a + 1]);
        const z = p[a + 2] + s * (p[b + 2] - p[a + 2]) + depth(i);
        a = (frame * n + i) * 4;
        b = s > 0 ? a + 4 * n : a;
        const dot = r[a] * r[b] + r[a + 1] * r[b + 1] + r[a + 2] * r[b + 2] + r[a + 3] * r[b + 3];
        const k = dot < 0 ? -s : s; // the shorter way round
        const qw = (1 - s) * r[a] + k * r[b];
        const qx = (1 - s) * r[a + 1] + k * r[b + 1];
        const qy = (1 - s) * r[a + 2] + k * r[b + 2];
        const qz = (1 - s) * r[a + 3] + k * r[b + 3];
        const norm = 1 / Math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz);
        const o = 16 * (i + 1);
        if (Number.isFinite(x + y + z) && Number.isFinite(norm))
            composeMatrix(out, o, x, y, z, qw * norm, qx * norm, qy * norm, qz * norm);
        else out.fill(0, o, o + 16);
    }
}
