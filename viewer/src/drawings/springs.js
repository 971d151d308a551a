// Links, coil springs that stretch, and spirals for torsion springs and bushings.
import { localMatrix } from '../parts.js';

/** Line from the origin of a to that of b: distance joint. */
export function link(drawing, context) {
    const r = Math.min(0.006 * context.size, 0.08 * context.bodySize);
    context.parts.addSpan('strut', {
        a: drawing.a,
        b: drawing.b,
        radius: r,
        color: { role: 'link' },
    });
    for (const frame of [drawing.a, drawing.b])
        context.parts.add('dot', {
            body: frame.body,
            matrix: localMatrix({ ...frame, rotation: [1, 0, 0, 0] }).map((v, i) =>
                i < 11 ? 1.7 * r * v : v,
            ),
            color: { role: 'link' },
        });
}

/** A coil looks right when its length at the start is some fourteen times its radius. */
function coilRadius(length, size) {
    return length > 1e-6 * size ? Math.min(0.07 * length, 0.04 * size) : 0.022 * size;
}

/** Coil from the origin of a to that of b. */
export function spring(drawing, context) {
    context.parts.addSpan('coil', {
        a: drawing.a,
        b: drawing.b,
        radius: coilRadius(context.startDistance(drawing.a, drawing.b), context.size),
        color: { role: 'spring' },
    });
}

/** Spiral about z of frame a. */
export function torsion(drawing, context) {
    context.parts.add('spiral', {
        body: drawing.a.body,
        matrix: localMatrix(drawing.a),
        color: { role: 'spring' },
        layer: 'overlay',
        glyph: true,
        show: 'joints',
    });
}
