# percuss run --verify: the run beside finer ones.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
examples=$PERCUSS_SOURCE/examples

observed_order() { # LOW HIGH
    awk -v low="$1" -v high="$2" '/observed order/ { n++; if ($3 < low || $3 > high) exit 1 } END { exit n != 1 }' out ||
        { cat out; fail "observed order is not between $1 and $2"; }
}

# Smooth motion has order 2, impacts order 1.
expect_code 0 run "$examples/four_bar.yaml" --no-result --end 0.5 --verify
observed_order 1.9 2.1
expect_text out "^verdict of both: good"
expect_text out "[a-z]+ +differs by at most .* m or rad, at t = "
expect_code 0 run "$examples/bouncing_ball.yaml" --no-result --verify
observed_order 0.7 1.4
expect_text out "^  impacts +10 and 10$"
expect_text out "times of impacts +differ by at most "
expect_code 0 run "$examples/dzhanibekov.yaml" --no-result --end 1 --verify
observed_order 1.9 2.1

# A tenth of the tolerance for schemes that have one; meshes and systems are compared too.
for scheme in event-driven moreau-jean-adaptive hybrid alpha2; do
    expect_code 0 run "$examples/bouncing_ball.yaml" --no-result --end 1.2 --verify --scheme $scheme
    expect_text out "^verified with tolerance"
    expect_text out "^verdict of both: good"
done
expect_code 0 run "$examples/andrews_squeezer_formulas.yaml" --no-result --end 0.005 --verify
expect_text out "squeezer +differs by"
expect_code 0 run "$examples/elastic_bar.yaml" --no-result --end 0.1 --verify
expect_text out "bar +differs by"

# Runs that their own energy audit would pass: chaos, and a flip that steps of 0.2 s lose.
expect_code 1 run "$examples/double_pendulum.yaml" --no-result --end 30 --step 1e-2 --verify
expect_text out "predictable +not beyond t = "
expect_text out "^verdict of both: bad"
expect_code 1 run "$examples/dzhanibekov.yaml" --no-result --step 0.2 --verify --quiet
expect_code 0 run "$examples/dzhanibekov.yaml" --no-result --step 0.2 --verify --accept
expect_text out "^verdict of both: bad"

# The result is that of the run without it.
expect_code 0 run "$examples/bouncing_ball.yaml" --no-result --quiet --csv body.ball.position.z
mv out alone
expect_code 0 run "$examples/bouncing_ball.yaml" --no-result --quiet --csv body.ball.position.z --verify
cmp alone out || fail "--verify changes the run"

expect_code 2 run "$examples/bouncing_ball.yaml" --no-result --verify --start static
expect_text err "^percuss: --verify needs a run from the beginning, without --start static$"
echo "ok"
