# tools/sketch: well-formed pictures for every kind of model, plain messages for mistakes.
source "$PERCUSS_SOURCE/tests/cli/common.sh"
sketch=$PERCUSS_SOURCE/tools/sketch

expect_picture() { # MODEL ELEMENT OPTION...
    local model=$1 element=$2
    shift 2
    "$sketch" "$model" --program "$PERCUSS" -o picture.svg "$@" || fail "no picture of $model"
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' picture.svg || fail "$model: not XML"
    expect_text picture.svg "<$element "
    expect_no_text picture.svg "nan|inf"
}

expect_picture ball.yaml circle
expect_picture spatial.yaml polygon
expect_picture ball.yaml circle --instants 1 --until 0.5 --trail none --no-ground
expect_picture ball.yaml polyline --at 0,0.1,0.2 --trail ball:0.1,0 --spread 0.5 --lift 0.1
expect_picture spatial.yaml polygon --turn 0 --rise 90

# A body that nothing is known of but its mass, alone and without motion.
cat >bare.yaml <<'YAML'
title: <Bare> & "quoted"
dimension: 3
bodies:
  one: {mass: 1, inertia: 1}
simulation: {end: 0}
YAML
expect_picture bare.yaml circle

# Every kind of drawing that planar models have.
cat >all.yaml <<'YAML'
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, shape: {capsule: {radius: 0.1, length: 1}}}
  b: {mass: 1, inertia: 1, position: [0.4, 0.1], shape: {rod: {length: 1}}}
  c: {mass: 1, inertia: 1, position: [2, 0], shape: {cylinder: {radius: 0.2, length: 0.1}}}
  d: {mass: 1, inertia: 1, position: [4, 0]}
  e: {point: true, mass: 1, position: [0, 3]}
joints:
  slide: {type: prismatic, bodies: [ground, a], axis: [1, 0]}
  rod: {type: distance, bodies: [ground, e], a: [0, 4], b: [0, 0]}
springs:
  pull: {type: point, bodies: [a, b], a: [0, 0], b: [0, 0], stiffness: 1, rest: 1}
  twist: {type: torsion, bodies: [ground, b], at: [0.4, 0.1], stiffness: 1}
contacts:
  hole: {type: pin-in-hole, bodies: [ground, c], at: [2, 0], radii: [0.3, 0.2]}
  guide: {type: slider-guide, bodies: [ground, d], at: [4, 0], axis: [1, 0], size: [0.4, 0.2], width: 0.3}
  line: {type: point-polyline, bodies: [ground, e], a: [0, 0], b: [0, 0], vertices: [[-1, 0], [1, 0], [2, 1]]}
simulation: {end: 0.1}
YAML
expect_picture all.yaml polyline

# Meshes: lines with their strokes and a wall, a joint on a node, bars in space, faces of solids.
cat >line.yaml <<'YAML'
dimension: 2
meshes:
  arm:
    line: {from: [0.2, 0], to: [1.3, 0.1], divisions: 4, element: beam}
    material: {young: 2.1e9, poisson: 0.3, density: 1900}
    section: {rectangle: [0.03, 0.02]}
    loads: [{group: end, force: [0, -7]}]
joints:
  pivot: {type: revolute, bodies: [ground, {mesh: arm, group: start}]}
simulation: {end: 0.02, step: 1e-3}
YAML
expect_picture line.yaml path --instants 3 --trail arm.end --clamp arm.start
cat >space.yaml <<'YAML'
dimension: 3
meshes:
  arm:
    line: {from: [0.2, 0, 0.1], to: [1.3, 0.1, 0], divisions: 3, element: bar}
    material: {young: 2.1e9, poisson: 0.3, density: 1900}
    section: {circle: 0.03}
    fixed: [{group: all, components: [y, z]}, start]
    loads: [{group: end, force: [7, 0, 0]}]
simulation: {end: 0.02, step: 1e-3}
YAML
expect_picture space.yaml path --instants 2
cat >block.yaml <<'YAML'
dimension: 3
gravity: [0, 0, -9.81]
meshes:
  block:
    block: {size: [0.2, 0.3, 0.1], divisions: [2, 1, 1], element: tetrahedron}
    material: {young: 2.1e6, poisson: 0.3, density: 1900}
    position: [0, 0, 0.06]
contacts:
  floor: {type: surface, mesh: block, group: z_min, target: {plane: [0, 0, 1]}}
simulation: {end: 0.02, step: 1e-3}
YAML
expect_picture block.yaml polygon --instants 2
if "$sketch" block.yaml --program "$PERCUSS" --clamp block.z_min >out 2>err; then
    fail "a clamped line of a mesh without lines"
fi
expect_text err "no group of a mesh with bars or beams"

if "$sketch" nowhere.yaml --program "$PERCUSS" >out 2>err; then
    fail "a picture of a file that is not there"
fi
expect_text err "^sketch: .*nowhere.yaml"
if "$sketch" ball.yaml --program "$PERCUSS" --trail nobody >out 2>err; then
    fail "a path of a body that is not there"
fi
expect_text err "no body 'nobody'"
