// Synthetic data sets in the format of DATA.md, so that the page can be tested without the program.
// By hand: node test/make_data.mjs FOLDER writes one page for each set.
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';
import { makeMeshes } from './make_meshes.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const TYPES = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u8: Uint8Array };
const EVENT_KINDS = [
    'impact',
    'close',
    'open',
    'stick',
    'slip',
    'rejected',
    'unconverged',
    'switch',
];

/** An array of the data object. */
function pack(type, shape, values) {
    const array = values instanceof TYPES[type] ? values : TYPES[type].from(values);
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    return { type, shape, data: bytes.toString('base64') };
}

/** Numbers that look random and are the same every time. */
function makeRandom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 4294967296;
    };
}

const linspace = (n, end) =>
    Float64Array.from({ length: n }, (_, i) => (n > 1 ? (end * i) / (n - 1) : 0));
const aboutZ = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
const IDENTITY = [1, 0, 0, 0];
const H = Math.SQRT1_2;
const Z_TO_X = [H, 0, H, 0];
const Y_TO_Z = [H, H, 0, 0];
const frame = (body, position = [0, 0, 0], rotation = IDENTITY) => ({ body, position, rotation });

function drawing(kind, owner, object, name, a, size = [0, 0, 0], more = {}) {
    return { kind, owner, object, name, a, b: more.b ?? a, size, ...more };
}

/** Poses from a function of body and time: {p: [3], q: [4]}. */
function poses(names, times, pose) {
    const n = names.length;
    const position = new Float32Array(times.length * n * 3);
    const rotation = new Float32Array(times.length * n * 4);
    times.forEach((t, f) => {
        for (let b = 0; b < n; ++b) {
            const { p, q } = pose(b, t);
            position.set(p, 3 * (f * n + b));
            rotation.set(q, 4 * (f * n + b));
        }
    });
    return {
        names,
        position: pack('f32', [times.length, n, 3], position),
        rotation: pack('f32', [times.length, n, 4], rotation),
    };
}

function contacts(names, times, contact) {
    const n = names.length;
    const state = new Uint8Array(times.length * n);
    const point = new Float32Array(times.length * n * 3);
    const force = new Float32Array(times.length * n * 3);
    times.forEach((t, f) => {
        for (let c = 0; c < n; ++c) {
            const k = contact(c, t);
            state[f * n + c] = k.state;
            point.set(k.point, 3 * (f * n + c));
            force.set(k.force, 3 * (f * n + c));
        }
    });
    return {
        names,
        state: pack('u8', [times.length, n], state),
        point: pack('f32', [times.length, n, 3], point),
        force: pack('f32', [times.length, n, 3], force),
    };
}

function signal(times, pathName, group, label, unit, f, more = {}) {
    return {
        path: pathName,
        group,
        label,
        unit,
        ...more,
        values: pack('f32', [times.length], Float32Array.from(times, f)),
    };
}

function events(list, dropped = 0) {
    const sorted = [...list].sort((a, b) => a.time - b.time);
    return {
        kinds: EVENT_KINDS,
        time: pack(
            'f64',
            [sorted.length],
            sorted.map((e) => e.time),
        ),
        kind: pack(
            'u8',
            [sorted.length],
            sorted.map((e) => EVENT_KINDS.indexOf(e.kind)),
        ),
        object: pack(
            'i32',
            [sorted.length],
            sorted.map((e) => e.object ?? -1),
        ),
        value: pack(
            'f64',
            [sorted.length],
            sorted.map((e) => e.value ?? 0),
        ),
        dropped,
    };
}

const explanation = {
    measured: 'What the solver left of its equations, relative to their terms.',
    matters: 'It is an error of the forces of that step.',
    limits: 'Notice above 1e-8, problem above 1e-4: such errors add up to what can be seen.',
    remedy: 'Run again with half the step (--step).',
};

function evidence(k = 1) {
    return [
        {
            label: 'Contact problem',
            value: 2.2e-13 * k,
            unit: '',
            level: 'good',
            text: 'Worst residual of the contact problems, scaled. All were solved to rounding error.',
        },
        {
            label: 'Joint drift',
            value: 3.1e-12 * k,
            unit: 'm',
            level: 'good',
            text: 'Largest opening of a joint. The joints hold to rounding error.',
        },
        {
            label: 'Penetration',
            value: 0,
            unit: 'm',
            level: 'good',
            text: 'Deepest overlap of two bodies at the end of a step: none.',
        },
        {
            label: 'Energy balance',
            value: 0.0021 * k,
            unit: 'J',
            level: k > 5 ? 'notice' : 'good',
            text: 'What works and losses leave unexplained: 0.0098 % of the largest energy, by the length of the steps.',
        },
    ].map((e) => ({ ...e, explanation }));
}

