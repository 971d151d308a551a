# percuss check: what a model holds, or what is wrong with it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect_code 0 check ball.yaml
expect_empty err
expect_text out "^Ball and pendulum$"
expect_text out "bodies +2: ball, crank"
expect_text out "joints +1: hinge \(revolute\)"
expect_text out "contact points +1: tip"
expect_text out "degrees of freedom +4 \(6 velocities, 2 constraint rows, 0 of them redundant\)"
expect_text out "initial positions +fit the joints"
expect_text out "moreau-jean, step 0.001 s, from 0 s to 1 s"
expect_code 0 check ball.yaml --set simulation.step=1e-4
expect_text out "step 0.0001 s"

# A joint that is a little open is closed, and the report says so.
expect_code 0 check ball.yaml --set 'joints.hinge={type: revolute, bodies: [ground, crank],
    a: [3, 2], b: [-0.7309, 0]}'
expect_text out "initial positions +moved by at most .* \(body crank\)"

# Two hinges on one axis: redundant rows have names.
cat >redundant.yaml <<'YAML'
title: Door
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  door:
    position: [0.4, 0, 1]
    shape: {box: [0.8, 0.04, 2.0], density: 500}
joints:
  lower: {type: revolute, bodies: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1]}
  upper: {type: revolute, bodies: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}
simulation: {step: 1e-3, end: 0.1}
YAML
expect_code 0 check redundant.yaml
expect_text out "degrees of freedom +1 "
expect_text out "10 constraint rows, 5 of them redundant"
expect_text out "redundant rows +joint\."

expect_mistake "check needs a model" check
expect_mistake "one model file" check ball.yaml ball.yaml
expect_mistake "did you mean '--set'" check ball.yaml --sett a=1
printf 'title: x\ndimension: 2\nbodies: {ball: {mass: -1}}\n' >bad.yaml
expect_mistake "bad.yaml:3:" check bad.yaml
: >empty.yaml
expect_mistake "empty.yaml" check empty.yaml
echo "ok"
