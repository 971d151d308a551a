// Deformed meshes of a run: surfaces of solids, and bars and beams drawn along their sections. Their
// points move with every picture; colours come from a field (DATA.md) through a table of colours.
import * as THREE from 'three';
import { decodeArray } from './data.js';
import { locate } from './pose.js';
import { makeShade } from './shade.js';
import { makeTubes } from './tubes.js';

const SHARP = 0.75; // cosine; faces that meet at a wider angle keep an edge between them
const NONE = 255; // byte of a field: no value

/** Unit normals of the triangles at the first frame. */
function faceNormals(triangles, p) {
    const normals = new Float32Array(triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
        const u = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
        const v = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
        const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        const size = Math.hypot(...n) || 1;
        for (let k = 0; k < 3; ++k) normals[t + k] = n[k] / size;
    }
    return normals;
}

/** Vertices of a surface: a point has several where the surface has an edge. */
function splitVertices(triangles, p) {
    const normals = faceNormals(triangles, p);
    const byPoint = new Map();
    const points = []; // of each vertex
    const index = new Uint32Array(triangles.length);
    for (let i = 0; i < triangles.length; ++i) {
        const t = i - (i % 3);
        const n = [normals[t], normals[t + 1], normals[t + 2]];
        const point = triangles[i];
        if (!byPoint.has(point)) byPoint.set(point, []);
        const list = byPoint.get(point);
        let found = list.find((v) => v.n[0] * n[0] + v.n[1] * n[1] + v.n[2] * n[2] > SHARP);
        if (!found) {
            found = { n, vertex: points.length };
            list.push(found);
            points.push(point);
        }
        index[i] = found.vertex;
    }
    return { points: Uint32Array.from(points), index };
}

function dynamicAttribute(geometry, name, count, fill = 0) {
    const attribute = new THREE.BufferAttribute(new Float32Array(3 * count).fill(fill), 3);
    attribute.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute(name, attribute);
    return attribute;
}

/** The surface of the solids of a mesh. */
function makeSurface(triangles, start, options) {
    const { points, index } = splitVertices(triangles, start);
    const geometry = new THREE.BufferGeometry();
    const position = dynamicAttribute(geometry, 'position', points.length);
    const normal = dynamicAttribute(geometry, 'normal', points.length);
    const color = dynamicAttribute(geometry, 'color', points.length, 1);
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const material = makeShade({ painted: true, behind: true, bothSides: true, ...options });
    const object = new THREE.Mesh(geometry, material);

    function place(p) {
        const to = position.array;
        for (let i = 0; i < points.length; ++i)
            for (let k = 0; k < 3; ++k) to[3 * i + k] = p[3 * points[i] + k];
        const n = normal.array.fill(0);
        for (let t = 0; t < index.length; t += 3) {
            const [a, b, c] = [3 * index[t], 3 * index[t + 1], 3 * index[t + 2]];
            const ux = to[b] - to[a];
            const uy = to[b + 1] - to[a + 1];
            const uz = to[b + 2] - to[a + 2];
            const vx = to[c] - to[a];
            const vy = to[c + 1] - to[a + 1];
            const vz = to[c + 2] - to[a + 2];
            const nx = uy * vz - uz * vy;
            const ny = uz * vx - ux * vz;
            const nz = ux * vy - uy * vx;
            for (const o of [a, b, c]) {
                n[o] += nx;
                n[o + 1] += ny;
                n[o + 2] += nz;
            }
        }
        position.needsUpdate = true;
        normal.needsUpdate = true;
    }

    function paint(colors) {
        const to = color.array;
        for (let i = 0; i < points.length; ++i)
            for (let k = 0; k < 3; ++k) to[3 * i + k] = colors[3 * points[i] + k];
        color.needsUpdate = true;
    }
    return { object, place, paint };
}

/** Edges of the elements on the surface. */
function makeEdges(edges) {
    const geometry = new THREE.BufferGeometry();
    const position = dynamicAttribute(geometry, 'position', edges.length);
    const object = new THREE.LineSegments(geometry, makeShade({ lit: false, opacity: 0.35 }));
    function place(p) {
        const to = position.array;
        for (let i = 0; i < edges.length; ++i)
            for (let k = 0; k < 3; ++k) to[3 * i + k] = p[3 * edges[i] + k];
        position.needsUpdate = true;
    }
    return { object, place };
}

