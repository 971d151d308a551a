# What a run that is killed leaves, memory over many frames, and one line for one error.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Killed at any moment, from its first one on: the file opens, or says that nothing was stored.
for delay in 0.00 0.01 0.02 0.03 0.05 0.1 0.3; do
    "$PERCUSS" run ball.yaml --step 1e-5 --end 1e5 --output-step 1e-3 --out early.h5 --quiet >out 2>err &
    runner=$!
    sleep "$delay"
    kill -KILL "$runner"
    wait "$runner" 2>/dev/null || true
    [[ -e early.h5.part ]] || continue
    run info early.h5.part
    case $code in
    0) ;;
    2) expect_text err "killed before it stored anything|cut off so early that no frame" ;;
    *) fail "killed after $delay s: exit code $code" ;;
    esac
done
# A tenth of a second's work leaves many frames of a millisecond, each of a hundred steps.
"$PERCUSS" run ball.yaml --step 1e-5 --end 1e5 --output-step 1e-3 --out early.h5 --quiet >out 2>err &
runner=$!
wait_for_work "$runner" 30
kill -KILL "$runner"
wait "$runner" 2>/dev/null || true
expect_code 0 info early.h5.part
frames=$(sed -nE 's/^ *frames +([0-9]+).*/\1/p' out)
[[ $frames -gt 20 ]] || fail "only $frames frames after 0.3 s"
echo "ok: killed"

# Memory does not grow with the frames, once the caches of the library are full: kept frames would take
# more than 60 MB.
peak() { # END: KB
    python3 - "$PERCUSS" run ball.yaml --end "$1" --output-step 0 --quiet --out frames.h5 <<'PYTHON'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
}
few=$(peak 150)
many=$(peak 350)
rm -f frames.h5
[[ $((many - few)) -lt 6000 ]] || fail "200,000 more frames take $((many - few)) KB of memory"
echo "ok: $few KB, $many KB"

# One line for a damaged file, at exit too.
expect_code 0 run ball.yaml --quiet --out good.h5
python3 - "$PERCUSS" <<'PYTHON'
import random, subprocess, sys
good = open("good.h5", "rb").read()
random.seed(7)
for _ in range(60):
    data = bytearray(good)
    place = random.randrange(min(len(data), 40000))
    for i in range(place, min(place + random.choice([1, 4, 64]), len(data))):
        data[i] = random.randrange(256)
    open("bad.h5", "wb").write(data)
    done = subprocess.run([sys.argv[1], "info", "bad.h5"], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert (done.returncode, len(lines)) in ((0, 0), (2, 1)), (place, done.returncode, done.stderr)
PYTHON
cp good.h5 holes.h5 && truncate -s 8G holes.h5
expect_mistake "holes.h5: damaged result: nearly all of it was never written" info holes.h5
rm holes.h5

# One line for a pipe that is closed.
("$PERCUSS" run ball.yaml --no-result --quiet --step 1e-5 --output-step 0 --csv body.ball.position.y 2>err || true) | head -n 1 >out
[[ $(wc -l <err) -eq 1 ]] || { cat err; fail "a closed pipe has other than one line"; }
expect_text err "Broken pipe"
echo "ok"
