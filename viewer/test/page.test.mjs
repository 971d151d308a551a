// The page in a browser: it opens without errors and without a network, plays, scrubs, jumps to
// events, selects bodies, keeps plots and picture at one time, and looks right at laptop size.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { artefactFolder, launch, layoutProblems, settle } from './browser.mjs';

let browser = null;
let artefacts = '';
const SIZES = [
    [1366, 768],
    [1920, 1080],
];

before(async () => {
    browser = await launch();
    artefacts = await artefactFolder();
});
after(() => browser?.close());

const shoot = (page, name) => page.screenshot({ path: path.join(artefacts, `${name}.png`) });

/** Opens a page, hands it to the test and checks that nothing was logged or fetched. */
async function withPage(name, options, body) {
    const { page, problems, close } = await browser.open(name, options);
    try {
        await body(page);
        assert.deepEqual(problems, []);
    } finally {
        await close();
    }
}

/** Plots and picture show the same time, to a pixel of the plots. */
async function assertSameTime(page, expected) {
    const { time, plots, pixel } = await page.evaluate(() => {
        const [first, last] = window.percuss.timeWindow() ?? window.percuss.range();
        const width = document.querySelector('.u-over').clientWidth;
        return {
            time: window.percuss.time(),
            plots: window.percuss.plotTimes(),
            pixel: (last - first) / width,
        };
    });
    if (expected !== undefined)
        assert.ok(Math.abs(time - expected) <= 1e-9 + pixel, `time ${time}, expected ${expected}`);
    assert.ok(plots.length > 0, 'there are plots');
    for (const t of plots)
        assert.ok(Math.abs(t - time) <= pixel, `a plot shows ${t}, the picture ${time}`);
}

for (const name of ['planar', 'woodpecker', 'spatial', 'compare', 'nan', 'flexible'])
    for (const [width, height] of SIZES)
        for (const dark of [false, true]) {
            if (dark && width > 1400) continue;
            test(`${name} opens and fits ${width} x ${height}${dark ? ', dark' : ''}`, () =>
                withPage(name, { width, height, dark }, async (page) => {
                    await page.evaluate(() =>
                        window.percuss.setTime(window.percuss.range()[1] * 0.31),
                    );
                    await settle(page);
                    assert.deepEqual(await layoutProblems(page), []);
                    assert.equal(
                        await page.evaluate(() => document.documentElement.dataset.theme),
                        dark ? 'dark' : 'light',
                    );
                    await assertSameTime(page);
                    await shoot(page, `${name}_${width}x${height}${dark ? '_dark' : ''}`);
                }));
        }

for (const name of ['empty', 'one_frame'])
    test(`${name} opens`, () =>
        withPage(name, {}, async (page) => {
            await page.keyboard.press('Space');
            await page.keyboard.press('ArrowRight');
            await page.keyboard.press('n');
            await settle(page);
            assert.equal(await page.evaluate(() => window.percuss.playing()), false);
            assert.deepEqual(await layoutProblems(page), []);
            await shoot(page, name);
        }));

test('text in a title stays text', () =>
    withPage('one_frame', {}, async (page) => {
        assert.match(
            await page.locator('h1').textContent(),
            /<script>alert\("no & never"\)<\/script>/,
        );
    }));

test('a page without data says so', async () => {
    const built = path.join(path.dirname(fileURLToPath(import.meta.url)), '../dist/report.html');
    await withPage(built, {}, async (page) => {
        assert.match(await page.locator('.problem').textContent(), /no run/);
    });
});

test('the built page refers to nothing outside', async () => {
    const built = await readFile(new URL('../dist/report.html', import.meta.url), 'utf8');
    assert.match(
        built,
        /default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:/,
    );
    assert.equal(built.split('{"percuss":"no data"}').length, 2);
    assert.doesNotMatch(
        built,
        /<script[^>]+src=|<link[^>]+href="(?!data:)|@import|url\(\s*["']?http/,
    );
});

test('the lock file names no registry', async () => {
    const lock = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
    assert.doesNotMatch(lock, /http/);
});