function run(more) {
    return {
        title: 'Untitled',
        file: 'run.h5',
        command: 'percuss run model.yaml -o run.h5',
        version: '0.1.0',
        dimension: 3,
        complete: true,
        verdict: {
            level: 'good',
            text: 'The run is sound: all steps converged, joints and contacts hold to rounding error.',
        },
        warnings: [],
        evidence: evidence(),
        summary: [
            { label: 'steps', value: 20000, unit: '' },
            { label: 'repeated steps', value: 0, unit: '' },
            { label: 'impacts', value: 214, unit: '' },
            { label: 'most contacts at once', value: 3, unit: '' },
            { label: 'scheme', value: 'moreau-jean', unit: '' },
            { label: 'step', value: 1e-4, unit: 's' },
        ],
        model: 'title: Example\ndimension: 2\nbodies:\n  crank: {mass: 1}\n',
        drawings: [],
        contacts: contacts([], [], null),
        events: events([]),
        signals: [],
        ...more,
    };
}

function withTimes(times, signalTimes, more) {
    return run({
        time: pack('f64', [times.length], times),
        signal_time: pack('f64', [signalTimes.length], signalTimes),
        frames: { stored: times.length, drawn: times.length, points: signalTimes.length },
        ...more,
    });
}

const page = (...runs) => ({ format: 1, generator: 'percuss 0.1.0', runs });

function energySignals(ts, kinetic, potential) {
    return [
        signal(ts, 'energy.kinetic', 'Energy', 'kinetic energy', 'J', kinetic),
        signal(ts, 'energy.potential', 'Energy', 'potential energy', 'J', potential),
        signal(ts, 'energy.total', 'Energy', 'total energy', 'J', (t) => kinetic(t) + potential(t)),
        signal(ts, 'energy.friction', 'Energy', 'work of friction', 'J', (t) => -0.02 * t),
        signal(
            ts,
            'energy.impact',
            'Energy',
            'loss at impacts',
            'J',
            (t) => -0.05 * Math.floor(8 * t),
        ),
        signal(ts, 'energy.numerical', 'Energy', 'unexplained', 'J', (t) => 1e-6 * Math.sin(t)),
    ];
}

function bodySignals(ts, name, body, pose, planar) {
    const axes = planar ? [0, 1] : [0, 1, 2];
    const dt = 1e-5;
    return [
        ...axes.map((k) =>
            signal(
                ts,
                `body.${name}.position.${'xyz'[k]}`,
                'Bodies',
                `${name} position ${'xyz'[k]}`,
                'm',
                (t) => pose(body, t).p[k],
                { body },
            ),
        ),
        ...axes.map((k) =>
            signal(
                ts,
                `body.${name}.velocity.${'xyz'[k]}`,
                'Bodies',
                `${name} velocity ${'xyz'[k]}`,
                'm/s',
                (t) => (pose(body, t + dt).p[k] - pose(body, t).p[k]) / dt,
                { body },
            ),
        ),
    ];
}

// ---- Planar mechanism: a four-bar linkage whose coupler has no shape ----

const BAR = { l1: 0.2, l2: 0.52, l3: 0.42, d: 0.6 };

/** Angles of coupler and rocker for a crank angle. */
function fourBar(phi) {
    const { l1, l2, l3, d } = BAR;
    const ax = l1 * Math.cos(phi);
    const ay = l1 * Math.sin(phi);
    const e = Math.hypot(d - ax, -ay);
    const base = Math.atan2(-ay, d - ax);
    const inner = Math.acos((e * e + l2 * l2 - l3 * l3) / (2 * e * l2));
    const bx = ax + l2 * Math.cos(base + inner);
    const by = ay + l2 * Math.sin(base + inner);
    return { ax, ay, bx, by, coupler: base + inner, rocker: Math.atan2(by, bx - d) };
}

