# percuss solve: contact problems from files.
data=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../data/contact-problems")
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# ---- Every class is solved and verified ----
good=(stick slip open box box-global lcp mlcp painleve-two)
for tolerance in 1e-4 1e-8 1e-12; do
    for name in "${good[@]}"; do
        expect_code 0 solve "$data/$name.dat" --tol "$tolerance"
        expect_empty err
        expect_text out "$name.dat +[A-Za-z]+( [23]D)? +[0-9]+ +auto +(solved|rounding) "
    done
done
expect_code 0 solve "$data"/{stick,box-global,lcp,mlcp}.dat
expect_text out "^file +class +contacts +solver +status +residual +iterations +time$"
expect_text out "stick.dat +local 3D +1 "
expect_text out "box-global.dat +global 3D +4 "
expect_text out "/lcp.dat +LCP +3 "
expect_text out "mlcp.dat +MLCP +2 "
[[ $(wc -l <out) -eq 5 ]] || fail "not one line for each file"

# ---- The report ----
expect_code 0 solve "$data/stick.dat" --report
expect_text out "contacts +0 open, 1 stick, 0 slip"
expect_code 0 solve "$data/slip.dat" --report
expect_text out "contacts +0 open, 0 stick, 1 slip"
expect_text out "dissipation +-[0-9]"
expect_code 0 solve "$data/open.dat" --report
expect_text out "contacts +1 open, 0 stick, 0 slip"
expect_code 0 solve "$data/box.dat" --report
expect_text out "size +4 contacts in 3D, 0 bilateral rows, 12 rows in all"
expect_text out "stages +.* iterations .* residual "
expect_text out "closed the gap"
expect_code 0 solve "$data/box-global.dat" --report
expect_text out "degrees of freedom +6"
expect_code 0 solve "$data/mlcp.dat" --report
expect_text out "size +4 rows, 2 of them complementary"

# ---- No solution: says so ----
expect_code 1 solve "$data/painleve-none.dat" --report
expect_text out "auto +unsolved "
expect_text out "worst contact +0 "
expect_text out "reason +[A-Za-z]"
expect_code 1 solve "$data/painleve-none.dat" --report --count-solutions
expect_text out "solutions +0$"
expect_code 0 solve "$data/painleve-two.dat" --report --count-solutions
expect_text out "solutions +2$"
expect_code 0 solve "$data/stick.dat" --report --count-solutions
expect_text out "solutions +1$"
expect_code 1 solve "$data/stick.dat" "$data/painleve-none.dat" "$data/slip.dat"
expect_text out "slip.dat .* solved "

# ---- All solvers, measures, limits ----
for name in box lcp mlcp box-global; do
    run solve "$data/$name.dat" --solver all --max-time 5
    [[ $code -le 1 ]] || { cat out err; fail "--solver all: exit code $code"; }
    expect_text out " auto +solved "
    expect_no_text out " false "
    [[ $(wc -l <out) -ge 4 ]] || fail "only $(wc -l <out) lines with --solver all"
done
for measure in relative scaled unscaled; do
    expect_code 0 solve "$data/box.dat" --measure "$measure" --tol 1e-9
done
expect_code 0 solve "$data/box.dat" --threads 2 --max-iterations 100000 --max-time 10

# ---- Stopping: nothing reaches 1e-300, and the best iterate is printed ----
endless=("$data/box.dat" --solver gauss-seidel --tol 1e-300 --max-iterations 2000000000)
expect_code 1 solve "${endless[@]}" --max-time 0.2
expect_text out " gauss-seidel +timeout +[0-9.]+e-1[0-9] "
# Background jobs of a script ignore SIGINT, hence env.
env --default-signal=INT "$PERCUSS" solve "${endless[@]}" "$data/stick.dat" >out 2>err &
runner=$!
wait_for_work "$runner" 40
kill -INT "$runner"
code=0
wait "$runner" || code=$?
[[ $code -eq 130 ]] || { cat out err; fail "exit code $code after Ctrl-C"; }
expect_text out " gauss-seidel +interrupted "
expect_no_text out "stick.dat"

