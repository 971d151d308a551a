# The manual builds: every page is in the contents, no link is broken, nothing is loaded from a network, and each
# example has a picture of a reasonable size.
set -euo pipefail

if [[ -z ${PERCUSS:-} ]] || ! command -v pandoc >/dev/null; then
    echo "skipped: no program, or no pandoc (./dev setup docs)"
    exit 77
fi
case ${PERCUSS_BUILD:-} in
*asan | *coverage) echo "skipped: once is enough" && exit 77 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}

PERCUSS=$(realpath "$PERCUSS")
"$PERCUSS_SOURCE/tools/manual" --program "$PERCUSS" --out "$work/manual"
cd "$work/manual"
for page in index guide/first-model gallery keys schemes solver-options commands api api/model references theory/joints; do
    [[ -s $page.html ]] || fail "no $page.html"
done
if grep -rlE '(src|<link[^>]*href)="?(https?:)?//' --include='*.html' .; then
    fail "these pages load something from a network"
fi
for model in "$PERCUSS_SOURCE"/examples/*.yaml; do
    name=$(basename "$model" .yaml)
    [[ -s gallery/$name.html ]] || fail "no page for $name"
    size=$(stat -c %s "gallery/$name".svg)
    [[ $size -gt 500 && $size -lt 40000 ]] || fail "the picture of $name has $size bytes"
done
# The words of the program are those of the pages.
"$PERCUSS" list --json | grep -oE '"key": "[a-z_]+"' | sort -u | cut -d'"' -f4 >keys
while read -r key; do
    grep -qF "<code>$key</code>" keys.html schemes.html solver-options.html || fail "no $key in the reference"
done <keys

# A broken link is noticed.
mkdir "$work/copy"
(cd "$PERCUSS_SOURCE" && cp -r docs tools examples include ./*.md LICENSE "$work/copy")
echo '[nowhere](nowhere.md)' >>"$work/copy/docs/signals.md"
if "$work/copy/tools/manual" --program "$PERCUSS" --out "$work/manual" 2>"$work/err"; then
    fail "a broken link passed"
fi
grep -q 'docs/signals.md: no such file: nowhere.md' "$work/err" || { cat "$work/err"; fail "the message does not name the link"; }
