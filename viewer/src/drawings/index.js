// The table of drawing kinds: kind -> builder. To teach the page a new kind, write a builder and
// add its row; kinds without a row are skipped. A builder gets a drawing (DATA.md) and a context:
//
//   parts      where it puts instances, spans and objects (parts.js)
//   planar     the model lies in the x-y plane
//   thickness  of plates in planar models, m
//   size       size of the mechanism, m; bodySize: of a typical body
//   startDistance(a, b): between the origins of two frames in the first drawn frame, m
//   box        {center: [3], size}: the whole motion
//   own        the drawing belongs to a body (else to a joint, spring or contact)
//   outline    draw it as an outline: contact geometry of a body without shapes
//   run        the run, with `raw` for keys of its own
import { sphere, box, cylinder, capsule, rod, point } from './solids.js';
import { plane, hole, polyline, guide } from './surfaces.js';
import { joint } from './joints.js';
import { link, spring, torsion } from './springs.js';

export const DRAWING_KINDS = {
    sphere,
    box,
    cylinder,
    capsule,
    rod,
    plane,
    hole,
    point,
    polyline,
    guide,
    joint,
    link,
    spring,
    torsion,
};

// Contact geometry that stands for the outside of a body: not drawn where the body has shapes.
const REPEATS_A_SHAPE = new Set(['sphere', 'box', 'cylinder', 'capsule', 'rod']);

/** Whether contact geometry shows what a shape of its body shows already. */
function repeatsShape(drawing) {
    const face = drawing.kind === 'plane' && !(drawing.size[0] > 0); // a face of the body
    return REPEATS_A_SHAPE.has(drawing.kind) || face;
}

/** Text that is equal for two drawings that look the same. */
function fingerprint(drawing) {
    const frame = (f) => (f ? [f.body, f.position, f.rotation] : null);
    return JSON.stringify([
        drawing.kind,
        frame(drawing.a),
        frame(drawing.b),
        drawing.size,
        drawing.vertices,
    ]);
}

/** Whether all that places a drawing is there and finite. */
function isSound(drawing, bodyCount) {
    const numbers = (list, n) =>
        Array.isArray(list) && list.length >= n && list.every(Number.isFinite);
    const frame = (f) =>
        f &&
        Number.isInteger(f.body) &&
        f.body >= -1 &&
        f.body < bodyCount &&
        numbers(f.position, 3) &&
        numbers(f.rotation, 4);
    return (
        frame(drawing.a) && frame(drawing.b ?? drawing.a) && numbers(drawing.size ?? [0, 0, 0], 3)
    );
}

/**
 * Builds all drawings of a run.
 * @param {object} run
 * @param {object} context as above, without `own` and `outline`
 */
export function buildDrawings(run, context) {
    const withShapes = new Set();
    for (const d of run.drawings) if (d.owner === 'body' && d.a) withShapes.add(d.a.body);
    const seen = new Set();
    for (const raw of run.drawings) {
        const build = DRAWING_KINDS[raw.kind];
        if (!build || !isSound(raw, run.placeCount)) continue;
        const drawing = { ...raw, b: raw.b ?? raw.a, size: raw.size ?? [0, 0, 0] };
        const own = drawing.owner === 'body';
        if (!own && drawing.owner === 'contact') {
            if (drawing.a.body >= 0 && withShapes.has(drawing.a.body) && repeatsShape(drawing))
                continue;
            const key = fingerprint(drawing);
            if (seen.has(key)) continue;
            seen.add(key);
        }
        build(drawing, { ...context, own, outline: !own && drawing.a.body >= 0 });
    }
    return withShapes;
}