# ---- JSON ----
run solve "$data/box.dat" "$data/painleve-none.dat" missing.dat --json
[[ $code -eq 2 ]] || fail "exit code $code with a missing file"
[[ $(wc -l <out) -eq 3 ]] || { cat out; fail "not one object for each file"; }
expect_text out '^\{"file":".*box.dat","class":"local","dimension":3,"contacts":4,.*"status":"solved"'
expect_text out '^\{"file":"missing.dat","status":"error","reason":"missing.dat: '
if command -v python3 >/dev/null; then
    python3 - <<'PY' || fail "JSON"
import json
rows = [json.loads(line) for line in open("out")]
assert rows[0]["residual"] <= rows[0]["tolerance"] == 1e-8
assert rows[0]["open"] + rows[0]["stick"] + rows[0]["slip"] == 4
assert rows[0]["dissipation"] <= 0 and rows[0]["cone"] <= 1e-8
assert sum(stage["iterations"] for stage in rows[0]["stages"]) == rows[0]["iterations"]
assert rows[1]["status"] == "unsolved" and rows[1]["reason"]
PY
fi

# ---- Writing ----
expect_code 0 solve "$data/box.dat" --write copy.dat --json
sed 's/"file":"[^"]*"//; s/"seconds":[^,}]*//g' out >first
expect_code 0 solve copy.dat --json
sed 's/"file":"[^"]*"//; s/"seconds":[^,}]*//g' out >second
cmp first second || fail "the copy has another solution"
expect_code 0 solve "$data/box-global.dat" --write copy.hdf5
expect_code 0 solve copy.hdf5
expect_text out "copy.hdf5 +global 3D +4 +auto +solved "
if command -v h5dump >/dev/null; then
    h5dump -n copy.hdf5 >names
    expect_text names "/solution/r"
fi
expect_code 2 solve "$data/lcp.dat" --write lcp.hdf5 # FCLIB knows no LCP
expect_text out " solved "
expect_text err "^percuss: .*lcp.hdf5"
[[ ! -e lcp.hdf5 ]] || fail "lcp.hdf5 was written"

# ---- Bad input: a message, and the other files are still solved ----
head -c 60 "$data/box.dat" >cut.dat
sed '8s/[^ ]*/nan/' "$data/stick.dat" >nan.dat
sed '$s/.*/-0.3/' "$data/stick.dat" >negative.dat
: >empty.dat
for name in cut nan negative empty missing; do
    expect_mistake "$name.dat" solve $name.dat
    run solve $name.dat "$data/stick.dat"
    [[ $code -eq 2 ]] || fail "$name.dat: exit code $code"
    expect_text out "stick.dat .* solved "
done
expect_mistake "needs a problem file" solve
expect_mistake "did you mean 'gauss-seidel'" solve "$data/stick.dat" --solver gauss-siedel
expect_mistake "unknown solver" solve "$data/stick.dat" --solver quicksand
expect_mistake "not for local problems" solve "$data/stick.dat" --solver lemke
expect_mistake "must be a positive number" solve "$data/stick.dat" --tol 0
expect_mistake "must be a positive number" solve "$data/stick.dat" --tol nan
expect_mistake "must be relative, scaled or unscaled" solve "$data/stick.dat" --measure best
expect_mistake "must be an integer from 1" solve "$data/stick.dat" --max-iterations 1e3
expect_mistake "must be an integer from 1" solve "$data/stick.dat" --threads 0
expect_mistake "key=value" solve "$data/stick.dat" --set relaxation
expect_mistake "no option 'colour'" solve "$data/stick.dat" --set colour=red
expect_mistake "one problem file and one solver" solve "$data/stick.dat" "$data/slip.dat" --write a.dat
cp "$data/stick.dat" own.dat
expect_mistake "is the problem file" solve own.dat --write own.dat
expect_mistake "contradict" solve own.dat --json --report
run solve own.dat --write nowhere/copy.dat
[[ $code -eq 3 ]] || fail "a folder that is missing: exit code $code"

# ---- The manual knows the options ----
if [[ -n ${PERCUSS_SOURCE:-} ]]; then
    sed 's/\\-/-/g' "$PERCUSS_SOURCE/docs/percuss.1" >manual
    expect_code 0 solve --help
    for option in $(grep -oE '^  --[a-z-]+' out); do
        for page in manual "$PERCUSS_SOURCE/docs/command-line.md"; do
            grep -qE -- "$option([^a-z-]|\$)" "$page" || fail "no $option of solve in $page"
        done
    done
fi
echo "ok"
