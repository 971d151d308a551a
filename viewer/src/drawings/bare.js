// Bodies without shapes: what they look like follows from where joints, springs and contacts hold
// them. Two points make a bar, three or more in the plane a plate, in space a frame of bars.
import * as THREE from 'three';
import { flatBar } from './solids.js';

const NEAR = 1.5; // sizes of the body; a nearer origin counts as part of it

/** Points of each body at which something is attached. */
function attachments(run) {
    const points = new Map();
    const put = (frame) => {
        if (
            !frame ||
            !(frame.body >= 0 && frame.body < run.bodyCount) ||
            !frame.position?.every?.(Number.isFinite)
        )
            return;
        if (!points.has(frame.body)) points.set(frame.body, []);
        const list = points.get(frame.body);
        const p = frame.position;
        if (!list.some((q) => Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) < 1e-9))
            list.push(p);
    };
    for (const d of run.drawings)
        if (d.owner !== 'body') {
            put(d.a);
            put(d.b);
        }
    return points;
}

/** Convex hull of points in the x-y plane, counter-clockwise. */
function hull(points) {
    const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const cross = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    const half = (list) => {
        const chain = [];
        for (const p of list) {
            while (
                chain.length > 1 &&
                cross(chain[chain.length - 2], chain[chain.length - 1], p) <= 0
            )
                chain.pop();
            chain.push(p);
        }
        chain.pop();
        return chain;
    };
    return [...half(sorted), ...half(sorted.reverse())];
}

function area(polygon) {
    return polygon.reduce((sum, [x, y], i) => {
        const [u, v] = polygon[(i + 1) % polygon.length];
        return sum + (x * v - u * y) / 2;
    }, 0);
}

function extent(points) {
    const box = new THREE.Box3().setFromPoints(points.map((p) => new THREE.Vector3(...p)));
    return box.getSize(new THREE.Vector3()).length();
}

/** Adds the origin of the body, unless it lies far from everything else. */
function withOrigin(points) {
    const size = extent(points);
    const near = points.some((p) => Math.hypot(...p) <= NEAR * size);
    const there = points.some((p) => Math.hypot(...p) < 1e-9);
    return (near || points.length === 1) && !there ? [...points, [0, 0, 0]] : points;
}

function planarBody(body, points, context) {
    const frame = { body, position: [0, 0, 0], rotation: [1, 0, 0, 0] };
    const color = { role: 'body', body };
    const r = context.rodRadius(extent(points));
    const outline = points.length > 2 ? hull(points) : points;
    if (outline.length > 2 && area(outline) > 0.02 * extent(points) ** 2) {
        const shape = new THREE.Shape(outline.map((p) => new THREE.Vector2(p[0], p[1])));
        const plate = new THREE.ExtrudeGeometry(shape, {
            depth: context.thickness,
            bevelEnabled: false,
        }).translate(0, 0, -context.thickness / 2);
        context.parts.addMesh(plate, { frame, color, material: 'solid', body });
        outline.forEach((p, i) =>
            flatBar(context, frame, p, outline[(i + 1) % outline.length], 0.5 * context.rim, {
                role: 'rim',
                body,
            }),
        );
        return;
    }
    // All on one line: a bar from end to end.
    let ends = [points[0], points[points.length - 1]];
    if (points.length > 2) {
        const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
        ends = [sorted[0], sorted[sorted.length - 1]];
    }
    flatBar(context, frame, ends[0], ends[1], r, color);
}

function spatialBody(body, points, context) {
    const color = { role: 'body', body };
    const r = context.rodRadius(extent(points));
    const bar = (p, q) =>
        context.parts.addSpan('strut', {
            a: { body, position: p },
            b: { body, position: q },
            radius: r,
            color,
            body,
        });
    const joints = points.length <= 4;
    for (let i = 0; i < points.length; ++i) {
        if (joints) for (let k = i + 1; k < points.length; ++k) bar(points[i], points[k]);
        else bar([0, 0, 0], points[i]);
        context.parts.add('dot', {
            body,
            matrix: [r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0, ...points[i], 1],
            color,
        });
    }
}

/**
 * Draws the bodies that have no shapes.
 * @param {object} run
 * @param {object} context as for the drawings
 * @param {Set<number>} withShapes bodies that have shapes
 */
export function buildBareBodies(run, context, withShapes) {
    const attached = attachments(run);
    for (let body = 0; body < run.bodyCount; ++body) {
        if (withShapes.has(body)) continue;
        const points = attached.get(body) || [];
        const all = points.length ? withOrigin(points) : [];
        if (all.length > 1 && context.planar) planarBody(body, all, context);
        else if (all.length > 1) spatialBody(body, all, context);
        else
            context.parts.add(context.planar ? 'disc' : 'cube', {
                body,
                matrix: [6, 0, 0, 0, 0, 6, 0, 0, 0, 0, 6, 0, 0, 0, 0, 1],
                color: { role: 'body', body },
                glyph: true,
            });
    }
}
