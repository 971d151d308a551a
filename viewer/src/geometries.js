// Unit geometries that the drawings share. Each is built once and drawn many times by instancing.
// Solids have size 1 (sphere: radius 1; cylinder: radius 1, length 1 along z); glyphs are measured
// in pixels, with their axis along z.
import * as THREE from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';

const MARK = 0.78; // brightness of the marked sectors that show how a round body turns

/** Gives all vertices one brightness. */
function paint(geometry, brightness = 1) {
    const count = geometry.getAttribute('position').count;
    const color = new Float32Array(3 * count).fill(brightness);
    geometry.setAttribute('color', new THREE.BufferAttribute(color, 3));
    return geometry;
}

/** An index for geometries that have none, so that all can be merged. */
function indexed(geometry) {
    if (!geometry.index)
        geometry.setIndex([...Array(geometry.getAttribute('position').count).keys()]);
    return geometry;
}

function merge(...parts) {
    return mergeGeometries(
        parts.map((p) => {
            p.deleteAttribute('uv');
            return indexed(p);
        }),
    );
}

/** A sphere of eight octants, every other one marked. */
function octants(segments) {
    const parts = [];
    for (let k = 0; k < 8; ++k) {
        const around = k % 4;
        const below = k >> 2;
        const part = new THREE.SphereGeometry(
            1,
            segments,
            segments,
            (around * Math.PI) / 2,
            Math.PI / 2,
            (below * Math.PI) / 2,
            Math.PI / 2,
        );
        parts.push(paint(part, (around + below) % 2 ? MARK : 1));
    }
    return merge(...parts);
}

/** A cylinder of four quadrants, every other one marked. */
function quadrants(segments) {
    const parts = [0, 1, 2, 3].map((k) =>
        paint(
            new THREE.CylinderGeometry(1, 1, 1, segments, 1, false, (k * Math.PI) / 2, Math.PI / 2),
            k % 2 ? MARK : 1,
        ),
    );
    return alongZ(merge(...parts));
}

const alongZ = (geometry) => geometry.rotateX(Math.PI / 2);
const place = (geometry, x, y, z) => geometry.translate(x, y, z);
const box = (x, y, z) => new THREE.BoxGeometry(x, y, z);
const rod = (radius, length) => alongZ(new THREE.CylinderGeometry(radius, radius, length, 10));

class Helix extends THREE.Curve {
    constructor(turns, radius, straight, length = 1) {
        super();
        Object.assign(this, { turns, radius, straight, length });
    }

    getPoint(s, target = new THREE.Vector3()) {
        const inner = Math.min(1, Math.max(0, (s - this.straight) / (1 - 2 * this.straight)));
        const grow = Math.min(1, 12 * Math.min(inner, 1 - inner)); // the ends lie on the axis
        const angle = 2 * Math.PI * this.turns * inner;
        return target.set(
            grow * this.radius * Math.cos(angle),
            grow * this.radius * Math.sin(angle),
            s * this.length,
        );
    }
}

class Spiral extends THREE.Curve {
    getPoint(s, target = new THREE.Vector3()) {
        const radius = 3 + 8 * s;
        const angle = 2 * Math.PI * 2.25 * s;
        return target.set(radius * Math.cos(angle), radius * Math.sin(angle), 0);
    }
}

function arrowHead() {
    return alongZ(new THREE.ConeGeometry(1, 1, 12)).translate(0, 0, 0.5);
}

function triangleSupport() {
    const shape = new THREE.Shape([
        new THREE.Vector2(0, 0),
        new THREE.Vector2(7.5, -12),
        new THREE.Vector2(-7.5, -12),
    ]);
    const triangle = new THREE.ShapeGeometry(shape);
    return merge(place(triangle, 0, 0, -1), place(box(22, 2, 0.1), 0, -13, -1));
}

