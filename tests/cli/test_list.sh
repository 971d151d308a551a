# percuss list, --help and --version.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect_code 0 list
for word in moreau-jean theta projection revolute universal sphere-plane slider-guide capsule; do
    expect_text out "$word"
done
expect_code 0 list schemes
expect_text out "theta +0\.5 +number from 0\.5 to 1"
expect_text out "one of none \| bilateral \| all"
expect_no_text out "revolute"
expect_code 0 list joints contacts
expect_text out "revolute +2D, 3D +angle \(rate: rate\)"
expect_text out "slider-guide +2D"
expect_code 0 list shapes
expect_text out "cylinder: \{radius"
expect_mistake "did you mean 'schemes'" list scheems
expect_mistake "there are schemes" list everything

expect_code 0 --help
for verb in run check info list; do
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
    if [[ -n ${PERCUSS_SOURCE:-} ]]; then # the manual knows every option
        docs=$PERCUSS_SOURCE/docs
        grep -q -- "${option//-/\\\\-}" "$docs/percuss.1" || fail "no $option in percuss.1"
        grep -q -- "$option" "$docs/command-line.md" || fail "no $option in command-line.md"
    fi
done
expect_code 0 --version
expect_text out "^percuss [0-9]+\.[0-9]+\.[0-9]+$"
expect_mistake "did you mean 'run'" rum
expect_mistake "unknown verb" simulate
echo "ok"