test('planar models open in a view of their plane, spatial ones do not', async () => {
    await withPage('planar', {}, async (page) => {
        assert.deepEqual(await page.evaluate(() => window.percuss.view()), {
            preset: 'front',
            orthographic: true,
            webgl: true,
        });
    });
    await withPage('spatial', {}, async (page) => {
        assert.deepEqual(await page.evaluate(() => window.percuss.view()), {
            preset: 'iso',
            orthographic: false,
            webgl: true,
        });
        assert.equal(
            await page.evaluate(
                () => document.querySelectorAll('.contact-legend:not([hidden])').length,
            ),
            1,
        );
    });
});

test('play, pause and scrub move picture and plots together', () =>
    withPage('woodpecker', {}, async (page) => {
        await page.getByRole('button', { name: 'Play', exact: true }).click();
        await page.waitForFunction(() => window.percuss.playing() && window.percuss.time() > 0.1);
        await assertSameTime(page);
        await page.getByRole('button', { name: 'Pause', exact: true }).click();
        const stopped = await page.evaluate(() => window.percuss.time());
        await page.waitForTimeout(150);
        assert.equal(await page.evaluate(() => window.percuss.time()), stopped);
        const scrub = await page.locator('.scrub').boundingBox();
        await page.mouse.click(scrub.x + scrub.width / 2, scrub.y + scrub.height / 2);
        await assertSameTime(page);
        assert.ok(Math.abs((await page.evaluate(() => window.percuss.time())) - 1) < 0.05);
    }));

test('a click on the third impact of the event strip jumps there', () =>
    withPage('woodpecker', {}, async (page) => {
        const third = await page.evaluate(() => window.percuss.eventPoint('impact', 2));
        await page.mouse.click(third.x, third.y);
        assert.equal(await page.evaluate(() => window.percuss.time()), third.time);
        await assertSameTime(page, third.time);
        await settle(page);
        await shoot(page, 'woodpecker_third_impact');
        // n and p walk over the events that are shown.
        await page.keyboard.press('n');
        assert.ok((await page.evaluate(() => window.percuss.time())) > third.time);
        await page.keyboard.press('p');
        assert.equal(await page.evaluate(() => window.percuss.time()), third.time);
        // With all other rows hidden, n goes from impact to impact.
        for (const kind of ['Close', 'Open', 'Stick', 'Step repeated'])
            await page.getByLabel(`Show events: ${kind}`).uncheck();
        await page.keyboard.press('n');
        const fourth = await page.evaluate(() => window.percuss.eventPoint('impact', 3).time);
        assert.equal(await page.evaluate(() => window.percuss.time()), fourth);
    }));

test('a click in the picture and in the list selects a body and shows its signals', () =>
    withPage('spatial', {}, async (page) => {
        const ball = await page.evaluate(() => window.percuss.bodyPoint('ball_3'));
        await page.mouse.click(ball.x, ball.y);
        assert.equal(await page.evaluate(() => window.percuss.selectedBody()), 'ball_3');
        assert.match(await page.locator('.card.selected').textContent(), /ball_3 position x/);
        await assertSameTime(page);
        await page.keyboard.press('b');
        await page.getByRole('option', { name: 'link_8' }).click();
        assert.equal(await page.evaluate(() => window.percuss.selectedBody()), 'link_8');
        await page.locator('.card.selected select').selectOption({ label: 'velocity' });
        assert.match(await page.locator('.card.selected').textContent(), /link_8 velocity x/);
        await settle(page);
        await shoot(page, 'spatial_body_list');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'What is shown' }).click();
        await page.getByLabel('Trail of the selected body').check();
        await page.keyboard.press('Escape');
        assert.equal(await page.evaluate(() => window.percuss.selectedBody()), 'link_8');
        await page.evaluate(() => window.percuss.setTime(3));
        await settle(page);
        assert.deepEqual(await layoutProblems(page), []);
        await shoot(page, 'spatial_selected');
        await page.keyboard.press('Escape');
        assert.equal(await page.evaluate(() => window.percuss.selectedBody()), null);
    }));

