# Exit codes that scripts can use: 0, 1, 2, 3 (130: test_interrupt.sh).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect_code 0 run ball.yaml --out good.h5 --quiet

# 1: finished, but steps did not converge and the policy accepts them. One Newton iteration is too
# little for the gyroscopic moment of a tumbling body.
cat >tumbling.yaml <<'YAML'
dimension: 3
bodies: {stone: {mass: 1.3, inertia: [1, 2.1, 2.7], angular_velocity: [3.1, 20.3, 0.7]}}
simulation: {end: 0.1, step: 0.01}
YAML
starved=(--set simulation.newton_iterations=1 --set simulation.newton_tolerance=1e-14)
expect_code 1 run tumbling.yaml "${starved[@]}" --out starved.h5
expect_text out "warning: [0-9]+ steps? did not converge"
# With --quiet, one line says why.
expect_code 1 run tumbling.yaml "${starved[@]}" --no-result --quiet
expect_empty out
expect_text err "^percuss: the verdict is bad: [0-9]+ steps did not converge .*\\(worst residual .* contact .* momentum"
expect_text err "smaller --step"
[[ $(wc -l <err) -eq 1 ]] || { cat err; fail "--quiet: more than one line"; }
# The user may accept it.
expect_code 0 run tumbling.yaml "${starved[@]}" --no-result --accept
expect_text out "^verdict: bad"
expect_code 0 info starved.h5
expect_text out "result, complete"

# 3: the same with the policy to stop; what was computed is kept and marked.
expect_code 3 run tumbling.yaml "${starved[@]}" --set simulation.on_failure=stop --out stopped.h5
expect_text err "^percuss: "
expect_code 0 info stopped.h5
expect_text out "result, incomplete"

# 2: mistakes.
expect_code 2
expect_code 2 run nowhere.yaml
expect_code 2 run ball.yaml --resume nowhere.chk
expect_code 2 info nowhere.h5

# 3: output that cannot be written; an older result stays.
cp good.h5 kept.h5
expect_code 3 run ball.yaml --out nowhere/x.h5
expect_text err "no such file or folder"
expect_code 3 run ball.yaml --out .
expect_text err "folder"
expect_code 3 run ball.yaml --no-result --csv time --csv-file nowhere/x.csv
expect_text err "no such file or folder"
# A checkpoint that could not be written is known before the run.
for target in nowhere/x.chk .; do
    expect_code 3 run ball.yaml --no-result --checkpoint "$target"
    expect_text err "cannot write the checkpoint: .*folder"
    expect_empty out
done
code=0
(ulimit -f 200 && "$PERCUSS" run ball.yaml --output-step 0 --out kept.h5 >out 2>err) || code=$?
[[ $code -eq 3 ]] || { cat out err; fail "full disk: exit code $code instead of 3"; }
expect_text err "kept.h5.part: cannot write the result"
cmp good.h5 kept.h5 || fail "the older result was touched"
if [[ -w /dev/full ]]; then
    code=0
    "$PERCUSS" list >/dev/full 2>err || code=$?
    [[ $code -eq 3 ]] || fail "list to a full device: exit code $code instead of 3"
    code=0
    "$PERCUSS" run ball.yaml --no-result --quiet --csv time >/dev/full 2>err || code=$?
    [[ $code -eq 3 ]] || fail "CSV to a full device: exit code $code instead of 3"
fi
code=0
"$PERCUSS" run ball.yaml --quiet --out pipe.h5 --step 1e-5 --output-step 0 --csv energy.kinetic \
    2>err | head -1 >/dev/null || code=${PIPESTATUS[0]}
[[ $code -eq 3 ]] || fail "CSV to a closed pipe: exit code $code instead of 3"

# With little address space a verb works or says what is missing, and ends (libraries with threads of
# their own may not start them then). Sanitizers need more than that for themselves.
if ! grep -qE '^PERCUSS_SANITIZE:BOOL=ON' "$PERCUSS_BUILD/CMakeCache.txt"; then
    for arguments in "--version" "list schemes" "info ball.yaml" "run ball.yaml --no-result --quiet"; do
        for room in 120000 150000 400000; do
            code=0
            # shellcheck disable=SC2086
            (ulimit -v $room && exec timeout 20 "$PERCUSS" $arguments >out 2>err) || code=$?
            [[ $code -lt 4 || $code -eq 127 ]] || # 127: the libraries themselves do not fit
                fail "$arguments with $room kB of address space: exit code $code: $(cat err)"
        done
    done
fi

# The help says what the codes mean, as the pages do.
expect_code 0 --help
expect_text out "0 finished; 1 finished, but the verdict of the run is bad"
for verb in run solve compare; do
    expect_code 0 "$verb" --help
    expect_text out "exit code: 0 .*; 1 "
done
echo "ok"
