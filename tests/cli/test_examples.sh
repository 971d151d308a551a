# Runs every example for a shortened time, and checks the numbers that their comments state.
#
# Tolerances: the scheme is of order 2 in smooth motion and of order 1 in time at impacts, with a
# constant that depends on the model. "half": with order 2 the error is 4/3 of the difference d to a
# run with half the step; twice d is allowed. Other bounds are explained at their line.
# shellcheck disable=SC2016 # single quotes around awk programs
set -euo pipefail

examples=$PERCUSS_SOURCE/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# csv NAME END SIGNALS [OPTION...]: all steps of a run as $work/csv
csv() {
    local name=$1 end=$2 signals=$3 code=0
    shift 3
    "$PERCUSS" run "$examples/$name.yaml" --no-result --quiet --end "$end" --output-step 0 \
        --csv "$signals" "$@" >"$work/csv" || code=$?
    [[ $code == 0 ]] || fail "$name: exit code $code"
}

# near WHAT FOUND EXPECTED TOLERANCE
near() {
    if awk -v a="$2" -v b="$3" -v tol="$4" \
        'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= tol) }'; then
        echo "ok: $1: $2"
    else
        fail "$1: found '$2', expected $3 +- $4"
    fi
}

# Last value of column $1 (the time is column 1), found in $work/csv.
last() {
    tail -n 1 "$work/csv" | cut -d, -f"$1"
}

# Result of an awk program over the lines of $work/csv below the heading.
over() {
    tail -n +2 "$work/csv" | awk -F, -v OFMT=%.12g "$1"
}

# ---- Every example runs ----

for file in "$examples"/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -q '^# See:' "$file" || fail "$name does not say what to see"
    grep -q '^# Check:' "$file" || fail "$name does not say what to check"
    end=$(sed -n 's/^simulation: {end: \([0-9.]*\),.*/\1/p' "$file")
    [[ -n $end ]] || fail "$name: no end in 'simulation'"
    short=$(awk -v end="$end" 'BEGIN { print end / 10 }')
    code=0
    (cd "$work" && "$PERCUSS" run "$file" --end "$short" --quiet --out "$name.h5") || code=$?
    [[ $code == 0 ]] || fail "$name: exit code $code"
    [[ -s $work/$name.h5 ]] || fail "$name wrote no result"
    grep -q "| \[$name\]($name.yaml) |" "$examples/README.md" || fail "$name is not in README.md"
    rm -f "$work/$name.h5"
done
echo "ok: $(find "$examples" -maxdepth 1 -name '*.yaml' | wc -l) examples run"

# ---- Numbers ----

# At an impact the instant is wrong by at most a step h, the speed after it by g h.
csv bouncing_ball 2 body.ball.position.z,body.ball.velocity.z
near "bouncing_ball: next peak" \
    "$(over '$1 > 0.46 && $1 < 0.9 && $2 > z { z = $2 } END { print z - 0.1 }')" 0.25 0.005
near "bouncing_ball: speed at rest" "$(last 3)" 0 1e-9

# In at most 2 ms between the impact and the sample the speed changes by v (w t)^2/2 = 6e-5 m/s.
# Exact impacts: rounding; at rest gaps and forces within what one time step of 5e-7 s leaves.
csv bead_column 1 contact.floor.gap,body.high.position.y,contact.floor.force.n
near "bead_column: top bead at rest" "$(last 3)" 0.5 1e-11
near "bead_column: floor carries the column" "$(last 4)" 29.43 1e-6
near "bead_column: first landing" "$(over '$2 < 0.2 * 0.001 {print $1; exit}')" 0.142784 1e-3

csv newton_cradle 0.2575 body.ball5.velocity.x
near "newton_cradle: last ball, one after the other" "$(last 2)" 0.810648 1e-4
csv newton_cradle 0.256 body.ball1.velocity.x,body.ball5.velocity.x --set gap=0
near "newton_cradle: last ball, all at once" "$(last 3)" 0.324259 1e-4
near "newton_cradle: first ball, all at once" "$(last 2)" -0.486389 1e-4

# The stopping step is cut: a h^2 = 5.4e-6 m. Stick: no creep at all.
csv incline 2 body.block.position.x
near "incline: way" "$(over '{ if (NR == 1) x = $2 } END { print $2 - x }')" 0.358964 5.4e-6
near "incline: creep after 0.5 s" \
    "$(over '$1 > 0.5 { if (!n++) x = $2 } END { print $2 - x }')" 0 1e-12

