#!/usr/bin/env bash
# Malformed models: each gets exit code 2 and exactly one line on standard error, and nothing is
# written. tests/robustness/malformed/*.yaml say in their first line what the message must contain
# (`# expect: text`, with line and column where there is a place); the large ones are made here.
set -euo pipefail

if [[ ! -x ${PERCUSS:-} ]]; then
    echo "skipped: PERCUSS does not name the program"
    exit 77
fi
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/malformed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source_folder/." "$work/models"
mkdir "$work/out"
cd "$work/models"

count=0
failures=0

complain() {
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

# check_model FILE EXPECTED-TEXT: runs the program and judges its answer.
check_model() {
    local file=$1 expected=$2 code=0 lines
    count=$((count + 1))
    timeout 60 "$PERCUSS" check "$file" </dev/null >"$work/out/stdout" 2>"$work/out/stderr" ||
        code=$?
    mapfile lines <"$work/out/stderr"
    if [[ $code -ne 2 ]]; then
        complain "$file" "exit code $code instead of 2"
    elif [[ ${#lines[@]} -ne 1 || ${lines[0]} != *$'\n' ]]; then
        complain "$file" "${#lines[@]} lines on standard error instead of 1"
    elif [[ -s $work/out/stdout ]]; then
        complain "$file" "something on standard output"
    elif [[ ${lines[0]} != *"$expected"* ]]; then
        complain "$file" "expected: $expected"
    else
        return 0
    fi
    head -c 2000 "$work/out/stderr"
}

listing() {
    find "$work/models" | LC_ALL=C sort
}

# repeat COUNT TEXT
repeat() {
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

ball='dimension: 2
bodies: {ball: {mass: 1, inertia: 0.1}}'

make_large_models() {
    truncate -s 100M hundred_megabytes.yaml
    : >empty.yaml
    mkdir folder.yaml
    printf '\xff\xfed\x00i\x00m\x00' >utf16.yaml
    printf 'title: %s\n' "$(repeat 100000 '[')" >deep_brackets.yaml
    { printf 'title: '; repeat 5000 '- '; echo x; } >deep_dashes.yaml
    for ((k = 0; k < 300; k++)); do
        printf '%*skey:\n' "$k" ''
    done >deep_maps.yaml
    printf '%s\ntitle: %s\n' "$ball" "$(repeat 70000 'x')" >long_text.yaml
    { printf '%s\ngravity: [' "$ball"; repeat 1200000 '0,'; echo ']'; } >many_values.yaml
    { printf '%s\nparameters:\n' "$ball"; seq -f '  p%.0f: 1' 20000; } >many_parameters.yaml
    { printf '%s\nparameters:\n' "$ball"
        awk 'BEGIN { for (k = 1; k <= 9000; k++) printf "  p%d: p%d\n", k, k + 1 }'
    } >long_chain.yaml
    for ((k = 0; k < 30; k++)); do
        echo "include: chain_$((k + 1)).yaml" >"included/chain_$k.yaml"
    done
    printf '%s\ninclude: included/chain_0.yaml\n' "$ball" >include_chain.yaml
}

given=(*.yaml)
make_large_models
before=$(listing)

for file in "${given[@]}"; do
    IFS= read -r first <"$file" || true
    if [[ $first == '# expect: '* ]]; then
        check_model "$file" "${first#\# expect: }"
    fi
done
described=$count

check_model hundred_megabytes.yaml 'hundred_megabytes.yaml: 104857600 bytes are too many'
check_model empty.yaml ':1:1: the file is empty'
check_model folder.yaml 'folder'
check_model no_such_file.yaml 'no_such_file.yaml: no such file'
check_model utf16.yaml ':1:1: byte 0xFF is not UTF-8'
check_model deep_brackets.yaml ':1:71: lists and maps are nested more than 64 deep'
check_model deep_dashes.yaml ':1:'
check_model deep_maps.yaml ':65:65: lists and maps are nested more than 64 deep'
check_model long_text.yaml ':3:8: a text of 70000 bytes'
check_model many_values.yaml 'more than 1000000 values'
check_model many_parameters.yaml ':3:1: 20000 parameters'
check_model long_chain.yaml "unknown name 'p9001'"
check_model include_chain.yaml 'includes are nested more than 16 deep'

if [[ $described -lt 60 ]]; then
    complain malformed "only $described models with an expected message"
fi
if [[ $(listing) != "$before" ]]; then
    complain malformed "files were written or removed:"
    diff <(echo "$before") <(listing) || true
fi
echo "$count malformed models, $failures failures"
[[ $failures -eq 0 ]]
