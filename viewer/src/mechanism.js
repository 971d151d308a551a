// One run as an animated 3D object: the parts of its drawings, its contacts and the trail of the
// selected body.
import * as THREE from 'three';
import { Parts } from './parts.js';
import { buildDrawings } from './drawings/index.js';
import { buildBareBodies } from './drawings/bare.js';
import { measure } from './bounds.js';
import { poseAnchors, poseBodies, locate, transformPoint } from './pose.js';
import { makeMeshes } from './meshes.js';
import { makeScale } from './colormap.js';
import { makeContacts } from './contacts.js';
import { bodyColor } from './theme.js';
import { makeShade } from './shade.js';

const FINE_LIMIT = 60; // more bodies than that are drawn with coarser round shapes
const LAYERS = 8;

/** Distance of the origins of two frames in the first drawn frame; 0 if there is none. */
function startDistance(run, meshes, a, b) {
    if (!run.frameCount) return 0;
    const matrices = new Float32Array(16 * (run.placeCount + 1));
    poseBodies(run, run.time[0], false, matrices, () => 0);
    for (const m of meshes) m.update(run.time[0], { interpolate: false, linePixel: 0 });
    poseAnchors(run, meshes, matrices);
    const at = (f) => transformPoint([0, 0, 0], matrices, 16 * (f.body + 1), ...f.position);
    const p = at(a);
    const q = at(b);
    const distance = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    return Number.isFinite(distance) ? distance : 0;
}

/** What the builders of drawings need to know (drawings/index.js). */
function makeContext(run, bounds, parts, meshes) {
    const planar = run.dimension === 2;
    const { mechanism, body, size } = bounds;
    return {
        run,
        parts,
        planar,
        box: { center: bounds.center, size },
        startDistance: (a, b) => startDistance(run, meshes, a, b),
        size: mechanism,
        bodySize: body,
        thickness: 0.02 * mechanism,
        rim: Math.min(0.0035 * Math.sqrt(mechanism * size), 0.04 * body),
        rodRadius: (length) =>
            Math.max(0.004 * mechanism, Math.min(0.05 * length, 0.02 * mechanism)),
    };
}

export class Mechanism {
    /**
     * @param {object} run
     * @param {{cache: Map, ghost?: boolean, ghostColor?: string}} options
     */
    constructor(run, options) {
        this.run = run;
        this.options = options;
        this.bounds = measure(run);
        this.parts = new Parts({
            cache: options.cache,
            fine: run.bodyCount <= FINE_LIMIT,
            ghost: Boolean(options.ghost),
        });
        this.meshes = makeMeshes(run, options);
        const context = makeContext(run, this.bounds, this.parts, this.meshes);
        const withShapes = buildDrawings(run, context);
        buildBareBodies(run, context, withShapes);
        this.parts.finish();
        this.layer = context.planar ? 1.05 * context.thickness : 0;
        this.matrices = new Float32Array(16 * (run.placeCount + 1));
        for (const m of this.meshes) this.parts.main.add(m.group);
        this.contacts = options.ghost ? null : makeContacts(run, options.cache);
        if (this.contacts) this.parts.overlay.add(this.contacts.group);
        this.trail = null;
        this.selected = -1;
    }

    get main() {
        return this.parts.main;
    }

    get overlay() {
        return this.parts.overlay;
    }

    /** Depth of a body: planar bodies lie on top of each other and must not flicker. */
    depth(body) {
        // Ghosts lie behind all bodies of the run in view.
        return this.layer * ((body % LAYERS) - (this.options.ghost ? LAYERS + 1 : 0));
    }

    /**
     * Moves everything to a time.
     * @param {number} t
     * @param {{interpolate: boolean, pixel: number, contactPixel: number, linePixel: number}} view
     */
    update(t, view) {
        poseBodies(this.run, t, view.interpolate, this.matrices, (i) => this.depth(i));
        for (const m of this.meshes) m.update(t, view);
        poseAnchors(this.run, this.meshes, this.matrices);
        this.parts.update(this.matrices, view.pixel);
        const { frame, part } = locate(this.run.time, t);
        const nearest = frame < 0 ? -1 : part > 0.5 ? frame + 1 : frame;
        if (this.contacts) this.contacts.update(nearest, view.contactPixel);
        if (this.trail) this.trail.past.geometry.setDrawRange(0, frame + 1);
    }