function planarPose(body, t, speed = 4) {
    const phi = speed * t + 0.3 * Math.sin(2 * t);
    const f = fourBar(phi);
    if (body === 0) return { p: [f.ax / 2, f.ay / 2, 0], q: aboutZ(phi), angle: phi };
    if (body === 1)
        return {
            p: [(f.ax + f.bx) / 2, (f.ay + f.by) / 2, 0],
            q: aboutZ(f.coupler),
            angle: f.coupler,
        };
    if (body === 2)
        return { p: [(BAR.d + f.bx) / 2, f.by / 2, 0], q: aboutZ(f.rocker), angle: f.rocker };
    return { p: [0.95 + 0.05 * Math.sin(3 * t), 0.16, 0], q: aboutZ(2 * t), angle: 2 * t };
}

function planarRun(speed = 4, more = {}) {
    const names = ['crank', 'coupler', 'rocker', 'wheel'];
    const times = linspace(401, more.end ?? 4);
    const ts = linspace(more.points ?? 1601, more.end ?? 4);
    const pose = (b, t) => planarPose(b, t, speed);
    const { l1, l2, l3, d } = BAR;
    const pin = (i, name, a, b) =>
        drawing('joint', 'joint', i, name, a, [0, 0, 0], { b, joint_kind: 'revolute' });
    const joints = ['motor', 'knee', 'elbow', 'pivot'];
    return withTimes(times, ts, {
        title: 'Four-bar linkage',
        file: 'four_bar.h5',
        dimension: 2,
        bodies: poses(names, times, pose),
        drawings: [
            drawing('rod', 'body', 0, 'crank', frame(0, [0, 0, 0], Z_TO_X), [0, 0, l1]),
            drawing('rod', 'body', 2, 'rocker', frame(2, [0, 0, 0], Z_TO_X), [0, 0, l3]),
            drawing('sphere', 'body', 3, 'wheel', frame(3), [0.08, 0, 0]),
            pin(0, 'motor', frame(-1), frame(0, [-l1 / 2, 0, 0])),
            pin(1, 'knee', frame(0, [l1 / 2, 0, 0]), frame(1, [-l2 / 2, 0, 0])),
            pin(2, 'elbow', frame(1, [l2 / 2, 0, 0]), frame(2, [l3 / 2, 0, 0])),
            pin(3, 'pivot', frame(-1, [d, 0, 0]), frame(2, [-l3 / 2, 0, 0])),
            drawing('spring', 'spring', 0, 'return', frame(-1, [1.25, 0.16, 0]), [0, 0, 0], {
                b: frame(3),
            }),
            drawing('plane', 'contact', 0, 'floor', frame(-1, [0.95, 0.08, 0]), [0.22, 0, 0]),
            drawing('sphere', 'contact', 0, 'floor', frame(3), [0.08, 0, 0]),
        ],
        contacts: contacts(['floor'], times, (c, t) => ({
            state: Math.abs(Math.cos(3 * t)) < 0.4 ? 2 : 1,
            point: [0.95 + 0.05 * Math.sin(3 * t), 0.08, 0],
            force: [-2 * Math.sign(Math.cos(3 * t)), 9.81, 0],
        })),
        events: events(
            Array.from({ length: 7 }, (_, i) => ({
                time: 0.39 + (i * Math.PI) / 6,
                kind: i % 2 ? 'slip' : 'stick',
                object: 0,
            })),
        ),
        signals: [
            ...energySignals(
                ts,
                (t) => 2 + Math.sin(speed * t) ** 2,
                (t) => 3 * pose(1, t).p[1],
            ),
            ...joints.map((name, joint) =>
                signal(
                    ts,
                    `joint.${name}.angle`,
                    'Joints',
                    `${name} angle`,
                    'rad',
                    (t) => pose(Math.min(joint, 2), t).angle - (joint ? 1 : 0),
                    { joint },
                ),
            ),
            ...joints.map((name, joint) =>
                signal(
                    ts,
                    `joint.${name}.rate`,
                    'Joints',
                    `${name} rate`,
                    'rad/s',
                    (t) =>
                        (pose(Math.min(joint, 2), t + 1e-5).angle -
                            pose(Math.min(joint, 2), t).angle) /
                        1e-5,
                    { joint },
                ),
            ),
            ...joints.map((name, joint) =>
                signal(
                    ts,
                    `joint.${name}.force.x`,
                    'Joints',
                    `${name} force x`,
                    'N',
                    (t) => 20 * Math.cos(speed * t + joint),
                    { joint },
                ),
            ),
            ...names.flatMap((name, body) => bodySignals(ts, name, body, pose, true)),
            ...names.map((name, body) =>
                signal(
                    ts,
                    `body.${name}.angle`,
                    'Bodies',
                    `${name} angle`,
                    'rad',
                    (t) => pose(body, t).angle,
                    { body },
                ),
            ),
            signal(ts, 'contact.floor.gap', 'Contacts', 'floor gap', 'm', () => 0, { contact: 0 }),
            signal(ts, 'contact.floor.force.n', 'Contacts', 'floor normal force', 'N', () => 9.81, {
                contact: 0,
            }),
            signal(
                ts,
                'solver.residual',
                'Solver',
                'residual',
                '',
                (t) => 1e-14 * (1 + t) * (1.1 + Math.sin(40 * t)),
            ),
        ],
        ...more,
    });
}