test('plots: click sets the time, drag and wheel zoom all, double click resets', () =>
    withPage('planar', {}, async (page) => {
        const plot = await page.locator('.u-over').first().boundingBox();
        const at = (part) => plot.x + part * plot.width;
        const y = plot.y + plot.height / 2;
        await page.mouse.click(at(0.5), y);
        await assertSameTime(page, 2);
        await page.mouse.move(at(0.6), y);
        await page.mouse.down();
        await page.mouse.move(at(0.8), y, { steps: 4 });
        await page.mouse.up();
        const [from, to] = await page.evaluate(() => window.percuss.timeWindow());
        assert.ok(Math.abs(from - 2.4) < 0.05 && Math.abs(to - 3.2) < 0.05, `${from} ${to}`);
        assert.equal(await page.evaluate(() => window.percuss.time() - 2 < 0.01), true);
        await page.mouse.move(at(0.5), y);
        await page.mouse.wheel(0, 300);
        const wide = await page.evaluate(() => window.percuss.timeWindow());
        assert.ok(wide[1] - wide[0] > to - from);
        await settle(page);
        await shoot(page, 'planar_zoomed');
        await page.mouse.dblclick(at(0.3), y);
        assert.equal(await page.evaluate(() => window.percuss.timeWindow()), null);
        // Dragging the line scrubs.
        await page.evaluate(() => window.percuss.setTime(1));
        await page.mouse.move(at(0.25), y);
        await page.mouse.down();
        await page.mouse.move(at(0.75), y, { steps: 4 });
        await page.mouse.up();
        await assertSameTime(page, 3);
        assert.equal(await page.evaluate(() => window.percuss.timeWindow()), null);
    }));

test('signals are found and plotted, phase diagrams too, plots can be removed', () =>
    withPage('planar', {}, async (page) => {
        const count = () => page.evaluate(() => window.percuss.plotCount());
        const start = await count();
        await page.getByRole('button', { name: 'Add a plot' }).click();
        await settle(page, 50);
        await shoot(page, 'planar_add_menu');
        await page.getByRole('menuitem', { name: /Choose signals/ }).click();
        await page.getByLabel('Search signals').fill('rocker velocity');
        await page.getByLabel(/rocker velocity x/).check();
        await page.getByLabel('Search signals').fill('residual');
        await page
            .getByLabel(/residual/)
            .last()
            .check();
        await page.getByLabel('Search signals').fill('');
        await settle(page, 50);
        await shoot(page, 'planar_picker');
        await page.getByRole('button', { name: 'Show signals' }).click();
        assert.equal(await count(), start + 1);
        await page.getByRole('button', { name: 'Add a plot' }).click();
        await page.getByRole('menuitem', { name: /Phase diagram/ }).click();
        await page.getByRole('button', { name: 'Show diagram' }).click();
        assert.equal(await count(), start + 2);
        await page.getByRole('button', { name: 'Add a plot' }).click();
        await page.getByRole('menuitem', { name: /Solver residual/ }).click();
        await page.evaluate(() => window.percuss.setTime(1.2));
        await page
            .locator('.card')
            .nth(start + 1)
            .scrollIntoViewIfNeeded();
        await settle(page);
        await shoot(page, 'planar_phase');
        assert.deepEqual(await layoutProblems(page), []);
        await page.getByRole('button', { name: 'Remove Energy' }).click();
        assert.equal(await count(), start + 2);
    }));

test('keys: space, arrows, Home, End, fit, help', () =>
    withPage('planar', { reduced: true }, async (page) => {
        const frame = () => page.evaluate(() => window.percuss.frame());
        await page.keyboard.press('ArrowRight');
        assert.equal(await frame(), 1);
        await page.keyboard.press('Shift+ArrowRight');
        assert.equal(await frame(), 11);
        await page.keyboard.press('ArrowLeft');
        assert.equal(await frame(), 10);
        await page.keyboard.press('End');
        assert.equal(await frame(), 400);
        await assertSameTime(page, 4);
        await page.keyboard.press('Home');
        assert.equal(await frame(), 0);
        await page.keyboard.press('Space');
        assert.equal(await page.evaluate(() => window.percuss.playing()), true);
        await page.keyboard.press('Space');
        assert.equal(await page.evaluate(() => window.percuss.playing()), false);
        await page.keyboard.press('4');
        assert.equal((await page.evaluate(() => window.percuss.view())).preset, 'iso');
        await settle(page);
        await shoot(page, 'planar_iso');
        await page.keyboard.press('1');
        await page.keyboard.press('f');
        await page.keyboard.press('?');
        await settle(page, 50);
        await shoot(page, 'help');
        assert.equal(await page.getByRole('dialog', { name: 'Help' }).count(), 1);
        await page.keyboard.press('Escape');
        assert.equal(await page.getByRole('dialog').count(), 0);
        // Everything that can be used is reached by Tab and has a name.
        const names = new Set();
        for (let i = 0; i < 25; ++i) {
            await page.keyboard.press('Tab');
            names.add(
                await page.evaluate(() => {
                    const e = document.activeElement;
                    return (
                        e.getAttribute('aria-label') ||
                        e.textContent.trim() ||
                        e.closest('label')?.textContent ||
                        `nameless ${e.tagName}`
                    );
                }),
            );
        }
        assert.ok(
            names.has('Play') && names.has('Time') && names.has('Help'),
            [...names].join(', '),
        );
        assert.ok(![...names].some((n) => n.startsWith('nameless')), [...names].join(', '));
    }));

