// 10,000 stored frames of 200 bodies: the page opens within two seconds and plays at a median frame
// time below 33 ms with software rendering at 1366 x 768. A busy machine may need several tries;
// the best one counts, as the others measure the machine.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { artefactFolder, launch, layoutProblems, settle, UNLIMITED } from './browser.mjs';

const TRIES = 4;
const OPEN_LIMIT = Number(process.env.PERCUSS_OPEN_LIMIT ?? 2000); // ms
const FRAME_LIMIT = 33; // ms
let browser = null;
before(async () => {
    browser = await launch(UNLIMITED);
    // The first page of a browser also starts its processes.
    await (await browser.open('one_frame')).close();
});
after(() => browser?.close());

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

test('the large page opens within two seconds', async (t) => {
    const times = [];
    for (let i = 0; i < TRIES && !(times.at(-1) < OPEN_LIMIT); ++i) {
        const { page, close } = await browser.open('large');
        times.push(await page.evaluate(() => window.percuss.openTime()));
        await close();
    }
    t.diagnostic(`opened in ${times.map((v) => v.toFixed(0)).join(', ')} ms`);
    assert.ok(Math.min(...times) < OPEN_LIMIT, `${times} ms`);
});

test('the large page plays below 33 ms a frame', async (t) => {
    const { page, problems, close } = await browser.open('large');
    assert.equal(await page.evaluate(() => window.percuss.eventCount()), 9000);
    const medians = [];
    await page.keyboard.press('Space');
    for (let i = 0; i < TRIES && !(medians.at(-1) < FRAME_LIMIT); ++i) {
        const start = await page.evaluate(() => window.percuss.frameTimes().length);
        await page.waitForTimeout(4000);
        const times = await page.evaluate((n) => window.percuss.frameTimes().slice(n), start);
        medians.push(median(times));
    }
    t.diagnostic(`median frame times ${medians.map((v) => v.toFixed(1)).join(', ')} ms`);
    t.diagnostic((await page.evaluate(() => window.percuss.info())).join(' '));
    await page.keyboard.press('Space');
    await settle(page);
    assert.deepEqual(await layoutProblems(page), []);
    await page.screenshot({ path: path.join(await artefactFolder(), 'large_1366x768.png') });
    assert.ok(Math.min(...medians) < FRAME_LIMIT, `${medians} ms`);
    assert.deepEqual(problems, []);
    await close();
});
