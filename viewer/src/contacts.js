// Contact points, by colour and by form of their state, and arrows for the contact forces.
import * as THREE from 'three';
import { getGeometry } from './geometries.js';
import { Batch } from './batch.js';
import { composeMatrix, spanMatrix } from './pose.js';

/** States of DATA.md in their order; the form is there for those who do not see the colours. */
export const CONTACT_STATES = [
    { name: 'open', form: 'dot', color: 'open', size: 2.6 },
    { name: 'slip', form: 'diamond', color: 'slip', size: 4.4 },
    { name: 'stick', form: 'cube', color: 'stick', size: 4 },
    { name: 'closed, no friction', form: 'dot', color: 'closed', size: 4.2 },
];

const ARROW_PIXELS = 62; // length of an arrow for the reference force
const LONGEST = 1.5; // in reference lengths; an impact does not fill the screen
const REFERENCE_PART = 0.95;
const MOST_SAMPLES = 20000;

/** The force that 95 of 100 closed contacts do not exceed. */
function referenceForce(run) {
    const { contactForce: f, contactState: state } = run;
    const step = Math.max(1, Math.ceil(state.length / MOST_SAMPLES));
    const sizes = [];
    for (let i = 0; i < state.length; i += step) {
        const size = Math.hypot(f[3 * i], f[3 * i + 1], f[3 * i + 2]);
        if (state[i] && size > 0 && Number.isFinite(size)) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    return sizes.length
        ? sizes[Math.min(sizes.length - 1, Math.floor(REFERENCE_PART * sizes.length))]
        : 0;
}

function makeBatch(cache, geometry, count, order) {
    const batch = new Batch(getGeometry(cache, geometry, false), count);
    batch.setCount(0);
    batch.object.renderOrder = order;
    return batch;
}

/**
 * @param {object} run
 * @param {Map} cache of geometries
 * @returns {object|null} null: the run has no contacts to draw
 */
export function makeContacts(run, cache) {
    const n = run.contactCount;
    if (!n || !run.frameCount) return null;
    const group = new THREE.Group();
    const marks = CONTACT_STATES.map((s) => makeBatch(cache, s.form, n, 2));
    const shafts = makeBatch(cache, 'strut', n, 1);
    const heads = makeBatch(cache, 'arrow', n, 1);
    const batches = [...marks, shafts, heads];
    group.add(...batches.map((b) => b.object));
    const used = new Map(); // copies of each batch in the frame that is drawn
    const reference = referenceForce(run);
    const show = { points: true, forces: n <= 80, open: false };
    let last = { frame: -1, pixel: 0 };

    /** Length of the arrow in pixels: the root makes small forces visible beside large ones. */
    const arrowLength = (force) => ARROW_PIXELS * Math.min(LONGEST, Math.sqrt(force / reference));

    /** The next free copy of a batch. */
    function take(batch) {
        const i = used.get(batch);
        used.set(batch, i + 1);
        return i;
    }

    function putMark(i, frame, pixel) {
        const o = 3 * (frame * n + i);
        const state = run.contactState[frame * n + i];
        const p = run.contactPoint;
        if (state >= marks.length || (state === 0 && !show.open)) return;
        if (!Number.isFinite(p[o] + p[o + 1] + p[o + 2])) return;
        const s = CONTACT_STATES[state].size * pixel;
        const batch = marks[state];
        composeMatrix(batch.array, 16 * take(batch), p[o], p[o + 1], p[o + 2], 1, 0, 0, 0, s, s, s);
    }

    function putArrow(i, frame, pixel) {
        const o = 3 * (frame * n + i);
        const f = run.contactForce;
        const p = run.contactPoint;
        const size = Math.hypot(f[o], f[o + 1], f[o + 2]);
        if (
            !run.contactState[frame * n + i] ||
            !(size > 1e-4 * reference) ||
            !Number.isFinite(size)
        )
            return;
        const length = arrowLength(size) * pixel;
        const head = Math.min(11 * pixel, 0.5 * length);
        const at = (s) => [0, 1, 2].map((k) => p[o + k] + (f[o + k] / size) * s);
        const start = at(0);
        if (!start.every(Number.isFinite)) return;
        const tip = at(length);
        const neck = at(length - head);
        spanMatrix(shafts.array, 16 * take(shafts), start, neck, 1.3 * pixel);
        spanMatrix(heads.array, 16 * take(heads), neck, tip, 4 * pixel);
    }

    function update(frame, pixel) {
        last = { frame, pixel };
        for (const batch of batches) used.set(batch, 0);
        for (let i = 0; frame >= 0 && i < n; ++i) {
            if (show.points) putMark(i, frame, pixel);
            if (show.forces && reference > 0) putArrow(i, frame, pixel);
        }
        for (const batch of batches) {
            batch.setCount(used.get(batch));
            if (used.get(batch)) batch.commit();
        }
    }

    return {
        group,
        reference,
        show,
        update,
        set(name, value) {
            show[name] = value;
            update(last.frame, last.pixel);
        },
        recolor(theme) {
            CONTACT_STATES.forEach((s, i) => marks[i].tint(theme[s.color]));
            shafts.tint(theme.force);
            heads.tint(theme.force);
        },
        dispose() {
            for (const batch of batches) batch.dispose();
        },
    };
}
