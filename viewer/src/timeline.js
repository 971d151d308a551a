// The time that all views share, and the clock that moves it while the animation plays.
import { makeSignal } from './signal.js';
import { nearestIndex } from './data.js';

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
export const FIT_SECONDS = 10;
const LONGEST_TICK = 0.25; // s; a page that was in the background does not leap
const KEPT_FRAME_TIMES = 2000;

/**
 * @param {[number, number]} range first and last time
 * @param {() => Float64Array} frames times of the drawn frames of the run in view
 */
export function makeTimeline(range, frames) {
    const span = range[1] - range[0];
    const state = { time: range[0], playing: false, speed: defaultSpeed(span), loop: true };
    const changed = makeSignal(); // (time)
    const played = makeSignal(); // (playing)
    const settings = makeSignal();
    const ticked = makeSignal(); // (milliseconds since the frame before), while playing
    const frameTimes = [];
    let last = 0;

    const timeline = {
        range,
        span,
        changed,
        played,
        settings,
        ticked,
        frameTimes,
        get time() {
            return state.time;
        },
        get playing() {
            return state.playing;
        },
        get speed() {
            return state.speed;
        },
        get loop() {
            return state.loop;
        },
        /** Index of the drawn frame that is nearest to the time. */
        get frame() {
            return nearestIndex(frames(), state.time);
        },
        setTime(t) {
            if (!Number.isFinite(t)) return;
            state.time = Math.min(range[1], Math.max(range[0], t));
            changed.emit(state.time);
        },
        setSpeed(speed) {
            state.speed = speed;
            settings.emit();
        },
        setLoop(loop) {
            state.loop = loop;
            settings.emit();
        },
        play() {
            if (state.playing || !(span > 0)) return;
            if (state.time >= range[1]) timeline.setTime(range[0]);
            state.playing = true;
            last = 0;
            played.emit(true);
            requestAnimationFrame(tick);
        },
        pause() {
            if (!state.playing) return;
            state.playing = false;
            played.emit(false);
        },
        toggle() {
            if (state.playing) timeline.pause();
            else timeline.play();
        },
        /** Moves by whole drawn frames. */
        step(n) {
            timeline.pause();
            const times = frames();
            if (!times.length) return;
            const next = Math.min(times.length - 1, Math.max(0, timeline.frame + n));
            timeline.setTime(times[next]);
        },
        /** Simulated seconds that pass in one second. */
        rate() {
            return state.speed === 'fit' ? span / FIT_SECONDS : state.speed;
        },
    };

    function tick(now) {
        if (!state.playing) return;
        if (last) {
            const milliseconds = now - last;
            frameTimes.push(milliseconds);
            if (frameTimes.length > KEPT_FRAME_TIMES) frameTimes.shift();
            ticked.emit(milliseconds);
            advance(Math.min(LONGEST_TICK, milliseconds / 1000) * timeline.rate());
        }
        last = now;
        if (state.playing) requestAnimationFrame(tick);
    }

    function advance(dt) {
        let t = state.time + dt;
        if (t > range[1]) {
            if (!state.loop) {
                timeline.setTime(range[1]);
                timeline.pause();
                return;
            }
            t = range[0] + ((t - range[0]) % span);
        }
        timeline.setTime(t);
    }
    return timeline;
}

/** Real time where that takes between two seconds and half a minute, else ten seconds in all. */
function defaultSpeed(span) {
    return span >= 2 && span <= 30 ? 1 : 'fit';
}
