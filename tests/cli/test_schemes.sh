# Every scheme runs on every example: a model is written once, `--scheme` picks the method.
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

for file in "$examples"/*.yaml; do
    name=$(basename "$file" .yaml)
    end=$(sed -n 's/^simulation: {end: \([0-9.e-]*\),.*/\1/p' "$file")
    for scheme in "${schemes[@]}" rk4 rkf45 dopri5 hem5 phem56 alpha2 alpha3; do
        parts=50
        case $scheme in # explicit methods take steps of 1e-7 s on the stiff meshes
        rk* | dopri5 | *hem5*) ! grep -q '^meshes:' "$file" || parts=50000 ;;
        esac
        short=$(awk -v end="$end" -v parts="$parts" 'BEGIN { print end / parts }')
        code=0
        timeout 20 "$PERCUSS" run "$file" --scheme "$scheme" --end "$short" --quiet --no-result \
            >"$work/out" 2>&1 || code=$?
        case $code in
        0 | 1) ;;
        3) grep -qE "hybrid|tolerance|step" "$work/out" || fail "$name, $scheme: $(cat "$work/out")" ;;
        *) fail "$name, $scheme: exit code $code: $(cat "$work/out")" ;;
        esac
        [[ $code == 0 ]] || echo "$name, $scheme: exit code $code: $(head -c 300 "$work/out")"
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