// ---- Woodpecker: two bodies without shapes, five contacts, impacts ----

function woodpeckerRun() {
    const names = ['sleeve', 'bird'];
    const period = 0.1256;
    const times = linspace(1001, 2);
    const ts = linspace(4001, 2);
    const [r0, rM, hM, lM, lG, hS, lS] = [0.0025, 0.0031, 0.0058, 0.01, 0.015, 0.02, 0.0201];
    const pose = (body, t) => {
        const phase = (t / period) % 1;
        const y = -0.0075 * (Math.floor(t / period) + Math.max(0, (phase - 0.7) / 0.3));
        const tilt = -0.08 * Math.cos(2 * Math.PI * phase);
        const swing = -0.35 * Math.cos(2 * Math.PI * phase - 0.6);
        if (body === 0) return { p: [0, y, 0], q: aboutZ(tilt) };
        return {
            p: [
                lM * Math.cos(tilt) + lG * Math.cos(swing),
                y + lM * Math.sin(tilt) + lG * Math.sin(swing),
                0,
            ],
            q: aboutZ(swing),
        };
    };
    const contactNames = ['beak', 'lower_right', 'upper_right', 'upper_left', 'lower_left'];
    const local = [
        [-lS, hS],
        [rM, -hM],
        [rM, hM],
        [-rM, hM],
        [-rM, -hM],
    ];
    const at = (c, t) => {
        const { p, q } = pose(c === 0 ? 1 : 0, t);
        const a = 2 * Math.atan2(q[3], q[0]);
        const [x, y] = local[c];
        return [
            p[0] + Math.cos(a) * x - Math.sin(a) * y,
            p[1] + Math.sin(a) * x + Math.cos(a) * y,
            0,
        ];
    };
    const phaseOf = (t) => (t / period) % 1;
    const windows = [
        [0.55, 0.57],
        [0.0, 0.45],
        [0.6, 0.62],
        [0.05, 0.4],
        [0.85, 0.95],
    ];
    const isClosed = (c, t) => phaseOf(t) >= windows[c][0] && phaseOf(t) < windows[c][1];
    const list = [];
    for (let k = 0; k * period < 2; ++k)
        windows.forEach(([from, to], object) => {
            const t0 = (k + from) * period;
            const t1 = (k + to) * period;
            if (t0 > 0 && t0 < 2)
                list.push({
                    time: t0,
                    kind: object === 1 ? 'close' : 'impact',
                    object,
                    value: 0.1 + 0.05 * object,
                });
            if (t1 < 2) list.push({ time: t1, kind: 'open', object });
            if (object === 1 && t0 + 0.02 < 2)
                list.push({ time: t0 + 0.02, kind: 'stick', object });
        });
    list.push({ time: 1.1034, kind: 'rejected', value: 1e-4 });
    return withTimes(times, ts, {
        title: 'Woodpecker toy',
        file: 'woodpecker.h5',
        dimension: 2,
        verdict: {
            level: 'notice',
            text: 'The run is sound. One step was repeated with half its length; nothing else calls for attention.',
        },
        warnings: ['One step was repeated with a smaller length at 1.1034 s.'],
        bodies: poses(names, times, pose),
        drawings: [
            drawing('joint', 'joint', 0, 'spring', frame(0, [lM, 0, 0]), [0, 0, 0], {
                b: frame(1, [-lG, 0, 0]),
                joint_kind: 'revolute',
            }),
            drawing('torsion', 'spring', 0, 'spring', frame(0, [lM, 0, 0]), [0, 0, 0], {
                b: frame(1, [-lG, 0, 0]),
            }),
            ...contactNames.flatMap((name, c) => {
                const left = c > 2;
                const half = (left ? 1 : -1) * (Math.PI / 4);
                return [
                    drawing(
                        'plane',
                        'contact',
                        c,
                        name,
                        frame(-1, [left ? -r0 : r0, 0, 0], [Math.cos(half), 0, 0, Math.sin(half)]),
                    ),
                    drawing('point', 'contact', c, name, frame(c === 0 ? 1 : 0, [...local[c], 0])),
                ];
            }),
        ],
        contacts: contacts(contactNames, times, (c, t) => ({
            state: isClosed(c, t) ? (c === 1 && phaseOf(t) > 0.16 ? 2 : 1) : 0,
            point: at(c, t),
            force: isClosed(c, t) ? [(c > 2 ? -1 : 1) * 0.6 * (1 + c), 0.25, 0] : [0, 0, 0],
        })),
        events: events(list),
        signals: [
            ...energySignals(
                ts,
                (t) => 2e-4 * (1 + Math.sin(50 * t)),
                (t) => 0.047 * pose(1, t).p[1],
            ),
            signal(
                ts,
                'joint.spring.angle',
                'Joints',
                'spring angle',
                'rad',
                (t) => 0.3 * Math.cos(50 * t),
                { joint: 0 },
            ),
            signal(
                ts,
                'joint.spring.rate',
                'Joints',
                'spring rate',
                'rad/s',
                (t) => -15 * Math.sin(50 * t),
                { joint: 0 },
            ),
            ...contactNames.map((name, contact) =>
                signal(
                    ts,
                    `contact.${name}.gap`,
                    'Contacts',
                    `${name} gap`,
                    'm',
                    (t) => (isClosed(contact, t) ? 0 : 4e-4 * (1 + Math.sin(50 * t + contact))),
                    { contact },
                ),
            ),
            ...contactNames.map((name, contact) =>
                signal(
                    ts,
                    `contact.${name}.force.n`,
                    'Contacts',
                    `${name} normal force`,
                    'N',
                    (t) => (isClosed(contact, t) ? 0.6 * (1 + contact) : 0),
                    { contact },
                ),
            ),
            ...contactNames.map((name, contact) =>
                signal(
                    ts,
                    `contact.${name}.impulse.n`,
                    'Contacts',
                    `${name} normal impulse`,
                    'N s',
                    (t) => (isClosed(contact, t) ? 6e-5 * (1 + contact) : 0),
                    { contact },
                ),
            ),
            ...names.flatMap((name, body) => bodySignals(ts, name, body, pose, true)),
        ],
    });
}

