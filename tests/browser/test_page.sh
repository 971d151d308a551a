#!/usr/bin/env bash
# The page with made-up data in a browser: viewer/test. Screenshots stay in BUILD/screenshots.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$VIEWER"
node --test test/data.test.mjs test/page.test.mjs