test('details: evidence, summary, warnings and model in plain words', () =>
    withPage('woodpecker', {}, async (page) => {
        assert.match(await page.locator('.verdict').textContent(), /Notice.*sound/);
        await page.keyboard.press('d');
        assert.match(await page.locator('.details').textContent(), /Joint drift/);
        await settle(page, 100);
        assert.deepEqual(await layoutProblems(page), []);
        await shoot(page, 'woodpecker_evidence');
        for (const [tab, text] of [
            ['Run summary', /impacts/],
            ['Warnings and notes', /Drawn by software/],
            ['Model file', /bodies/],
        ]) {
            await page.getByRole('tab', { name: tab }).click();
            assert.match(await page.locator('.tab-body').textContent(), text);
        }
        await page.getByRole('tab', { name: 'Run summary' }).click();
        await settle(page, 100);
        await shoot(page, 'woodpecker_summary');
        await page.keyboard.press('Escape');
        assert.equal(await page.locator('.details').isVisible(), false);
    }));

test('the layout check sees what is wrong', () =>
    withPage('planar', {}, async (page) => {
        await page.evaluate(() => {
            const button = document.createElement('button');
            button.textContent = 'over the play button';
            const play = document.querySelector('.transport .round').getBoundingClientRect();
            button.style.cssText = `position:fixed;left:${play.left}px;top:${play.top}px`;
            const wide = document.createElement('div');
            wide.style.cssText = 'position:fixed;left:90vw;top:0;width:30vw;height:9px';
            document.body.append(button, wide);
        });
        const wrong = (await layoutProblems(page)).join();
        assert.match(wrong, /overlap/);
        assert.match(wrong, /outside the window/);
    }));

test('light and dark by the button', () =>
    withPage('planar', {}, async (page) => {
        const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
        assert.equal(await theme(), 'light');
        await page.getByRole('button', { name: 'Light or dark' }).click();
        assert.equal(await theme(), 'dark');
        await settle(page);
        await page.getByRole('button', { name: 'Light or dark' }).click();
        assert.equal(await theme(), 'light');
    }));

test('compare page: runs in one plot, run choice, ghosts, table side by side', () =>
    withPage('compare', {}, async (page) => {
        assert.match(await page.locator('h1').textContent(), /Comparison of 3 runs/);
        assert.match(
            await page.locator('.card').first().textContent(),
            /step_1e-3.*step_1e-2.*reference/,
        );
        await page.getByRole('radio', { name: 'reference' }).click();
        assert.equal(await page.evaluate(() => window.percuss.run()), 2);
        await page.getByRole('button', { name: /ghosts/ }).click();
        await page.evaluate(() => window.percuss.setTime(2.2));
        await settle(page);
        await assertSameTime(page, 2.2);
        assert.deepEqual(await layoutProblems(page), []);
        await shoot(page, 'compare_ghosts');
        await page.keyboard.press('d');
        await settle(page, 100);
        const table = await page.locator('table.compare').textContent();
        assert.match(table, /Verdict/);
        assert.match(table, /Energy balance/);
        await shoot(page, 'compare_table');
    }));

test('usable at 1024 pixels, and the splitter moves', () =>
    withPage('woodpecker', { width: 1024, height: 700 }, async (page) => {
        await settle(page);
        assert.deepEqual(await layoutProblems(page), []);
        await shoot(page, 'woodpecker_1024x700');
        const before = (await page.locator('.view-place').boundingBox()).width;
        await page.locator('.splitter').focus();
        for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowLeft');
        await settle(page, 100);
        assert.ok((await page.locator('.view-place').boundingBox()).width < before - 50);
        assert.deepEqual(await layoutProblems(page), []);
    }));

