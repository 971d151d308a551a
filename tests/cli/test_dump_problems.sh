# percuss run --dump-problems: the problems of chosen steps, replayed by percuss solve.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

stack=$PERCUSS_SOURCE/examples/three_boxes.yaml

expect_files() { # FOLDER COUNT
    local count
    count=$(find "$1" -type f | wc -l)
    [[ $count -eq $2 ]] || fail "$count files in $1 instead of $2"
}

# Every 50th of 2000 steps; each file is a problem with its solution, and can be solved again.
expect_code 0 run "$stack" --no-result --dump-problems every --when 'every 50'
expect_text out "contact problems +40 written to every$"
expect_files every 40
[[ -f every/step-00000050.hdf5 && -f every/step-00002000.hdf5 ]] || fail "names: $(ls every)"
expect_code 0 solve every/*.hdf5 --tol 1e-8
[[ $(grep -c 'local 2D +6 .* solved' -E out) -eq 40 ]] || { cat out; fail "not all solved"; }
if command -v h5dump >/dev/null; then
    h5dump -d /solution/r every/step-00000100.hdf5 >/dev/null || fail "no solution in the file"
fi

# The run itself is the same with and without.
expect_code 0 run "$stack" --out plain.h5 --quiet
expect_code 0 run "$stack" --out watched.h5 --quiet --dump-problems every --when 'every 7' \
    --dump-limit 5
if command -v h5diff >/dev/null; then
    h5diff plain.h5 watched.h5 /checkpoint /checkpoint || fail "the run changed"
fi

# Conditions: none that bad, all of them, and by default those that were not solved.
expect_code 0 run "$stack" --no-result --dump-problems bad --when 'residual>1'
expect_text out "contact problems +none written to bad: none had residual>1"
expect_files bad 0
expect_code 0 run "$stack" --no-result --end 0.02 --dump-problems all --when ' residual > 0 '
expect_files all 20
expect_code 0 run "$stack" --no-result --end 0.02 --dump-problems long --when 'iterations>1000000'
expect_files long 0
expect_code 0 run "$stack" --no-result --dump-problems unsolved
expect_text out "none written to unsolved: all were solved"
rough="--set simulation.solver_iterations=1 --end 0.02"
# shellcheck disable=SC2086
expect_code 1 run "$stack" --no-result --dump-problems unsolved $rough
[[ -f unsolved/step-00000001.hdf5 ]] || fail "the unsolved problem is missing"
expect_code 0 solve unsolved/*.hdf5
# A run that stops at a problem leaves it behind.
# shellcheck disable=SC2086
expect_code 3 run "$stack" --out stopped.h5 --dump-problems stopped $rough \
    --set simulation.on_failure=stop
expect_text err "did not converge"
expect_text out "contact problems +1 written to stopped"
expect_files stopped 1

# Contacts in space and without friction, of impacts: padded to three components.
cat >drop.yaml <<'YAML'
dimension: 3
gravity: [0.3, 0, -9.81]
bodies:
  box:
    position: [0, 0, 0.3]
    angular_velocity: [0.13, 2.385, 0.71]
    shape: {box: [0.1, 0.2, 0.31], density: 700}
  ball:
    position: [1, 0, 0.1]
    shape: {sphere: 0.1, density: 700}
contacts:
  floor: {type: box-plane, bodies: [ground, box], normal: [0, 0, 1], size: [0.1, 0.2, 0.31],
          friction: 0.4, restitution: 0.3}
  ice: {type: sphere-plane, bodies: [ground, ball], normal: [0, 0, 1], radius: 0.1}
simulation: {step: 1e-3, end: 1}
YAML
expect_code 0 run drop.yaml --no-result --dump-problems drop --when 'every 10'
expect_files drop 100
expect_code 0 solve drop/*.hdf5 --tol 1e-8
expect_text out "local 3D +1 "
expect_text out "local 3D +[2-9] "

# The limit; files of another run are told.
expect_code 0 run drop.yaml --no-result --dump-problems few --when 'every 10' --dump-limit 3
expect_files few 3
[[ $(grep -c dump-limit err) -eq 1 ]] || { cat err; fail "the limit is told once"; }
expect_text err "step 40, .*few already has 3 contact problems"
expect_text out "contact problems +3 written to few, then --dump-limit was met$"
expect_code 0 run drop.yaml --no-result --dump-problems few --when 'every 100' --dump-limit 10
expect_no_text err "dump-limit"
expect_text out "10 written to few; 3 more from other runs$"

# A resumed run goes on with the numbers of the steps.
expect_code 0 run drop.yaml --out half.h5 --quiet --end 0.5
expect_code 0 run drop.yaml --no-result --quiet --resume half.h5 --dump-problems rest --when 'every 10'
expect_files rest 50
for file in rest/*; do
    cmp "$file" "drop/${file#*/}" || fail "$file differs from that of an uninterrupted run"
done

# What cannot be written ends the run at once, with the result so far.
mkdir -p blocked/step-00000020.hdf5
expect_code 3 run drop.yaml --out blocked.h5 --dump-problems blocked --when 'every 10'
expect_text err "blocked/step-00000020.hdf5: cannot write the contact problem"
expect_text out "simulated time +0 s to 0.02 s, failed"
expect_files blocked 1
expect_code 0 info blocked.h5
expect_text out "incomplete"
# No room: files may not grow beyond 2 KiB.
if (trap '' XFSZ; ulimit -f 2; expect_code 3 run drop.yaml --no-result --dump-problems full \
    --when 'every 10'); then
    expect_text err "full/step-00000010.hdf5: cannot write the contact problem"
    expect_files full 0
else
    fail "a full disk"
fi
: >occupied
expect_code 3 run drop.yaml --out x.h5 --dump-problems occupied
expect_text err "occupied: is a file"
expect_code 3 run drop.yaml --out x.h5 --dump-problems no/where
expect_text err "cannot make the folder"
expect_code 3 run drop.yaml --out no/x.h5 --dump-problems unused
[[ ! -e x.h5 && ! -e x.h5.part && ! -e unused ]] || fail "a run that did not start left something"

# Mistakes.
for when in residual 'residual>=1' 'residual>' 'residual>x' 'residual>-1' 'residual>nan' \
    'residual>1 2' 'iterations>1.5' 'iterations>-1' every every50 'every 0' 'every -3' 'every 2.5' \
    'every 99999999999999999999' sometimes; do
    expect_mistake "--when '$when': must be like 'residual>1e-6', 'iterations>100' or 'every 50'" \
        run drop.yaml --dump-problems d --when "$when"
done
expect_mistake "empty value" run drop.yaml --dump-problems d --when=
expect_mistake "--when needs --dump-problems" run drop.yaml --when 'every 5'
expect_mistake "--dump-limit needs --dump-problems" run drop.yaml --dump-limit 5
expect_mistake "--dump-limit 0: must be an integer" run drop.yaml --dump-problems d --dump-limit 0
[[ ! -e d ]] || fail "a mistake made the folder"
