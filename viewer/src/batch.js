// Many copies of one geometry in one draw call. Usually the geometry is repeated, and each vertex
// looks up the matrix and colour of its copy in a texture: software renderers pay a high price for
// each instance, and graphics devices do not mind. Very many copies are drawn by instancing, which
// needs less memory. Picking goes through the instances in both cases.
import * as THREE from 'three';
import { makeShade } from './shade.js';

const MOST_VERTICES = 600000;
const MOST_COPIES = 4096; // rows of a texture that every device has

/** The geometry repeated `copies` times, each vertex with the number of its copy. */
function repeat(geometry, copies) {
    const result = new THREE.BufferGeometry();
    const vertices = geometry.getAttribute('position').count;
    for (const name of ['position', 'normal', 'color']) {
        const source = geometry.getAttribute(name).array;
        const target = new Float32Array(source.length * copies);
        for (let k = 0; k < copies; ++k) target.set(source, k * source.length);
        result.setAttribute(name, new THREE.BufferAttribute(target, 3));
    }
    const copy = new Float32Array(vertices * copies);
    for (let k = 0; k < copies; ++k) copy.fill(k, k * vertices, (k + 1) * vertices);
    result.setAttribute('copy', new THREE.BufferAttribute(copy, 1));
    const source = geometry.index ? geometry.index.array : [...Array(vertices).keys()];
    const index = new Uint32Array(source.length * copies);
    for (let k = 0; k < copies; ++k)
        for (let i = 0; i < source.length; ++i)
            index[k * source.length + i] = source[i] + k * vertices;
    result.setIndex(new THREE.BufferAttribute(index, 1));
    return { geometry: result, indices: source.length };
}

function makeTable(array, width, height) {
    const table = new THREE.DataTexture(array, width, height, THREE.RGBAFormat, THREE.FloatType);
    table.needsUpdate = true;
    return table;
}

export class Batch {
    /**
     * @param {THREE.BufferGeometry} geometry with colours
     * @param {number} copies
     * @param {object} shade options of makeShade
     * @param {THREE.BufferGeometry} [finer] takes the geometry's place in still pictures
     */
    constructor(geometry, copies, shade = {}, finer = null) {
        const material = makeShade({ ...shade, painted: true });
        this.instances = new THREE.InstancedMesh(geometry, material, copies);
        this.instances.setColorAt(0, new THREE.Color(1, 1, 1)); // makes the array of colours
        this.instances.instanceColor.array.fill(1);
        this.instances.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
        this.object = this.instances;
        this.repeated = null;
        this.finer = finer;
        this.still = null; // the finer geometry repeated, once it has been asked for
        const vertices = geometry.getAttribute('position').count;
        if (copies <= MOST_COPIES && copies * vertices <= MOST_VERTICES)
            this.repeat(geometry, copies, shade);
        this.object.frustumCulled = false; // its bounds change with every frame
    }

    repeat(geometry, copies, shade) {
        this.repeated = repeat(geometry, copies);
        this.matrices = makeTable(this.array, 4, copies);
        this.colors = makeTable(new Float32Array(4 * copies).fill(1), 1, copies);
        const tables = { matrices: this.matrices, colors: this.colors };
        this.object = new THREE.Mesh(
            this.repeated.geometry,
            makeShade({ ...shade, painted: true, tables }),
        );
    }

    /** Chooses between the geometry for motion and the finer one for still pictures. */
    setStill(still) {
        if (!this.finer || !this.repeated) return;
        const copies = this.instances.instanceMatrix.count;
        if (copies * this.finer.getAttribute('position').count > MOST_VERTICES) return;
        if (still) this.still ??= repeat(this.finer, copies);
        this.object.geometry = still ? this.still.geometry : this.repeated.geometry;
    }

    /** Matrices of the copies, 16 numbers each; call `commit` after writing. */
    get array() {
        return this.instances.instanceMatrix.array;
    }

    /** Copies that are drawn, from the first. */
    setCount(count) {
        this.instances.count = count;
        this.object.visible = count > 0;
        if (this.repeated) this.repeated.geometry.setDrawRange(0, count * this.repeated.indices);
    }

    commit() {
        if (this.repeated) this.matrices.needsUpdate = true;
        else this.instances.instanceMatrix.needsUpdate = true;
        this.instances.boundingSphere = null;
        this.instances.boundingBox = null;
    }

    setColor(i, color) {
        this.instances.setColorAt(i, color);
        if (this.repeated) color.toArray(this.colors.image.data, 4 * i);
    }

    commitColors() {
        if (this.repeated) this.colors.needsUpdate = true;
        else this.instances.instanceColor.needsUpdate = true;
    }

    /** One colour for all copies. */
    tint(color) {
        this.object.material.color.set(color);
    }

    dispose() {
        this.instances.material.dispose();
        this.instances.dispose();
        if (!this.repeated) return;
        this.object.material.dispose();
        this.repeated.geometry.dispose();
        this.still?.geometry.dispose();
        this.matrices.dispose();
        this.colors.dispose();
    }
}
