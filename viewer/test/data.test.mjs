// What can be tested without a browser: arrays, searches, numbers, poses.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { decodeArray, lastAtOrBefore, nearestIndex } from '../src/data.js';
import { formatNumber, formatQuantity, formatTicks, formatTime } from '../src/format.js';
import {
    composeMatrix,
    locate,
    multiplyMatrix,
    poseBodies,
    spanMatrix,
    transformPoint,
} from '../src/pose.js';
import { measure } from '../src/bounds.js';

const near = (a, b, tolerance = 1e-6) =>
    assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test('arrays are decoded, cut-off and missing ones too', () => {
    const bytes = Buffer.from(Float64Array.of(1.5, -2.385, NaN).buffer);
    const array = { type: 'f64', shape: [3], data: bytes.toString('base64') };
    assert.deepEqual([...decodeArray(array)], [1.5, -2.385, NaN]);
    assert.equal(
        decodeArray({ ...array, data: bytes.subarray(0, 12).toString('base64') }).length,
        1,
    );
    assert.equal(decodeArray(undefined).length, 0);
    assert.equal(decodeArray({ type: 'f128', data: '' }).length, 0);
});

test('searches in sorted times', () => {
    const times = [0, 0.1, 0.1, 0.5, 2];
    assert.equal(lastAtOrBefore(times, -1), -1);
    assert.equal(lastAtOrBefore(times, 0.1), 2);
    assert.equal(lastAtOrBefore(times, 99), 4);
    assert.equal(nearestIndex(times, 0.4), 3);
    assert.equal(nearestIndex([], 1), -1);
    assert.deepEqual(locate(times, 1.25), { frame: 3, part: 0.5 });
    assert.deepEqual(locate([], 1), { frame: -1, part: 0 });
});

test('numbers for readers', () => {
    assert.equal(formatNumber(0.00012345), '1.234e\u22124');
    assert.equal(formatNumber(-2.5), '\u22122.5');
    assert.equal(formatNumber(null), '\u2013');
    assert.equal(formatNumber(NaN), '\u2013');
    assert.equal(formatNumber(1e30), '1e30');
    assert.equal(formatNumber(20000), '20\u202f000');
    assert.equal(formatQuantity(2.5, 'm/s'), '2.5\u00a0m/s');
    assert.equal(formatQuantity(165, '1'), '165'); // pure numbers have no unit
    assert.equal(formatTime(0.5, 2), '0.5000');
    assert.deepEqual(formatTicks([0, 0.25, 0.5]), ['0', '0.25', '0.50']);
    assert.deepEqual(formatTicks([0, 2.5e-6, 5e-6]), ['0', '2.5e\u22126', '5.0e\u22126']);
    assert.deepEqual(formatTicks([]), []);
});

test('matrices: products, spans', () => {
    const h = Math.SQRT1_2;
    const a = new Float32Array(16);
    const b = new Float32Array(16);
    const c = new Float32Array(16);
    composeMatrix(a, 0, 1, 2, 3, h, 0, 0, h); // a quarter turn about z
    composeMatrix(b, 0, 1, 0, 0, 1, 0, 0, 0);
    multiplyMatrix(c, 0, a, 0, b, 0, 2);
    const p = transformPoint([0, 0, 0], c, 0, 1, 0, 0);
    [1, 5, 3].forEach((v, k) => near(p[k], v));
    for (const q of [
        [3, 4, 0],
        [0, 0, -2],
        [1, 1, 1],
        [0, 0, 0],
    ]) {
        spanMatrix(c, 0, [1, 1, 1], [1 + q[0], 1 + q[1], 1 + q[2]], 0.5);
        const end = transformPoint([0, 0, 0], c, 0, 0, 0, 1);
        q.forEach((v, k) => near(end[k], 1 + v));
        assert.ok(c.every(Number.isFinite));
    }
});

test('poses are interpolated the short way, and what is not a number disappears', () => {
    const run = {
        time: [0, 1],
        bodyCount: 2,
        frameCount: 2,
        position: Float32Array.of(0, 0, 0, NaN, 0, 0, 2, 0, 0, NaN, 0, 0),
        rotation: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0),
        drawings: [],
    };
    const out = new Float32Array(48);
    poseBodies(run, 0.25, true, out, () => 0);
    near(out[16 + 12], 0.5);
    near(out[16], 1);
    assert.ok(out.subarray(32).every((v) => v === 0));
    poseBodies(run, 0.25, false, out, () => 0);
    near(out[16 + 12], 0);
    const bounds = measure(run);
    near(bounds.center[0], 1);
    assert.ok(bounds.size > 0 && bounds.body > 0);
});
