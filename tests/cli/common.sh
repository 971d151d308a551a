# Shared by the tests of the program: a work folder, two small models, and expectations.
# $PERCUSS is the program under test.
set -euo pipefail

if [[ -z ${PERCUSS:-} ]]; then
    echo "skipped: PERCUSS does not name the program"
    exit 77
fi
PERCUSS=$(realpath "$PERCUSS")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $*"
    exit 1
}

# Runs the program; leaves its exit code in $code and its output in the files out and err.
run() { # ARGUMENT...
    code=0
    "$PERCUSS" "$@" >out 2>err || code=$?
}

expect_code() { # CODE ARGUMENT...
    local wanted=$1
    shift
    run "$@"
    if [[ $code -ne $wanted ]]; then
        cat out err
        fail "percuss $*: exit code $code instead of $wanted"
    fi
}

expect_text() { # FILE PATTERN
    grep -qE -- "$2" "$1" || { cat "$1"; fail "no '$2' in $1"; }
}

expect_no_text() { # FILE PATTERN
    ! grep -qE -- "$2" "$1" || { cat "$1"; fail "'$2' in $1"; }
}

expect_empty() { # FILE
    [[ ! -s $1 ]] || { cat "$1"; fail "$1 is not empty"; }
}

expect_frames() { # RESULT COUNT
    expect_code 0 info "$1"
    expect_text out "frames +$2(,|\$)"
}

# Waits until a process of the background has computed for so long, by its own clock: on a busy machine
# it may not even have started after a second.
wait_for_work() { # PROCESS HUNDREDTHS of a second
    local tries fields
    for ((tries = 0; tries < 1200; tries++)); do
        { read -r -a fields <"/proc/$1/stat"; } 2>/dev/null || fail "the program ended by itself"
        [[ ${fields[2]} != Z ]] || fail "the program ended by itself"
        [[ $((fields[13] + fields[14])) -lt $2 ]] || return 0
        sleep 0.1
    done
    fail "the program did not compute for $2/100 s within two minutes"
}

# A mistake gives one line on standard error, exit code 2, and nothing else.
expect_mistake() { # PATTERN ARGUMENT...
    local pattern=$1 before after
    shift
    before=$(find . -type f ! -name out ! -name err -exec stat -c '%n %s %Y' {} + | sort)
    expect_code 2 "$@"
    expect_empty out
    expect_text err "^percuss: "
    expect_text err "$pattern"
    [[ $(wc -l <err) -eq 1 ]] || { cat err; fail "percuss $*: more than one line"; }
    after=$(find . -type f ! -name out ! -name err -exec stat -c '%n %s %Y' {} + | sort)
    [[ $before == "$after" ]] || fail "percuss $*: files changed"
}

cat >ball.yaml <<'YAML'
title: Ball and pendulum
dimension: 2
gravity: [0, -9.81]
parameters:
  e: 0.47
bodies:
  ball:
    position: [0, 0.731]
    velocity: [0.3, 0]
    shape: {sphere: 0.1385, density: 1000}
  crank:
    mass: 2.385
    inertia: 0.0613
    position: [3.731, 2]
joints:
  hinge: {type: revolute, bodies: [ground, crank], at: [3, 2]}
contacts:
  tip:
    type: sphere-plane
    bodies: [ground, ball]
    at: [0, 0]
    normal: [0, 1]
    radius: 0.1385
    friction: 0.3
    restitution: e
simulation: {scheme: moreau-jean, step: 1e-3, end: 1}
output: {step: 0.01, signals: [body.ball.position.y, joint.hinge.angle]}
YAML

cat >spatial.yaml <<'YAML'
title: Tumbling box
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  box:
    position: [0, 0, 1]
    angular_velocity: [0.13, 2.385, 0.71]
    shape: {box: [0.1, 0.2, 0.31], density: 700}
simulation: {scheme: moreau-jean, step: 1e-3, end: 0.1}
YAML
