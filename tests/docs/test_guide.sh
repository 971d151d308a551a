# The commands of the guides run as they stand, and their output has the lines that the guides show.
set -euo pipefail

if [[ -z ${PERCUSS:-} ]]; then
    echo "skipped: PERCUSS does not name the program"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$(realpath "$PERCUSS")" "$work/bin/percuss"
export PATH=$work/bin:$PATH

# A block that fails, or whose output is another one, is noticed.
cd "$work"
fence='```'
printf '%ssh test\nfalse\n%s\n' "$fence" "$fence" >failing.md
printf '%ssh test\necho a\n%s\n%stext\nb\n%s\n' "$fence" "$fence" "$fence" "$fence" >other.md
for guide in failing other; do
    if python3 "$PERCUSS_SOURCE/tests/docs/run_guide.py" $guide.md >out; then
        echo "FAILED: $guide.md passed"
        exit 1
    fi
done

for guide in "$PERCUSS_SOURCE"/docs/guide/*.md; do
    grep -qE '^```[a-z]+ test' "$guide" || continue
    mkdir "$work/$(basename "$guide" .md)"
    cd "$work/$(basename "$guide" .md)"
    python3 "$PERCUSS_SOURCE/tests/docs/run_guide.py" "$guide"
done
