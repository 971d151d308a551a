// window.percuss: a small read-mostly interface for tests and for the curious (README.md).

/** @param {object} app */
export function exposeApi(app) {
    const { timeline, store, plots, strip, viewport } = app;
    const api = {
        ready: app.ready,
        time: () => timeline.time,
        frame: () => timeline.frame,
        setTime: (t) => timeline.setTime(t),
        range: () => [...timeline.range],
        playing: () => timeline.playing,
        speed: () => timeline.speed,
        selectedBody: () => (store.body >= 0 ? store.run.bodyNames[store.body] : null),
        run: () => store.run.index,
        plotTimes: () => plots.times(),
        plotCount: () => plots.count(),
        plotStems: () => plots.stems(),
        timeWindow: () => store.window,
        eventCount: () => strip.count(),
        eventPoint: (kind, index) => strip.pointOf(kind, index),
        bodyPoint: (name) => viewport.bodyOnScreen(store.run.bodyNames.indexOf(name)),
        mesh: (index, point) => viewport.mesh(index, point),
        field: () => store.field,
        setField: (name) => store.setField(name),
        view: () => ({
            preset: viewport.view,
            orthographic: viewport.orthographic,
            webgl: viewport.available,
        }),
        frameTimes: () => [...timeline.frameTimes],
        info: () => viewport.info(),
        openTime: () => app.openTime,
    };
    Object.defineProperty(window, 'percuss', { value: Object.freeze(api), writable: false });
}
