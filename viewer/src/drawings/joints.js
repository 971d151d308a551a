// Joint glyphs: small, of constant size on the screen, distinct for each kind of joint. The glyph
// sits at frame a; one whose other end has run away (a slider, a wide joint) also marks frame b.
import { localMatrix } from '../parts.js';
import { hasGeometry } from '../geometries.js';

// Joints whose frame b moves away from frame a.
const SLIDES = new Set([
    'prismatic',
    'cylindrical',
    'planar',
    'screw',
    'point-on-line',
    'point-on-plane',
]);

function glyphName(kind, planar) {
    if (planar && hasGeometry(`${kind}_planar`)) return `${kind}_planar`;
    return hasGeometry(kind) ? kind : 'joint';
}

/** A glyph for joint_kind at frames a and b. */
export function joint(drawing, context) {
    const kind = drawing.joint_kind || 'joint';
    const put = (geometry, frame, role) =>
        context.parts.add(geometry, {
            body: frame.body,
            matrix: localMatrix(frame),
            color: { role },
            layer: 'overlay',
            glyph: true,
            show: 'joints',
        });
    if (context.planar && kind === 'revolute') {
        if (drawing.a.body < 0) put('support', { ...drawing.a, rotation: [1, 0, 0, 0] }, 'support');
        else if (drawing.b.body < 0)
            put('support', { ...drawing.b, rotation: [1, 0, 0, 0] }, 'support');
        put('pin', drawing.a, 'background');
    }
    put(glyphName(kind, context.planar), drawing.a, 'joint');
    if (SLIDES.has(kind))
        context.parts.add('dot', {
            body: drawing.b.body,
            matrix: localMatrix(drawing.b).map((v, i) => (i < 11 ? 2.6 * v : v)),
            color: { role: 'joint' },
            layer: 'overlay',
            glyph: true,
            show: 'joints',
        });
}
