# percuss list, --help and --version.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect_code 0 list
for word in moreau-jean event-driven hybrid theta projection revolute universal sphere-plane slider-guide capsule; do
    expect_text out "$word"
done
expect_code 0 list schemes
expect_text out "theta +0\.5 +number from 0\.5 to 1"
expect_text out "one of none \| bilateral \| all"
expect_no_text out "revolute"
expect_code 0 list solvers
expect_text out "^LCP: "
expect_text out "^MLCP: "
expect_text out "^local: "
expect_text out "^global: "
expect_text out "^  lemke: "
expect_text out "^  gauss-seidel: "
[[ $(grep -c "^  auto: " out) -eq 4 ]] || fail "auto is not in every class"
expect_text out "relaxation +1 +number from 0 to 2"
expect_no_text out "moreau-jean"
expect_mistake "did you mean 'solvers'" list solver
expect_code 0 list joints contacts
expect_text out "revolute +2D, 3D +angle \(rate: rate\)"
expect_text out "slider-guide +2D"
expect_code 0 list shapes
expect_text out "cylinder: \{radius"
for shape in sphere box cylinder capsule rod; do
    expect_text out "^  $shape +$shape: "
done
expect_code 0 list joints
expect_text out "^  gear +2D, 3D +"
expect_text out "^  rack +2D, 3D +"
expect_code 0 list meshes
expect_text out "^  beam +2D, 3D +geometrically exact"
expect_text out "^  hexahedron +3D +solid with 8 nodes"
for word in bar linear-beam linear-timoshenko plain-hexahedron tetrahedron st-venant neo-hookean \
    plane sphere box cylinder capsule faces; do
    expect_text out "^  $word +[A-Za-z0-9]"
done
expect_code 0 list schemes
expect_text out "^  nonsmooth-alpha: "
expect_code 0 list keys
expect_text out "^  bodies\.NAME\.shape\.sphere$"
expect_text out "^  dimension \(required\)$"
expect_text out "radius, m"
expect_code 0 list --json
expect_text out '^\{"version": "[0-9.]+",$'
expect_text out '"path": "bodies.NAME.rotation.axis", "owner": "a rotation", "key": "axis"'
expect_text out '"name": "tetrahedron", "dimensions": \[3\]'
expect_text out '"key": "theta", "type": "number", "default": 0.5, "range": \[0.5, 1\]'
if command -v python3 >/dev/null; then
    python3 -m json.tool out >/dev/null || fail "list --json is not JSON"
fi
expect_mistake "name none" list --json schemes
expect_mistake "did you mean 'schemes'" list scheems
expect_mistake "there are schemes" list everything

expect_code 0 --help
for verb in run check static modes info plot export report compare solve bench list; do
    expect_text out "^  $verb "
    expect_code 0 "$verb" --help
    expect_text out "^usage: percuss $verb"
    expect_text out "--help"
    expect_code 0 --help
done
expect_code 0 run --help
for option in --set --scheme --step --end --out --no-result --output-step --csv --csv-file \
    --checkpoint --checkpoint-every --resume --quiet; do
    expect_text out "^  $option"
done

# The manual and the page of the program know every option of every verb, and the exit codes.
if [[ -n ${PERCUSS_SOURCE:-} ]]; then
    docs=$PERCUSS_SOURCE/docs
    sed 's/\\-/-/g' "$docs/percuss.1" >manual
    for verb in run check static modes info plot export report compare solve bench list; do
        expect_code 0 "$verb" --help
        grep -oE '^  --[a-z-]+' out | tr -d ' ' >options
        [[ -s options ]] || fail "no options in $verb --help"
        while read -r option; do
            for page in manual "$docs/command-line.md"; do
                grep -qE -- "$option([^a-z-]|\$)" "$page" || fail "no $option of $verb in $page"
            done
        done <options
    done
    expect_code 0 run --help
    tr '\n' ' ' <out | grep -oE 'exit code: .*' | grep -oE '(^|: |; )[0-9]+ ' | tr -dc '0-9\n' >codes
    [[ $(paste -sd, codes) == 0,1,2,3,130 ]] || { cat codes; fail "exit codes of run --help"; }
    while read -r code; do
        grep -qx "\.B $code" manual || fail "exit code $code is not in the manual"
        grep -q "^| $code |" "$docs/command-line.md" || fail "no exit code $code in command-line.md"
    done <codes
fi
expect_code 0 help check
expect_text out "^usage: percuss check"
expect_code 0 --version
expect_text out "^percuss [0-9]+\.[0-9]+\.[0-9]+$"
expect_mistake "did you mean 'run'" rum
expect_mistake "unknown verb" simulate
expect_mistake "did you mean '--version'" version
echo "ok"
