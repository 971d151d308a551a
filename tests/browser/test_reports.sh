#!/usr/bin/env bash
# Report pages of real runs in a browser: the woodpecker toy, a planar mechanism, a spatial one with 20
# bodies, flexible bodies, 10,000 frames of 200 bodies, a comparison, a result that was cut off; runs
# whose verdict is a notice and a problem.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# A hanging chain of ten links beside ten balls that fall on a floor.
spatial_model() {
    local i
    echo 'title: Chain and balls'
    echo 'dimension: 3'
    echo 'gravity: [0, 0, -9.81]'
    echo 'bodies:'
    for i in {1..10}; do
        echo "  link$i: {shape: {box: [0.25, 0.03, 0.03], at: [-0.125, 0, 0], density: 500}," \
            "position: [$i*0.25, 0, 2]}"
        echo "  ball$i: {shape: {sphere: 0.1, density: 800}," \
            "position: [$i*0.25, -0.6, 0.4 + 0.1*$i], velocity: [0.5, 0, 0]}"
    done
    echo 'joints:'
    echo '  hinge1: {type: revolute, bodies: [ground, link1], at: [0, 0, 2], axis: [0, 1, 0]}'
    for i in {2..10}; do
        echo "  hinge$i: {type: revolute, bodies: [link$((i - 1)), link$i]," \
            "at: [$((i - 1))*0.25, 0, 2], axis: [0, 1, 0]}"
    done
    echo 'contacts:'
    for i in {1..10}; do
        echo "  floor$i: {type: sphere-plane, bodies: [ground, ball$i], radius: 0.1," \
            "friction: 0.4, restitution: 0.6}"
    done
    echo 'simulation: {end: 2, step: 1e-3}'
}

# 180 boxes that tumble freely in a grid, 20 balls that bounce below them.
large_model() {
    local i
    echo 'title: Two hundred bodies'
    echo 'dimension: 3'
    echo 'bodies:'
    for ((i = 0; i < 180; i++)); do
        echo "  box$i: {shape: {box: [0.1, 0.2, 0.3], density: 500}, position: [$((i % 20))*0.5," \
            "$((i / 20))*0.5, 2], angular_velocity: [$i/30, 2, 0.1]}"
    done
    for ((i = 0; i < 20; i++)); do
        echo "  ball$i: {shape: {sphere: 0.1, density: 500}, position: [$i*0.5, 0, 0.3 + 0.04*$i]," \
            "velocity: [0, 0, -1]}"
    done
    echo 'contacts:'
    for ((i = 0; i < 20; i++)); do
        echo "  floor$i: {type: sphere-plane, bodies: [ground, ball$i], radius: 0.1, restitution: 1}"
    done
    echo 'simulation: {end: 10, step: 1e-3}'
    echo 'output: {step: 0}'
}

run() { # NAME MODEL [OPTION]...
    local name=$1 model=$2
    shift 2
    "$PERCUSS" run "$model" --quiet --out "$name.h5" --report="$name.html" "$@"
}

spatial_model >spatial.yaml
large_model >large.yaml
# A soft block that sags under its weight, and a beam beside it that a spring pulls.
cat >flexible.yaml <<'YAML'
title: Block and beam
dimension: 3
gravity: [0, 0, -9.81]
materials: {soft: {young: 4e4, poisson: 0.3, density: 1000, damping: 2e-3}}
meshes:
  block:
    block: {size: [0.2, 0.2, 0.1], divisions: [6, 6, 3], element: hexahedron}
    material: soft
    fixed: [z_min]
  arm:
    line: {from: [0.25, 0, 0], to: [0.25, 0, 0.4], divisions: 6, element: beam}
    material: soft
    section: {rectangle: [0.02, 0.03]}
    fixed: [start]
    loads: [{group: end, force: [0.05, 0, 0]}]
springs:
  line:
    type: point
    bodies: [ground, {mesh: arm, group: end}]
    at: [[0.5, 0, 0.4], [0.25, 0, 0.4]]
    stiffness: 1
simulation: {end: 0.3, step: 2e-3}
output: {step: 0}
YAML
# A spinning ball on a spring of 8 ms, with steps of 50 ms: nothing of it is right.
cat >bad.yaml <<'YAML'
title: Ball on a spring, with steps that do not follow it
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {position: [0, 1], velocity: [3, 0], angular_velocity: 200, shape: {sphere: 0.1, density: 700}}
springs: {stiff: {type: point, bodies: [ground, ball], at: [[0, 0], [0, 1]], stiffness: 1e6}}
contacts:
  floor: {type: circle-plane, bodies: [ground, ball], radius: 0.1, friction: 0.3, restitution: 0.9}
simulation: {step: 0.05, end: 3}
YAML
run flexible flexible.yaml
run bad bad.yaml --accept
run notice "$PERCUSS_SOURCE/examples/slider_crank_clearance.yaml" --step 5e-4
run woodpecker "$PERCUSS_SOURCE/examples/woodpecker.yaml"
run planar "$PERCUSS_SOURCE/examples/slider_crank_clearance.yaml"
run spatial spatial.yaml
run large large.yaml
run ball05 "$PERCUSS_SOURCE/examples/bouncing_ball.yaml" --set e=0.5
run ball08 "$PERCUSS_SOURCE/examples/bouncing_ball.yaml" --set e=0.8
"$PERCUSS" report ball05.h5 ball08.h5 -o compare.html
head -c $(($(stat -c %s woodpecker.h5) * 2 / 3)) woodpecker.h5 >cut.h5
"$PERCUSS" report cut.h5 -o cut.html
ls -l ./*.h5 ./*.html

cd "$VIEWER"
PERCUSS_PAGES=$folder node --test test/reports.test.mjs
