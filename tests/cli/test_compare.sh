# percuss compare: tables, CSV, pictures, published values, failures, mistakes, Ctrl-C.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >pendulum.yaml <<'YAML'
title: Pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2.385, inertia: 0.0613, position: [0.731, 0]}
joints:
  hinge: {type: revolute, bodies: [ground, rod], at: [0, 0]}
simulation: {scheme: moreau-jean, step: 1e-3, end: 0.5, theta: 0.5}
YAML

has_pictures=1
! "$PERCUSS" plot nothing.h5 time -o x.svg 2>&1 | grep -q "without plots" || has_pictures=0

# ---- Two models, two schemes, three steps ----
expect_code 0 compare pendulum.yaml spatial.yaml --schemes moreau-jean,moreau-jean:theta=1 \
    --steps 4e-3,1e-3,2e-3 --tols 1e-2,1e-5 --end 0.2 --reference moreau-jean@1e-4 --samples 10 \
    --repeat 2 -o both.csv
[[ $has_pictures -eq 0 ]] || expect_empty err
expect_text out "^pendulum: Pendulum, 0 s to 0.2 s$"
expect_text out "^reference: moreau-jean, step 0.0001$"
expect_text out "^scheme +level +CPU time +accepted +rejected +evaluations +avg step"
expect_text out "^moreau-jean:theta=1 +0.004 +[0-9.]+ [mu]?s +50 +0 +- +0.004 +[0-9]"
expect_text out "^drift +level +\|g\| +\|G v\| +penetration +energy"
expect_text out "^performance profile, time to reach an error of q .*, 4 problems$"
expect_text out "^written: both.csv"
[[ ! -e both.csv.csv && ! -e both.csv.part ]] || fail "files: $(ls)"

# A row for each run. The second order of theta = 1/2 and the first of theta = 1 are to be seen.
[[ $(head -1 both.csv) == model,scheme,outcome,level_is,level,seconds,accepted,* ]] || fail "head"
[[ $(wc -l <both.csv) -eq 13 ]] || { cat both.csv; fail "rows of the CSV"; }
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $3 != "finished" || $at["seconds"] <= 0 || $at["error_q"] <= 0 ||
    $at["error_q_max"] < $at["error_q"] || $at["time_reached"] != 0.2 ||
    $at["accepted"] * $at["average_step"] < 0.199 { print }' both.csv >wrong
expect_empty wrong
error_of() { # SCHEME STEP
    awk -F, -v s="\"$1\"" -v h="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == "\"pendulum.yaml\"" && $2 == s && $5 == h { print $at["error_q"] }' both.csv
}
awk -v a="$(error_of moreau-jean 0.004)" -v b="$(error_of moreau-jean 0.001)" \
    'BEGIN { exit !(a / b > 14 && a / b < 18) }' || fail "second order"
awk -v a="$(error_of moreau-jean:theta=1 0.004)" -v b="$(error_of moreau-jean:theta=1 0.001)" \
    'BEGIN { exit !(a / b > 3.6 && a / b < 4.6) }' || fail "first order"

if [[ $has_pictures -eq 1 ]]; then
    [[ $(head -c 4 both.png | od -A n -t x1) == " 89 50 4e 47" ]] || fail "no PNG"
    ! command -v python3 >/dev/null ||
        python3 -c 'import xml.dom.minidom as m
root = m.parse("both.svg").documentElement
assert root.tagName == "svg" and root.getElementsByTagName("path")' || fail "no SVG"
fi

# In space a quaternion and its negative are the same place: a run against itself has no error but the
# rounding of one quaternion product.
expect_code 0 compare spatial.yaml --schemes moreau-jean --steps 1e-3 --reference moreau-jean@1e-3 \
    --end 3 -o itself
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["error_q_max"] > 1e-15 || $at["error_v_max"] != 0 { print }' itself.csv >wrong
expect_empty wrong

# ---- The L1 norm with observed orders ----
# x = sin(t) with one mass and one spring: all coordinates but one stand still, so the norm over all of
# them is that of this one. The second order is in every row and in the fit; the largest step meets
# every third output time alone.
cat >oscillator.yaml <<'YAML'
dimension: 2
bodies:
  p: {point: true, mass: 1.7, position: [0, 0], velocity: [1, 0]}
