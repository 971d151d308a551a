// Light and dark: the colours of the 3D view, the plots and the event strip. Colours of the rest of
// the page are in style.css.
import { makeSignal } from './signal.js';

const LIGHT = {
    name: 'light',
    background: '#f7f8fa',
    grid: '#c3c9d3',
    floor: '#e9ecf1',
    ground: '#737c8a',
    outline: '#8a94a3',
    rim: '#3d4654',
    joint: '#2b3440',
    support: '#8c96a4',
    point: '#4d5765',
    spring: '#57616f',
    link: '#6a7482',
    accent: '#f08a24',
    accentRim: '#9a4d00',
    force: '#d23f57',
    open: '#b4bbc6',
    slip: '#e08600',
    stick: '#12936f',
    closed: '#3565c9',
    bodies: [
        '#8fb0d6',
        '#9cc5b4',
        '#d9c08f',
        '#c3a6cf',
        '#d8a79d',
        '#a5bd84',
        '#89bfcb',
        '#b8b3a8',
    ],
    axis: '#4b5563',
    axisGrid: '#e4e7ec',
    cursor: '#d23f57',
    series: [
        '#2f6bc4',
        '#d9730d',
        '#168f6d',
        '#9b4fc0',
        '#c43d55',
        '#6d7f1c',
        '#15869c',
        '#8a6d4b',
    ],
};

const DARK = {
    name: 'dark',
    background: '#14181e',
    grid: '#39424f',
    floor: '#1d232b',
    ground: '#8e98a6',
    outline: '#7d8896',
    rim: '#0b0e12',
    joint: '#e3e8ef',
    support: '#77818f',
    point: '#b9c2ce',
    spring: '#aab4c1',
    link: '#97a2b0',
    accent: '#ff9d3c',
    accentRim: '#5c2f00',
    force: '#ff6b81',
    open: '#596372',
    slip: '#ffb02e',
    stick: '#2fc79a',
    closed: '#6f9cff',
    bodies: [
        '#6d93c4',
        '#76a996',
        '#bfa36b',
        '#a385b2',
        '#bd857a',
        '#88a165',
        '#68a3b0',
        '#98938a',
    ],
    axis: '#b6bfcb',
    axisGrid: '#29313b',
    cursor: '#ff6b81',
    series: [
        '#6ba3f5',
        '#f59e4c',
        '#3fc79f',
        '#c58be6',
        '#f07b90',
        '#b4c653',
        '#4dc3d9',
        '#c9a981',
    ],
};

/** Colours of the rows of the event strip, by the names of DATA.md. */
const EVENT_COLORS = {
    light: {
        impact: '#c62f4a',
        close: '#3565c9',
        open: '#7e8896',
        stick: '#12936f',
        slip: '#d98200',
        rejected: '#8a5a2b',
        unconverged: '#a1009c',
        switch: '#3b4350',
    },
    dark: {
        impact: '#ff6b81',
        close: '#6f9cff',
        open: '#9aa5b4',
        stick: '#2fc79a',
        slip: '#ffb02e',
        rejected: '#cf9a66',
        unconverged: '#ec6fe6',
        switch: '#dde3ea',
    },
};

/** Colour of a body by its place. */
export function bodyColor(theme, body) {
    return theme.bodies[body % theme.bodies.length];
}

/** Colour of a series of a plot or of a run of the compare page. */
export function seriesColor(theme, index) {
    return theme.series[index % theme.series.length];
}

/** Colour of an event kind; unknown kinds are grey. */
export function eventColor(theme, kind) {
    return EVENT_COLORS[theme.name][kind] || theme.axis;
}

/** Follows the system until the reader chooses. */
export function makeTheme() {
    const changed = makeSignal();
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    let choice = null;
    const state = {
        changed,
        get colors() {
            return (choice ?? (system.matches ? 'dark' : 'light')) === 'dark' ? DARK : LIGHT;
        },
        toggle() {
            choice = state.colors === DARK ? 'light' : 'dark';
            apply();
        },
    };
    function apply() {
        document.documentElement.dataset.theme = state.colors.name;
        changed.emit(state.colors);
    }
    system.addEventListener('change', () => {
        if (choice === null) apply();
    });
    apply();
    return state;
}
