# The keys and defaults that `percuss list --json` reports, from which the reference is made, are those of the reader.
set -euo pipefail

if [[ -z ${PERCUSS:-} ]]; then
    echo "skipped: PERCUSS does not name the program"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$PERCUSS_SOURCE/tests/docs/check_keys.py" "$(realpath "$PERCUSS")" "$PERCUSS_SOURCE/docs/model-file.md"
