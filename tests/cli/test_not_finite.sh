# A formula that is not a number is named, with its place in the file, whatever the scheme.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

schemes=(moreau-jean moreau-jean-adaptive capturing event-driven hybrid nonsmooth-alpha alpha2)

# Every formula fails at t = 0.05, or where x has come to 0.05 at 1 m/s.
arm='bodies: {arm: {mass: 1.3, inertia: 0.1, position: [0.7, 0]}}'
hinge='type: revolute, bodies: [ground, arm], at: [0, 0]'
point='bodies: {bead: {point: true, mass: 1.3, velocity: [1, 0]}}'
system='coordinates: {x: {initial: 0, rate: 1}, y: 0}'
kinetic='kinetic: 0.65*x.rate^2 + y.rate^2'
expect_fault() { # SECTION WORDS
    printf 'dimension: 2\n%s\nsimulation: {end: 0.1, step: 1e-2}\n' "$1" >fault.yaml
    local scheme
    for scheme in "${schemes[@]}"; do
        run run fault.yaml --no-result --quiet --scheme "$scheme"
        [[ $code -eq 3 || $code -eq 2 ]] || { cat err; fail "$scheme, $2: exit code $code"; }
        grep -v warning err >errors || true
        expect_text errors "^percuss: fault.yaml:[0-9]+:[0-9]+: t = [0-9.e-]+: $2.* is (not a number|infinite)$"
        [[ $(wc -l <errors) -eq 1 ]] || { cat err; fail "$scheme: more than one line"; }
    done
}
expect_fault "$arm
joints: {hinge: {$hinge}}
forces: {push: {body: arm, force: [0, sqrt(0.05-t)]}}" "force 'push' on body 'arm': \"sqrt\(0.05-t\)\""
expect_fault "$arm
forces: {twist: {body: arm, torque: 1/floor(20*t-1)}}" "force 'twist' on body 'arm': \"1/floor\(20\*t-1\)\""
expect_fault "$point
forces: {drag: {body: bead, force: [log(0.05-body.bead.position.x), 0]}}" "force 'drag' on body 'bead': \"log\("
expect_fault "$arm
joints: {hinge: {$hinge, actuator: acos(20*t)}}" "the actuator of joint 'hinge': \"acos"
expect_fault "$arm
joints: {hinge: {$hinge, motion: (0.05-t)^1.5-0.05^1.5}}" "the motion of joint 'hinge': "
expect_fault "systems: {s: {$system, $kinetic, forces: {y: sqrt(0.05-x)}}}" \
    "the force of coordinate 'y' of system 's': \"sqrt"
expect_fault "systems: {s: {$system, $kinetic, potential: 10*y^2+sqrt(0.05-t)}}" \
    "the potential of system 's': \"10"
expect_fault "systems: {s: {$system, $kinetic, contacts: {c: {gap: 1+sqrt(0.05-x)}}}}" \
    "(the gradient of )?a gap of system 's': \"1"
expect_fault "gravity: [0, -9.81]
bodies: {ball: {shape: {sphere: 0.1, density: 1000}, position: [0, 0.1]}}
contacts: {belt: {type: sphere-plane, bodies: [ground, ball], radius: 0.1, friction: 0.3, surface_speed: sqrt(0.05-t)}}" \
    "the surface speed of contact 'belt': \"sqrt"
expect_fault "inputs: {u: 1}
$point
forces: {f: {body: bead, force: [1/(input.u-1), 0]}}" "force 'f' on body 'bead': \"1/\(input.u-1\)\""
expect_fault "materials: {rubber: {young: 1e6, density: 1000}}
meshes:
  beam:
    line: {from: [0, 0], to: [1, 0], divisions: 2}
    section: {rectangle: [0.1, 0.1]}
    material: rubber
    fixed: [start]
    loads: [{group: end, force: [0, sqrt(0.05-t)]}]" "a load of mesh 'beam': \"sqrt"

# A control law with the wrong sign.
schemes=(moreau-jean capturing nonsmooth-alpha)
for law in 400*body.bead.velocity.x 90*body.bead.velocity.x+1e4*body.bead.position.x; do
    printf 'dimension: 2\n%s\nforces: {law: {body: bead, force: ["%s", 0]}}\nsimulation: {end: 40, step: 1e-3}\n' \
        "$point" "$law" >law.yaml
    for scheme in "${schemes[@]}"; do
        expect_code 3 run law.yaml --no-result --quiet --scheme "$scheme"
        expect_text err "^percuss: law.yaml:[0-9]+:[0-9]+: t = .*: the motion grows beyond all bounds: the velocity of body 'bead' is "
    done
done
echo "ok"