// ---- Space: 20 bodies with every kind of drawing and joint ----

function spatialRun() {
    const names = Array.from({ length: 20 }, (_, i) =>
        i < 12 ? `link_${i + 1}` : `ball_${i - 11}`,
    );
    const times = linspace(501, 5);
    const ts = linspace(2001, 5);
    const pose = (b, t) => {
        if (b < 12) {
            const angle = 0.35 * Math.sin(2 * t - 0.4 * b);
            const x = -1.4 + 0.24 * b;
            return {
                p: [x, 0.25 * Math.sin(1.5 * t - 0.5 * b), 0.7 + 0.12 * Math.sin(2 * t - 0.6 * b)],
                q: aboutZ(angle),
            };
        }
        const k = b - 12;
        const fall = Math.abs(Math.sin(2.2 * t + k));
        const half = 1.5 * t + k;
        return {
            p: [-1.1 + 0.32 * k, -0.7 - 0.15 * (k % 2), 0.1 + 0.6 * fall],
            q: [Math.cos(half), Math.sin(half) * 0.6, Math.sin(half) * 0.8, 0],
        };
    };
    const kinds = [
        'revolute',
        'prismatic',
        'cylindrical',
        'spherical',
        'universal',
        'planar',
        'screw',
        'fixed',
        'point-on-line',
        'point-on-plane',
        'gear',
    ];
    const list = [
        ...Array.from({ length: 11 }, (_, i) =>
            drawing(
                'joint',
                'joint',
                i,
                `joint_${i + 1}`,
                frame(i, [0.12, 0, 0], i % 2 ? Y_TO_Z : IDENTITY),
                [0, 0, 0],
                { b: frame(i + 1, [-0.12, 0, 0]), joint_kind: kinds[i] },
            ),
        ),
        drawing('link', 'joint', 11, 'hanger', frame(-1, [-1.4, 0, 1.3]), [0, 0, 0], {
            b: frame(0),
        }),
        drawing('spring', 'spring', 0, 'coil', frame(-1, [1.4, 0, 1.3]), [0, 0, 0], {
            b: frame(11, [0.12, 0, 0]),
        }),
        drawing('torsion', 'spring', 1, 'bushing', frame(11, [0.12, 0, 0]), [0, 0, 0]),
        drawing('plane', 'contact', 0, 'floor', frame(-1)),
        drawing('plane', 'contact', 1, 'table', frame(-1, [1.2, 0.9, 0.4]), [0.3, 0.2, 0]),
        drawing('hole', 'contact', 2, 'bowl', frame(-1, [-1.2, 0.9, 0.35]), [0.3, 0, 0]),
        drawing('polyline', 'contact', 3, 'track', frame(-1, [-0.4, 1.0, 0.2], Y_TO_Z), [0, 0, 0], {
            vertices: [
                [0, 0],
                [0.2, -0.1],
                [0.5, 0.15],
                [0.8, 0.1],
            ],
            closed: false,
        }),
        drawing('guide', 'contact', 4, 'slot', frame(-1, [0, 1.3, 0.02]), [0, 0.1, 0]),
        drawing('point', 'contact', 4, 'slot', frame(-1, [0, 1.3, 0.02])),
        drawing('mesh_of_the_future', 'body', 3, 'link_4', frame(3)),
        ...Array.from({ length: 8 }, (_, k) =>
            drawing('sphere', 'contact', 5 + k, `ball_${k + 1}`, frame(12 + k), [0.1, 0, 0]),
        ),
    ];
    const shapes = [
        ['box', [0.2, 0.06, 0.05]],
        ['capsule', [0.03, 0, 0.16]],
        ['cylinder', [0.04, 0, 0.2]],
        ['rod', [0, 0, 0.24]],
    ];
    for (let b = 0; b < 12; ++b) {
        if (b === 7) continue; // one link without a shape
        const [kind, size] = shapes[b % 4];
        list.push(
            drawing(
                kind,
                'body',
                b,
                names[b],
                frame(b, [0, 0, 0], kind === 'box' ? IDENTITY : Z_TO_X),
                size,
            ),
        );
    }
    for (let k = 0; k < 8; ++k)
        list.push(drawing('sphere', 'body', 12 + k, names[12 + k], frame(12 + k), [0.1, 0, 0]));
    const contactNames = Array.from({ length: 8 }, (_, k) => `ball_${k + 1}`);
    const impacts = [];
    for (let k = 0; k < 8; ++k)
        for (let i = 0; ; ++i) {
            const time = (i * Math.PI - k) / 2.2;
            if (time > 5) break;
            if (time > 0)
                impacts.push(
                    { time, kind: 'impact', object: k, value: 1.3 },
                    { time: time + 0.004, kind: 'open', object: k },
                );
        }
    return withTimes(times, ts, {
        title: 'Twenty bodies in space',
        file: 'twenty.h5',
        bodies: poses(names, times, pose),
        drawings: list,
        contacts: contacts(contactNames, times, (c, t) => {
            const { p } = pose(12 + c, t);
            const closed = p[2] < 0.13;
            return {
                state: closed ? 1 + (c % 3) : 0,
                point: [p[0], p[1], 0],
                force: closed ? [0.5 * (c % 2), 0, 4 + c] : [0, 0, 0],
            };
        }),
        events: events(impacts.filter((e) => e.time < 5)),
        signals: [
            ...energySignals(
                ts,
                (t) => 4 + 3 * Math.sin(4 * t),
                (t) => 6 - 3 * Math.sin(4 * t),
            ),
            ...Array.from({ length: 11 }, (_, joint) =>
                signal(
                    ts,
                    `joint.joint_${joint + 1}.angle`,
                    'Joints',
                    `joint_${joint + 1} angle`,
                    'rad',
                    (t) => 0.3 * Math.sin(2 * t - joint),
                    { joint },
                ),
            ),
            ...contactNames.map((name, contact) =>
                signal(
                    ts,
                    `contact.${name}.gap`,
                    'Contacts',
                    `${name} gap`,
                    'm',
                    (t) => pose(12 + contact, t).p[2] - 0.1,
                    { contact },
                ),
            ),
            ...contactNames.map((name, contact) =>
                signal(
                    ts,
                    `contact.${name}.force.n`,
                    'Contacts',
                    `${name} normal force`,
                    'N',
                    (t) => (pose(12 + contact, t).p[2] < 0.13 ? 4 + contact : 0),
                    { contact },
                ),
            ),
            ...names.flatMap((name, body) => bodySignals(ts, name, body, pose, false)),
        ],
    });
}