# Order 2 with w^2 = g + x'^2 = 54 and 13.8 /s^2: w^2 h^2 of time or speed; on the road, which the bead
# leaves for single steps, g h of speed.
csv edge_parabola_plane 1 body.bead.position.x,body.bead.velocity.x
near "edge_parabola_plane: edge" "$(over 'END { print $1 - $2 / $3 }')" 0.6208432057 3.4e-5
near "edge_parabola_plane: speed" "$(last 3)" -6.6513156593 3.6e-4
csv edge_plane_parabola 1.797 body.bead.position.x,body.bead.velocity.x
near "edge_plane_parabola: x" "$(over 'END { print $2 - 0.0002020388 * 2.9407 }')" -2 4.1e-5
near "edge_plane_parabola: speed" "$(last 3)" -2.9407 9.8e-3
csv edge_plane_parabola 0.7 contact.road.gap --set speed=3.2
near "edge_plane_parabola: flies off" "$(over 'END { print ($2 > 1e-4) }')" 1 0

csv double_pendulum 1 body.lower.position.x,body.lower.position.y
near "double_pendulum: x" "$(last 2)" -1.6621151 4.6e-6 # half
near "double_pendulum: y" "$(last 3)" -1.0414666 2.4e-6

csv four_bar 0.5 body.crank.angle,body.rocker.angle
near "four_bar: crank" "$(last 2)" -0.6642966 2.2e-5 # half
near "four_bar: rocker" "$(last 3)" 4.3175034 2.2e-6

# The same linkage in angles. The multiplier is a mean over the last step.
csv four_bar_formulas 0.5 system.fourbar.phi1,system.fourbar.phi2,system.fourbar.phi3
near "four_bar_formulas: phi1" "$(last 2)" -0.6642966 1.2e-4 # half
near "four_bar_formulas: phi2" "$(last 3)" -0.5364153 9.8e-5
near "four_bar_formulas: phi3" "$(last 4)" 4.3175034 1.2e-5

csv slider_crank_formulas 1 system.crank.a1,system.crank.a2,system.crank.guide.force
near "slider_crank_formulas: crank" "$(last 2)" -0.79832994 1.1e-5 # half
near "slider_crank_formulas: rod" "$(last 3)" 0.36622762 3.8e-6
near "slider_crank_formulas: multiplier" "$(last 4)" 19.5253814 4.4e-3

csv slider_crank_flexible 0.1 system.crank.phi2,system.crank.x3,system.crank.q1
near "slider_crank_flexible: rod" "$(last 2)" -0.3311734988 1.9e-8 # half
near "slider_crank_flexible: slider" "$(last 3)" 0.1697373328 1.7e-8
near "slider_crank_flexible: bending" "$(last 4)" 1.89319290e-4 1.2e-8

csv andrews_squeezer_formulas 0.03 system.squeezer.beta,system.squeezer.Theta,system.squeezer.gamma
near "andrews_squeezer_formulas: beta" "$(last 2)" 15.81077120 2.2e-5 # half
near "andrews_squeezer_formulas: Theta" "$(last 3)" -15.75637106 2.7e-5
near "andrews_squeezer_formulas: gamma" "$(last 4)" 0.04082224 2.1e-7

# Order 1 with impacts: w h = 150 * 2e-6 rad.
csv slider_crank_clearance_formulas 0.01 system.crank.theta1,system.crank.theta2
near "slider_crank_clearance_formulas: crank" "$(last 2)" 0.947957 3e-4
near "slider_crank_clearance_formulas: rod" "$(last 3)" -0.414623 3e-4

# An impact is found at the end of the step in which it happens.
csv impact_oscillator 3 contact.oscillator.stop.impulse.n
near "impact_oscillator: first impact" "$(over '$2 > 1e-9 { print $1; exit }')" 2.66010281 1e-4
csv bead_column_formulas 1.5 contact.column.floor.impulse.n
near "bead_column_formulas: first impact" "$(over '$2 > 1e-9 { print $1; exit }')" 1.42784 5e-4

# One step at the initial configuration, by enumeration (Brogliato 2002, the jammed rod).
csv painleve_rod_formulas 0.001 contact.rod.tip.impulse.n,contact.rod.tip.impulse.t1
near "painleve_rod_formulas: normal impulse" "$(last 2)" 0.332730 5e-7
near "painleve_rod_formulas: tangential impulse" "$(last 3)" 0.440686 5e-7

csv slider_crank 1 body.crank.angle,body.rod.angle
near "slider_crank: crank" "$(last 2)" -0.7983299 7.7e-5 # half
near "slider_crank: rod" "$(last 3)" 0.3662276 2.9e-5

# Order 1 with impacts: w h = 150 * 1e-5 rad, l1 times that for the slider.
csv slider_crank_clearance 0.01 \
    body.crank.angle,body.rod.angle,body.slider.position.x,contact.guide.0.gap,contact.guide.1.gap
