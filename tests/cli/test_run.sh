# percuss run: result, CSV, summary, progress, and that mistakes write nothing.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The default: result beside us, summary on standard output, plain progress lines elsewhere.
mkdir models
cp ball.yaml models/drop.yaml
expect_code 0 run models/drop.yaml
[[ -f drop.h5 && ! -e drop.h5.part ]] || fail "no drop.h5"
expect_text out "^Ball and pendulum$"
expect_text out "scheme +moreau-jean, step 0.001 s"
expect_text out "simulated time +0 s to 1 s"
expect_text out "steps +1000 accepted"
expect_text out "result +drop.h5, 101 frames"
for row in impacts "closed contacts" "worst penetration" "worst joint drift" "worst residual" \
    "wall time" "energy balance" "numerical remainder" friction "at the end"; do
    expect_text out "$row"
done
[[ $(grep -cE '^percuss: +[0-9]+ %' err) -eq 10 ]] || { cat err; fail "not ten progress lines"; }
expect_no_text err $'\r'

# Options.
expect_code 0 run ball.yaml --out a.h5 --quiet
expect_empty out
expect_empty err
expect_code 0 run ball.yaml --out b.h5 --quiet --set bodies.crank.mass=2 --set e=0.2 --end 0.5 \
    --step 5e-4 --output-step 0.05 --scheme=moreau-jean
expect_frames b.h5 11
expect_code 0 info b.h5 --model
expect_text out "step: 5e-4"
rm -f ball.h5
expect_code 0 run ball.yaml --no-result
[[ ! -e ball.h5 ]] || fail "--no-result wrote ball.h5"
expect_code 0 run ball.yaml --output-step 0 --out every.h5
expect_frames every.h5 1001
expect_code 0 run --quiet -- ball.yaml

# CSV on standard output, with the summary on standard error; CSV in a file.
expect_code 0 run ball.yaml --no-result --csv body.ball.position.y,energy.total,contact.tip.gap
[[ $(head -1 out) == time,body.ball.position.y,energy.total,contact.tip.gap ]] || fail "CSV header"
[[ $(wc -l <out) -eq 102 ]] || fail "CSV has $(wc -l <out) lines"
[[ $(awk -F, 'NF != 4' out) == "" ]] || fail "CSV columns"
expect_text err "energy balance"
expect_code 0 run ball.yaml --no-result --quiet --csv-file default.csv
[[ $(head -1 default.csv) == time,body.ball.position.y,joint.hinge.angle ]] || fail "signals"
expect_code 0 run ball.yaml --no-result --quiet --csv time,body.ball.position.y --csv-file own.csv
expect_empty out
diff <(cut -d, -f1,2 default.csv) own.csv || fail "CSV differs"
[[ ! -e own.csv.part ]] || fail "own.csv.part is left"

# Wildcards: in the order of the signals, nothing twice, other columns as they were named.
expect_code 0 info ball.yaml --signals
grep '^body\.ball\.' out >wanted
expect_code 0 run ball.yaml --no-result --quiet --csv 'energy.total,time,body.ball.*,energy.t*'
[[ $(head -1 out) == "energy.total,time,$(paste -sd, wanted)" ]] || fail "wildcard: $(head -1 out)"
expect_code 0 run ball.yaml --no-result --quiet --csv '*'
expect_code 0 info ball.yaml --signals
[[ $(wc -l <out) -gt 30 ]] || fail "few signals"
expect_mistake "no signal fits 'bod\.\*'" run ball.yaml --no-result --csv 'time,bod.*'
expect_mistake "signals look like" run ball.yaml --no-result --csv nonsense

# Mean contact force: the weight of a ball at rest; the impulse is force times the time of a frame.
expect_code 0 run ball.yaml --no-result --quiet --set e=0 --set 'bodies.ball.position=[0, 0.1385]' \
    --set 'bodies.ball.velocity=[0, 0]' --csv 'contact.tip.force.n,contact.tip.impulse.n'
awk -F, -v mass="$(awk 'BEGIN { print 1000*4/3*atan2(0, -1)*0.1385^3 }')" '
    NR == 2 && $2 != 0 { exit 1 }
    NR > 2 && ($2/(9.81*mass) - 1)^2 > 1e-10 { exit 1 } # mass is printed with six digits
    NR > 2 && ($3/($2*0.01) - 1)^2 > 1e-24 { exit 1 }' out || { head -4 out; fail "contact force"; }

