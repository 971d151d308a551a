# The n-th allocation, read, write, fsync, rename, ... fails, or the process is killed there, for every verb
# and every kind of file: see faults.py. FAULTS_FULL=1 tries every call (half an hour).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ -z ${FAULT_SHIM:-} ]]; then
    echo "skipped: FAULT_SHIM does not name the library"
    exit 77
fi

cat >mount.yaml <<'YAML'
title: Block on a mount
dimension: 2
gravity: [0, -9.81]
bodies:
  block: {mass: 2.385, inertia: 0.0613, position: [0, 0.5]}
joints:
  guide: {type: prismatic, bodies: [ground, block], at: [0, 0], axis: [0, 1]}
springs:
  mount: {type: point, bodies: [ground, block], a: [0, 0], b: [0, 0], stiffness: 387.2, rest: 0.5}
simulation: {step: 1e-3, end: 0.1}
YAML

mkdir models
mv ball.yaml mount.yaml models
cp "$PERCUSS_SOURCE/tests/data/contact-problems/box.dat" models/problem.dat
(
    cd models
    "$PERCUSS" run ball.yaml --end 0.03 --out start.h5 --checkpoint start.chk --quiet
    "$PERCUSS" solve problem.dat --write problem.hdf5 >/dev/null
)
python3 "$PERCUSS_SOURCE/tests/cli/faults.py" "$PERCUSS" "$FAULT_SHIM" models
