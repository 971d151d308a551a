# percuss compare with schemes that choose their own steps: integrators by name, tolerances, fixed
# inner steps, published values of the four-bar linkage.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >pendulum.yaml <<'YAML'
title: Pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2.385, inertia: 0.0613, position: [0.731, 0]}
joints:
  hinge: {type: revolute, bodies: [ground, rod], at: [0, 0]}
simulation: {scheme: moreau-jean, step: 1e-3, end: 1}
YAML

value() { # FILE SCHEME LEVEL COLUMN
    awk -F, -v s="\"$2\"" -v h="$3" -v c="$4" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $2 == s && $at["level"] == h { print $at[c] }' "$1"
}

expect_number() { # CONDITION NUMBER...: as $1, $2...
    local condition=$1
    shift
    echo "$@" | awk "{ exit !($condition) }" || fail "not $condition: $*"
}

# ---- Tolerances: the reference is phem56 at a hundredth of the smallest ----
expect_code 0 compare pendulum.yaml --schemes phem56,event-driven:integrator=hem5,rkf45 \
    --tols 1e-4,1e-8 --repeat 1 -o tols
expect_text out "^reference: phem56, tolerance 1e-10$"
expect_text out "^performance profile, time at equal tolerance, 2 problems$"
[[ $(wc -l <tols.csv) -eq 7 ]] || { cat tols.csv; fail "rows"; }
for scheme in phem56 event-driven:integrator=hem5 rkf45; do
    expect_number '$1 > 1e2 * $2 && $2 > 0 && $2 < 1e-6' \
        "$(value tols.csv $scheme 0.0001 error_q)" "$(value tols.csv $scheme 1e-08 error_q)"
    expect_number '$1 >= 6 * $2' "$(value tols.csv $scheme 1e-08 evaluations)" \
        "$(value tols.csv $scheme 1e-08 accepted)"
done
# Index 2 holds the velocities of the joint to rounding, index 1 does not.
expect_number '$1 < 1e-13 && $2 > 1e-10' "$(value tols.csv phem56 0.0001 velocity_drift)" \
    "$(value tols.csv rkf45 0.0001 velocity_drift)"

# ---- Fixed inner steps: order 5 beside Moreau-Jean's order 2 ----
expect_code 0 compare pendulum.yaml --schemes moreau-jean,phem56:step_control=fixed \
    --steps 2e-2,1e-2 --tols 1e-3,1e-6 --reference phem56@1e-12 --repeat 1 -o steps
expect_text out "^performance profile, time to reach an error of q"
expect_number '$1 / $2 > 24 && $1 / $2 < 45' \
    "$(value steps.csv phem56:step_control=fixed 0.02 error_q)" \
    "$(value steps.csv phem56:step_control=fixed 0.01 error_q)"
expect_number '$1 == 100' "$(value steps.csv phem56:step_control=fixed 0.01 accepted)"
expect_mistake "all schemes choose their own steps" compare pendulum.yaml --schemes phem56 --steps 1
expect_mistake "did you mean 'phem56'" compare pendulum.yaml --schemes phem65

# ---- Table 3.3 of [Haddouni2015]: accepted steps within 10 % where the table's control is known ----
model=$PERCUSS_SOURCE/examples/four_bar_formulas.yaml
expect_code 0 compare "$model" --schemes phem56,rkf45,alpha2 --tols 1e-6,1e-8 --repeat 1 \
    --reference phem56@1e-11 --beside "$PERCUSS_SOURCE/docs/data/haddouni-table-3.3.csv" -o bar
expect_text out "^phem56 +1.0e-08 \|.*\| +2[0-9]+ +291 +(0.9|1|1.0)[0-9]*$"
expect_text out "^Four-bar linkage over 2 s: Table 3.3"
for row in phem56:1e-06:128 phem56:1e-08:291 rkf45:1e-06:214 rkf45:1e-08:504 alpha2:1e-06:1067 \
    alpha2:1e-08:4937; do
    IFS=: read -r scheme level published <<<"$row"
    expect_number '$1 > 0.9 * $2 && $1 < 1.1 * $2' "$(value bar.csv "$scheme" "$level" accepted)" \
        "$published"
done
echo "ok"
