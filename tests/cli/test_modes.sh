# percuss modes: tables, files, states and notes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >chain.yaml <<'YAML'
title: Two masses
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: {point: true, mass: 1.3, position: [0, -0.4]}
  lower: {point: true, mass: 0.7, position: [0, -0.9]}
springs:
  first: {type: point, bodies: [ground, upper], a: [0, 0], b: [0, 0], stiffness: 311, rest: 0.4}
  second: {type: point, bodies: [upper, lower], a: [0, 0], b: [0, 0], stiffness: 173, rest: 0.5}
contacts:
  floor: {type: point-plane, bodies: [ground, lower], at: [0, -1.5], normal: [0, 1]}
simulation: {step: 1e-3, end: 0.1}
YAML

# m1 m2 w^4 - (k2 m1 + (k1 + k2) m2) w^2 + k1 k2 = 0
python3 - >expected <<'PY'
import math
m1, m2, k1, k2 = 1.3, 0.7, 311.0, 173.0
a, b, c = m1 * m2, k2 * m1 + (k1 + k2) * m2, k1 * k2
for sign in (-1, 1):
    print("%.6g" % (math.sqrt((b + sign * math.sqrt(b * b - 4 * a * c)) / (2 * a)) / (2 * math.pi)))
PY
expect_code 0 modes chain.yaml
expect_empty err
expect_text out "^Two masses$"
expect_text out "degrees of freedom +4"
expect_text out "rigid modes +2 of the 4 found"
expect_text out "not at rest .*--at equilibrium"
expect_text out "contacts are open"
while read -r frequency; do
    expect_text out " ${frequency//./\\.} .*flexible"
done <expected

# At the equilibrium the loads hold the masses sideways too.
expect_code 0 modes chain.yaml --at equilibrium --count 3
expect_text out "state +static equilibrium"
expect_text out "rigid modes +0 of the 3 found"
expect_no_text out "not at rest"

# Shapes: a table, and frames that show them.
expect_code 0 modes chain.yaml --csv shapes.csv --out shapes.h5 --amplitude 0.02
expect_text shapes.csv "^component,mode 1 \(0 Hz\),"
expect_text shapes.csv "^body.lower.y,"
[[ $(wc -l <shapes.csv) -eq 5 ]] || fail "shapes.csv has other than 4 components"
expect_frames shapes.h5 96
expect_code 0 info shapes.h5
expect_text out "from 1 s to 4\.95"

# Closed contacts hold; both methods find the same.
expect_code 0 modes chain.yaml --contacts closed --set 'contacts.floor.at=[0, -0.9]'
expect_text out "closed contacts +1"
expect_text out "degrees of freedom +3"
expect_code 0 modes chain.yaml --method sparse --count 2
expect_text out "Lanczos"

# Nothing elastic, and what falls over.
expect_code 0 modes ball.yaml
expect_text out "rigid"
cat >inverted.yaml <<'YAML'
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {point: true, mass: 1.3, position: [0, 0.7]}}
joints: {rod: {type: distance, bodies: [ground, bob], a: [0, 0], b: [0, 0]}}
simulation: {step: 1e-3, end: 0.1}
YAML
expect_code 0 modes inverted.yaml
expect_text out "unstable .*grows as exp\(3\.74"

# A mesh from a file: bending about y and z, beta^2/(2 pi L^2) sqrt(E I/(rho A)), beta 1.8751 and 4.6941.
# Ten elements are 0.1 % off in the first and 2.3 % in the second mode (measured); the bounds are just above.
expect_code 0 modes "$PERCUSS_SOURCE/examples/cantilever.yaml" --count 4
python3 - out <<'PY' || fail "frequencies of the cantilever: $(cat out)"
import math, sys
rows = [line.split() for line in open(sys.argv[1])]
found = [float(r[1]) for r in rows if len(r) > 3 and r[0].isdigit()]
E, rho, b, h, L = 2.1e11, 7800, 0.02, 0.03, 1
exact = sorted(beta**2 / (2 * math.pi * L**2) * math.sqrt(E * e**2 / 12 / rho)
               for e in (b, h) for beta in (1.875104, 4.694091))
bound = [0.003, 0.003, 0.03, 0.03]
sys.exit(not all(abs(f - x) < t * x for f, x, t in zip(found, exact, bound)) or len(found) != 4)
PY
# A free body beside a mesh has six modes without any stiffness.
expect_code 0 modes "$PERCUSS_SOURCE/examples/bracket.yaml" --count 8
expect_text out "rigid modes +6 of the 8 found"

expect_mistake "modes needs a model" modes
expect_mistake "--count 0" modes chain.yaml --count 0
expect_mistake "--at rest: must be start or equilibrium" modes chain.yaml --at rest
expect_mistake "--contacts shut: must be open or closed" modes chain.yaml --contacts shut
expect_mistake "--amplitude needs --out" modes chain.yaml --amplitude 0.1
expect_mistake "one model file" modes chain.yaml chain.yaml
expect_code 3 modes chain.yaml --csv no_such_folder/shapes.csv
expect_text err "cannot write the shapes"
expect_code 0 modes --help
expect_text out "percuss modes MODEL"
echo "ok"