springs:
  s: {type: point, bodies: [ground, p], a: [-1000, 0], b: [0, 0], stiffness: 1.7, rest: 1000}
simulation: {scheme: moreau-jean, step: 1e-2, end: 6, theta: 0.5}
YAML
expect_code 0 compare oscillator.yaml --schemes moreau-jean --steps 3e-2,1e-2,5e-3,2.5e-3 --samples 600 \
    --reference phem56@1e-11 --error l1 -o l1
expect_text out "^L1 error +level +q +v +order q +order v$"
expect_text out "^moreau-jean +0.03 +[0-9.]+e-0[0-9] +[0-9.]+e-0[0-9] +- +-$"
for level in 0.01 0.005 0.0025 fit; do
    expect_text out "^moreau-jean +$level .* +2\.0[0-9] +(2\.0[0-9]|1\.9[0-9])$"
done
# The trapezoidal rule turns the phase by h^2/12 too little in a unit of time: sum |cos t| t h^2/12 / sum |sin t|.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { h = $at["level"]; error = size = 0
      for (t = 0.01; t < 6.005; t += 0.01) {
          c = cos(t); s = sin(t); error += (c < 0 ? -c : c) * t * h^2 / 12; size += s < 0 ? -s : s }
      d = $at["error_q_l1"] / (error / size) - 1
      if (d > 0.02 || d < -0.02 || $at["error_v_l1"] <= 0 || $at["error_signal_1"] != "") print }' \
    l1.csv >wrong
expect_empty wrong
# Signals in place of q and v: the relative error of a signal does not depend on its sign or unit.
expect_code 0 compare oscillator.yaml --schemes moreau-jean --steps 3e-2,1e-2 --samples 200 \
    --reference phem56@1e-11 --error l1 --signals body.p.position.x,body.p.velocity.x -o signals
expect_text out "^a: body.p.position.x$"
expect_text out "^b: body.p.velocity.x$"
expect_text out "^L1 error +level +a +b +order a +order b$"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { q = $at["error_signal_1"] / $at["error_q_l1"] - 1; v = $at["error_signal_2"] / $at["error_v_l1"] - 1 }
    q > 1e-6 || q < -1e-6 || v > 1e-6 || v < -1e-6 { print }' signals.csv >wrong
expect_empty wrong

# Without -o nothing is written, without a reference there are no errors.
before=$(ls)
expect_code 0 compare ball.yaml --schemes moreau-jean --steps 1e-2 --reference none
[[ $(ls) == "$before" ]] || fail "files changed"
expect_text out "^reference: none$"
expect_text out "^moreau-jean +0.01 .* +- +- +- +-$"

# ---- A run that fails is a row; the others go on ----
cat >fails.yaml <<'YAML'
dimension: 2
bodies:
  p: {mass: 1, inertia: 1, velocity: [1, 0]}
forces:
  burst: {body: p, force: [1e300*exp(900*t), 0]}
simulation: {scheme: moreau-jean, step: 1e-2, end: 1}
YAML
expect_code 1 compare fails.yaml pendulum.yaml --schemes moreau-jean --steps 1e-2 \
    --reference moreau-jean@1e-3 -o failed
expect_text out "FAILED$"
expect_text failed.csv '^"fails.yaml","moreau-jean",failed,step,0.01,.*,".+"$'
expect_text failed.csv '^"pendulum.yaml","moreau-jean",finished,'
expect_text out "^reference: moreau-jean, step 0.001: failed, so there are no errors to show: "
expect_code 1 compare ball.yaml --schemes moreau-jean --steps 1e-6 --end 100 --max-time 0.1 \
    --reference none
expect_text out "stopped at t = [0-9.e-]+ s by --max-time 0.1"