near "slider_crank_clearance: crank" "$(last 2)" 0.947957 1.5e-3
near "slider_crank_clearance: rod" "$(last 3)" -0.414623 1.5e-3
near "slider_crank_clearance: slider" "$(last 4)" 0.369324 2.3e-4
near "slider_crank_clearance: deepest corner" \
    "$(over '{ if ($5 < d) d = $5; if ($6 < d) d = $6 } END { print d + 0 }')" 0 1e-9

csv bricard 1 body.rod2.position.x,body.rod2.position.y,body.rod2.position.z
near "bricard: x" "$(last 2)" 0.274481319 2.2e-7 # half
near "bricard: y" "$(last 3)" -0.886707939 3.2e-8
near "bricard: z" "$(last 4)" -0.462330003 6e-8

csv andrews_squeezer 0.03 body.K1.angle,body.K3.angle,body.K5.angle,body.K7.angle
near "andrews_squeezer: beta" "$(last 2)" 15.81077120 1.7e-5 # half
near "andrews_squeezer: gamma" "$(last 3)" 0.04082224 1.6e-7
near "andrews_squeezer: delta" "$(last 4)" 0.52440997 1e-8
near "andrews_squeezer: epsilon" "$(last 5)" 1.04808074 1e-8

csv spinning_top 0.5 body.top.position.x,body.top.position.y,body.top.position.z
near "spinning_top: x after a quarter" "$(last 2)" 0 3.3e-6 # half
near "spinning_top: height" "$(last 4)" 0.070710678 2e-7

# The contact closes within a step h; it opens, as the wave comes back, within h and the time of a wave
# through one of the 200 elements, L/(200 c) = 1.7e-3 s. The force is 300 N in between.
csv elastic_bar 1.5 contact.tip.impulse.n
near "elastic_bar: contact" "$(over '$2 > 1e-9 { print $1; exit }')" 0.5005 1e-3
near "elastic_bar: release" "$(over '$2 > 1e-9 { t = $1 } END { print t }')" 1.1672 2.7e-3
near "elastic_bar: impulse" "$(over '{ s += $2 } END { print s }')" 200 0.8

# Instants within a step; published ones have 4 digits.
csv flexible_pendulum 0.333 contact.wall.impulse.n
near "flexible_pendulum: contact" "$(over '$2 > 1e-9 { print $1; exit }')" 0.33024 1e-4
csv oblique_beam 0.1 contact.lower.impulse.n
# The end touches at 0.05 s, an instant of the grid: the step before it or the one behind it has the impulse.
near "oblique_beam: contact" "$(over '$2 > 1e-9 { print $1; exit }')" 0.05005 6e-5
near "oblique_beam: release" "$(over '$2 > 1e-9 { t = $1 } END { print t }')" 0.0825 1.5e-4
csv flexible_cube 0.25 contact.floor.0.impulse.n
near "flexible_cube: impact" "$(over '$2 > 1e-9 { print $1; exit }')" 0.247310 5e-4
# An impact is seen up to a step late; the box turns by 85 rad/s and meets the floor with 13 m/s.
csv spinning_box 0.42 'contact.floor.*.impulse.n'
near "spinning_box: impact" "$(over '{ for (i = 2; i <= NF; i++) if ($i > 1e-9) { print $1; exit } }')" \
    0.41533560 5.1e-5
near "spinning_box: impulse" "$(over '{ for (i = 2; i <= NF; i++) s += $i } END { print s }')" \
    500.757659 4.3
csv pendulum_on_plate 0.87 contact.tip.impulse.n
near "pendulum_on_plate: contact" "$(over '$2 > 1e-9 { print $1; exit }')" 0.8595 5.1e-4
csv bracket 0.11 body.ball.velocity.z
near "bracket: impact" "$(over 'NR > 1 && $2 > v { print $1; exit } { v = $2 }')" 0.100964 2e-4

# Rounding: the projection leaves 1e-12 m, the impulses are exact to the solver's tolerance 1e-10.
csv three_boxes 2 body.top.position.y,contact.floor.0.impulse.n,contact.floor.1.impulse.n
near "three_boxes: top" "$(last 2)" 0.5 1e-9
near "three_boxes: weight" "$(over 'END { print $3 + $4 }')" 2.7070773 1e-6

# The limit cycle, from the beak's knocks in the second half. Bounds: half of the last printed
# digit, plus the change of our value from h = 1e-4 to 1e-5 s (0.026 Hz or more, 0.1 mm).
woodpecker_cycle='$3 > 1e-9 && $1 - t > 0.05 { t = $1; n++; T[n] = $1; Y[n] = $2 }
    END { k = int(n / 2); print (n - k) / (T[n] - T[k]), 1000 * (Y[k] - Y[n]) / (n - k) }'
