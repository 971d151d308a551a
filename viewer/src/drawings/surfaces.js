// Planes, holes, polylines and guides: what bodies touch.
import * as THREE from 'three';
import { localMatrix, scaled } from '../parts.js';

const CIRCLE = 96; // segments of a circle
const PATCH = 1.5; // unbounded planes reach that far beyond the motion

function surfaceColor(drawing) {
    return { role: drawing.a.body < 0 ? 'ground' : 'outline' };
}

/** Centre of the motion in the coordinates of a frame, for ground; the origin for moving bodies. */
function centerIn(frame, context) {
    if (frame.body >= 0) return [0, 0, 0];
    const inverse = new THREE.Matrix4().fromArray(localMatrix(frame)).invert();
    const c = new THREE.Vector3(...context.box.center).applyMatrix4(inverse);
    return [c.x, c.y, c.z];
}

/** x-y plane of frame a (planar models: its x axis); size = half extents, 0: unbounded. */
export function plane(drawing, context) {
    const reach =
        (drawing.a.body < 0 ? 0.5 * PATCH * context.box.size : 1.2 * context.bodySize) || 1;
    if (context.planar) planarLine(drawing, context, reach);
    else patch(drawing, context, reach);
}

/** A line with hatching on the side of the solid, as in a drawing. */
function planarLine(drawing, context, reach) {
    const bounded = drawing.size[0] > 0;
    const half = bounded ? drawing.size[0] : reach;
    const middle = bounded ? 0 : centerIn(drawing.a, context)[0];
    const points = [middle - half, 0, 0, middle + half, 0, 0];
    const spacing = Math.max(half / 60, Math.min(half / 4, 0.035 * context.box.size));
    const depth = 0.6 * spacing;
    for (let x = middle - half; x <= middle + half + 1e-9 * half; x += spacing)
        points.push(x, 0, 0, Math.max(middle - half, x - depth), -depth, 0);
    context.parts.addLines(points, { frame: drawing.a, color: surfaceColor(drawing) });
}

/** A grid with a faint fill; a bounded one gets a border. */
function patch(drawing, context, reach) {
    const [hx, hy] = [
        drawing.size[0] > 0 ? drawing.size[0] : reach,
        drawing.size[1] > 0 ? drawing.size[1] : reach,
    ];
    const spacing = niceSpacing(Math.max(hx, hy) / 8);
    const c = centerIn(drawing.a, context);
    const x0 = drawing.size[0] > 0 ? 0 : Math.round(c[0] / spacing) * spacing;
    const y0 = drawing.size[1] > 0 ? 0 : Math.round(c[1] / spacing) * spacing;
    const snap = (v, bounded) => (bounded ? v : Math.ceil(v / spacing) * spacing);
    const ex = snap(hx, drawing.size[0] > 0);
    const ey = snap(hy, drawing.size[1] > 0);
    const points = [];
    const lines = (half, other, put) => {
        for (let k = -Math.floor(half / spacing + 1e-9); k <= half / spacing + 1e-9; ++k)
            put(k * spacing, other);
    };
    lines(ex, ey, (x, e) => points.push(x0 + x, y0 - e, 0, x0 + x, y0 + e, 0));
    lines(ey, ex, (y, e) => points.push(x0 - e, y0 + y, 0, x0 + e, y0 + y, 0));
    const corners = [
        [-ex, -ey],
        [ex, -ey],
        [ex, ey],
        [-ex, ey],
    ];
    corners.forEach(([x, y], i) => {
        const [u, v] = corners[(i + 1) % 4];
        points.push(x0 + x, y0 + y, 0, x0 + u, y0 + v, 0);
    });
    context.parts.addLines(points, { frame: drawing.a, color: { role: 'grid' } });
    const fill = new THREE.PlaneGeometry(2 * ex, 2 * ey).translate(x0, y0, 0);
    context.parts.addMesh(fill, { frame: drawing.a, color: { role: 'floor' }, material: 'floor' });
}

/** 1, 2 or 5 times a power of ten, at or above v. */
function niceSpacing(v) {
    const power = 10 ** Math.floor(Math.log10(v));
    return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= v * 0.999) || v;
}

