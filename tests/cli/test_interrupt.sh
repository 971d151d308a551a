# Ctrl-C finishes the step and closes the result; a killed run leaves a readable .part file.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Starts a run that would take hours. Background jobs of a script ignore SIGINT, hence env.
start_long_run() { # RESULT
    env --default-signal=INT "$PERCUSS" run ball.yaml --step 1e-5 --end 1e6 --output-step 0.01 \
        --out "$1" --checkpoint "$1.chk" --quiet >out 2>err &
    runner=$!
}

wait_for_frames() { # FILE: until some frames have been flushed
    local tries frames
    for ((tries = 0; tries < 600; tries++)); do
        frames=$("$PERCUSS" info "$1" 2>/dev/null | sed -nE 's/^ *frames +([0-9]+).*/\1/p' || true)
        [[ ${frames:-0} -le 1 ]] || return 0
        kill -0 "$runner" 2>/dev/null || { cat out err; fail "the run ended by itself"; }
        sleep 0.1
    done
    fail "no frames in $1 after a minute"
}

finish() { # CODE
    local code=0
    wait "$runner" || code=$?
    [[ $code -eq $1 ]] || { cat out err; fail "exit code $code instead of $1"; }
}

for signal in INT TERM; do
    start_long_run "$signal.h5"
    wait_for_frames "$signal.h5.part" # also shows that a running result can be looked at
    [[ ! -e $signal.h5 ]] || fail "the result has its name before it is closed"
    kill -"$signal" "$runner"
    finish 130
    [[ -f $signal.h5 && ! -e $signal.h5.part ]] || fail "$signal: the result was not closed"
    expect_code 0 info "$signal.h5"
    expect_text out "result, incomplete"
    expect_text out "energy balance"
    expect_text out "verdict: none. The run is cut off before its end"
    # It continues from where it stopped.
    end=$(sed -nE 's/^ *frames .* to ([0-9.e+-]+) s$/\1/p' out)
    end=$(awk -v t="$end" 'BEGIN { print t + 0.1 }')
    expect_code 0 run ball.yaml --step 1e-5 --output-step 0.01 --resume "$signal.h5" \
        --out more.h5 --end "$end"
    expect_text out "resumed"
    expect_code 0 run ball.yaml --step 1e-5 --output-step 0.01 --resume "$signal.h5.chk" \
        --out more.h5 --end "$end"
done

# A second run must not write into the first one's file.
start_long_run killed.h5
wait_for_frames killed.h5.part
expect_code 3 run ball.yaml --out killed.h5
expect_text err "another program"
kill -KILL "$runner"
wait "$runner" 2>/dev/null || true
[[ ! -e killed.h5 ]] || fail "a killed run left a result under the final name"
expect_code 0 info killed.h5.part
expect_text out "result, incomplete"
if command -v h5dump >/dev/null; then
    h5dump -d /time -d /body/position killed.h5.part >dump || fail "h5dump cannot read .part"
fi
expect_mistake "no checkpoint" run ball.yaml --resume killed.h5.part --out again.h5

# The next run takes the leftover's place.
expect_code 0 run ball.yaml --out killed.h5 --quiet
[[ ! -e killed.h5.part ]] || fail "the leftover is still there"
echo "ok"

# A scheme that chooses its steps looks between them: this one output step would take hours.
env --default-signal=INT "$PERCUSS" run "$PERCUSS_SOURCE/examples/double_pendulum.yaml" --scheme phem56 \
    --step 1e6 --end 1e6 --out inside.h5 --quiet >out 2>err &
runner=$!
wait_for_work "$runner" 80
kill -INT "$runner"
finish 130
[[ -f inside.h5 ]] || fail "the result was not closed"
expect_code 0 info inside.h5
expect_text out "result, incomplete"
