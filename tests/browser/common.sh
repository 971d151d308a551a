# For the tests that need the report page and a browser; exit code 77 (skipped) where one is missing.
skip() {
    echo "skipped: $1"
    exit 77
}

VIEWER=$PERCUSS_BUILD/viewer
case $PERCUSS_BUILD in
*asan | *coverage) skip "once is enough" ;;
esac
[[ -f $VIEWER/dist/report.html ]] || skip "built without the report page"
[[ -x ${PERCUSS_CHROMIUM:=/usr/bin/chromium} ]] || skip "there is no Chromium"
export PERCUSS_CHROMIUM PERCUSS_ARTEFACTS=$PERCUSS_BUILD/screenshots