// ---- Large: 10,000 stored frames of 200 bodies, thinned as DATA.md says ----

function largeRun() {
    const random = makeRandom(2385);
    const count = 200;
    const names = Array.from({ length: count }, (_, i) => `grain_${i + 1}`);
    const times = linspace(1000, 10); // every tenth stored frame
    const ts = linspace(1600, 10);
    const start = names.map(() => [random() * 2 - 1, random() * 2 - 1, random(), random() * 6]);
    const pose = (b, t) => {
        const [x, y, z, k] = start[b];
        const swirl = 0.5 * t + k;
        const half = 0.7 * t + k;
        return {
            p: [
                x + 0.25 * Math.cos(swirl),
                y + 0.25 * Math.sin(swirl),
                0.07 + 1.2 * z * Math.abs(Math.cos(1.3 * t + k)),
            ],
            q: [Math.cos(half), 0.6 * Math.sin(half), 0, 0.8 * Math.sin(half)],
        };
    };
    const contactNames = Array.from({ length: 300 }, (_, i) => `grains.${i}`);
    const list = [];
    for (let i = 0; i < 9000; ++i)
        list.push({
            time: random() * 10,
            kind: EVENT_KINDS[Math.floor(random() * 5)],
            object: Math.floor(random() * 300),
            value: random(),
        });
    return withTimes(times, ts, {
        title: 'Two hundred grains in a drum',
        file: 'grains.h5',
        frames: { stored: 10000, drawn: 1000, points: 1600 },
        warnings: [
            'Drawn are 1000 of 10000 stored frames.',
            'Signals are cut into 800 intervals; each shows its smallest and largest value, so no extreme is lost.',
        ],
        bodies: poses(names, times, pose),
        drawings: [
            drawing('plane', 'contact', 0, 'floor', frame(-1)),
            ...names.map((name, b) =>
                b % 4 === 3
                    ? drawing('box', 'body', b, name, frame(b), [0.12, 0.09, 0.08])
                    : drawing('sphere', 'body', b, name, frame(b), [0.05 + 0.02 * (b % 3), 0, 0]),
            ),
        ],
        contacts: contacts(contactNames, times, (c, t) => {
            const { p } = pose(c % count, t);
            const closed = p[2] < 0.2;
            return {
                state: closed ? 1 + (c % 2) : 0,
                point: [p[0], p[1], 0],
                force: closed ? [0, 0, 1 + (c % 9)] : [0, 0, 0],
            };
        }),
        events: events(list, 1203),
        signals: [
            ...energySignals(
                ts,
                (t) => 40 + 3 * Math.sin(4 * t),
                (t) => 60 - 3 * Math.sin(4 * t),
            ),
            ...contactNames
                .slice(0, 100)
                .map((name, contact) =>
                    signal(
                        ts,
                        `contact.${name}.gap`,
                        'Contacts',
                        `${name} gap`,
                        'm',
                        (t) => Math.max(0, pose(contact, t).p[2] - 0.2),
                        { contact },
                    ),
                ),
            ...names.flatMap((name, body) =>
                [0, 1, 2].map((k) =>
                    signal(
                        ts,
                        `body.${name}.position.${'xyz'[k]}`,
                        'Bodies',
                        `${name} position ${'xyz'[k]}`,
                        'm',
                        (t) => pose(body, t).p[k],
                        { body },
                    ),
                ),
            ),
        ],
    });
}

