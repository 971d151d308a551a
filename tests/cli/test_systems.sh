# Models of Lagrangian systems alone, without bodies, through all verbs.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

examples=$PERCUSS_SOURCE/examples
cp "$examples/four_bar_formulas.yaml" fourbar.yaml

expect_code 0 check fourbar.yaml
expect_text out "bodies +0"
expect_text out "systems +1: fourbar"
expect_text out "degrees of freedom +1 \(3 velocities, 2 constraint rows, 0 of them redundant\)"
expect_code 0 info fourbar.yaml --signals
cp out model_signals
expect_text out "^system.fourbar.phi1$"
expect_text out "^system.fourbar.phi3.acceleration$"
expect_text out "^system.fourbar.close_y.force$"
expect_text out "^body.fourbar.A.position.x$"
expect_code 0 info fourbar.yaml --drawings
expect_text out '"owner": "system"'

expect_code 0 run fourbar.yaml --end 0.2 --out run.h5 --checkpoint half.chk --quiet --report
[[ -s run.html ]] || fail "no report"
expect_text run.html "fourbar.phi1"
expect_code 0 info run.h5 --signals
diff <(sort model_signals) <(sort out) || fail "result and model offer other signals"
expect_code 0 export run.h5 --vtk vtk --quiet
[[ -s vtk/lines.pvd ]] || fail "no lines for ParaView"

# Resumed and uninterrupted runs agree to the last bit.
signals=system.fourbar.phi1,system.fourbar.phi2.rate,system.fourbar.close_x.force
expect_code 0 run fourbar.yaml --end 0.4 --resume half.chk --no-result --quiet --csv "$signals"
tail -n 1 out >resumed
expect_code 0 run fourbar.yaml --end 0.4 --no-result --quiet --csv "$signals"
diff <(tail -n 1 out) resumed || fail "the resumed run differs"

# A checkpoint belongs to its formulas.
expect_code 2 run fourbar.yaml --end 0.4 --resume half.chk --no-result --quiet \
    --set systems.fourbar.potential=m*g*sin\(phi1\)
expect_text err "another model"

# Mistakes are told with their place.
expect_mistake "did you mean 'system.fourbar.phi1'" run fourbar.yaml --no-result --csv system.fourbar.ph1
sed 's/l1\/2\*sin(phi1)/l1\/2*sin(phi4)/' fourbar.yaml >wrong.yaml
expect_mistake "wrong.yaml:32:30: unknown name 'phi4'; did you mean 'phi1'" check wrong.yaml
expect_code 0 list keys
expect_text out "systems.NAME.kinetic"
