// Sphere, box, cylinder, capsule, rod and point. In planar models solids become thin plates with a
// dark rim, and round ones get a mark so that one sees them turn.
import { localMatrix, scaled } from '../parts.js';

/** Whether the z axis of a frame is that of the plane. */
function isAxial(rotation) {
    const [, x, y] = rotation;
    return Math.abs(1 - 2 * (x * x + y * y)) > 0.9;
}

function color(drawing, context) {
    if (drawing.a.body < 0) return { role: 'ground' };
    return context.outline ? { role: 'outline' } : { role: 'body', body: drawing.a.body };
}

function add(context, drawing, geometry, size, offset = [0, 0, 0], more = {}) {
    context.parts.add(geometry, {
        body: drawing.a.body,
        matrix: scaled(localMatrix(drawing.a, offset), size),
        color: color(drawing, context),
        material: context.outline ? 'faint' : 'solid',
        ...more,
    });
}

/** A plate of the given outline with a rim around it. */
function plate(context, drawing, geometry, x, y, offset = [0, 0, 0]) {
    const rim = context.rim;
    const depth = context.thickness;
    const below = [offset[0], offset[1], offset[2] - 0.1 * depth];
    add(context, drawing, geometry, [x + rim, y + rim, 0.8 * depth], below, {
        color: { role: 'rim', body: drawing.a.body },
    });
    add(context, drawing, geometry, [x, y, depth], offset);
}

function planarDisc(context, drawing, radius) {
    if (context.outline) {
        // A ring in the plane, with a faint fill in the colour of the body.
        const color = { role: 'body', body: drawing.a.body };
        add(context, drawing, 'disc', [radius, radius, 0.2 * context.thickness], [0, 0, 0], {
            color,
        });
        const ring = { material: 'solid' };
        add(context, drawing, 'ring', [radius, radius, context.thickness], [0, 0, 0], ring);
        return;
    }
    plate(context, drawing, 'disc', radius, radius);
    // The mark: a line from the centre to the rim.
    add(
        context,
        drawing,
        'box',
        [radius * 0.86, 1.2 * context.rim, 0.1 * context.thickness],
        [radius * 0.43, 0, 0.52 * context.thickness],
        { color: { role: 'rim', body: drawing.a.body } },
    );
}

/** size.x = radius. */
export function sphere(drawing, context) {
    const r = drawing.size[0];
    if (context.planar) planarDisc(context, drawing, r);
    else add(context, drawing, 'sphere', [r, r, r]);
}

/** size = edge lengths. */
export function box(drawing, context) {
    const [x, y, z] = drawing.size;
    if (context.planar && isAxial(drawing.a.rotation)) {
        if (context.outline) boxOutline(context, drawing, x, y);
        else plate(context, drawing, 'box', x, y);
    } else {
        const least = 1e-3 * context.size; // a box without depth is still to be seen
        add(context, drawing, 'box', [x || least, y || least, z || least]);
    }
}

function boxOutline(context, drawing, x, y) {
    const w = context.rim;
    const solid = { material: 'solid' };
    for (const s of [-0.5, 0.5]) {
        add(context, drawing, 'box', [x, w, context.thickness], [0, s * y, 0], solid);
        add(context, drawing, 'box', [w, y, context.thickness], [s * x, 0, 0], solid);
    }
}

/** size.x = radius, size.z = length, axis z. */
export function cylinder(drawing, context) {
    const [r, , length] = drawing.size;
    if (context.planar && isAxial(drawing.a.rotation)) planarDisc(context, drawing, r);
    else if (context.planar) lying(context, drawing, r, length);
    else add(context, drawing, 'cylinder', [r, r, length]);
}

/** A cylinder that lies in the plane of a planar model: a rectangle. */
function lying(context, drawing, r, length) {
    add(context, drawing, 'box', [2 * r, 2 * r, length]);
}

/** size.x = radius, size.z = distance of the centres, axis z. */
export function capsule(drawing, context) {
    const [r, , length] = drawing.size;
    if (context.planar && isAxial(drawing.a.rotation)) {
        planarDisc(context, drawing, r);
        return;
    }
    const geometry = context.planar ? 'bar' : 'cylinder';
    add(context, drawing, geometry, [r, r, length]);
    for (const s of [-0.5, 0.5]) add(context, drawing, 'sphere', [r, r, r], [0, 0, s * length]);
}

/** size.z = length, axis z, thin. */
export function rod(drawing, context) {
    const length = drawing.size[2];
    const r = context.rodRadius(length);
    if (context.planar && !isAxial(drawing.a.rotation)) {
        // Seen from the front a flat bar with round ends, as in a drawing of a linkage.
        flatBar(
            context,
            drawing.a,
            [0, 0, -length / 2],
            [0, 0, length / 2],
            r,
            color(drawing, context),
        );
        return;
    }
    add(context, drawing, 'bar', [r, r, length]);
    for (const s of [-0.5, 0.5]) add(context, drawing, 'dot', [r, r, r], [0, 0, s * length]);
}

/**
 * A flat bar with round ends and a rim between two points of a frame, for planar models.
 * @param {object} frame
 * @param {number[]} from in the frame
 * @param {number[]} to in the frame
 */
export function flatBar(context, frame, from, to, r, barColor) {
    const p = localMatrix(frame, from).slice(12, 15);
    const q = localMatrix(frame, to).slice(12, 15);
    const dx = q[0] - p[0];
    const dy = q[1] - p[1];
    const half = Math.atan2(dy, dx) / 2;
    const rotation = [Math.cos(half), 0, 0, Math.sin(half)];
    const depth = context.thickness;
    const one = (geometry, position, size, c) =>
        context.parts.add(geometry, {
            body: frame.body,
            matrix: scaled(localMatrix({ position, rotation }), size),
            color: c,
        });
    const middle = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 0];
    const length = Math.hypot(dx, dy);
    const rimColor = { role: 'rim', body: frame.body };
    const low = (v) => [v[0], v[1], -0.1 * depth];
    one('box', low(middle), [length, 2 * (r + context.rim), 0.8 * depth], rimColor);
    one('box', middle, [length, 2 * r, depth], barColor);
    for (const end of [p, q]) {
        one('disc', low(end), [r + context.rim, r + context.rim, 0.8 * depth], rimColor);
        one('disc', [end[0], end[1], 0], [r, r, depth], barColor);
    }
}

/** Origin of frame a: a small dot of a constant size on the screen. */
export function point(drawing, context) {
    const r = drawing.size[0];
    if (r > 0 && !context.own) {
        sphere(drawing, context); // a rounded point is a sphere
        return;
    }
    context.parts.add('dot', {
        body: drawing.a.body,
        matrix: scaled(localMatrix(drawing.a), [2.4, 2.4, 2.4]),
        color: { role: 'point' },
        layer: 'overlay',
        glyph: true,
        show: 'joints',
    });
}
