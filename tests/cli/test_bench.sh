# percuss bench solve: tables, profiles, CSV and SVG; the peer where it is built in.
data=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../data/contact-problems")
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# ---- Our solvers alone ----
expect_code 0 bench solve "$data" --solvers auto --tol 1e-8,1e-4 --max-time 5 --no-peer \
    --csv table.csv --svg profile.svg
expect_empty err
expect_text out "^local 3D, tolerance 0.0001$"
expect_text out "^local 2D, tolerance 1e-08$"
expect_text out "^box.dat +4 +[0-9.]+ [mu]?s/[0-9]+$"
expect_text out "^painleve-none.dat +1 +(\([0-9.e+-]+\)|T/O)$"
expect_text out "^performance profile, local 3D, tolerance 1e-08, 4 problems$"
expect_text out "^performance profile, all problems, tolerance 0.0001, 9 problems$"
expect_text out "^auto +4 +1.00 +1.00 +1.00 +1.00 +1.00$"
expect_no_text out "Siconos"
[[ $(grep -n "tolerance 0.0001" out | head -1 | cut -d: -f1) -lt \
    $(grep -n "tolerance 1e-08" out | head -1 | cut -d: -f1) ]] || fail "tolerances are not sorted"

# Every file twice, all solved but the one without a solution; times are positive.
[[ $(head -1 table.csv) == \
    problem,class,contacts,tolerance,program,solver,outcome,seconds,iterations,residual ]] ||
    fail "head of the CSV"
[[ $(grep -c '^"' table.csv) -eq 18 ]] || { cat table.csv; fail "rows of the CSV"; }
[[ $(grep -c ',solved,' table.csv) -eq 16 ]] || { cat table.csv; fail "solved problems"; }
awk -F, 'NR > 1 && ($8 <= 0 || ($7 == "solved" && $10 > $4))' table.csv >wrong
expect_empty wrong
expect_text profile.svg "^<svg "
expect_text profile.svg "share of the problems solved"
expect_text profile.svg "time / time of the fastest solver"
expect_text profile.svg ">auto</text>"
expect_text profile.svg "^</svg>$"
if command -v python3 >/dev/null; then
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("profile.svg")' || fail "SVG"
fi

# All solvers of one class; the profile is theirs.
expect_code 0 bench solve "$data/lcp.dat" --tol 1e-8 --max-time 2 --no-peer --repeat 2
expect_text out "^auto +1 "
expect_text out "^lemke +1 "

# ---- The peer ----
# Siconos loses memory; that is not what a build with the leak sanitizer is to report.
echo "leak:libsiconos" >suppressed
export LSAN_OPTIONS=suppressions=$PWD/suppressed:print_suppressions=0
expect_code 0 bench solve "$data"/{box,slip}.dat --solvers auto --tol 1e-6 --max-time 2 \
    --min-contacts 2 --csv peer.csv
if grep -q "built without" out; then
    expect_no_text out "shifted geometric mean"
else
    expect_text out "^Siconos: "
    expect_text out "S:NSGS-FULL"
    expect_text out "^Siconos's best solver against auto, tolerance 1e-06, problems of size 2 or more$"
    expect_text out "^box.dat +4 +[0-9.]+ [mu]s +[0-9.]+ [mu]s +[A-Z_-]+ +[0-9.]+$"
    expect_text out "shifted geometric mean of the ratio"
    expect_text out "^over 1 problems; worst ratio"
    expect_text peer.csv '^"box.dat",local 3D,4,1e-06,Siconos,NSGS,solved,'
fi

# ---- Mistakes ----
expect_mistake "bench needs problem files" bench
expect_mistake "bench needs problem files" bench solve
expect_mistake "bench measures 'solve', not 'run'" bench run "$data"
expect_mistake "unknown solver" bench solve "$data" --solvers quicksand
expect_mistake "must be a positive number" bench solve "$data" --tol 1e-4,x
expect_mistake "must be an integer" bench solve "$data" --repeat 0
mkdir empty
expect_mistake "bench needs problem files" bench solve empty
run bench solve "$data/lcp.dat" missing.dat --solvers auto --tol 1e-4 --no-peer
[[ $code -eq 2 ]] || fail "a missing file: exit code $code"
expect_text err "missing.dat"
expect_text out "lcp.dat +3 +[0-9.]+ "
run bench solve "$data/lcp.dat" --solvers auto --no-peer --csv nowhere/table.csv
[[ $code -eq 3 ]] || fail "a folder that is missing: exit code $code"

if [[ -n ${PERCUSS_SOURCE:-} ]]; then
    sed 's/\\-/-/g' "$PERCUSS_SOURCE/docs/percuss.1" >manual
    expect_code 0 bench --help
    for option in $(grep -oE '^  --[a-z-]+' out); do
        for page in manual "$PERCUSS_SOURCE/docs/command-line.md"; do
            grep -qE -- "$option([^a-z-]|\$)" "$page" || fail "no $option of bench in $page"
        done
    done
fi
echo "ok"
