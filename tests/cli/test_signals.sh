# SIGTERM and Ctrl-C inside a heavy step: every scheme ends within a second, with its results stored, and
# goes on from there. One ball with hundreds of contacts; steps take seconds to minutes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python3 - >heavy.yaml <<'PYTHON'
import math, random
random.seed(3)
print("dimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  ball: {position: [0, 0, 0.5], velocity: [0.3, 0.1, -1], angular_velocity: [3, 1, 2],\n"
      "    shape: {sphere: 0.5, density: 1000}}\ncontacts:")
for i in range(1200):
    tilt, turn = random.uniform(0, 1.2), random.uniform(0, 2 * math.pi)
    n = (math.sin(tilt) * math.cos(turn), math.sin(tilt) * math.sin(turn), math.cos(tilt))
    print(f"  c{i}: {{type: sphere-plane, bodies: [ground, ball], radius: 0.5, friction: 0.3, "
          f"restitution: 0.3, at: [{-0.5 * n[0]!r}, {-0.5 * n[1]!r}, {0.5 - 0.5 * n[2]!r}], "
          f"normal: [{n[0]!r}, {n[1]!r}, {n[2]!r}]}}")
print("simulation: {end: 10, step: 2}")
PYTHON

# Processor time of a process so far, in hundredths of a second; of one that has ended nothing.
worked() { # PROCESS
    local fields
    { read -r -a fields <"/proc/$1/stat"; } 2>/dev/null || return 0
    [[ ${fields[2]} == Z ]] || echo $((fields[13] + fields[14]))
}

mapfile -t schemes < <("$PERCUSS" list --json | python3 -c '
import json, sys
for scheme in json.load(sys.stdin)["schemes"]:
    print(scheme["name"])')
signal=TERM
for scheme in "${schemes[@]}" dopri5 alpha2; do
    env --default-signal=INT "$PERCUSS" run heavy.yaml --scheme "$scheme" --quiet --out "$scheme.h5" \
        --checkpoint "$scheme.chk" >out 2>err &
    runner=$!
    wait_for_work "$runner" 40
    before=$(worked "$runner")
    kill -"$signal" "$runner"
    last=$before
    while kill -0 "$runner" 2>/dev/null; do
        now=$(worked "$runner")
        [[ -n $now ]] || break
        last=$now
        [[ $((last - before)) -lt 1000 ]] || { kill -KILL "$runner"; fail "$scheme does not hear $signal"; }
        sleep 0.02
    done
    code=0
    wait "$runner" || code=$?
    [[ $code -eq 130 ]] || { cat out err; fail "$scheme, $signal: exit code $code instead of 130"; }
    [[ $((last - before)) -lt 100 ]] || fail "$scheme: $signal was heard after $((last - before))/100 s"
    expect_empty err
    expect_code 0 info "$scheme.h5"
    expect_text out "result, incomplete"
    expect_code 0 info "$scheme.chk"
    echo "ok: $scheme heard SIG$signal after $((last - before))/100 s"
    [[ $signal == TERM ]] && signal=INT || signal=TERM
done

# While a model file or a problem file is read there is nothing to store.
mkfifo pipe.yaml pipe.dat
for arguments in "run pipe.yaml" "check pipe.yaml" "solve pipe.dat"; do
    # shellcheck disable=SC2086
    env --default-signal=INT "$PERCUSS" $arguments >out 2>err 3<>pipe.yaml 4<>pipe.dat &
    runner=$!
    sleep 0.3
    kill -INT "$runner"
    for ((tries = 0; tries < 100; tries++)); do
        [[ -n $(worked "$runner") ]] || break
        sleep 0.1
    done
    [[ $tries -lt 100 ]] || { kill -KILL "$runner"; fail "percuss $arguments does not hear Ctrl-C"; }
    wait "$runner" && fail "percuss $arguments ended well" || true
done
echo "ok"
