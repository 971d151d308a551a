// Starts the page: reads the data, builds the parts in the order in which they are seen.
import { readPageData } from './data.js';
import { makeStore } from './store.js';
import { makeTimeline } from './timeline.js';
import { makeTheme } from './theme.js';
import { makeLayout, makeHelp } from './layout.js';
import { makeHeader } from './summary.js';
import { makeViewport } from './scene.js';
import { makeViewBar } from './viewbar.js';
import { makeTransport } from './transport.js';
import { makeEventStrip } from './events.js';
import { makePlots } from './plots.js';
import { makeRunBar, nameRuns } from './compare.js';
import { bindKeys } from './keyboard.js';
import { exposeApi } from './api.js';
import { h, nextFrame } from './dom.js';

/** Range that holds the times of all runs. */
function commonRange(runs) {
    const ranges = runs.filter((r) => r.frameCount || r.signalTime.length).map((r) => r.range);
    if (!ranges.length) return [0, 0];
    return [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))];
}

function showProblem(root, theme, text) {
    root.append(
        h('div.problem', { role: 'alert' }, h('h1', {}, 'Percuss report'), h('p', {}, text)),
    );
    const api = { ready: Promise.resolve(), problem: () => text };
    Object.defineProperty(window, 'percuss', { value: Object.freeze(api) });
}

function start() {
    const root = document.getElementById('app');
    const theme = makeTheme();
    const { runs, generator, problem } = readPageData(document);
    if (problem) {
        showProblem(root, theme, problem);
        return;
    }
    nameRuns(runs);
    const store = makeStore(runs);
    const timeline = makeTimeline(commonRange(runs), () => store.run.time);
    const app = { store, timeline, theme, generator, openTime: 0 };
    const places = makeLayout(root);
    const help = makeHelp();
    app.header = makeHeader(places.header, {
        ...app,
        viewport: () => app.viewport,
        help: help.toggle,
    });
    makeRunBar(places.runs, app);
    makeTransport(places.transport, app);
    app.strip = makeEventStrip(places.events, app);
    app.viewport = makeViewport(places.view, app);
    app.viewbar = makeViewBar(places.view, app);
    app.viewport.infoChanged.on(() => app.header.refresh());
    app.plots = makePlots(places.plots, app);
    bindKeys({ ...app, help });
    // Ready: everything is built and the first picture has been drawn.
    app.ready = app.viewport.drawn.then(nextFrame).then(() => {
        app.openTime = performance.now();
    });
    exposeApi(app);
}

start();
