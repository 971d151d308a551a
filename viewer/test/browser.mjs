// Starts Debian's Chromium with software rendering, opens generated pages and watches them:
// a console message, an error or a request for anything but the page itself is remembered.
import { mkdir, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { writePage } from './make_data.mjs';

const EXECUTABLE = process.env.PERCUSS_CHROMIUM ?? '/usr/bin/chromium';
// Software for WebGL; the browser composes its windows by software of its own, as it does on any
// machine without a graphics device.
export const SOFTWARE = [
    '--disable-gpu-compositing',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
];

// Frames follow each other without waiting for a screen, so that times between them tell their cost.
export const UNLIMITED = [...SOFTWARE, '--disable-gpu-vsync', '--disable-frame-rate-limit'];

/** Folder of the screenshots: PERCUSS_ARTEFACTS, or one below the system's temporary folder. */
export async function artefactFolder() {
    const folder = process.env.PERCUSS_ARTEFACTS ?? path.join(os.tmpdir(), 'percuss-viewer');
    await mkdir(folder, { recursive: true });
    return folder;
}

/** @param {string[]} [args] further arguments of the browser */
export async function launch(args = SOFTWARE) {
    const root = typeof process.getuid === 'function' && process.getuid() === 0;
    const browser = await chromium.launch({
        executablePath: EXECUTABLE,
        args: [...(root ? ['--no-sandbox'] : []), ...args],
    });
    const pages = await mkdtemp(path.join(os.tmpdir(), 'percuss-pages-'));
    const written = new Map();

    /**
     * Opens the page of a data set and waits until it is ready.
     * @param {string} name of make_data.mjs, or a path
     */
    async function open(name, { width = 1366, height = 768, dark = false, reduced = false } = {}) {
        const context = await browser.newContext({
            viewport: { width, height },
            colorScheme: dark ? 'dark' : 'light',
            reducedMotion: reduced ? 'reduce' : 'no-preference',
        });
        const page = await context.newPage();
        const problems = [];
        page.on('console', (message) => {
            // The browser's own remark that software rendering waits for its pictures.
            if (/GL Driver Message \(OpenGL, Performance/.test(message.text())) return;
            if (['error', 'warning'].includes(message.type())) problems.push(message.text());
        });
        page.on('pageerror', (error) => problems.push(String(error)));
        if (!written.has(name))
            written.set(name, path.isAbsolute(name) ? name : await writePage(name, pages));
        const address = pathToFileURL(written.get(name)).href;
        page.on('request', (request) => {
            const url = request.url();
            if (url !== address && !url.startsWith('data:') && !url.startsWith('blob:'))
                problems.push(`request: ${url}`);
        });
        await page.goto(address);
        await page.evaluate(() => window.percuss.ready);
        return { page, problems, close: () => context.close() };
    }
    return { open, close: () => browser.close() };
}

/** Waits until the last change of the page is on the screen. */
export async function settle(page, milliseconds = 350) {
    await page.evaluate(
        () =>
            new Promise((resolve) => {
                requestAnimationFrame(() => requestAnimationFrame(resolve));
            }),
    );
    await page.waitForTimeout(milliseconds);
}

/**
 * Layout check: nothing reaches beyond the window, no text is cut off without dots, and no two
 * controls lie over each other.
 * @returns {Promise<string[]>} what is wrong
 */
export function layoutProblems(page) {
    return page.evaluate(() => {
        const wrong = [];
        const visible = (e) => {
            const r = e.getBoundingClientRect();
            return r.width > 0 && r.height > 0 && getComputedStyle(e).visibility !== 'hidden';
        };
        const name = (e) =>
            `${e.tagName.toLowerCase()}.${e.className?.baseVal ?? e.className} "${(e.textContent || e.getAttribute('aria-label') || '').slice(0, 30)}"`;
        const scrolls = (e) => {
            for (let p = e.parentElement; p; p = p.parentElement)
                if (
                    ['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowY) &&
                    p !== document.body &&
                    !p.matches('.left, .view-place, .card')
                )
                    return true;
            return false;
        };
        const root = document.documentElement;
        if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight)
            wrong.push('the page scrolls');
        for (const e of document.querySelectorAll('body *')) {
            if (!visible(e) || scrolls(e) || e.closest('svg, .tooltip, .body-label, .uplot'))
                continue;
            const r = e.getBoundingClientRect();
            if (r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1)
                wrong.push(`outside the window: ${name(e)}`);
        }
        for (const e of document.querySelectorAll(
            'button, select, th, dt, .event-name, .legend-entry, .time, h2',
        ))
            if (
                visible(e) &&
                e.scrollWidth > e.clientWidth + 1 &&
                e.clientWidth > 0 &&
                getComputedStyle(e).textOverflow !== 'ellipsis' &&
                !e.matches('.run-choice, .body-row')
            )
                wrong.push(`text cut off: ${name(e)}`);
        const shade = document.querySelector('.shade');
        const controls = [...document.querySelectorAll('button, select, input')].filter(
            (e) => visible(e) && !shade && !e.closest('.plot-list, .menu, .details'),
        );
        for (let i = 0; i < controls.length; ++i)
            for (let k = i + 1; k < controls.length; ++k) {
                if (controls[i].closest('.segments') && controls[k].closest('.segments')) continue;
                const a = controls[i].getBoundingClientRect();
                const b = controls[k].getBoundingClientRect();
                const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (x > 1 && y > 1)
                    wrong.push(`overlap: ${name(controls[i])} and ${name(controls[k])}`);
            }
        // No card of the plots is wider than their list.
        const list = document.querySelector('.plot-list');
        for (const card of document.querySelectorAll('.card')) {
            if (card.getBoundingClientRect().right > list.getBoundingClientRect().right + 1)
                wrong.push(`card too wide: ${name(card)}`);
            if (card.scrollWidth > card.clientWidth + 1)
                wrong.push(`card overflows: ${name(card)}`);
        }
        return wrong;
    });
}

/**
 * Check of narrow windows, in which the page scrolls down: no text or control is wider than its place
 * or reaches beyond the sides of the window.
 * @returns {Promise<string[]>} what is wrong
 */
export function widthProblems(page) {
    return page.evaluate(() => {
        const wrong = [];
        if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is too wide');
        for (const e of document.querySelectorAll('body *')) {
            const r = e.getBoundingClientRect();
            const style = getComputedStyle(e);
            if (r.width === 0 || style.visibility === 'hidden' || e.closest('svg, .uplot, pre'))
                continue;
            const name = `${e.tagName.toLowerCase()}.${e.className} "${e.textContent.slice(0, 30)}"`;
            if (r.left < -1 || r.right > innerWidth + 1) wrong.push(`outside the window: ${name}`);
            if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && style.overflowX === 'visible')
                wrong.push(`wider than its place: ${name}`);
        }
        return wrong;
    });
}