"$PERCUSS" check "$examples/woodpecker.yaml" | grep -q "none starts inside" ||
    fail "woodpecker: a contact starts inside"
csv woodpecker 2 body.sleeve.position.y,contact.beak.impulse.n
read -r frequency fall < <(over "$woodpecker_cycle")
near "woodpecker: frequency" "$frequency" 7.96 0.031
near "woodpecker: fall per cycle" "$fall" 7.6 0.15
csv woodpecker 2 body.sleeve.position.y,contact.beak.impulse.n --set mu=0.35
read -r frequency fall < <(over "$woodpecker_cycle")
near "woodpecker: frequency, mu = 0.35" "$frequency" 8.3 0.076
near "woodpecker: fall per cycle, mu = 0.35" "$fall" 5.3 0.15

# Start of the slip is decided within a step: v h = 1e-3 m.
csv block_on_belt 4 body.block.position.x
near "block_on_belt: leftmost" \
    "$(over '$1 > 1.5 && (!x || $2 < x) { x = $2 } END { print x }')" 1.343651 1e-3
near "block_on_belt: rightmost" \
    "$(over '$1 > 1.5 && $2 > x { x = $2 } END { print x }')" 1.833549 1e-3

csv gear_train 1 joint.shaft3.rate
near "gear_train: flywheel" "$(last 2)" 7.8728560 8e-7 # twice idle/12 exp(-t/T) h^2 t/(12 T^3)

# The instant of the impact is known to h: a h (1 + e) in speed.
csv rack_and_pinion 2.5 joint.slide.displacement,joint.slide.speed
near "rack_and_pinion: speed after the stop" "$(over '$3 < v { v = $3 } END { print v }')" \
    -0.6325 3e-3
near "rack_and_pinion: held at the stop" "$(last 2)" 0.4 1e-5

# Between two steps the turning point is missed by k/(2 m_eff) depth (h/2)^2 < 1e-9; seven digits.
csv screw_press 0.75 joint.guide.displacement
near "screw_press: deepest" "$(over '$2 < x { x = $2 } END { printf "%.9f", x }')" -0.05316628 1e-8

csv universal_shaft 0.157 joint.bearing.rate
near "universal_shaft: start" "$(over '{ print $2; exit }')" 11.547005 1e-6
# The input stands at 1.57 rad. The motion is prescribed: rounding and the digits given here.
near "universal_shaft: a quarter turn" "$(last 2)" 8.660255 1e-6

csv pendulum_control 0.4 joint.hinge.angle
near "pendulum_control: highest" "$(over '$2 > x { x = $2 } END { print x }')" \
    2.5076534 9.7e-6 # half

csv n_link_chain 1 body.link10.position.x,body.link10.position.z
near "n_link_chain: x" "$(last 2)" -1.899796 8.2e-6 # half
near "n_link_chain: z" "$(last 3)" -1.488433 2.3e-5

# Constant acceleration is integrated exactly: the digits given here.
csv rolling_cylinder 1 body.roller.angular_velocity.y,body.roller.position.z
near "rolling_cylinder: turns with" "$(last 2)" 55.278469 1e-6

# Exact but for the step in which the slip ends, and that step keeps the rolling condition.
csv bowling_ball 1.5 body.ball.velocity.x,body.ball.velocity.y
near "bowling_ball: speed" "$(over 'END { print sqrt($2^2 + $3^2) }')" 4.285714 1e-6
near "bowling_ball: course" "$(over 'END { print atan2($3, $2) }')" 0.296706 1e-6

# The pawl stands on its limit, the flank on the tip: the projection leaves 1e-12 m; seven digits.
csv ratchet 1 joint.axle.angle
near "ratchet: two teeth" "$(last 2)" 1.0471976 1e-7

# The angular momentum is 4.6e-4 rad off the y axis, and the box turns over with 5.8 rad/s: 8e-5 s.
csv dzhanibekov 1.5 body.box.rotation.x,body.box.rotation.z
flip='{ r = 1 - 2*($2^2 + $3^2) }
    NR > 1 && p * r < 0 { print $1 - 0.001 * r / (r - p) }
    { p = r }'
near "dzhanibekov: flip" "$(over "$flip")" 1.41777 1e-4

# The impulse of the last mass begins one step of the wave earlier or later.
csv mass_spring_chain 1.5 body.m1.position.x,body.m21.position.x,body.m21.velocity.x
near "mass_spring_chain: last mass starts" \
    "$(over '($4 > 1e-8 || $4 < -1e-8) { print $1; exit }')" 0.214 0.0015
near "mass_spring_chain: first mass at rest" "$(last 2)" 0.374 0.001

if ((failures > 0)); then
    echo "$failures failed"
    exit 1
fi
