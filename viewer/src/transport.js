// The bar below the picture: play, step, scrub, speed, loop and the time.
import { h, button, setIcon, setPressed } from './dom.js';
import { FIT_SECONDS, SPEEDS } from './timeline.js';
import { formatNumber, formatTime } from './format.js';

const SCRUB_STEPS = 10000;
const PERIOD = 60; // ms between updates of slider and numbers while playing

/**
 * @param {HTMLElement} host
 * @param {{store: object, timeline: object}} app
 */
export function makeTransport(host, { store, timeline }) {
    const play = button({
        icon: 'play',
        label: 'Play',
        key: 'space',
        cls: 'round primary',
        onclick: timeline.toggle,
    });
    const step = (icon, label, key, n) =>
        button({ icon, label, key, cls: 'ghost', onclick: () => timeline.step(n) });
    const scrub = h('input.scrub', {
        type: 'range',
        min: '0',
        max: String(SCRUB_STEPS),
        step: '1',
        value: '0',
        'aria-label': 'Time',
        oninput: () =>
            timeline.setTime(
                timeline.range[0] + (scrub.valueAsNumber / SCRUB_STEPS) * timeline.span,
            ),
    });
    const time = h('output.time', { 'aria-label': 'Current time' });
    const frame = h('span.frame');
    const speed = h(
        'select',
        {
            'aria-label': 'Speed',
            title: 'Speed',
            onchange: () => timeline.setSpeed(speed.value === 'fit' ? 'fit' : Number(speed.value)),
        },
        ...SPEEDS.map((s) => h('option', { value: String(s) }, `${s}\u00d7`)),
        h('option', { value: 'fit' }, `fit ${FIT_SECONDS} s`),
    );
    const loop = button({
        icon: 'loop',
        label: 'Repeat',
        cls: 'ghost',
        pressed: timeline.loop,
        onclick: () => timeline.setLoop(!timeline.loop),
    });
    host.append(
        h(
            'div.transport-row',
            {},
            step('back', 'One frame back', '\u2190', -1),
            play,
            step('forward', 'One frame forward', '\u2192', 1),
            scrub,
            loop,
            speed,
        ),
        h('div.transport-row.readout', {}, time, h('span.spacer'), frame),
    );

    function show() {
        const { span, range } = timeline;
        const part = span > 0 ? (timeline.time - range[0]) / span : 0;
        scrub.value = String(Math.round(part * SCRUB_STEPS));
        scrub.style.setProperty('--part', `${(100 * part).toFixed(2)}%`);
        scrub.setAttribute('aria-valuetext', `${formatTime(timeline.time, span)} s`);
        time.textContent = `t = ${formatTime(timeline.time, span)} s of ${formatTime(range[1], span)} s`;
        const n = store.run.frameCount;
        const stored = store.run.frames.stored;
        const thinned = stored > n ? ` (${formatNumber(stored)} stored)` : '';
        frame.textContent = n
            ? `frame ${formatNumber(timeline.frame + 1)} of ${formatNumber(n)}${thinned}`
            : 'no frames';
    }

    function showSettings() {
        speed.value = String(timeline.speed);
        setPressed(loop, timeline.loop);
    }
    let last = 0;
    timeline.changed.on(() => {
        const now = performance.now();
        if (timeline.playing && now - last < PERIOD) return;
        last = now;
        show();
    });
    timeline.settings.on(showSettings);
    timeline.played.on((playing) => {
        show();
        setIcon(play, playing ? 'pause' : 'play');
        play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
        play.title = `${playing ? 'Pause' : 'Play'} (space)`;
    });
    store.runChanged.on(show);
    if (!(timeline.span > 0))
        for (const e of host.querySelectorAll('button, input, select')) e.disabled = true;
    show();
    showSettings();
}