/** Table of the geometries: name -> function of the detail (1 fine, 0 coarse). */
const BUILDERS = {
    sphere: (fine) => octants(fine ? 8 : 2),
    cylinder: (fine) => quadrants(fine ? 10 : 4),
    disc: (fine) => alongZ(new THREE.CylinderGeometry(1, 1, 1, fine ? 56 : 28)),
    box: () => box(1, 1, 1),
    ring: () => new THREE.TorusGeometry(0.982, 0.018, 6, 72),
    bar: () => alongZ(new THREE.CylinderGeometry(1, 1, 1, 10)),
    strut: () => alongZ(new THREE.CylinderGeometry(1, 1, 1, 10)).translate(0, 0, 0.5),
    // A tube of the right form for a spring that is nine times longer than its radius.
    coil: () =>
        new THREE.TubeGeometry(new Helix(7, 1, 0.08, 9), 140, 0.13, 5, false).scale(1, 1, 1 / 9),
    spiral: () => new THREE.TubeGeometry(new Spiral(), 60, 0.7, 5, false),
    dot: () => new THREE.SphereGeometry(1, 12, 8),
    diamond: () => new THREE.OctahedronGeometry(1.25, 0),
    cube: () => box(1.6, 1.6, 1.6),
    arrow: () => arrowHead(),
    support: () => triangleSupport(),
    // Joint glyphs.
    revolute: () => merge(new THREE.TorusGeometry(5, 1.5, 8, 24), rod(1.3, 16)),
    revolute_planar: () => merge(new THREE.TorusGeometry(4.4, 1.3, 8, 28)),
    pin: () => new THREE.CircleGeometry(4, 24),
    prismatic: () =>
        merge(box(7, 7, 9), place(box(1.4, 1.4, 24), 5, 0, 0), place(box(1.4, 1.4, 24), -5, 0, 0)),
    prismatic_planar: () =>
        merge(box(9, 6, 2), place(box(26, 1.4, 2), 0, 5, 0), place(box(26, 1.4, 2), 0, -5, 0)),
    cylindrical: () =>
        merge(alongZ(new THREE.CylinderGeometry(5, 5, 9, 20, 1, true)), rod(1.4, 26)),
    spherical: () => merge(new THREE.SphereGeometry(5, 18, 12)),
    universal: () =>
        merge(box(14, 2.6, 2.6), box(2.6, 14, 2.6), new THREE.SphereGeometry(3, 12, 8)),
    planar: () => merge(box(15, 15, 1), box(6, 6, 4)),
    screw: () =>
        merge(
            new THREE.TubeGeometry(new Helix(4, 4.5, 0), 80, 0.9, 5, false)
                .scale(1, 1, 20)
                .translate(0, 0, -10),
            rod(1.4, 26),
        ),
    fixed: () => merge(box(7, 7, 7)),
    'point-on-line': () => merge(new THREE.OctahedronGeometry(5, 0), rod(1.1, 28)),
    'point-on-line_planar': () => merge(new THREE.OctahedronGeometry(5, 0), box(28, 1.6, 1.6)),
    'point-on-plane': () => merge(new THREE.OctahedronGeometry(5, 0), box(16, 16, 0.8)),
    joint: () => merge(new THREE.OctahedronGeometry(5, 0)),
};

/**
 * A geometry by its name, shared by all who ask for it.
 * @param {Map} cache of the page
 * @param {string} name
 * @param {boolean} fine
 */
export function getGeometry(cache, name, fine) {
    const key = `${name} ${fine}`;
    if (!cache.has(key)) {
        const geometry = BUILDERS[name](fine);
        // All have colours, so that all share one shader: compiling shaders is what opening costs.
        cache.set(key, geometry.hasAttribute('color') ? geometry : paint(geometry));
    }
    return cache.get(key);
}

/** Whether a geometry has a coarse and a fine form. */
export function isRound(name) {
    return BUILDERS[name].length > 0;
}

/** Whether there is a geometry of that name. */
export function hasGeometry(name) {
    return Object.prototype.hasOwnProperty.call(BUILDERS, name);
}
