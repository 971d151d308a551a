# The model that README.md shows runs, and its summary has the lines that README.md shows.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readme=$PERCUSS_SOURCE/README.md
# The first block is the model, the next one a part of its summary.
awk '/^```yaml$/ { model = 1; next } /^```$/ { n++; next } model && n == 0' "$readme" >ball.yaml
awk '/^```yaml$/ { model = 1; next } /^```$/ { n++; next } model && n == 2' "$readme" >shown

expect_code 0 run ball.yaml --no-result
[[ -s shown ]] || fail "README.md shows no summary"
while IFS= read -r line; do
    grep -qxF -- "$line" out || { cat out; fail "not in the summary: $line"; }
done <shown

shopt -s nullglob
models=("$PERCUSS_SOURCE"/examples/*.yaml)
grep -q "| ${#models[@]} models," "$readme" || fail "there are ${#models[@]} examples; README.md says otherwise"
