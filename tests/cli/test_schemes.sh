# Every scheme runs on every example: a model is written once, `--scheme` picks the method.
#
# Examples in which something hits, lets go, slips, sticks or rests run up to the time below, when it
# has happened, and end where the event-driven run ends: within some steps of the example's own time
# stepping times the speed of the signal. All others run for a fiftieth of their length. Examples to
# their very end, with all that is known of the runs: bench/bench_examples_schemes.
#
# A run may stop before its end only with a message that names a remedy (exit code 3: accumulating
# impacts under a purely event-driven scheme), and one that goes on without convergence says so (exit
# code 1). Nothing else is allowed, and no run may take long.
set -euo pipefail

examples=$PERCUSS_SOURCE/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

mapfile -t schemes < <("$PERCUSS" list --json | python3 -c '
import json, sys
for scheme in json.load(sys.stdin)["schemes"]:
    print(scheme["name"])')
[[ ${#schemes[@]} -ge 5 ]] || fail "only ${#schemes[@]} schemes are listed"
integrators=(rk4 rkf45 dopri5 hem5 phem56 alpha2 alpha3)

# Example, end of the window, what happens in it, a signal, and how far off it may end (rows with
# explicit=no leave out the explicit integrators, whose steps on meshes are those of their vibrations).
windows='
bead_column          0.35   impacts,accumulation,rest  body.high.position.y         1e-3
block_on_belt        1.0    impacts,rest,stick,slip    body.block.position.x        5e-3
bouncing_ball        1.5    impacts,accumulation,rest  body.ball.position.z         1e-3
bowling_ball         1.0    slip,stick                 body.ball.position.x         5e-3
edge_parabola_plane  0.7    edge                       body.bead.position.x         2e-2
edge_plane_parabola  1.2    edge                       body.bead.position.x         2e-2
impact_oscillator    3.0    impact                     system.oscillator.x          1e-3
incline              0.5    slip,stick,rest            body.block.position.x        1e-3
mass_spring_chain    0.2    stick,slip                 body.m1.position.x           2e-2
newton_cradle        0.6    impacts                    body.ball5.position.x        2e-3
pendulum_on_plate    1.1    impact,release             body.pendulum.position.z     5e-3
pin_in_hole          0.02   impacts,stick              body.slider.position.x       1e-4
rack_and_pinion      2.0    impacts,accumulation,rest  joint.slide.displacement     2e-3
ratchet              0.6    impacts,release            joint.axle.angle             1e-2
rocking_rod          0.4    impacts                    body.rod.angle               2e-2
rolling_cylinder     0.3    stick                      body.roller.position.x       2e-3
slider_crank_clearance          0.012  impacts,release  body.slider.position.x      1e-3
slider_crank_clearance_formulas 0.006  impacts,release  system.crank.theta1         1e-3
spinning_box         0.45   impact                     body.box.position.z          1e-2
three_boxes          0.1    rest                       body.top.position.y          1e-9
woodpecker           0.08   slip,stick,impacts         body.sleeve.position.y       2e-4
elastic_bar          0.55   impact                     mesh.bar.all.position.x      2e-2  explicit=no
flexible_pendulum    0.331  impact                     mesh.beam.end.position.x     2e-3  explicit=no
oblique_beam         0.054  impact,release             mesh.beam.start.position.x   2e-3  explicit=no
'

run() { # EXAMPLE SCHEME END [ARGUMENT]...: leaves the exit code in $code
    local file=$examples/$1.yaml scheme=$2 end=$3
    shift 3
    code=0
    (
        ulimit -t 20 # processor time, which does not depend on what else the machine does
        exec "$PERCUSS" run "$file" --scheme "$scheme" --end "$end" --quiet --no-result "$@" \
            >"$work/out" 2>"$work/err"
    ) || code=$?
}

judge() { # EXAMPLE SCHEME
    case $code in
    0 | 1) ;;
    3) grep -qE "hybrid|tolerance|step" "$work/err" || fail "$1, $2: $(cat "$work/err")" ;;
    *) fail "$1, $2: exit code $code: $(cat "$work/err")" ;;
    esac
    [[ $code == 0 ]] || echo "$1, $2: exit code $code: $(head -c 300 "$work/err")"
}

last_value() { # leaves it in $value
    value=$(tail -n 1 "$work/out")
    value=${value#*,}
}

declare -A windowed
while read -r name end what signal allowed explicit; do
    [[ -n $name ]] || continue
    windowed[$name]=1
    run "$name" event-driven "$end" --csv "$signal" --set simulation.tolerance=1e-10
    judge "$name" "event-driven, tolerance 1e-10"
    last_value
    right=$value
    for scheme in "${schemes[@]}" "${integrators[@]}"; do
        if [[ $explicit == explicit=no ]]; then
            case $scheme in rk* | dopri5 | *hem5*) continue ;; esac
        fi
        run "$name" "$scheme" "$end" --csv "$signal"
        judge "$name" "$scheme"
        [[ $code != 3 ]] || continue
        last_value
        awk -v a="$value" -v b="$right" -v d="$allowed" 'BEGIN { exit !(a - b <= d && b - a <= d) }' ||
            fail "$name, $scheme: after $what, $signal is $value instead of $right (within $allowed)"
    done
done <<<"$windows"

for file in "$examples"/*.yaml; do
    name=$(basename "$file" .yaml)
    [[ -z ${windowed[$name]:-} ]] || continue
    end=$(sed -n 's/^simulation: {end: \([0-9.e-]*\),.*/\1/p' "$file")
    for scheme in "${schemes[@]}" "${integrators[@]}"; do
        parts=50
        case $scheme in # explicit methods take steps of 1e-7 s on the stiff meshes
        rk* | dopri5 | *hem5*) ! grep -q '^meshes:' "$file" || parts=50000 ;;
        esac
        run "$name" "$scheme" "$(awk -v end="$end" -v parts="$parts" 'BEGIN { print end / parts }')"
        judge "$name" "$scheme"
    done
done

# Options of a file's own scheme are passed over when another one is asked for; a setting is not.
code=0
"$PERCUSS" run "$examples/bead_column.yaml" --scheme moreau-jean --set simulation.integrator=hem5 \
    --end 0.01 --quiet --no-result >"$work/out" 2>&1 || code=$?
[[ $code == 2 ]] || fail "a setting for another scheme's option: exit code $code"
grep -q "'integrator' is not an option of the scheme moreau-jean" "$work/out" ||
    fail "a setting for another scheme's option: $(cat "$work/out")"
exit $((failures > 0))