/** Inside of a circle (x-y plane of frame a) or sphere of radius size.x: a ring around it. */
export function hole(drawing, context) {
    const r = drawing.size[0];
    const part = { frame: drawing.a, color: surfaceColor(drawing), material: 'solid' };
    if (context.planar) {
        context.parts.addMesh(new THREE.RingGeometry(r, r + 2 * context.rim, 128), part);
        return;
    }
    // Three great circles.
    const points = [];
    for (let i = 0; i < CIRCLE; ++i) {
        const [c, s] = [
            r * Math.cos((2 * Math.PI * i) / CIRCLE),
            r * Math.sin((2 * Math.PI * i) / CIRCLE),
        ];
        const k = (2 * Math.PI * (i + 1)) / CIRCLE;
        const [d, t] = [r * Math.cos(k), r * Math.sin(k)];
        points.push(c, s, 0, d, t, 0, c, 0, s, d, 0, t, 0, c, s, 0, d, t);
    }
    context.parts.addLines(points, part);
}

/** Vertices in the x-y plane of frame a; extruded a little in space. */
export function polyline(drawing, context) {
    const vertices = (drawing.vertices || []).filter(
        (v) => Array.isArray(v) && v.every(Number.isFinite),
    );
    if (vertices.length < 2) return;
    const count = drawing.closed ? vertices.length : vertices.length - 1;
    const depth = context.planar ? 0 : 0.04 * context.size;
    const points = [];
    const positions = [];
    for (let i = 0; i < count; ++i) {
        const [x, y] = vertices[i];
        const [u, v] = vertices[(i + 1) % vertices.length];
        for (const z of depth ? [-depth, depth] : [0]) points.push(x, y, z, u, v, z);
        positions.push(
            x,
            y,
            -depth,
            u,
            v,
            -depth,
            u,
            v,
            depth,
            x,
            y,
            -depth,
            u,
            v,
            depth,
            x,
            y,
            depth,
        );
    }
    context.parts.addLines(points, { frame: drawing.a, color: { role: 'ground' } });
    if (context.planar) planarBand(drawing, context, vertices, count);
    else {
        const wall = new THREE.BufferGeometry();
        wall.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
        wall.computeVertexNormals();
        context.parts.addMesh(wall, {
            frame: drawing.a,
            color: { role: 'ground' },
            material: 'floor',
        });
    }
}

/** In the plane a polyline is a band, so that it stands out from thin lines. */
function planarBand(drawing, context, vertices, count) {
    const width = 1.5 * context.rim;
    for (let i = 0; i < count; ++i) {
        const [x, y] = vertices[i];
        const [u, v] = vertices[(i + 1) % vertices.length];
        const half = Math.atan2(v - y, u - x) / 2;
        const local = new THREE.Matrix4().fromArray(localMatrix(drawing.a));
        const segment = localMatrix({
            position: [(x + u) / 2, (y + v) / 2, 0],
            rotation: [Math.cos(half), 0, 0, Math.sin(half)],
        });
        local.multiply(new THREE.Matrix4().fromArray(segment));
        context.parts.add('box', {
            body: drawing.a.body,
            matrix: scaled(local.toArray(), [
                Math.hypot(u - x, v - y) + width,
                width,
                0.3 * context.thickness,
            ]),
            color: surfaceColor(drawing),
        });
    }
}

/** The lines y = +-size.y/2 of frame a. */
export function guide(drawing, context) {
    const half = drawing.size[1] / 2;
    const reach = 0.5 * PATCH * context.box.size || 1;
    const middle = centerIn(drawing.a, context)[0];
    const spacing = Math.max(reach / 60, 0.03 * context.box.size);
    const points = [];
    for (const side of [-1, 1]) {
        points.push(middle - reach, side * half, 0, middle + reach, side * half, 0);
        for (let x = middle - reach; x <= middle + reach; x += spacing)
            points.push(x, side * half, 0, x - 0.5 * spacing, side * (half + 0.5 * spacing), 0);
    }
    context.parts.addLines(points, { frame: drawing.a, color: surfaceColor(drawing) });
}
