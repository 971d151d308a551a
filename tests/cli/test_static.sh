# percuss static: equilibria, their output, and what is said where there is none.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >mount.yaml <<'YAML'
title: Block on a mount
dimension: 2
gravity: [0, -9.81]
parameters: {k: 387.2}
bodies:
  block: {mass: 2.385, inertia: 0.0613, position: [0, 0.5]}
joints:
  guide: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [0, 1]}
springs:
  mount: {type: point, bodies: [ground, block], a: [0, 0], b: [0, 0], stiffness: k, rest: 0.5}
forces:
  push: {body: block, force: [1.7, 0]}
contacts:
  stop: {type: point-plane, bodies: [ground, block], at: [0, 0.3], normal: [0, 1]}
simulation: {step: 1e-3, end: 0.1}
YAML

# m g / k = 0.0604255; the guide takes the push.
expect_code 0 static mount.yaml
expect_empty err
expect_text out "^Block on a mount$"
expect_text out "equilibrium +found in 10 load steps"
expect_text out "block +0|block +-?[0-9.e-]+ +-0\.0604"
expect_text out "-0\.060425"
expect_text out "guide +-1\.7 "
expect_text out "Friction is left out"
expect_code 0 static mount.yaml --steps 3 --tolerance 1e-8
expect_text out "found in 3 load steps"

# A softer spring lets the block down to the stop, which takes the rest: m g - k 0.2.
expect_code 0 static mount.yaml --set k=50
expect_text out "stop +13\.396[89]"

# Frames over the load, and a run that begins and stays there.
expect_code 0 static mount.yaml --steps 4 --out static.h5
expect_text out "result +static.h5, 5 frames"
expect_frames static.h5 "5"
expect_code 0 run mount.yaml --start static --csv body.block.position.y --out rest.h5
first=$(sed -n 2p out | cut -d, -f2)
last=$(tail -1 out | cut -d, -f2)
python3 -c "import sys; sys.exit(abs($first - $last) > 1e-9 or abs($first - 0.5 + 2.385*9.81/387.2) > 1e-9)" ||
    fail "a run from the equilibrium moves from $first to $last"
expect_code 0 run mount.yaml --start model --no-result --quiet

# What nothing holds, with its place in the file.
cat >loose.yaml <<'YAML'
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  held: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0]}
  loose: {mass: 1.3, inertia: [1, 1, 1], position: [1, 0, 0]}
joints:
  weld: {type: fixed, bodies: [ground, held], at: [0, 0, 0]}
simulation: {step: 1e-3, end: 0.1}
YAML
expect_mistake "^percuss: loose.yaml:5:.*body 'loose' moves without resistance; hold it" static loose.yaml
expect_mistake "body 'loose'" run loose.yaml --start static

# Two equilibria, and none: a force that follows the body turns it forever.
cat >turning.yaml <<'YAML'
dimension: 2
bodies: {arm: {mass: 1, inertia: 0.1, position: [0.3, 0]}}
joints: {hinge: {type: revolute, bodies: [ground, arm], at: [0, 0], spring: {stiffness: 0.8}}}
forces: {jet: {body: arm, force: ["0", "1e6*(1 + joint.hinge.angle^2)"], frame: body}}
simulation: {step: 1e-3, end: 0.1}
YAML
expect_code 3 static turning.yaml --out never.h5
expect_text err "no static equilibrium"
[[ ! -e never.h5 && ! -e never.h5.part ]] || fail "a failed analysis left a result"

# A mesh from a file: F L^3/(3 E I) + F L/(G A_s) of the cantilever, 0.35274 + 0.00026 mm less what the
# turn of the load's arm takes (1e-7 of it), with the weight rho A g L^4/(8 E I) when it has one.
cantilever=$PERCUSS_SOURCE/examples/cantilever.yaml
for g in 0 9.81; do
    expect_code 0 static "$cantilever" --set "gravity=[0, 0, -$g]"
    expect_text out "equilibrium +found"
    moved=$(sed -n 's/^  largest move *\([0-9.e-]*\) at node 10 .*/\1/p' out)
    python3 - "$moved" "$g" <<'PY' || fail "cantilever with g = $g: the tip moves by $moved"
import sys
moved, g = float(sys.argv[1]), float(sys.argv[2])
E, nu, rho, b, h, L, F = 2.1e11, 0.3, 7800, 0.02, 0.03, 1, 10
A, I, G = b * h, b * h**3 / 12, E / 2 / (1 + nu)
exact = F * L**3 / (3 * E * I) + F * L / (G * A * 5 / 6)
exact += rho * A * g * (L**4 / (8 * E * I) + L**2 / (2 * G * A * 5 / 6))
# A beam element with one point of integration misses (1/n)^2/4 of the bending by an end load.
sys.exit(not abs(moved - exact) < (0.25 / 10**2 + 1e-4) * exact)
PY
done
# What nothing holds in place falls; the bracket alone stands.
bracket=$PERCUSS_SOURCE/examples/bracket.yaml
expect_code 3 static "$bracket"
expect_text err "no static equilibrium.*body 'ball'"

expect_mistake "static needs a model" static
expect_mistake "one model file" static mount.yaml mount.yaml
expect_mistake "--steps 0: must be an integer from 1" static mount.yaml --steps 0
expect_mistake "--tolerance x: must be a positive number" static mount.yaml --tolerance x
expect_mistake "did you mean '--steps'" static mount.yaml --step 3
expect_mistake "--start rest: must be model or static" run mount.yaml --start rest
expect_mistake "contradict" run mount.yaml --start static --resume rest.h5
expect_mistake "no_such.yaml" static no_such.yaml
expect_code 0 static --help
expect_text out "percuss static MODEL"
echo "ok"
