# percuss info: models, results and checkpoints, told apart by their content.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect_code 0 info ball.yaml
expect_text out "kind +model"
expect_text out "bodies +2: ball, crank"
expect_text out "frames +every 0.01 s"
expect_code 0 info ball.yaml --signals
expect_text out "^joint.hinge.angle$"
expect_text out "^contact.tip.impulse.t1$"
expect_text out "^contact.tip.force.n$"
cp out model_signals

expect_code 0 run ball.yaml --out run.h5 --checkpoint state.chk --quiet
mv run.h5 result.without_ending
expect_code 0 info result.without_ending
expect_text out "kind +result, complete"
expect_text out "frames +101, from 0 s to 1 s"
expect_text out "steps +1000 accepted"
expect_text out "energy balance"
expect_code 0 info result.without_ending --signals
diff <(sort model_signals) <(sort out) || fail "result and model offer other signals"
expect_code 0 info result.without_ending --model
expect_text out "^title: Ball and pendulum"
expect_code 0 info state.chk
expect_text out "kind +checkpoint"
expect_mistake "the state alone" info state.chk --signals
expect_mistake "one at a time" info ball.yaml --signals --model
expect_mistake "one at a time" info ball.yaml --signals --drawings
expect_mistake "the state alone" info state.chk --drawings
expect_mistake "for model files" info result.without_ending --drawings
for model in ball spatial; do
    expect_code 0 info $model.yaml --drawings
    expect_text out '"kind": "(sphere|box)", "owner": "body", "object": 0'
    if command -v python3 >/dev/null; then
        python3 -m json.tool out >/dev/null || fail "info --drawings is not JSON"
    fi
done
expect_code 0 info ball.yaml --drawings
expect_mistake "a checkpoint, not a model" check state.chk
cp state.chk cut.chk && truncate -s -8 cut.chk
expect_mistake "cut.chk: the checkpoint has .* bytes of state where" info cut.chk
printf 'x' | dd of=state.chk bs=1 seek=100 conv=notrunc status=none
expect_mistake "state.chk: the checkpoint is damaged" info state.chk

head -c 3000 result.without_ending >cut.h5
expect_mistake "cut.h5: .*cut off" info cut.h5
expect_mistake "nowhere" info nowhere
expect_mistake "info needs a file" info
expect_mistake "did you mean '--signals'" info ball.yaml --signal
mkdir folder
expect_mistake "folder" info folder
head -c 2000 /dev/urandom >noise
expect_mistake "noise" info noise
echo "ok"