    /** Position of a body after the last update, or null. */
    bodyPosition(body) {
        const o = 16 * (body + 1);
        if (body < 0 || body >= this.run.bodyCount || this.matrices[o + 15] === 0) return null;
        return new THREE.Vector3(
            this.matrices[o + 12],
            this.matrices[o + 13],
            this.matrices[o + 14],
        );
    }

    /** Colours the meshes by a field; those without it, and all if it is "none", by the theme. */
    paintMeshes(theme, name, ghost) {
        const field = this.run.fields.find((f) => f.name === name);
        const table = field && !ghost ? makeScale(field).table : null;
        this.meshes.forEach((m, i) => {
            const plain = ghost ?? new THREE.Color(bodyColor(theme, this.run.bodyCount + i));
            m.setField(table ? name : 'none', table, plain.toArray());
            if (m.edges) m.edges.object.material.color.set(theme.rim);
        });
    }

    /** Applies a theme, the selection and the field of the meshes. */
    recolor(theme, selected, field) {
        const ghost = this.options.ghost ? new THREE.Color(this.options.ghostColor) : null;
        const cache = new Map();
        const get = (text) => {
            if (!cache.has(text)) cache.set(text, new THREE.Color(text));
            return cache.get(text);
        };
        const colorOf = (color) => {
            if (ghost) return ghost;
            const chosen = color.body === selected && selected >= 0;
            if (color.role === 'body')
                return get(chosen ? theme.accent : bodyColor(theme, color.body));
            if (color.role === 'rim') return get(chosen ? theme.accentRim : theme.rim);
            return get(theme[color.role] || theme.ground);
        };
        this.parts.recolor(colorOf);
        this.paintMeshes(theme, field, ghost);
        if (this.contacts) this.contacts.recolor(theme);
        if (this.trail) {
            this.trail.past.material.color.set(theme.accent);
            this.trail.whole.material.color.set(theme.accent);
        }
    }

    /** Shows the path of a body's origin; -1: none. */
    setTrail(body) {
        if (this.trail) {
            this.trail.group.removeFromParent();
            this.trail.past.geometry.dispose();
            this.trail = null;
        }
        if (body < 0 || body >= this.run.bodyCount || this.run.frameCount < 2) return;
        const { bodyCount: n, frameCount, position } = this.run;
        const points = new Float32Array(3 * frameCount);
        for (let frame = 0; frame < frameCount; ++frame)
            for (let k = 0; k < 3; ++k) {
                const v = position[3 * (frame * n + body) + k];
                points[3 * frame + k] = Number.isFinite(v)
                    ? v
                    : points[3 * Math.max(0, frame - 1) + k];
            }
        const attribute = new THREE.BufferAttribute(points, 3);
        const line = (opacity) => {
            const geometry = new THREE.BufferGeometry().setAttribute('position', attribute);
            const result = new THREE.Line(geometry, makeShade({ lit: false, opacity }));
            result.frustumCulled = false;
            return result;
        };
        this.trail = { past: line(1), whole: line(0.3), group: new THREE.Group() };
        this.trail.group.add(this.trail.whole, this.trail.past);
        this.parts.overlay.add(this.trail.group);
    }

    /** The body under a ray, or -1. */
    pick(raycaster) {
        for (const hit of raycaster.intersectObjects(this.parts.pickable(), false)) {
            const { bodies, body } = hit.object.userData;
            const index = bodies ? bodies[hit.instanceId] : body;
            if (index >= 0) return index;
        }
        return -1;
    }

    /** Shows or hides the edges of the elements. */
    showEdges(visible) {
        for (const m of this.meshes) if (m.edges) m.edges.object.visible = visible;
    }

    dispose() {
        this.setTrail(-1);
        for (const m of this.meshes) m.dispose();
        this.main.removeFromParent();
        this.overlay.removeFromParent();
        this.parts.dispose();
        if (this.contacts) this.contacts.dispose();
    }
}