# ---- Published values ----
printf '# From nowhere.\nscheme,level,accepted,drift_1,drift_2\nmoreau-jean,1e-2,50,1e-3,2e-3\n' >given
expect_code 0 compare pendulum.yaml --schemes moreau-jean --steps 1e-2,2e-2 --beside given
expect_text out "^published values: ours, published, ours/published$"
expect_text out "^moreau-jean +1.0e-02 \| +50 +50 +1 \| +[0-9.e-]+ +0.002 "
expect_text out "^From nowhere.$"
if [[ -n ${PERCUSS_SOURCE:-} ]]; then
    for table in "$PERCUSS_SOURCE"/docs/data/haddouni-table-3.{3,5}.csv; do
        expect_code 0 compare pendulum.yaml --schemes moreau-jean --steps 1e-2 --beside "$table"
        expect_text out "no run has the scheme and level of a published row"
    done
fi

# ---- Mistakes ----
good=(compare pendulum.yaml --schemes moreau-jean --steps 1e-2)
expect_mistake "compare needs a model" compare --schemes moreau-jean
expect_mistake "compare needs --schemes" compare pendulum.yaml
expect_mistake "did you mean 'moreau-jean'" compare pendulum.yaml --schemes moreau-jaen --steps 1
expect_mistake "did you mean 'theta'" compare pendulum.yaml --schemes moreau-jean:thta=1 --steps 1
expect_mistake "theta" compare pendulum.yaml --schemes moreau-jean:theta=7 --steps 1e-2
expect_mistake "is named twice" compare pendulum.yaml --schemes moreau-jean,moreau-jean --steps 1
expect_mistake "has fixed steps; give them with --steps" compare pendulum.yaml --schemes moreau-jean
expect_mistake "must be a positive number" compare pendulum.yaml --schemes moreau-jean --steps 0,1
expect_mistake "must be an integer" "${good[@]}" --samples 0
expect_mistake "use --profile error" "${good[@]}" --profile tolerance
expect_mistake "must be tolerance or error" "${good[@]}" --profile speed
expect_mistake "must be end, worst or l1" "${good[@]}" --error mean
expect_mistake "signals needs --error l1" "${good[@]}" --signals body.rod.angle
expect_mistake "pendulum.yaml: .*body.rod.angel" "${good[@]}" --error l1 --signals body.rod.angel
expect_mistake "at most 2 signals" "${good[@]}" --error l1 --signals time,body.rod.angle,energy.total
expect_mistake "--reference: unknown scheme 'x'" "${good[@]}" --reference x@1
expect_mistake "level" "${good[@]}" --reference moreau-jean@x
expect_mistake "cannot read" "${good[@]}" --beside missing.csv
expect_mistake "unknown column 'speed'" "${good[@]}" --beside <(printf 'scheme,speed\n')
expect_mistake "missing.yaml" compare missing.yaml --schemes moreau-jean --steps 1e-2
expect_mistake "nothing to simulate" "${good[@]}" --end 0
cp given given.csv
expect_mistake "would replace the published values" "${good[@]}" --beside given.csv -o given
run "${good[@]}" -o nowhere/table
[[ $code -eq 3 ]] || fail "a folder that is missing: exit code $code"
expect_text err "nowhere/table.csv: cannot write"

# ---- Ctrl-C keeps what was computed ----
env --default-signal=INT "$PERCUSS" compare ball.yaml --schemes moreau-jean --steps 1e-1,1e-8 \
    --reference none --end 100 --repeat 1 --max-time 1000 -o stopped >out 2>err &
runner=$!
wait_for_work "$runner" 100 # the first step size takes a moment, the second hours
kill -INT "$runner"
code=0
wait "$runner" || code=$?
[[ $code -eq 130 ]] || { cat out err; fail "interrupted: exit code $code"; }
expect_text out "^moreau-jean +0.1 "
[[ $(wc -l <stopped.csv) -eq 2 ]] || { cat stopped.csv; fail "rows after Ctrl-C"; }

if [[ -n ${PERCUSS_SOURCE:-} ]]; then
    sed 's/\\-/-/g' "$PERCUSS_SOURCE/docs/percuss.1" >manual
    expect_code 0 compare --help
    for option in $(grep -oE '^  --?[a-z-]+' out); do
        for page in manual "$PERCUSS_SOURCE/docs/command-line.md"; do
            grep -qE -- "$option([^a-z-]|\$)" "$page" || fail "no $option of compare in $page"
        done
    done
fi
echo "ok"
