# Damped motions that die away: where all terms are rounding, every step still converges.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >rail.yaml <<'YAML'
parameters: {m: 1.3, k: 0, c: 30, x: 0, rest: 0}
dimension: 2
bodies: {mass: {mass: m, inertia: 0.1*m, position: [x, 0.2], velocity: [1, 0]}}
joints: {rail: {type: prismatic, bodies: [ground, mass], at: [x, 0.2], axis: [1, 0], spring: {stiffness: k, damping: c, rest: rest}}}
simulation: {end: 36, step: 2e-2}
YAML
cat >spring.yaml <<'YAML'
parameters: {m: 1.3, k: 0, c: 30, x: 0, rest: 0}
dimension: 2
bodies: {mass: {point: true, mass: m, position: [x + 0.7, 0.2], velocity: [1, 0.3]}}
springs: {s: {type: point, bodies: [ground, mass], a: [x, 0], b: [0, 0], stiffness: k, damping: c, rest: rest}}
simulation: {end: 36, step: 2e-2}
YAML
cat >bushing.yaml <<'YAML'
parameters: {m: 1.3, k: 0, c: 30, x: 0, rest: 0}
dimension: 3
bodies: {mass: {mass: m, inertia: [0.1*m, 0.2*m, 0.25*m], position: [x, 0.2, 0], velocity: [1, 0, 0.3], angular_velocity: [1, 2, 0.3]}}
springs: {s: {type: bushing, bodies: [ground, mass], at: [x, 0, rest], stiffness: [k, 2*k, k, k, k, 2*k], damping: [c, c, c, c, c, c]}}
simulation: {end: 36, step: 2e-2}
YAML
cat >system.yaml <<'YAML'
parameters: {m: 1.3, k: 0, c: 30, x: 0, rest: 0}
dimension: 2
systems:
  s:
    coordinates: {p: {initial: x, rate: 1}, q: 0.3}
    kinetic: m/2*(p.rate^2 + 1e-3*q.rate^2)
    potential: k/2*((p - rest)^2 + 1e-3*(q - p)^2)
    dissipation: c/2*(p.rate^2 + 1e-3*q.rate^2)
simulation: {end: 36, step: 2e-2}
YAML
for model in rail spring bushing system; do
    for numbers in "m=1.3 c=30" "m=1.3 c=30 k=300" "m=1.3 c=30 k=100 rest=0.1 x=0.3" "m=1e-3 c=2 k=0.7" "m=1e3 c=5e4 k=6e5 x=2.385"; do
        settings=()
        for number in $numbers; do
            settings+=(--set "$number")
        done
        for scheme in moreau-jean moreau-jean-adaptive nonsmooth-alpha; do
            expect_code 0 run $model.yaml --accept --no-result --scheme $scheme "${settings[@]}"
            expect_no_text out "did not converge|[1-9][0-9]* not converged"
        done
    done
done
echo "ok"