# The summary tells what the start did: bodies moved onto the joints, a contact that starts inside.
expect_code 0 run ball.yaml --no-result --end 0.01
expect_no_text out "initial|warning"
expect_code 0 run ball.yaml --no-result --end 0.01 --set 'joints.hinge={type: revolute,
    bodies: [ground, crank], a: [3, 2], b: [-0.7309, 0]}' --set bodies.crank.angular_velocity=0.1
expect_text out "initial positions +moved by at most .* m or rad \(body crank\) to close the joints"
expect_text out "initial velocities +changed by at most .* \(body crank\)"
expect_code 1 run ball.yaml --out deep.h5 --set 'bodies.ball.position=[0, 0.1125]'
expect_text out "warning: contact 'tip' started 0.026 m deep"
expect_code 0 info deep.h5
expect_text out "warning: contact 'tip' started 0.026 m deep"

# Zero is printed as 0, and frames lie at the steps nearest to the asked times.
expect_text out "^  damping +0 J$"
expect_code 0 run ball.yaml --no-result --end 0.01 --output-step 0.0026 --csv time
expect_text err "output step \(0.0026 s\) is not a multiple of the step \(0.001 s\)"
[[ $(awk 'NR > 1 { printf "%s%g", (NR > 2 ? " " : ""), 1e3*$1 }' out) == "0 3 5 8 10" ]] ||
    fail "frames: $(cat out)"
expect_code 0 run ball.yaml --no-result --end 0.01 --output-step 0.0007 --csv time
expect_text err "not a multiple"
[[ $(wc -l <out) -eq 12 ]] || fail "an output step below the step stores every step"
expect_code 0 run ball.yaml --no-result --end 0.01 --output-step 0.002 --csv time
expect_no_text err "multiple"

# The same command gives the same numbers.
expect_code 0 run ball.yaml --out c.h5 --quiet
if command -v h5diff >/dev/null; then
    for object in /time /body /joint /contact /energy /solver /summary /checkpoint /model; do
        h5diff a.h5 c.h5 "$object" "$object" || fail "$object differs between equal runs"
    done
    h5dump -d /body/names a.h5 | grep -q '"ball"' || fail "h5dump does not show the names"
    h5dump -a /body/position/unit a.h5 | grep -q '"m"' || fail "h5dump does not show the units"
    [[ $(h5dump -a /complete a.h5 | grep -c '(0): 1') -eq 1 ]] || fail "not marked complete"
fi
expect_code 0 run spatial.yaml --out spatial.h5 --quiet
expect_code 0 info spatial.h5 --signals
expect_text out "^body.box.rotation.w$"

# Mistakes: one line, exit code 2, nothing written, an older result untouched.
printf 'title: x\nbodys: {}\n' >bad.yaml
expect_mistake "bad.yaml:[0-9]+:[0-9]+: " run bad.yaml
expect_mistake "bad.yaml:[0-9]+:[0-9]+: " run bad.yaml --out a.h5
expect_mistake "nowhere.yaml" run nowhere.yaml
expect_mistake "needs a model" run
expect_mistake "one model file at a time" run ball.yaml spatial.yaml
expect_mistake "did you mean '--step'" run ball.yaml --stepp 1
expect_mistake "needs a value" run ball.yaml --step
expect_mistake "takes no value" run ball.yaml --quiet=1
expect_mistake "key=value" run ball.yaml --set mass
expect_mistake "nope" run ball.yaml --set nope=1
expect_mistake "step" run ball.yaml --step 0
expect_mistake "step" run ball.yaml --step fast
expect_mistake "scheme" run ball.yaml --scheme euler
expect_mistake "theta" run ball.yaml --set simulation.theta=3
expect_mistake "position.y" run ball.yaml --csv body.ball.positon.y
expect_mistake "no signals" run spatial.yaml --csv-file x.csv
expect_mistake "contradict" run ball.yaml --no-result --out x.h5
expect_mistake "--checkpoint FILE" run ball.yaml --checkpoint-every 1
expect_mistake "positive" run ball.yaml --checkpoint x --checkpoint-every -1
expect_mistake "empty" run ball.yaml --out=
expect_mistake "an argument is empty" run ""
expect_mistake "folder" run models
expect_mistake "a result, not a model" run a.h5
expect_mistake "the end -1 s comes before" run ball.yaml --end -1
# Nothing that is read is replaced.
cp ball.yaml kept.yaml
for option in --out --csv-file --checkpoint; do
    expect_mistake "kept.yaml: is the model file" run kept.yaml "$option" ./kept.yaml
