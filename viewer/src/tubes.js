// Bars and beams as prisms along their sections. Between two nodes that turn, a beam follows the cubic
// that leaves each node along its axis, so that a few elements look as smooth as the beam is.
import * as THREE from 'three';
import { decodeArray } from './data.js';
import { makeShade } from './shade.js';

const SMOOTH_PIECES = 8; // of an element between nodes that turn
const ROUND_CORNERS = 14;
const LEAST_PIXELS = 3; // thinner ones would vanish

/** Corners of a section of size one: where they are and where they look, in y and z. */
function sectionCorners(round) {
    if (round)
        return Array.from({ length: ROUND_CORNERS + 1 }, (_, i) => {
            const angle = (2 * Math.PI * i) / ROUND_CORNERS;
            const [c, s] = [Math.cos(angle), Math.sin(angle)];
            return { y: c / 2, z: s / 2, ny: c, nz: s };
        });
    const sides = [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
    ];
    // Each side has two corners of its own, so that edges stay sharp.
    return sides.flatMap(([ny, nz]) => [
        { y: (ny + nz) / 2, z: (nz - ny) / 2, ny, nz },
        { y: (ny - nz) / 2, z: (nz + ny) / 2, ny, nz },
    ]);
}

/** Triangles between two rings of a piece; sides of a round section share corners. */
function ringTriangles(index, ring, corners, round) {
    const step = round ? 1 : 2;
    for (let i = 0; i + 1 < corners; i += step) {
        const [a, b] = [ring + i, ring + i + 1];
        index.push(a, a + corners, b, b, a + corners, b + corners);
    }
}

function rotate(out, o, turns, i, v) {
    if (!turns) {
        out[o] = v[0];
        out[o + 1] = v[1];
        out[o + 2] = v[2];
        return;
    }
    const [w, x, y, z] = [turns[4 * i], turns[4 * i + 1], turns[4 * i + 2], turns[4 * i + 3]];
    const tx = 2 * (y * v[2] - z * v[1]);
    const ty = 2 * (z * v[0] - x * v[2]);
    const tz = 2 * (x * v[1] - y * v[0]);
    out[o] = v[0] + w * tx + y * tz - z * ty;
    out[o + 1] = v[1] + w * ty + z * tx - x * tz;
    out[o + 2] = v[2] + w * tz + x * ty - y * tx;
}

/** Axes of a straight element between points: x along it, the others as near as possible. */
function straightAxes(out, p, a, b, axes) {
    const x = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const length = Math.hypot(...x) || 1;
    const dot = (axes[3] * x[0] + axes[4] * x[1] + axes[5] * x[2]) / (length * length);
    const y = [axes[3] - dot * x[0], axes[4] - dot * x[1], axes[5] - dot * x[2]];
    const size = Math.hypot(...y) || 1;
    for (let k = 0; k < 3; ++k) {
        out[k] = x[k] / length;
        out[3 + k] = y[k] / size;
    }
    out[6] = out[1] * out[5] - out[2] * out[4];
    out[7] = out[2] * out[3] - out[0] * out[5];
    out[8] = out[0] * out[4] - out[1] * out[3];
}

/**
 * @param {object} raw a line of DATA.md
 * @param {Float32Array|null} rotation of the nodes; null: they are points
 * @param {object} look options of makeShade
 */
