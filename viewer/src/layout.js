// The frame of the page: head, picture, bar, events on the left, plots on the right, and the
// splitter between them; the help overlay.
import { h, button } from './dom.js';

const LEAST = 0.3;
const MOST = 0.75;
const START = 0.54;

/** Builds the frame and returns its places. */
export function makeLayout(app) {
    const places = {
        header: h('header.page-head'),
        runs: h('div.run-place'),
        view: h('div.view-place'),
        transport: h('div.transport', { role: 'group', 'aria-label': 'Animation' }),
        events: h('div.events', { role: 'group', 'aria-label': 'Events' }),
        plots: h('section.right', { 'aria-label': 'Plots' }),
    };
    const splitter = h('div.splitter', {
        role: 'separator',
        tabindex: '0',
        'aria-orientation': 'vertical',
        'aria-label': 'Width of the picture',
        'aria-valuemin': String(100 * LEAST),
        'aria-valuemax': String(100 * MOST),
    });
    const left = h(
        'section.left',
        { 'aria-label': 'Animation and events' },
        places.runs,
        places.view,
        places.transport,
        places.events,
    );
    const main = h('main.split', {}, left, splitter, places.plots);
    app.append(places.header, main);
    makeSplitter(main, splitter);
    return places;
}

function makeSplitter(main, splitter) {
    let part = START;
    const set = (value) => {
        part = Math.min(MOST, Math.max(LEAST, value));
        main.style.setProperty('--left', `${(100 * part).toFixed(2)}%`);
        splitter.setAttribute('aria-valuenow', String(Math.round(100 * part)));
    };
    splitter.addEventListener('pointerdown', (event) => {
        splitter.setPointerCapture(event.pointerId);
        event.preventDefault();
    });
    splitter.addEventListener('pointermove', (event) => {
        if (!splitter.hasPointerCapture(event.pointerId)) return;
        const rect = main.getBoundingClientRect();
        set((event.clientX - rect.left) / rect.width);
    });
    splitter.addEventListener('keydown', (event) => {
        const move = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
        if (!move) return;
        event.preventDefault();
        event.stopPropagation();
        set(part + move);
    });
    splitter.addEventListener('dblclick', () => set(START));
    set(START);
}

const KEYS = [
    ['Space', 'play, pause'],
    ['\u2190 \u2192', 'one frame back, forward; with Shift ten frames'],
    ['Home End', 'first, last frame'],
    ['n p', 'next, previous event'],
    ['f', 'fit the motion into the view'],
    ['1 2 3 4', 'front, side, top, isometric view'],
    ['b', 'list of bodies'],
    ['g', 'other runs as ghosts (compare page)'],
    ['d', 'details: evidence, summary, warnings, model'],
    ['Esc', 'close what is open, clear the selection'],
    ['?', 'this help'],
];

const MOUSE = [
    [
        'Picture',
        'drag turns, right drag or Shift drag moves, wheel zooms, click selects a body; ' +
            'the plane view of planar models moves instead of turning',
    ],
    [
        'Plots',
        'click sets the time, drag the red line to scrub, drag elsewhere or wheel zooms the time ' +
            'of all plots, Shift wheel moves it, double click shows the whole time',
    ],
    ['Events', 'click jumps to the nearest event of that row; the boxes show or hide rows'],
];

/** Makes the help overlay. */
export function makeHelp() {
    let shade = null;
    let before = null;
    function close() {
        shade?.remove();
        shade = null;
        before?.focus?.();
    }
    function open() {
        before = document.activeElement;
        const closer = button({
            icon: 'close',
            label: 'Close the help',
            key: 'Esc',
            cls: 'ghost',
            onclick: close,
        });
        const rows = (list, tag) =>
            list.map(([k, text]) =>
                h(
                    'div',
                    {},
                    h('dt', {}, tag ? k.split(' ').map((w) => h('kbd', {}, w)) : k),
                    h('dd', {}, text),
                ),
            );
        shade = h(
            'div.shade',
            {},
            h(
                'div.help',
                { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Help' },
                h('div.picker-head', {}, h('h2', {}, 'Keys and mouse'), closer),
                h('dl.keys', {}, rows(KEYS, true)),
                h('dl.mouse', {}, rows(MOUSE, false)),
            ),
        );
        shade.addEventListener('pointerdown', (event) => {
            if (event.target === shade) close();
        });
        shade.addEventListener('keydown', (event) => {
            event.stopPropagation();
            if (event.key === 'Escape' || event.key === '?') close();
            if (event.key === 'Tab') event.preventDefault();
        });
        document.body.append(shade);
        closer.focus();
    }
    return { toggle: () => (shade ? close() : open()), isOpen: () => Boolean(shade) };
}
