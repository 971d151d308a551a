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

# Gears and racks are listed; the third gear of a closed train is redundant and takes no freedom away.
cat >gears.yaml <<'YAML'
dimension: 2
bodies:
  first: {mass: 1.3, inertia: 0.01, position: [0, 0]}
  second: {mass: 2.1, inertia: 0.02, position: [0.3, 0]}
  third: {mass: 1.7, inertia: 0.03, position: [0.7, 0]}
joints:
  shaft1: {type: revolute, bodies: [ground, first], at: [0, 0]}
  shaft2: {type: revolute, bodies: [ground, second], at: [0.3, 0]}
  shaft3: {type: revolute, bodies: [ground, third], at: [0.7, 0]}
  stage1: {type: gear, joints: [shaft1, shaft2], ratio: 2}
  stage2: {type: gear, joints: [shaft2, shaft3], ratio: 1.5}
  bypass: {type: gear, joints: [shaft1, shaft3], ratio: -3}
simulation: {step: 1e-3, end: 0.1}
YAML
expect_code 0 check gears.yaml
expect_text out "gears and racks +3: stage1, stage2, bypass"
expect_text out "degrees of freedom +1 \(9 velocities, 9 constraint rows, 1 of them redundant\)"
expect_code 0 check ball.yaml
expect_no_text out "gears and racks"
expect_text out "initial contacts +none starts inside"

# Velocities that fit but for rounding were not changed; others were.
spin() { # ANGULAR-VELOCITY VELOCITY
    expect_code 0 check ball.yaml --set "bodies.crank.angular_velocity=$1" \
        --set "bodies.crank.velocity=$2"
}
spin 5.3 '[0, 5.3*(3.731-3)]'
expect_text out "initial velocities +fit the joints, nothing was changed"
spin 5.3 '[0, 5.3*0.732]'
expect_text out "initial velocities +changed by at most .* \(body crank\)"

# A contact that starts inside the other body, and what becomes of it.
deep=(--set 'bodies.ball.position=[0, 0.1125]')
expect_code 0 check ball.yaml "${deep[@]}"
expect_text out "initial contacts +contact 'tip' starts 0.026 m deep; the first steps will push it out"
expect_code 0 check ball.yaml "${deep[@]}" --set simulation.projection=none
expect_text out "contact 'tip' starts 0.026 m deep; with projection: none it stays inside"
expect_code 0 check ball.yaml --set 'joints.hinge={type: revolute, bodies: [ground, crank],
    at: [3, 2], limits: {lower: 0.1, upper: 1.3}}'
expect_text out "limit 'hinge.lower' starts 0.1 m or rad deep"

expect_mistake "check needs a model" check
expect_mistake "an argument is empty" check ""
expect_mistake "one model file" check ball.yaml ball.yaml
expect_mistake "did you mean '--set'" check ball.yaml --sett a=1
printf 'title: x\ndimension: 2\nbodies: {ball: {mass: -1}}\n' >bad.yaml
expect_mistake "bad.yaml:3:" check bad.yaml
: >empty.yaml
expect_mistake "empty.yaml" check empty.yaml
echo "ok"

# A planar rod lies in the plane without being told to.
cat >rod.yaml <<'YAML'
dimension: 2
bodies: {rod: {shape: {rod: {length: 1.3}, density: 2.1}}}
simulation: {end: 0.1, step: 0.01}
YAML
expect_code 0 check rod.yaml
