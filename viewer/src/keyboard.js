// Keys of the page. Fields in which one types, and lists that use the arrows, keep their keys.

/** Whether an element needs this key itself. */
function needsKey(element, key) {
    const tag = element?.tagName;
    if (!tag) return false;
    if (tag === 'INPUT' && ['search', 'text'].includes(element.type)) return true;
    if (tag === 'SELECT' || tag === 'TEXTAREA') return true;
    if (tag === 'INPUT' && element.type === 'range') return false; // the arrows step frames
    if (key === ' ') return ['BUTTON', 'INPUT', 'SUMMARY'].includes(tag);
    return false;
}

/**
 * @param {{timeline: object, store: object, viewport: object, strip: object, header: object,
 *          help: object, viewbar: object}} app
 */
export function bindKeys(app) {
    const { timeline, store, viewport, strip, header, help, viewbar } = app;
    const actions = {
        ' ': () => timeline.toggle(),
        ArrowLeft: (e) => timeline.step(e.shiftKey ? -10 : -1),
        ArrowRight: (e) => timeline.step(e.shiftKey ? 10 : 1),
        Home: () => timeline.setTime(timeline.range[0]),
        End: () => timeline.setTime(timeline.range[1]),
        n: () => strip.step(1),
        p: () => strip.step(-1),
        f: () => viewport.fit(),
        1: () => viewbar.show('front'),
        2: () => viewbar.show('side'),
        3: () => viewbar.show('top'),
        4: () => viewbar.show('iso'),
        b: () => viewbar.openBodies(),
        g: () => store.comparing && store.setGhosts(!store.ghosts),
        d: () => header.toggle(),
        '?': () => help.toggle(),
        Escape: () => (header.isOpen() ? header.close() : store.selectBody(-1)),
    };
    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        const action = actions[event.key];
        if (!action || needsKey(document.activeElement, event.key)) return;
        event.preventDefault();
        action(event);
    });
}
