# percuss report and percuss run --report: one page with valid data for every example, also of runs
# that were interrupted, killed or cut off.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

# Mistakes that are told with and without the page.
expect_mistake "needs a result" report
expect_mistake "did you mean '--out'" report x.h5 --ou page.html
expect_code 0 report --help
expect_text out "^usage: percuss report RESULT"
expect_mistake "no-result" run ball.yaml --report --no-result

if grep -qa "built without the report page" <("$PERCUSS" report nothing.h5 2>&1 || true); then
    expect_mistake "install nodejs and npm" report nothing.h5
    expect_mistake "install nodejs and npm" run ball.yaml --report
    echo "ok: without the page"
    exit 0
fi

cat >check.py <<'PY'
# Checks the data of a page against viewer/DATA.md. usage: check.py PAGE [EXPRESSION OF r]...
import base64, json, math, re, struct, sys

page = open(sys.argv[1], encoding="utf-8").read()
found = re.search(r'<script[^>]*id="?percuss-data"?[^>]*>(.*?)</script>', page, re.S)
data = json.loads(found.group(1))
TYPES = {"f64": "d", "f32": "f", "i32": "i", "u8": "B"}

def array(a):
    count = math.prod(a["shape"])
    return struct.unpack("<%d%s" % (count, TYPES[a["type"]]), base64.b64decode(a["data"], validate=True))

def check(r):
    n, m = r["frames"]["drawn"], r["frames"]["points"]
    nb, nc, ne = len(r["bodies"]["names"]), len(r["contacts"]["names"]), r["events"]["time"]["shape"][0]
    shapes = [
        (r["time"], "f64", [n]), (r["signal_time"], "f64", [m]),
        (r["bodies"]["position"], "f32", [n, nb, 3]), (r["bodies"]["rotation"], "f32", [n, nb, 4]),
        (r["contacts"]["state"], "u8", [n, nc]), (r["contacts"]["point"], "f32", [n, nc, 3]),
        (r["contacts"]["force"], "f32", [n, nc, 3]),
        (r["events"]["time"], "f64", [ne]), (r["events"]["kind"], "u8", [ne]),
        (r["events"]["object"], "i32", [ne]), (r["events"]["value"], "f64", [ne]),
    ] + [(s["values"], "f32", [m]) for s in r["signals"]]
    for a, kind, shape in shapes:
        assert a["type"] == kind and a["shape"] == shape, (a["type"], a["shape"], kind, shape)
        array(a)
    for key in ("time", "signal_time"):
        times = array(r[key])
        assert all(a < b for a, b in zip(times, times[1:])), key
    q = array(r["bodies"]["rotation"])
    for i in range(0, len(q), 4):
        assert abs(sum(x * x for x in q[i:i + 4]) - 1) < 1e-5, "rotation"
    assert all(-1 <= k < nc for k in array(r["events"]["object"]))
    assert all(k < len(r["events"]["kinds"]) for k in array(r["events"]["kind"]))
    states = array(r["contacts"]["state"])
    assert all(any(states[i::nc]) for i in range(nc)), "a contact that is never closed"
    for d in r["drawings"]:
        for frame in (d["a"], d["b"]):
            assert -1 <= frame["body"] < nb and len(frame["position"]) == 3
            assert len(frame["rotation"]) == 4
        assert len(d["size"]) == 3 and d["owner"] in ("body", "joint", "spring", "contact", "system")
        assert ("joint_kind" in d) == (d["owner"] == "joint")
        assert ("vertices" in d) == (d["kind"] == "polyline")
    assert r["verdict"]["level"] in ("good", "notice", "bad") and r["verdict"]["text"]
    for e in r["evidence"]:
        assert set(e) == {"label", "value", "unit", "level", "text", "explanation"}
        assert e["text"][0].isupper()
        assert all(len(e["explanation"][k]) > 20 for k in ("measured", "matters", "limits", "remedy"))
    for s in r["signals"]:
        assert s["group"] in ("Energy", "Systems", "Joints", "Meshes", "Contacts", "Bodies", "Solver")
        assert -1 <= s.get("contact", -1) < nc and -1 <= s.get("body", -1) < nb
    assert all(isinstance(w, str) for w in r["warnings"])

assert data["format"] == 1 and data["generator"].startswith("percuss ")
for r in data["runs"]:
    check(r)
r = data["runs"][0]

def signal(path):
    return array(next(s for s in r["signals"] if s["path"] == path)["values"])

def impacts():
    return sum(1 for k in array(r["events"]["kind"]) if r["events"]["kinds"][k] == "impact")

for expression in sys.argv[2:]:
    assert eval(expression), expression
PY

check_page() { # PAGE [EXPRESSION]...
    python3 check.py "$@" || fail "$*"
}

# The default names, in the current folder.
mkdir sub
expect_code 0 run ball.yaml --quiet --out sub/first.h5
expect_code 0 report sub/first.h5
expect_text out "^first.html, [0-9.]+ [kM]B; open it in a browser"
check_page first.html 'r["title"] == "Ball and pendulum"' 'r["file"] == "first.h5"' \
    'r["complete"]' 'r["dimension"] == 2' 'len(data["runs"]) == 1' 'r["warnings"] == []' \
    'r["frames"]["stored"] == 101' 'impacts() > 0' \
    'impacts() == next(s["value"] for s in r["summary"] if s["label"] == "impacts")' \
    'abs(signal("body.ball.position.y")[0] - 0.731) < 1e-6' \
    'r["verdict"]["level"] == "good"' '"hinge" in [d["name"] for d in r["drawings"]]'