/** One mesh of the run. */
class MeshDrawing {
    constructor(run, raw, fieldNames, options) {
        this.run = run;
        this.name = String(raw.name ?? '');
        this.position = decodeArray(raw.position);
        this.rotation = raw.rotation ? decodeArray(raw.rotation) : null;
        this.count = raw.position?.shape?.[1] ?? 0;
        this.fields = new Map();
        for (const f of raw.fields || []) this.fields.set(fieldNames[f.field], f.values);
        this.values = null; // bytes of the field in view
        this.table = null;
        this.plain = [0.6, 0.6, 0.6];
        this.points = new Float32Array(3 * this.count);
        this.turns = this.rotation ? new Float32Array(4 * this.count) : null;
        this.colors = new Float32Array(3 * this.count);
        this.group = new THREE.Group();
        const triangles = decodeArray(raw.triangles, Int32Array);
        const edges = decodeArray(raw.edges, Int32Array);
        const look = options.ghost ? { opacity: 0.28 } : {};
        this.parts = [];
        this.edges = null;
        if (triangles.length)
            this.parts.push(makeSurface(triangles, this.position.subarray(0, 3 * this.count), look));
        if (edges.length && !options.ghost) this.edges = makeEdges(edges);
        for (const line of raw.lines || []) this.parts.push(makeTubes(line, this.rotation, look));
        for (const part of [...this.parts, this.edges])
            if (part) {
                part.object.frustumCulled = false; // its bounds change with every frame
                this.group.add(part.object);
            }
    }

    /** Points, rotations and colours at a time, between two frames. */
    update(t, view) {
        const { frame, part } = locate(this.run.time, t);
        this.group.visible = frame >= 0;
        if (frame < 0) return;
        const s = view.interpolate ? part : 0;
        const n = this.count;
        const a = 3 * n * frame;
        const b = s > 0 ? a + 3 * n : a;
        for (let i = 0; i < 3 * n; ++i)
            this.points[i] = this.position[a + i] + s * (this.position[b + i] - this.position[a + i]);
        if (this.turns) this.turn(frame, s);
        this.paint(frame, s);
        for (const p of this.parts) {
            p.place(this.points, this.turns, view.linePixel);
            p.paint(this.colors);
        }
        if (this.edges) this.edges.place(this.points);
    }

    turn(frame, s) {
        const { rotation: r, turns: out, count: n } = this;
        for (let i = 0; i < n; ++i) {
            const a = 4 * (n * frame + i);
            const b = s > 0 ? a + 4 * n : a;
            let dot = 0;
            for (let k = 0; k < 4; ++k) dot += r[a + k] * r[b + k];
            const w = dot < 0 ? -s : s; // the shorter way round
            let size = 0;
            for (let k = 0; k < 4; ++k) {
                out[4 * i + k] = (1 - s) * r[a + k] + w * r[b + k];
                size += out[4 * i + k] ** 2;
            }
            size = 1 / Math.sqrt(size || 1);
            for (let k = 0; k < 4; ++k) out[4 * i + k] *= size;
        }
    }

    paint(frame, s) {
        const { values, table, colors, count: n } = this;
        for (let i = 0; i < n; ++i) {
            const a = values ? values[n * frame + i] : NONE;
            const b = values && s > 0 ? values[n * (frame + 1) + i] : a;
            if (a === NONE || b === NONE) {
                colors.set(this.plain, 3 * i);
                continue;
            }
            const at = 3 * Math.round(a + s * (b - a));
            colors[3 * i] = table[at];
            colors[3 * i + 1] = table[at + 1];
            colors[3 * i + 2] = table[at + 2];
        }
    }

    /** Colours by a field; without one, or where the mesh has none, by `plain`. */
    setField(name, table, plain) {
        const raw = this.fields.get(name);
        if (this.shown !== name) this.values = raw ? decodeArray(raw, Uint8Array) : null;
        this.shown = name;
        this.table = table;
        this.plain = plain;
    }

    dispose() {
        this.group.removeFromParent();
        for (const part of [...this.parts, this.edges])
            if (part) {
                part.object.geometry.dispose();
                part.object.material.dispose();
            }
    }
}

/**
 * The meshes of a run.
 * @param {object} run
 * @param {{ghost?: boolean}} options
 * @returns {MeshDrawing[]}
 */
export function makeMeshes(run, options) {
    const raw = run.raw.meshes;
    if (!raw?.items || !run.frameCount) return [];
    const names = (raw.fields || []).map((f) => f.name);
    return raw.items.map((item) => new MeshDrawing(run, item, names, options));
}
