# SIGTERM and Ctrl-C inside a heavy step: every scheme ends within a second, with its results stored, and
# goes on from there. One ball with hundreds of contacts; steps take seconds to minutes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

write_heavy() { # CONTACTS
    python3 - "$1" <<'PYTHON'
import math, random, sys
random.seed(3)
print("dimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  ball: {position: [0, 0, 0.5], velocity: [0.3, 0.1, -1], angular_velocity: [3, 1, 2],\n"
      "    shape: {sphere: 0.5, density: 1000}}\ncontacts:")
for i in range(int(sys.argv[1])):
    tilt, turn = random.uniform(0, 1.2), random.uniform(0, 2 * math.pi)
    n = (math.sin(tilt) * math.cos(turn), math.sin(tilt) * math.sin(turn), math.cos(tilt))
    print(f"  c{i}: {{type: sphere-plane, bodies: [ground, ball], radius: 0.5, friction: 0.3, "
          f"restitution: 0.3, at: [{-0.5 * n[0]!r}, {-0.5 * n[1]!r}, {0.5 - 0.5 * n[2]!r}], "
          f"normal: [{n[0]!r}, {n[1]!r}, {n[2]!r}]}}")
print("simulation: {end: 10, step: 2}")
PYTHON
}
write_heavy 1200 >heavy.yaml

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
# Runs until it has worked for so many hundredths of a second, then sends the signal: it is heard within
# one second, the result can be read, and so can the checkpoint.
interrupt() { # NAME HUNDREDTHS MODEL [OPTION]...
    local name=$1 until=$2 before last now code=0
    shift 2
    env --default-signal=INT "$PERCUSS" run "$@" --quiet --out "$name.h5" --checkpoint "$name.chk" \
        >out 2>err &
    runner=$!
    wait_for_work "$runner" "$until"
    before=$(worked "$runner")
    kill -"$signal" "$runner"
    last=$before
    while kill -0 "$runner" 2>/dev/null; do
        now=$(worked "$runner")
        [[ -n $now ]] || break
        last=$now
        [[ $((last - before)) -lt 1000 ]] || { kill -KILL "$runner"; fail "$name does not hear $signal"; }
        sleep 0.02
    done
    wait "$runner" || code=$?
    [[ $code -eq 130 ]] || { cat out err; fail "$name, $signal: exit code $code instead of 130"; }
    [[ $((last - before)) -lt 100 ]] || fail "$name: $signal was heard after $((last - before))/100 s"
    expect_empty err
    expect_code 0 info "$name.h5"
    expect_text out "result, incomplete"
    expect_code 0 info "$name.chk"
    echo "ok: $name heard SIG$signal after $((last - before))/100 s"
    [[ $signal == TERM ]] && signal=INT || signal=TERM
}

for scheme in "${schemes[@]}" dopri5 alpha2; do
    interrupt "$scheme" 40 heavy.yaml --scheme "$scheme"
done
# The matrix of 10,000 contacts of one body has 7 GB: its storage alone takes seconds.
write_heavy 10000 >huge.yaml
interrupt huge 60 huge.yaml

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
