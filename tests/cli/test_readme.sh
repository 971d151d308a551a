# The model that README.md shows runs, and its summary has the lines that README.md shows.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readme=$PERCUSS_SOURCE/README.md
sed -n '/^```yaml$/,/^```$/p' "$readme" | sed '1d;$d' >ball.yaml
# The block that follows the model.
sed -n '/^```yaml$/,$p' "$readme" | awk '/^```$/ { n++; next } n == 2 { exit } n == 1' |
    grep -v '^```' | sed '/^$/d' >shown

expect_code 0 run ball.yaml --no-result
[[ -s shown ]] || fail "README.md shows no summary"
while IFS= read -r line; do
    grep -qxF -- "$line" out || { cat out; fail "not in the summary: $line"; }
done <shown
