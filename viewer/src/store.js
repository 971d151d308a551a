// What the views share besides the time: the run in view, the selected body, the time window.
import { makeSignal } from './signal.js';
import { openingField } from './colorbar.js';

/** @param {object[]} runs */
export function makeStore(runs) {
    const state = { run: 0, body: -1, window: null, ghosts: false, field: openingField(runs[0]) };
    const signals = {
        run: makeSignal(),
        body: makeSignal(),
        window: makeSignal(),
        ghosts: makeSignal(),
        field: makeSignal(),
    };
    return {
        runs,
        comparing: runs.length > 1,
        runChanged: signals.run,
        bodyChanged: signals.body,
        windowChanged: signals.window,
        ghostsChanged: signals.ghosts,
        fieldChanged: signals.field,
        /** The run that the 3D view and the event strip show. */
        get run() {
            return runs[state.run];
        },
        setRun(index) {
            if (index === state.run || !runs[index]) return;
            const name = runs[state.run].bodyNames[state.body];
            state.run = index;
            if (!runs[index].fields.some((f) => f.name === state.field))
                state.field = openingField(runs[index]);
            state.body = name === undefined ? -1 : runs[index].bodyNames.indexOf(name);
            signals.run.emit();
            signals.body.emit(state.body);
        },
        /** Index of the selected body in the run in view; -1: none. */
        get body() {
            return state.body;
        },
        selectBody(body) {
            if (body === state.body) return;
            state.body = body >= 0 && body < runs[state.run].bodyCount ? body : -1;
            signals.body.emit(state.body);
        },
        /** Time window of the plots, [from, to], or null for the whole range. */
        get window() {
            return state.window;
        },
        setWindow(window) {
            state.window = window;
            signals.window.emit(window);
        },
        /** Name of the field that colours the meshes; "none": none does. */
        get field() {
            return state.field;
        },
        setField(name) {
            const known = runs[state.run].fields.some((f) => f.name === name);
            state.field = known ? name : 'none';
            signals.field.emit(state.field);
        },
        get ghosts() {
            return state.ghosts;
        },
        setGhosts(on) {
            state.ghosts = on;
            signals.ghosts.emit(on);
        },
    };
}
