# Links and anchors in the Markdown files.
set -euo pipefail
"$PERCUSS_SOURCE/tools/check_links" README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs examples tests viewer/README.md
