# What a run says of contacts: velocities of open ones, and one impact for each instant and contact.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

schemes=(moreau-jean moreau-jean-adaptive capturing event-driven hybrid nonsmooth-alpha alpha3)

# While a ball falls, rises or flies beside a belt, the velocity of its contact is that of the motion.
cat >open.yaml <<'YAML'
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {shape: {sphere: 0.1, density: 1000}, position: [0, 0.731], velocity: [2.385, 1]}
contacts:
  floor: {type: sphere-plane, bodies: [ground, ball], radius: 0.1, restitution: 0.6, friction: 0.2}
  belt: {type: sphere-plane, bodies: [ground, ball], at: [0, -9], radius: 0.1, friction: 0.2, surface_speed: 0.5}
simulation: {end: 0.9, step: 5e-3}
YAML
for scheme in "${schemes[@]}"; do
    expect_code 0 run open.yaml --no-result --quiet --scheme "$scheme" --csv \
        contact.floor.velocity.n,contact.belt.velocity.n,body.ball.velocity.y,contact.belt.velocity.t1,body.ball.velocity.x,body.ball.angular_velocity.z,contact.floor.state
    awk -F, -v scheme="$scheme" 'function off(a, b) { return a > b ? a - b : b - a }
        NR > 1 && ($8 == 0 && off($2, $4) > 1e-9 || off($3, $4) > 1e-9 || off($5 + 0.5, $6 + 0.1 * $7) > 1e-9) {
            print scheme ": " $0; bad = 1 } END { exit bad }' out || fail "velocity of an open contact"
done

# A ball, a box that lands flat, a disc that rolls, a mass that a spring presses on a stop.
world='dimension: 2
gravity: [0, -9.81]'
count_impacts() { # COUNT TEXT
    printf '%s\n%s\nsimulation: {end: 1, step: 2e-3}\n' "$world" "$2" >impacts.yaml
    local scheme
    for scheme in "${schemes[@]}"; do
        expect_code 0 run impacts.yaml --no-result --scheme "$scheme"
        expect_text out "^  impacts +$1\$"
    done
}
for height in 0.3 0.731; do
    count_impacts 1 "bodies: {ball: {shape: {sphere: 0.1, density: 1000}, position: [0, $height], velocity: [0.3, 0]}}
contacts: {floor: {type: sphere-plane, bodies: [ground, ball], radius: 0.1, friction: 0.3}}"
    count_impacts 2 "bodies: {box: {shape: {box: [0.2, 0.2, 0.2], density: 1000}, position: [0, $height]}}
contacts: {floor: {type: box-plane, bodies: [ground, box], size: [0.2, 0.2], friction: 0.3}}"
    count_impacts 1 "bodies: {mass: {point: true, mass: 1.3, position: [0, $height]}}
springs: {s: {type: point, bodies: [ground, mass], a: [0, -1], b: [0, 0], stiffness: 30, rest: 0.5}}
contacts: {floor: {type: point-plane, bodies: [ground, mass]}}"
done
count_impacts 0 "bodies: {disc: {shape: {sphere: 0.1, density: 1000}, position: [0, 0.1], velocity: [1, 0]}}
contacts: {floor: {type: sphere-plane, bodies: [ground, disc], radius: 0.1, friction: 0.3}}"

# Rolling for a long time is not stiff, though steps end where a body has turned enough; a stiff spring is.
for spin in 0 9 -40; do
    for speed in 0.2 3; do
        cat >roll.yaml <<YAML
dimension: 3
gravity: [0, 0, -9.81]
bodies: {ball: {shape: {sphere: 0.1, density: 1000}, position: [0, 0, 0.1], velocity: [$speed, 0.3, 0], angular_velocity: [0, 0, $spin]}}
contacts: {floor: {type: sphere-plane, bodies: [ground, ball], normal: [0, 0, 1], radius: 0.1, friction: 0.3}}
simulation: {end: 120, step: 0.5}
YAML
        for scheme in event-driven dopri5; do
            expect_code 0 run roll.yaml --no-result --scheme $scheme
            expect_no_text err "stiff"
        done
    done
done
cat >stiff.yaml <<'YAML'
dimension: 2
bodies: {mass: {point: true, mass: 1.3, position: [0.7, 0.2], velocity: [1, 0.3]}}
springs: {s: {type: point, bodies: [ground, mass], a: [0, 0], b: [0, 0], stiffness: 1e3, damping: 1e4, rest: 0.5}}
simulation: {end: 2, step: 0.1}
YAML
expect_code 0 run stiff.yaml --no-result --scheme event-driven
expect_text err "the system is stiff: .* integrator: alpha2"
echo "ok"
