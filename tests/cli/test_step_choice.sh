# The schemes that choose their own steps run on models with joints, friction, rest and many impacts.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for scheme in moreau-jean-adaptive capturing; do
    for run in "woodpecker 0.3" "bouncing_ball 2" "slider_crank_clearance 0.02" "three_boxes 0.2" "four_bar 0.5" \
        "ratchet 0.5" "newton_cradle 0.5"; do
        read -r example end <<<"$run"
        expect_code 0 run "$PERCUSS_SOURCE/examples/$example.yaml" --scheme "$scheme" --step 2e-3 --end "$end" \
            --set simulation.tolerance=1e-6 --no-result
        expect_text out "scheme +$scheme"
        expect_text out "0 not converged"
    done
    # Both say what their own steps were.
    expect_code 0 run "$PERCUSS_SOURCE/examples/bouncing_ball.yaml" --scheme "$scheme" --step 0.05 --no-result
    expect_text out "inner steps +[0-9]+ accepted, [0-9]+ rejected, the smallest"
done
expect_code 0 run "$PERCUSS_SOURCE/examples/incline.yaml" --scheme capturing --no-result
expect_text out "time stepping +2 s of the simulated time"
expect_mistake "did you mean 'tolerance'" run "$PERCUSS_SOURCE/examples/four_bar.yaml" --scheme capturing \
    --no-result --set simulation.tolerence=1
echo "ok"