// ---- Odd ones ----

function emptyRun() {
    return withTimes([], [], {
        title: 'Nothing at all',
        file: 'empty.h5',
        bodies: poses([], [], null),
        complete: false,
        verdict: { level: 'bad', text: 'The run stored no frame.' },
        evidence: [],
        summary: [],
        model: '',
    });
}

function oneFrameRun() {
    const pose = () => ({ p: [0, 0, 0.5], q: IDENTITY });
    return withTimes([0], [0], {
        title: 'One frame <script>alert("no & never")</script>',
        bodies: poses(['ball'], [0], pose),
        drawings: [drawing('sphere', 'body', 0, 'ball', frame(0), [0.1, 0, 0])],
        signals: energySignals(
            [0],
            () => 1,
            () => 2,
        ),
    });
}

function nanRun() {
    const base = planarRun();
    const times = linspace(401, 4);
    const ts = linspace(1601, 4);
    base.title = 'A run that broke';
    base.complete = false;
    base.verdict = {
        level: 'bad',
        text: 'The run stopped at 2 s: a force is not a number. What comes after that is not to be trusted.',
    };
    base.bodies = poses(['crank', 'coupler', 'rocker', 'wheel'], times, (b, t) =>
        t > 2 ? { p: [NaN, NaN, NaN], q: [NaN, NaN, NaN, NaN] } : planarPose(b, t),
    );
    base.signals.push(signal(ts, 'energy.broken', 'Energy', 'all NaN', 'J', () => NaN));
    base.signals[0] = signal(ts, 'energy.kinetic', 'Energy', 'kinetic energy', 'J', (t) =>
        t > 2 ? NaN : 2 + Math.sin(t),
    );
    base.evidence = [
        {
            label: 'Energy balance',
            value: null,
            unit: 'J',
            level: 'bad',
            text: 'It is not a number.',
            explanation,
        },
    ];
    return base;
}