done
cmp ball.yaml kept.yaml || fail "the model was touched"
expect_mistake "both --out and --checkpoint" run ball.yaml --out x.h5 --checkpoint x.h5
expect_mistake "would replace the file" run ball.yaml --resume a.h5 --out a.h5

# A body at rest is no reason to warn of the numerical remainder, wherever the potential is zero.
cat >rest.yaml <<'YAML'
dimension: 2
gravity: [0, -9.81]
parameters: {y: 0}
bodies:
  block: {mass: 2.385, inertia: 0.0613, position: [0, y]}
contacts:
  floor:
    type: box-plane
    bodies: [ground, block]
    at: [0, y - 0.1]
    normal: [0, 1]
    size: [0.3, 0.2]
    friction: 0.4
simulation: {step: 1e-3, end: 1}
YAML
for y in 0 0.731 -13.7; do
    expect_code 0 run rest.yaml --no-result --set y="$y"
    expect_no_text out "^warning"
    expect_text out "numerical remainder .*(of the largest energy or work|\(rounding\)| 0 J)"
done
# A large remainder is still told: an oscillator damped by the scheme alone.
cat >damped.yaml <<'YAML'
dimension: 2
gravity: [0, 0]
bodies:
  mass: {point: true, mass: 2.385, position: [0.731, 0]}
springs:
  k: {type: point, bodies: [ground, mass], a: [-1, 0], b: [0, 0], stiffness: 137, rest: 1}
simulation: {step: 1e-2, end: 1, theta: 1}
YAML
expect_code 1 run damped.yaml --no-result
expect_text out "^warning: the numerical remainder is"

# Contacts that cannot all be satisfied: the step is not to blame, and the contact is named.
cat >jam.yaml <<'YAML'
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {mass: 1.3, inertia: 0.0613, position: [0, 0.1]}
contacts:
  floor: {type: sphere-plane, bodies: [ground, ball], normal: [0, 1], radius: 0.1}
  roof: {type: sphere-plane, bodies: [ground, ball], at: [0, 0.1985], normal: [0, -1], radius: 0.1}
simulation: {step: 1e-3, end: 5e-3}
YAML
run run jam.yaml --out jam.h5
tr -s ' \n' ' ' <out >words
expect_text words "although contacts are projected: contacts contradict each other or the joints"
# How the 1.5 mm are shared is the solver's choice.
expect_text words "contact '(floor|roof)' is 0\.00(07[45][0-9]*|15) m deep"
expect_code 0 info jam.h5
tr -s ' \n' ' ' <out >words
expect_text words "at t = .* s .*: with projection: all, contacts contradict"
run run jam.yaml --no-result --set simulation.projection=none
tr -s ' \n' ' ' <out >words
expect_text words "contact '(floor|roof)' was .* m deep at t = .* s .*; try a smaller --step or projection: all"

# A bead without size in a hole.
cat >bead.yaml <<'YAML'
dimension: 2
gravity: [0, -9.81]
bodies:
  bead: {point: true, mass: 1.3, position: [0.2385, 0]}
contacts:
  hole: {type: sphere-in-sphere, bodies: [ground, bead], a: [0, 0], radii: [0.5, 0]}
simulation: {step: 1e-3, end: 1}
YAML
expect_code 0 run bead.yaml --no-result --csv body.bead.position.x,body.bead.position.y
[[ $(awk -F, 'NR > 1 && $2^2 + $3^2 > 0.25 + 1e-9' out | wc -l) -eq 0 ]] || fail "the bead escaped"

# On a terminal, where the system gives one: one line that renews itself, gone at the end.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "'$PERCUSS' run ball.yaml --no-result --step 1e-5 --end 2" /dev/null \
        </dev/null >terminal 2>&1 || true
    expect_text terminal $'\r'
    expect_no_text terminal '^percuss: +10 %'
    expect_text terminal 'energy balance'
fi
echo "ok"
