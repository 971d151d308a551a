// The 3D view: renderer, level of detail, picking, and the mechanisms of the runs.
import * as THREE from 'three';
import { Mechanism } from './mechanism.js';
import { makeCamera } from './camera.js';
import { seriesColor } from './theme.js';
import { makeSignal } from './signal.js';
import { h, nextFrame } from './dom.js';

const SLOW = 27; // ms; a slower median lowers the resolution while playing
const RATIOS = [1, 0.75, 0.5];
const SETTLE = 180; // ms of rest after which a still picture is drawn at full resolution
const CLICK_DISTANCE = 4; // px

/** A WebGL renderer, or null. No antialiasing by the device: pictures are drawn larger instead. */
function makeRenderer() {
    try {
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('webgl2', {
            antialias: false,
            alpha: false,
            stencil: false,
        });
        if (!context) return null;
        const renderer = new THREE.WebGLRenderer({
            canvas,
            context,
            antialias: false,
            stencil: false,
        });
        renderer.debug.checkShaderErrors = false; // asking for errors waits for the compiler
        renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // no conversion (shade.js)
        return renderer;
    } catch {
        return null;
    }
}

/** Name of the graphics device. */
function deviceName(renderer) {
    const gl = renderer.getContext();
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) || 'unknown';
}

/**
 * Builds the 3D view.
 * @param {HTMLElement} host
 * @param {{store: object, timeline: object, theme: object}} app
 */
