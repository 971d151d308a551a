// The parts that a mechanism is drawn with. Equal geometries with equal materials share one
// batch, so that hundreds of bodies cost a handful of draw calls; what cannot be shared (lines,
// plates) is an object of its own. Parts follow their bodies by one matrix product each.
import * as THREE from 'three';
import { getGeometry, isRound } from './geometries.js';
import { Batch } from './batch.js';
import { makeShade } from './shade.js';
import { composeMatrix, multiplyMatrix, spanMatrix, transformPoint } from './pose.js';

/** Matrix of a frame `{position, rotation}`, shifted by an offset in the frame's own axes. */
export function localMatrix(frame, offset = [0, 0, 0]) {
    const out = new Array(16);
    const [w, x, y, z] = frame.rotation;
    composeMatrix(out, 0, ...frame.position, w, x, y, z);
    const p = transformPoint([0, 0, 0], out, 0, ...offset);
    [out[12], out[13], out[14]] = p;
    return out;
}

/** A matrix with its axes scaled. */
export function scaled(matrix, [x, y, z]) {
    return matrix.map((v, i) => v * (i < 4 ? x : i < 8 ? y : i < 12 ? z : 1));
}

/** Look of a part: solid, faint (geometry that only hints at a body) or floor. */
function shadeOf(name, ghost) {
    if (ghost) return { opacity: 0.28 };
    if (name === 'faint') return { opacity: 0.4 };
    if (name === 'floor') return { opacity: 0.5, lit: false, bothSides: true, behind: true };
    return {};
}

export class Parts {
    /**
     * @param {{cache: Map, fine: boolean, ghost: boolean}} options ghost: faint, without glyphs
     */
    constructor(options) {
        this.options = options;
        this.buckets = new Map();
        this.objects = [];
        this.main = new THREE.Group();
        this.overlay = new THREE.Group(); // drawn after and over the rest
    }

    bucket(geometry, { layer = 'main', material = 'solid', show = '' }) {
        const key = [geometry, layer, material, show].join(' ');
        if (!this.buckets.has(key))
            this.buckets.set(key, { geometry, layer, material, show, fixed: [], spans: [] });
        return this.buckets.get(key);
    }

    /**
     * Adds an instance.
     * @param {string} geometry of geometries.js
     * @param {{body: number, matrix: number[], color: object, layer?: 'main'|'overlay',
     *          material?: string, glyph?: boolean, show?: string}} part
     *        glyph: the matrix is in pixels; show: name of the switch that hides it
     */
    add(geometry, part) {
        if (this.options.ghost && (part.glyph || part.layer === 'overlay')) return;
        this.bucket(geometry, part).fixed.push(part);
    }

    /** Adds an instance that reaches from the origin of frame a to that of frame b. */
    addSpan(geometry, part) {
        if (this.options.ghost && part.layer === 'overlay') return;
        this.bucket(geometry, part).spans.push(part);
    }

    /** Adds line segments, six numbers each, in the coordinates of a frame. */
    addLines(points, part) {
        if (this.options.ghost) return;
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
        this.addObject(new THREE.LineSegments(geometry, makeShade({ lit: false })), part);
    }

    /** Adds a mesh of its own in the coordinates of a frame. */
    addMesh(geometry, part) {
        if (this.options.ghost && part.frame.body < 0) return;
        const material = makeShade(shadeOf(part.material, this.options.ghost));
        this.addObject(new THREE.Mesh(geometry, material), part);
    }

    addObject(object, part) {
        object.matrixAutoUpdate = false;
        object.frustumCulled = false;
        object.userData.body = part.frame.body;
        this.main.add(object);
        this.objects.push({ object, part, local: localMatrix(part.frame) });
    }

    /** Makes the meshes once all parts are there. */
    finish() {
        for (const bucket of this.buckets.values()) {
            const parts = [...bucket.fixed, ...bucket.spans];
            const geometry = getGeometry(this.options.cache, bucket.geometry, this.options.fine);
            const finer = this.options.fine
                ? null
                : getGeometry(this.options.cache, bucket.geometry, true);
            const shade = shadeOf(bucket.material, this.options.ghost);
            const batch = new Batch(
                geometry,
                parts.length,
                shade,
                isRound(bucket.geometry) ? finer : null,
            );
            batch.instances.userData.bodies = parts.map((p) => p.body ?? p.a?.body ?? -1);
            bucket.batch = batch;
            bucket.parts = parts;
            bucket.locals = new Float32Array(16 * bucket.fixed.length);
            bucket.fixed.forEach((p, i) => bucket.locals.set(p.matrix, 16 * i));
            this[bucket.layer].add(batch.object);
        }
    }

    /**
     * Moves all parts.
     * @param {Float32Array} bodies matrices, ground first
     * @param {number} pixel size of a pixel of glyphs, m
     */
    update(bodies, pixel) {
        for (const { batch, fixed, spans, locals } of this.buckets.values()) {
            if (!batch.object.visible) continue;
            const out = batch.array;
            fixed.forEach((part, i) =>
                multiplyMatrix(
                    out,
                    16 * i,
                    bodies,
                    16 * (part.body + 1),
                    locals,
                    16 * i,
                    part.glyph ? pixel : 1,
                ),
            );
            const p = [0, 0, 0];
            const q = [0, 0, 0];
            spans.forEach((part, i) => {
                const { a, b } = part;
                transformPoint(p, bodies, 16 * (a.body + 1), ...a.position);
                transformPoint(q, bodies, 16 * (b.body + 1), ...b.position);
                spanMatrix(out, 16 * (fixed.length + i), p, q, part.radius);
            });
            batch.commit();
        }
        for (const { object, part, local } of this.objects) {
            const e = object.matrix.elements;
            multiplyMatrix(e, 0, bodies, 16 * (part.frame.body + 1), local, 0);
            object.matrixWorldNeedsUpdate = true;
        }
    }

    /** Sets all colours: `colorOf` gives a THREE.Color for the colour of a part. */
    recolor(colorOf) {
        for (const { batch, parts } of this.buckets.values()) {
            parts.forEach((part, i) => batch.setColor(i, colorOf(part.color)));
            batch.commitColors();
        }
        for (const { object, part } of this.objects)
            object.material.color.copy(colorOf(part.color));
    }

    /** Finer shapes for still pictures, coarser ones while things move. */
    setStill(still) {
        for (const { batch } of this.buckets.values()) batch.setStill(still);
    }

    /** Shows or hides the parts of one switch. */
    show(name, visible) {
        for (const { batch, show } of this.buckets.values())
            if (show === name) batch.object.visible = visible;
    }

    /** What a click may hit. */
    pickable() {
        const solid = [...this.buckets.values()].filter((b) => b.layer === 'main');
        const meshes = this.objects.filter((o) => o.object.isMesh).map((o) => o.object);
        return [...solid.map((b) => b.batch.instances), ...meshes];
    }

    dispose() {
        for (const { batch } of this.buckets.values()) batch.dispose();
        for (const { object } of this.objects) {
            object.geometry.dispose();
            object.material.dispose();
        }
    }
}