/** Flexible bodies: a block of n^3 elements, a beam, and a spring between the two. */
function flexibleRun(n = 6, rows = 121) {
    const times = linspace(rows, 3);
    const ts = linspace(601, 3);
    const onMesh = (mesh, point) => ({ ...frame(-1), mesh, point });
    return withTimes(times, ts, {
        title: 'Twisting block and bending beam',
        bodies: { names: [], position: pack('f32', [rows, 0, 3], []), rotation: pack('f32', [rows, 0, 4], []) },
        drawings: [
            drawing('spring', 'spring', 0, 'spring', onMesh(0, 3), [0, 0, 0], { b: onMesh(1, 6) }),
        ],
        meshes: makeMeshes(pack, times, n),
        signals: [
            ...energySignals(
                ts,
                (t) => Math.cos(2 * t) ** 2,
                (t) => Math.sin(2 * t) ** 2,
            ),
            signal(ts, 'mesh.block.mises.max', 'Meshes', 'block.mises max', 'Pa', (t) =>
                2.4e6 * Math.abs(Math.sin(2 * t)),
            ),
        ],
    });
}

/** The data sets by name. */
export const DATA_SETS = {
    planar: () => page(planarRun()),
    woodpecker: () => page(woodpeckerRun()),
    spatial: () => page(spatialRun()),
    large: () => page(largeRun()),
    empty: () => page(emptyRun()),
    one_frame: () => page(oneFrameRun()),
    nan: () => page(nanRun()),
    flexible: () => page(flexibleRun()),
    flexible_large: () => page(flexibleRun(20, 150)), // 2402 points on the surface
    compare: () =>
        page(
            planarRun(4, { file: 'step_1e-3.h5' }),
            planarRun(4.15, {
                file: 'step_1e-2.h5',
                points: 801,
                evidence: evidence(10),
                verdict: {
                    level: 'notice',
                    text: 'The energy balance is loose; a smaller step would help.',
                },
            }),
            planarRun(3.8, { file: 'reference.h5', points: 1201, end: 3.5 }),
        ),
};

/** Puts a data object into the built page, as the program does. */
export async function makePage(data) {
    const template = await readFile(path.join(here, '../dist/report.html'), 'utf8');
    const json = JSON.stringify(data).replace(
        /[<>&]/g,
        (c) => `\\u00${c.charCodeAt(0).toString(16)}`,
    );
    const parts = template.split('{"percuss":"no data"}');
    if (parts.length !== 2) throw new Error('the page has no single place for its data');
    return parts[0] + json + parts[1];
}

/** Writes the page of a data set and returns its path. */
export async function writePage(name, folder) {
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, `${name}.html`);
    await writeFile(file, await makePage(DATA_SETS[name]()));
    return file;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const folder = process.argv[2] ?? path.join(here, 'artefacts');
    for (const name of Object.keys(DATA_SETS)) console.log(await writePage(name, folder));
}
