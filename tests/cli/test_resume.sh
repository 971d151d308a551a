# A run that is stopped and resumed has the same bits as one that is not: from a checkpoint file,
# from a closed result, and from a checkpoint in the middle of a run.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The estimate of the error plans its work for the run from start to end, and has other numbers where a
# part of the run had another end (docs/decisions/2026-11-18-growth-of-errors.md). It leaves the motion
# as it is (equivalence.error_estimate), and has the same bits with the same end (equivalence.resume).
sed -i 's/^simulation: {/&estimate: off, /' ball.yaml spatial.yaml

signals=$("$PERCUSS" info ball.yaml --signals | grep -v '^time$' | paste -sd,)

# CSV with all signals (17 digits) of the frames after 0.5 s.
tail_of() { # FILE
    awk -F, 'NR > 1 && $1 > 0.5' "$1"
}

compare() { # WHAT CSV RESULT
    diff <(tail_of whole.csv) <(tail_of "$2") >/dev/null || fail "$1: the signals differ"
    if command -v h5diff >/dev/null; then
        h5diff whole.h5 "$3" /checkpoint /checkpoint || fail "$1: the final states differ"
        h5diff whole.h5 "$3" /summary /summary || fail "$1: the summaries differ"
    fi
    echo "ok: $1"
}

expect_code 0 run ball.yaml --quiet --out whole.h5 --csv "$signals" --csv-file whole.csv
[[ $(tail_of whole.csv | wc -l) -eq 50 ]] || fail "whole.csv has other frames than expected"

expect_code 0 run ball.yaml --quiet --out half.h5 --end 0.5 --checkpoint half.chk
expect_code 0 run ball.yaml --quiet --resume half.h5 --out rest1.h5 --csv "$signals" \
    --csv-file rest1.csv
compare "from a closed result" rest1.csv rest1.h5
expect_code 0 run ball.yaml --quiet --resume half.chk --out rest2.h5 --csv "$signals" \
    --csv-file rest2.csv
compare "from a checkpoint file" rest2.csv rest2.h5

# A checkpoint between two frames, of a run that then fails (its CSV meets a file size limit).
code=0
(ulimit -f 20 && "$PERCUSS" run ball.yaml --quiet --no-result --output-step 0 --csv "$signals" \
    --csv-file large.csv --checkpoint crash.chk --checkpoint-every 0.0117 >out 2>err) || code=$?
[[ $code -eq 3 && -f crash.chk ]] || { cat err; fail "exit code $code, or no checkpoint"; }
expect_code 0 run ball.yaml --quiet --resume crash.chk --out rest3.h5 --csv "$signals" \
    --csv-file rest3.csv
compare "from the last checkpoint of a failed run" rest3.csv rest3.h5

# From a checkpoint between two frames, and from a result whose end lies there: all signals of all
# later frames, those that are sums since the frame before among them, under every scheme. The first
# impact, at 0.3476 s, is before the checkpoint and in the frame behind it.
mapfile -t schemes < <("$PERCUSS" list --json | python3 -c '
import json, sys
for scheme in json.load(sys.stdin)["schemes"]:
    print(scheme["name"])')
for scheme in "${schemes[@]}" rk4 rkf45 dopri5 hem5 alpha2 alpha3; do
    every=(ball.yaml --quiet --scheme "$scheme" --output-step 0.01 --csv "$signals")
    expect_code 0 run "${every[@]}" --out scheme.h5 --csv-file whole.csv
    expect_code 0 run "${every[@]}" --out first.h5 --csv-file first.csv --end 0.349 --checkpoint odd.chk
    for file in odd.chk first.h5; do
        expect_code 0 run "${every[@]}" --out second.h5 --csv-file second.csv --resume "$file"
        diff <(awk -F, '$1 > 0.3495' whole.csv) <(awk -F, '$1 > 0.3495' second.csv) >differences ||
            { head -c 500 differences; fail "$scheme, from $file between two frames"; }
    done
done
echo "ok: between two frames, under every scheme"

# The continued run may be longer than the first was meant to be, but not another one.
expect_code 0 run ball.yaml --quiet --resume whole.h5 --end 1.1 --out longer.h5
expect_code 0 info longer.h5
expect_text out "from 1 s to 1.1 s"
expect_mistake "whole.h5: .*at t = 1 s, after the end 0.7 s; raise --end" run ball.yaml \
    --resume whole.h5 --end 0.7 --out x.h5

# A last step that was cut short is no step of a longer run; a checkpoint before it is.
expect_code 0 run ball.yaml --quiet --no-result --end 0.5004 --checkpoint cut.chk
expect_code 0 run ball.yaml --quiet --out cut.h5 --end 0.5004
for file in cut.chk cut.h5; do
    expect_mistake "$file: .*t = 0.5004 s, between two steps .*multiple of the step" run ball.yaml \
        --resume "$file" --out x.h5
done
expect_code 0 run ball.yaml --quiet --no-result --resume cut.chk --end 0.5004

# An end on the grid up to rounding: 7000 * 1e-4 is not 0.7 to the last bit.
driven=(driven.yaml --quiet --step 1e-4 --output-step 0.1)
sed 's|^joints:|forces: {push: {body: ball, force: [sin(40*t), 0]}}\njoints:|' ball.yaml >driven.yaml
expect_code 0 run "${driven[@]}" --out all.h5 --csv "$signals" --csv-file whole.csv
expect_code 0 run "${driven[@]}" --no-result --end 0.7 --checkpoint grid.chk
expect_code 0 run "${driven[@]}" --resume grid.chk --out rest4.h5 --csv "$signals" \
    --csv-file rest4.csv
diff <(tail -n 2 whole.csv) <(tail -n 2 rest4.csv) || fail "from an end rounded to the grid"
if command -v h5diff >/dev/null; then
    h5diff all.h5 rest4.h5 /checkpoint /checkpoint || fail "rounded end: the final states differ"
fi

expect_mistake "whole.h5: .*other" run ball.yaml --resume whole.h5 --out x.h5 --step 1e-4
expect_mistake "half.chk: .*other" run spatial.yaml --resume half.chk --out x.h5
expect_mistake "would replace" run ball.yaml --resume whole.h5 --out whole.h5
expect_mistake "not a checkpoint" run ball.yaml --resume ball.yaml --out x.h5
printf 'x' | dd of=half.chk bs=1 seek=100 conv=notrunc status=none
expect_mistake "half.chk: .*damaged" run ball.yaml --resume half.chk --out x.h5
echo "ok"
