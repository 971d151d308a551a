// Made-up meshes for the data sets: a block that twists, a beam that bends to and fro, a bar that
// stretches. `pack` is that of make_data.mjs.

/** Drawn points, triangles and edges of the surface of a block of n x n x n cubes of size a. */
function blockSurface(n, a) {
    const points = [];
    const places = new Map();
    const triangles = [];
    const edges = [];
    const at = (p) => {
        const key = p.join(' ');
        if (!places.has(key)) places.set(key, points.push(p.map((v) => (v * a) / n)) - 1);
        return places.get(key);
    };
    for (let axis = 0; axis < 3; ++axis)
        for (const side of [0, n])
            for (let i = 0; i < n; ++i)
                for (let j = 0; j < n; ++j) {
                    const corner = (u, v) => {
                        const p = [0, 0, 0];
                        p[axis] = side;
                        p[(axis + 1) % 3] = i + u;
                        p[(axis + 2) % 3] = j + v;
                        return at(p);
                    };
                    const face = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if (side === 0) face.reverse();
                    triangles.push(face[0], face[1], face[2], face[0], face[2], face[3]);
                    face.forEach((p, k) => {
                        const q = face[(k + 1) % 4];
                        if (p < q) edges.push(p, q);
                    });
                }
    return { points, triangles, edges };
}

const bytes = (values, least, most) =>
    Uint8Array.from(values, (v) => Math.round((254 * (v - least)) / (most - least)));

function twistedBlock(pack, times, n, speedMost) {
    const { points, triangles, edges } = blockSurface(n, 1);
    const position = [];
    const stress = [];
    const speed = [];
    for (const t of times) {
        const twist = 0.5 * Math.sin(2 * t);
        const rate = Math.abs(Math.cos(2 * t));
        for (const [x, y, z] of points) {
            const [c, s] = [Math.cos(twist * z), Math.sin(twist * z)];
            position.push(c * (x - 0.5) - s * (y - 0.5), s * (x - 0.5) + c * (y - 0.5), z);
            const r = Math.hypot(x - 0.5, y - 0.5);
            stress.push(2.4e6 * (Math.abs(twist) / 0.5) * (r / Math.SQRT1_2));
            speed.push(rate * r * z);
        }
    }
    const rows = times.length;
    const count = points.length;
    return {
        name: 'block',
        nodes: (n + 1) ** 3,
        elements: n ** 3,
        position: pack('f32', [rows, count, 3], position),
        triangles: pack('i32', [triangles.length / 3, 3], triangles),
        edges: pack('i32', [edges.length / 2, 2], edges),
        lines: [],
        fields: [
            { field: 0, values: pack('u8', [rows, count], bytes(speed, 0, speedMost)) },
            { field: 1, values: pack('u8', [rows, count], bytes(stress, 0, 2.4e6)) },
        ],
    };
}

/** A beam along z at x = 1.4 that bends into an arc, and a bar beside it. */
function bentBeam(pack, times, speedMost) {
    const [elements, length] = [6, 1.2];
    const position = [];
    const rotation = [];
    const moment = [];
    const speed = [];
    for (const t of times)
        for (let i = 0; i <= elements; ++i) {
            const s = (length * i) / elements;
            const k = 1.6 * Math.sin(3 * t) || 1e-6;
            position.push(1.4 + (1 - Math.cos(k * s)) / k, 0.2, Math.sin(k * s) / k);
            rotation.push(Math.cos((k * s) / 2), 0, Math.sin((k * s) / 2), 0);
            moment.push(k);
            speed.push(0.4 * Math.abs(Math.cos(3 * t)) * s);
        }
    const list = Array.from({ length: 2 * elements }, (_, i) => (i >> 1) + (i & 1));
    const axes = Array.from({ length: elements }, () => [0, 0, 1, 0, 1, 0, -1, 0, 0]).flat();
    const rows = times.length;
    const count = elements + 1;
    return {
        name: 'beam',
        nodes: count,
        elements,
        position: pack('f32', [rows, count, 3], position),
        rotation: pack('f32', [rows, count, 4], rotation),
        triangles: pack('i32', [0, 3], []),
        edges: pack('i32', [0, 2], []),
        lines: [
            {
                kind: 'beam',
                elements: pack('i32', [elements, 2], list),
                axes: pack('f32', [elements, 9], axes),
                size: [0.12, 0.06],
                round: false,
            },
        ],
        fields: [
            { field: 0, values: pack('u8', [rows, count], bytes(speed, 0, speedMost)) },
            { field: 2, values: pack('u8', [rows, count], bytes(moment, -1.6, 1.6)) },
        ],
    };
}

/** @param {number} n elements along an edge of the block */
export function makeMeshes(pack, times, n) {
    const speedMost = 0.8;
    return {
        fields: [
            { name: 'speed', unit: 'm/s', least: 0, most: speedMost },
            { name: 'mises', unit: 'Pa', least: 0, most: 2.4e6 },
            { name: 'bending_moment', unit: 'N m', least: -1.6, most: 1.6 },
        ],
        items: [twistedBlock(pack, times, n, speedMost), bentBeam(pack, times, speedMost)],
    };
}