export function makeTubes(raw, rotation, look) {
    const elements = decodeArray(raw.elements, Int32Array);
    const axes = decodeArray(raw.axes);
    const count = elements.length / 2;
    const corners = sectionCorners(raw.round);
    const pieces = rotation ? SMOOTH_PIECES : 1;
    const ring = corners.length;
    const perElement = (pieces + 1) * ring + 2 * ring; // and the two ends
    const geometry = new THREE.BufferGeometry();
    const make = (name) => {
        const attribute = new THREE.BufferAttribute(new Float32Array(3 * count * perElement), 3);
        attribute.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute(name, attribute);
        return attribute;
    };
    const position = make('position');
    const normal = make('normal');
    const color = make('color');
    const index = [];
    for (let e = 0; e < count; ++e) {
        const first = e * perElement;
        for (let k = 0; k < pieces; ++k) ringTriangles(index, first + k * ring, ring, raw.round);
        for (const end of [0, 1]) {
            const o = first + (pieces + 1 + end) * ring;
            for (let i = 1; i + 1 < ring; ++i)
                index.push(o, o + (end ? i : i + 1), o + (end ? i + 1 : i));
        }
    }
    geometry.setIndex(index);
    const object = new THREE.Mesh(
        geometry,
        makeShade({ painted: true, bothSides: true, ...look }),
    );
    const ends = [new Float32Array(9), new Float32Array(9)]; // axes at the two nodes
    const own = new Float32Array(9);
    const at = new Float32Array(3);

    /** Place and axes at s of element e: the cubic and the mean of the axes. */
    function pose(p, a, b, length, s) {
        const [f, g] = [1 - s, s];
        const h0 = f * f * (1 + 2 * s);
        const h1 = s * f * f * length;
        const h2 = s * s * (3 - 2 * s);
        const h3 = -s * s * f * length;
        for (let k = 0; k < 3; ++k)
            at[k] = h0 * p[a + k] + h1 * ends[0][k] + h2 * p[b + k] + h3 * ends[1][k];
        for (let k = 0; k < 9; ++k) own[k] = f * ends[0][k] + g * ends[1][k];
    }

    function putRing(vertex, width, height, along) {
        const [to, n] = [position.array, normal.array];
        for (let i = 0; i < ring; ++i) {
            const c = corners[i];
            const o = 3 * (vertex + i);
            for (let k = 0; k < 3; ++k) {
                to[o + k] = at[k] + c.y * width * own[3 + k] + c.z * height * own[6 + k];
                n[o + k] = along ? along * own[k] : c.ny * own[3 + k] + c.nz * own[6 + k];
            }
        }
    }

    function place(p, turns, pixel) {
        const least = LEAST_PIXELS * pixel;
        const width = Math.max(raw.size[0], least);
        const height = Math.max(raw.size[1], least);
        for (let e = 0; e < count; ++e) {
            const [a, b] = [elements[2 * e], elements[2 * e + 1]];
            const local = axes.subarray(9 * e, 9 * e + 9);
            if (turns)
                for (let k = 0; k < 9; k += 3) {
                    rotate(ends[0], k, turns, a, local.subarray(k, k + 3));
                    rotate(ends[1], k, turns, b, local.subarray(k, k + 3));
                }
            else {
                straightAxes(ends[0], p, 3 * a, 3 * b, local);
                ends[1].set(ends[0]);
            }
            const length = Math.hypot(
                p[3 * b] - p[3 * a],
                p[3 * b + 1] - p[3 * a + 1],
                p[3 * b + 2] - p[3 * a + 2],
            );
            const first = e * perElement;
            for (let k = 0; k <= pieces; ++k) {
                pose(p, 3 * a, 3 * b, length, k / pieces);
                putRing(first + k * ring, width, height, 0);
                if (k === 0) putRing(first + (pieces + 1) * ring, width, height, -1);
                if (k === pieces) putRing(first + (pieces + 2) * ring, width, height, 1);
            }
        }
        position.needsUpdate = true;
        normal.needsUpdate = true;
    }

    function paint(colors) {
        const to = color.array;
        for (let e = 0; e < count; ++e) {
            const [a, b] = [3 * elements[2 * e], 3 * elements[2 * e + 1]];
            for (let r = 0; r < pieces + 3; ++r) {
                const s = r <= pieces ? r / pieces : r - pieces - 1;
                for (let i = 0; i < ring; ++i) {
                    const o = 3 * (e * perElement + r * ring + i);
                    for (let k = 0; k < 3; ++k)
                        to[o + k] = colors[a + k] + s * (colors[b + k] - colors[a + k]);
                }
            }
        }
        color.needsUpdate = true;
    }
    return { object, place, paint };
}