test('usable at 400 pixels: no text, menu or table beyond the edge', () =>
    withPage('woodpecker', { width: 400, height: 800 }, async (page) => {
        await settle(page);
        const inside = (selector) =>
            page.evaluate((s) => {
                const boxes = [...document.querySelectorAll(s)].map((e) => e.getBoundingClientRect());
                return boxes.length > 0 && boxes.every((b) => b.left >= 0 && b.right <= innerWidth);
            }, selector);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        const title = await page.locator('h1').evaluate((e) => e.scrollWidth <= e.clientWidth);
        assert.ok(title, 'the title is cut off');
        for (const entry of await page.locator('.legend').all())
            assert.ok(await entry.evaluate((e) => e.scrollHeight <= e.clientHeight + 1));
        await page.getByText('Show', { exact: true }).click();
        assert.ok(await inside('.menu.show .option'));
        await page.keyboard.press('Escape');
        await page.keyboard.press('d');
        await settle(page, 100);
        await page.locator('details.check summary').first().click();
        assert.ok(await inside('.evidence .label, .evidence .number, .evidence .text, .evidence dd'));
        await shoot(page, 'woodpecker_400x800');
    }));

test('without WebGL the page says so and still shows plots', async () => {
    const plain = await launch(['--disable-3d-apis']);
    try {
        const { page, problems, close } = await plain.open('woodpecker');
        assert.equal((await page.evaluate(() => window.percuss.view())).webgl, false);
        assert.match(await page.locator('.no-webgl').textContent(), /no WebGL/);
        await page.evaluate(() => window.percuss.setTime(1));
        await assertSameTime(page, 1);
        await shoot(page, 'no_webgl');
        assert.deepEqual(
            problems.filter((p) => !/WebGL/.test(p)),
            [],
        );
        await close();
    } finally {
        await plain.close();
    }
});

test('meshes deform while they play, and the colour bar says what the colours mean', () =>
    withPage('flexible', {}, async (page) => {
        const corner = () => page.evaluate(() => window.percuss.mesh(0, 5));
        const tip = () => page.evaluate(() => window.percuss.mesh(1, 6));
        const [start, startTip] = [await corner(), await tip()];
        assert.equal(start.name, 'block');
        assert.equal(start.points, 218); // 7^3 - 5^3
        await page.evaluate(() => window.percuss.setTime(0.7));
        await settle(page);
        const [later, laterTip] = [await corner(), await tip()];
        const moved = (a, b) => Math.hypot(...a.place.map((v, k) => v - b.place[k]));
        assert.ok(moved(later, start) > 0.05, `${moved(later, start)}`);
        assert.ok(moved(laterTip, startTip) > 0.1);
        assert.notDeepEqual(later.color, start.color);
        // The page opens with the first result, and its range has a unit.
        assert.equal(await page.evaluate(() => window.percuss.field()), 'mises');
        const bar = page.locator('.color-bar');
        assert.match(await bar.locator('.color-ticks').textContent(), /0.*1\.2.*2\.4\u00a0MPa/);
        await bar.locator('select').selectOption('speed');
        assert.match(await bar.locator('.color-ticks').textContent(), /800\u00a0mm\/s/);
        await settle(page);
        assert.notDeepEqual((await corner()).color, later.color);
        await bar.locator('select').selectOption('bending_moment');
        assert.match(await bar.locator('.color-ticks').textContent(), /\u22121\.6.*0.*1\.6/);
        await bar.locator('select').selectOption('none');
        assert.equal(await bar.locator('.color-scale').isVisible(), false);
        await shoot(page, 'flexible_no_field');
        await page.evaluate(() => window.percuss.setField('mises'));
        await page.getByRole('button', { name: 'Play', exact: true }).click();
        await page.waitForFunction(() => window.percuss.time() > 0.9);
        await page.getByRole('button', { name: 'Pause', exact: true }).click();
        await settle(page);
        await shoot(page, 'flexible_mises');
    }));

test('a page without meshes has no colour bar', () =>
    withPage('planar', {}, async (page) => {
        assert.equal(await page.locator('.color-bar').isVisible(), false);
        assert.equal(await page.evaluate(() => window.percuss.mesh(0)), null);
    }));