expect_code 0 report sub/first.h5 -o other.html
cmp first.html other.html || fail "the same result gives another page"
expect_code 0 run ball.yaml --quiet --out sub/second.h5 --set e=0.9
expect_code 0 report sub/first.h5 sub/second.h5
expect_text out "^compare.html"
check_page compare.html 'len(data["runs"]) == 2' \
    '[x["file"] for x in data["runs"]] == ["first.h5", "second.h5"]'

# With the run, under a name or the default one.
expect_code 0 run ball.yaml --report
expect_text out "^ball.html, "
check_page ball.html
expect_code 0 run spatial.yaml --quiet --out s.h5 --report=tumble.html
expect_empty out
check_page tumble.html 'r["dimension"] == 3' 'r["contacts"]["names"] == []'
expect_mistake "is the model file" run ball.yaml --report=ball.yaml
expect_mistake "both --out and --report" run ball.yaml --out same.h5 --report=same.h5
expect_mistake "empty value" run ball.yaml --report=

# Failures leave what was there.
expect_mistake "no such file" report missing.h5
expect_mistake "is a result" report sub/first.h5 -o sub/first.h5
expect_mistake "not a result" report ball.yaml
expect_code 3 report sub/first.h5 -o nowhere/page.html
expect_text err "nowhere/page.html: cannot write the report"
[[ ! -e nowhere ]] || fail "a folder was made"
cp first.html before.html
code=0
(ulimit -f 8 && "$PERCUSS" report sub/first.h5 >out 2>err) || code=$?
[[ $code -eq 3 ]] || fail "exit code $code with a full disk"
cmp first.html before.html || fail "a page was replaced by half a page"
[[ ! -e first.html.part ]] || fail "first.html.part was left"

# Text of the model cannot leave its script.
sed 's/Ball and pendulum/"<\/script><b>\&amp; \\"x\\" ü"/' ball.yaml >odd.yaml
expect_code 0 run odd.yaml --quiet --report --end 0.05
check_page odd.html 'r["title"] == "</script><b>&amp; \"x\" ü"'

# Interrupted, killed and cut off.
wait_for_frames() { # RESULT: until some frames have been flushed
    local tries
    for ((tries = 0; tries < 300; tries++)); do
        if "$PERCUSS" info "$1" 2>/dev/null | grep -qE 'frames +[0-9]+[0-9]'; then
            return 0
        fi
        sleep 0.2
    done
    fail "no frames in $1 after a minute"
}

"$PERCUSS" run ball.yaml --end 1e6 --output-step 0.1 --out long.h5 --report >out 2>err &
pid=$!
wait_for_frames long.h5.part
kill -TERM $pid
code=0
wait $pid || code=$?
[[ $code -eq 130 ]] || { cat out err; fail "exit code $code after an interrupt"; }
check_page long.html 'not r["complete"]' 'r["verdict"]["level"] != "good"' \
    '"did not reach its end" in r["verdict"]["text"]'
"$PERCUSS" run ball.yaml --end 1e6 --output-step 0.1 --out dead.h5 >out 2>err &
pid=$!
wait_for_frames dead.h5.part
kill -KILL $pid
wait $pid 2>/dev/null || true
expect_code 0 report dead.h5.part
expect_text err "warning: dead.h5.part: .*no summary"
check_page dead.html 'not r["complete"]' 'r["frames"]["stored"] > 0' \
    'any("no summary" in w for w in r["warnings"])' 'impacts() > 0'
expect_code 0 run ball.yaml --quiet --out whole.h5 --output-step 0
head -c $(($(stat -c %s whole.h5) * 3 / 4)) whole.h5 >cut.h5
expect_code 0 report cut.h5
expect_text err "warning: cut.h5: the file is cut off"
check_page cut.html 'not r["complete"]' '100 < r["frames"]["stored"] < 1001' \
    'any("cut off" in w for w in r["warnings"])'
head -c 2000 whole.h5 >stub.h5
expect_mistake "stub.h5: .*cut off" report stub.h5

# A long run: thinned, every extreme kept.
expect_code 0 run ball.yaml --quiet --out fine.h5 --step 1e-4 --output-step 0
expect_code 0 report fine.h5
expect_code 0 info fine.h5 --signals
check_page fine.html 'r["frames"]["stored"] == 10001' 'r["frames"]["points"] == 4000' \
    'r["frames"]["drawn"] <= 5000' 'array(r["time"])[-1] == 1.0' 'len(r["warnings"]) == 2'
expect_code 0 run ball.yaml --quiet --no-result --step 1e-4 --output-step 0 \
    --csv contact.tip.force.n,body.ball.velocity.y --csv-file fine.csv
python3 - <<'PY' || fail "an extreme is lost"
import csv, struct, subprocess, sys
sys.argv = ["check.py", "fine.html"]
exec(open("check.py").read())
rows = list(csv.DictReader(open("fine.csv")))
for path in ("contact.tip.force.n", "body.ball.velocity.y"):
    whole = [struct.unpack("f", struct.pack("f", float(row[path])))[0] for row in rows]
    assert max(whole) == max(signal(path)) and min(whole) == min(signal(path)), path
PY

# Every shipped example has a page with good data.
for model in "$PERCUSS_SOURCE"/examples/*.yaml; do
    name=$(basename "$model" .yaml)
    run run "$model" --quiet --out "$name.h5" --report --end 0.2
    [[ $code -le 1 ]] || { cat err; fail "$name: exit code $code"; }
    check_page "$name.html"
    rm "$name.h5" "$name.html"
done
echo "ok"
