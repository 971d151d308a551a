// Camera, orbit control and view presets. Space models have z up; planar ones y up and open in an
// orthographic view of their plane.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const FIELD = 32; // degrees
const MARGIN = 1.05;
const INSET = 84; // px at top and bottom that tools and legend cover

// Directions from the target to the camera.
const VIEWS = {
    3: { front: [0, -1, 0], side: [1, 0, 0], top: [0, 0, 1], iso: [0.72, -1, 0.62] },
    2: { front: [0, 0, 1], side: [1, 0, 0], top: [0, 1, 0], iso: [0.55, 0.45, 1] },
};

/**
 * @param {HTMLElement} element that takes the pointer
 * @param {number} dimension of the model
 * @param {Function} changed called after every move
 */
export function makeCamera(element, dimension, changed) {
    const planar = dimension === 2;
    const perspective = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
    const orthographic = new THREE.OrthographicCamera(-1, 1, 1, -1, 0.01, 100);
    for (const c of [perspective, orthographic]) c.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    let camera = planar ? orthographic : perspective;
    let aspect = 1;
    let height = 2 * INSET;
    let halfHeight = 1;
    let view = planar ? 'front' : 'iso';
    let fitted = null; // the box of the last fit, until the reader moves the camera
    const controls = new OrbitControls(camera, element);
    controls.enableDamping = false;
    controls.zoomToCursor = true;
    controls.screenSpacePanning = true;
    controls.addEventListener('start', () => {
        fitted = null;
    });
    controls.addEventListener('change', changed);

    function shape() {
        perspective.aspect = aspect;
        orthographic.left = -halfHeight * aspect;
        orthographic.right = halfHeight * aspect;
        orthographic.top = halfHeight;
        orthographic.bottom = -halfHeight;
        perspective.updateProjectionMatrix();
        orthographic.updateProjectionMatrix();
    }

    /** Places the camera so that a box fills the view from a direction. */
    function look(direction, box) {
        const d = new THREE.Vector3(...direction).normalize();
        const target = new THREE.Vector3(...box.center);
        const helper = new THREE.Matrix4().lookAt(d, new THREE.Vector3(), camera.up);
        const right = new THREE.Vector3().setFromMatrixColumn(helper, 0);
        const up = new THREE.Vector3().setFromMatrixColumn(helper, 1);
        const tanY = Math.tan((FIELD * Math.PI) / 360);
        const tanX = tanY * aspect;
        const free = Math.max(0.5, (height - INSET) / height);
        let halfX = 0;
        let halfY = 0;
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            const corner = new THREE.Vector3(
                i & 1 ? box.max[0] : box.min[0],
                i & 2 ? box.max[1] : box.min[1],
                i & 4 ? box.max[2] : box.min[2],
            ).sub(target);
            const x = Math.abs(corner.dot(right));
            const y = Math.abs(corner.dot(up));
            halfX = Math.max(halfX, x);
            halfY = Math.max(halfY, y);
            distance = Math.max(distance, corner.dot(d) + Math.max(x / tanX, y / (tanY * free)));
        }
        const least = 0.05 * box.size || 1;
        halfHeight = MARGIN * Math.max(halfY / free, halfX / aspect, least);
        distance = MARGIN * Math.max(distance, least);
        orthographic.zoom = 1;
        const far = camera === orthographic ? 4 * Math.max(box.size, halfHeight) : distance;
        for (const c of [perspective, orthographic]) {
            c.position.copy(target).addScaledVector(d, far);
            c.near = 0.002 * far;
            c.far = 40 * far;
        }
        controls.target.copy(target);
        shape();
        controls.update();
    }

    const self = {
        controls,
        get camera() {
            return camera;
        },
        get view() {
            return view;
        },
        get orthographic() {
            return camera === orthographic;
        },
        /** Shows a box from a preset direction; planar fronts cannot be turned by accident. */
        show(name, box) {
            view = name;
            controls.enableRotate = !(planar && name === 'front');
            controls.mouseButtons.LEFT = controls.enableRotate
                ? THREE.MOUSE.ROTATE
                : THREE.MOUSE.PAN;
            controls.touches.ONE = controls.enableRotate ? THREE.TOUCH.ROTATE : THREE.TOUCH.PAN;
            look(VIEWS[dimension][name], box);
            fitted = box;
        },
        /** Shows a box from where the camera is. */
        fit(box) {
            const d = camera.position.clone().sub(controls.target);
            look(d.lengthSq() > 0 ? d.toArray() : VIEWS[dimension][view], box);
            fitted = box;
        },
        setOrthographic(on, box) {
            camera = on ? orthographic : perspective;
            const other = on ? perspective : orthographic;
            camera.position.copy(other.position);
            controls.object = camera;
            self.fit(box);
        },
        resize(width, newHeight) {
            aspect = Math.max(0.05, width / Math.max(1, newHeight));
            height = Math.max(1, newHeight);
            if (fitted) self.fit(fitted);
            else shape();
        },
        /** Moves camera and target together. */
        shift(delta) {
            camera.position.add(delta);
            controls.target.add(delta);
            fitted = null;
            controls.update();
        },
        /** Size of a pixel at the target, m. */
        pixel() {
            if (camera === orthographic) return (2 * halfHeight) / orthographic.zoom / height;
            const distance = camera.position.distanceTo(controls.target);
            return (2 * distance * Math.tan((FIELD * Math.PI) / 360)) / height;
        },
        dispose() {
            controls.dispose();
        },
    };
    return self;
}