export function makeViewport(host, { store, timeline, theme }) {
    const infoChanged = makeSignal();
    const state = {
        interpolate: true,
        trails: false,
        follow: false,
        level: 0,
        device: '',
        software: false,
        show: { joints: true, edges: true },
    };
    const label = h('div.body-label', { hidden: true });
    const renderer = makeRenderer();
    if (!renderer) return makeStandIn(host, infoChanged);
    state.device = deviceName(renderer);
    state.software = /swiftshader|llvmpipe|software|basic render/i.test(state.device);

    const canvas = renderer.domElement;
    canvas.className = 'view3d';
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
        'aria-label',
        'Animated mechanism. Drag to turn, wheel to zoom, click to select a body.',
    );
    canvas.tabIndex = 0;
    host.append(canvas, label);
    renderer.autoClear = false;
    const cache = new Map();
    const scene = new THREE.Scene();
    const overlay = new THREE.Scene();
    let camera = null;
    let active = null;
    let ghosts = [];
    let size = [1, 1];
    let moving = false; // the camera is being dragged
    let started = false; // the first picture compiles the shaders: the rest of the page comes first

    // ---- Drawing on demand ----
    let requested = false;
    let settleTimer = 0;
    let sharp = false;
    function invalidate() {
        sharp = false;
        clearTimeout(settleTimer);
        if (!timeline.playing) settleTimer = setTimeout(settle, SETTLE);
        if (requested) return;
        requested = true;
        requestAnimationFrame(() => {
            requested = false;
            draw();
        });
    }

    function baseRatio() {
        return state.software ? 1 : 2;
    }

    function setRatio(ratio) {
        if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    }

    /** A still picture: twice the resolution in place of the antialiasing that software lacks. */
    function settle() {
        if (timeline.playing || moving) return;
        sharp = true;
        draw();
    }

    function draw() {
        if (!started || !active || size[0] < 2 || size[1] < 2) return;
        const busy = timeline.playing || moving;
        const still = state.software && sharp ? 2 : baseRatio();
        setRatio(busy ? baseRatio() * RATIOS[state.level] : still);
        active.parts.setStill(!busy && sharp);
        update();
        renderer.clear();
        renderer.render(scene, camera.camera);
        renderer.clearDepth();
        renderer.render(overlay, camera.camera);
        placeLabel();
    }

    function update() {
        const { mechanism, body } = active.bounds;
        const pixel = camera.pixel();
        const view = {
            interpolate: state.interpolate,
            pixel: Math.min(pixel, 0.012 * mechanism, 0.035 * body),
            contactPixel: Math.min(pixel, 0.02 * mechanism),
            linePixel: Math.min(pixel, 0.004 * mechanism),
        };
        const before = state.follow ? active.bodyPosition(store.body) : null;
        active.update(timeline.time, view);
        for (const ghost of ghosts) ghost.update(timeline.time, view);
        const after = before && active.bodyPosition(store.body);
        if (after && before.distanceToSquared(after) > 0) camera.shift(after.sub(before));
    }

    function placeLabel() {
        const position = active.bodyPosition(store.body);
        label.hidden = !position;
        if (!position) return;
        position.project(camera.camera);
        const x = ((position.x + 1) / 2) * size[0];
        const y = ((1 - position.y) / 2) * size[1];
        const inside = x > 0 && x < size[0] && y > 0 && y < size[1] && Math.abs(position.z) < 1;
        label.hidden = !inside;
        label.style.transform = `translate(${Math.round(x + 10)}px, ${Math.round(y - 24)}px)`;
    }

    // ---- Level of detail ----
    const recent = [];
    timeline.ticked.on((milliseconds) => {
        recent.push(milliseconds);
        if (recent.length < 20) return;
        const median = recent.splice(0).sort((a, b) => a - b)[10];
        if (median <= SLOW || state.level + 1 >= RATIOS.length) return;
        state.level += 1;
        infoChanged.emit();
    });

    // ---- Runs ----
    const box = () => active.bounds;

    function clear() {
        for (const mechanism of [active, ...ghosts]) if (mechanism) mechanism.dispose();
        active = null;
        ghosts = [];
    }

    function addGhosts() {
        for (const ghost of ghosts) ghost.dispose();
        ghosts = [];
        if (!store.ghosts) return;
        for (const run of store.runs) {
            if (run === store.run || run.dimension !== store.run.dimension) continue;
            const ghost = new Mechanism(run, {
                cache,
                ghost: true,
                ghostColor: seriesColor(theme.colors, run.index),
            });
            ghosts.push(ghost);
            scene.add(ghost.main);
        }
    }

    function load() {
        const dimension = active?.run.dimension;
        clear();
        active = new Mechanism(store.run, { cache });
        scene.add(active.main);
        overlay.add(active.overlay);
        active.parts.show('joints', state.show.joints);
        active.showEdges(state.show.edges);
        addGhosts();
        if (!camera || dimension !== store.run.dimension) {
            camera?.dispose();
            camera = makeCamera(canvas, store.run.dimension, invalidate);
            camera.controls.addEventListener('start', () => {
                moving = true;
            });
            camera.controls.addEventListener('end', () => {
                moving = false;
                invalidate();
            });
            camera.resize(...size);
            camera.show(store.run.dimension === 2 ? 'front' : 'iso', box());
        }
        recolor();
        infoChanged.emit();
    }

    function recolor() {
        renderer.setClearColor(theme.colors.background, 1);
        active.recolor(theme.colors, store.body, store.field);
        for (const ghost of ghosts) ghost.recolor(theme.colors, -1, store.field);
        invalidate();
    }

    function select() {
        active.setTrail(state.trails ? store.body : -1);
        label.textContent = store.body >= 0 ? store.run.bodyNames[store.body] : '';
        recolor();
    }

    // ---- Picking ----
    const raycaster = new THREE.Raycaster();
    let down = null;
    canvas.addEventListener('pointerdown', (event) => {
        down = [event.clientX, event.clientY];
    });
    canvas.addEventListener('pointerup', (event) => {
        if (!down || event.button !== 0) return;
        if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > CLICK_DISTANCE) return;
        store.selectBody(bodyAt(event.clientX, event.clientY));
    });
    canvas.addEventListener('webglcontextlost', () => infoChanged.emit());

    function bodyAt(x, y) {
        const rect = canvas.getBoundingClientRect();
        const pointer = new THREE.Vector2(
            ((x - rect.left) / rect.width) * 2 - 1,
            1 - ((y - rect.top) / rect.height) * 2,
        );
        active.main.updateMatrixWorld();
        raycaster.setFromCamera(pointer, camera.camera);
        return active.pick(raycaster);
    }

    function resize() {
        const rect = host.getBoundingClientRect();
        const next = [Math.floor(rect.width), Math.floor(rect.height)];
        if (next[0] < 2 || next[1] < 2) return;
        size = next;
        renderer.setSize(...size);
        camera?.resize(...size);
        if (active) draw();
        invalidate();
    }
    new ResizeObserver(resize).observe(host);

    timeline.changed.on(invalidate);
    timeline.played.on(invalidate);
    theme.changed.on(() => {
        addGhosts();
        recolor();
    });
    store.runChanged.on(load);
    store.bodyChanged.on(select);
    store.fieldChanged.on(recolor);
    store.ghostsChanged.on(() => {
        addGhosts();
        recolor();
    });
    resize();
    load();
    const drawn = nextFrame().then(() => {
        started = true;
        draw();
        invalidate();
    });

    return {
        available: true,
        infoChanged,
        drawn, // a promise: the first picture is there
        fit() {
            camera.fit(box());
        },
        show(view) {
            camera.show(view, box());
        },
        get view() {
            return camera.view;
        },
        get orthographic() {
            return camera.orthographic;
        },
        setOrthographic(on) {
            camera.setOrthographic(on, box());
            invalidate();
        },
        /** Switches: joints, edges, points, forces, open, trails, follow, interpolate. */
        get(name) {
            if (name in state.show) return state.show[name];
            if (name in state) return state[name];
            return Boolean(active.contacts?.show[name]);
        },
        set(name, value) {
            if (name in state.show) {
                state.show[name] = value;
                if (name === 'joints') active.parts.show('joints', value);
                else active.showEdges(value);
            } else if (name === 'trails') {
                state.trails = value;
                active.setTrail(value ? store.body : -1);
                recolor();
            } else if (name in state) state[name] = value;
            else active.contacts?.set(name, value);
            invalidate();
        },
        get hasContacts() {
            return Boolean(active.contacts);
        },
        get hasEdges() {
            return active.meshes.some((m) => m.edges);
        },
        /** What is drawn of a mesh: name, number of points, and where one of them is now. */
        mesh(index, point = 0) {
            const m = active.meshes[index];
            if (!m) return null;
            const place = [...m.points.subarray(3 * point, 3 * point + 3)];
            const color = [...m.colors.subarray(3 * point, 3 * point + 3)];
            return { name: m.name, points: m.count, place, color };
        },
        get referenceForce() {
            return active.contacts?.reference || 0;
        },
        bodyAt,
        /** Where a body is on the screen, in client coordinates, or null. */
        bodyOnScreen(body) {
            const position = active.bodyPosition(body);
            if (!position) return null;
            position.project(camera.camera);
            const rect = canvas.getBoundingClientRect();
            return {
                x: rect.left + ((position.x + 1) / 2) * rect.width,
                y: rect.top + ((1 - position.y) / 2) * rect.height,
            };
        },
        /** What the page says about the drawing itself. */
        info() {
            const lines = [`Graphics: ${state.device}`];
            if (state.software)
                lines.push('Drawn by software; still pictures are drawn at twice the resolution.');
            if (state.level > 0)
                lines.push(
                    `While playing, the picture has ${100 * RATIOS[state.level]} % of its ` +
                        'resolution, because this machine draws slowly.',
                );
            if (store.run.bodyCount > 60)
                lines.push(
                    'Many bodies: while things move, round shapes are drawn with fewer faces.',
                );
            return lines;
        },
    };
}

/** What stands in for the 3D view where WebGL is missing: a message and empty functions. */
function makeStandIn(host, infoChanged) {
    host.append(
        h(
            'div.no-webgl',
            { role: 'status' },
            h('strong', {}, 'No 3D view'),
            h(
                'p',
                {},
                'This browser offers no WebGL 2, which the picture of the mechanism needs. ' +
                    'Plots, events and evidence work without it.',
            ),
        ),
    );
    return {
        available: false,
        infoChanged,
        drawn: Promise.resolve(),
        fit() {},
        show() {},
        view: '',
        orthographic: false,
        setOrthographic() {},
        get: () => false,
        set() {},
        hasContacts: false,
        hasEdges: false,
        mesh: () => null,
        referenceForce: 0,
        bodyAt: () => -1,
        bodyOnScreen: () => null,
        info: () => ['Graphics: no WebGL'],
    };
}
