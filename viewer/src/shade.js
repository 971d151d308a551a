// One small material for everything in the 3D view: colour times the light of a lamp behind the
// reader's left shoulder, computed at the vertices. Opening a page and drawing by software cost
// little with it; three's own materials bring shaders that are fifty times longer.
import * as THREE from 'three';

THREE.ColorManagement.enabled = false; // colours are taken and shown as they are written

const VERTEX = `
uniform vec3 tint;
uniform float lit;
#ifdef TABLES
    attribute float copy;
    uniform highp sampler2D matrices;
    uniform highp sampler2D colors;
#endif
varying vec3 shade;
void main() {
    vec4 place = vec4(position, 1.0);
    vec3 n = normal;
    vec3 paint = tint;
    #ifdef USE_COLOR
        paint *= color;
    #endif
    #ifdef TABLES
        int row = int(copy + 0.5);
        mat4 own = mat4(texelFetch(matrices, ivec2(0, row), 0), texelFetch(matrices, ivec2(1, row), 0),
            texelFetch(matrices, ivec2(2, row), 0), texelFetch(matrices, ivec2(3, row), 0));
        paint *= texelFetch(colors, ivec2(0, row), 0).rgb;
    #endif
    #ifdef USE_INSTANCING
        mat4 own = instanceMatrix;
    #endif
    #if defined(TABLES) || defined(USE_INSTANCING)
        mat3 m = mat3(own);
        n = m * (n / max(vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2])), vec3(1e-30)));
        place = own * place;
    #endif
    #ifdef USE_INSTANCING_COLOR
        paint *= instanceColor;
    #endif
    float light = 1.0;
    if (lit > 0.5) {
        vec3 v = normalize(mat3(viewMatrix) * mat3(modelMatrix) * n);
        light = 0.68 + 0.38 * dot(v, vec3(-0.3, 0.43, 0.85));
    }
    shade = min(paint * light, vec3(1.0));
    gl_Position = projectionMatrix * modelViewMatrix * place;
}`;

const FRAGMENT = `
uniform float opacity;
varying vec3 shade;
void main() {
    gl_FragColor = vec4(shade, opacity);
}`;

/**
 * @param {{lit?: boolean, opacity?: number, painted?: boolean, bothSides?: boolean,
 *          behind?: boolean, tables?: object}} [options] painted: the geometry has colours; behind:
 *          what lies in the same plane is drawn over it; tables: textures of a batch (batch.js)
 * @returns {THREE.ShaderMaterial} with `color`
 */
export function makeShade(options = {}) {
    const { lit = true, opacity = 1, painted = false, bothSides = false, behind = false } = options;
    const { tables = null } = options;
    const uniforms = {
        tint: { value: new THREE.Color(1, 1, 1) },
        lit: { value: lit ? 1 : 0 },
        opacity: { value: opacity },
    };
    for (const [name, value] of Object.entries(tables ?? {})) uniforms[name] = { value };
    const material = new THREE.ShaderMaterial({
        uniforms,
        defines: tables ? { TABLES: 1 } : {},
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        vertexColors: painted,
        transparent: opacity < 1,
        depthWrite: opacity >= 1,
        side: bothSides ? THREE.DoubleSide : THREE.FrontSide,
        polygonOffset: behind,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
    });
    material.color = material.uniforms.tint.value;
    return material;
}
