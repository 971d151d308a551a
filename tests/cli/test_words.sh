# Words of refusals: what is wrong, where, and what helps.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Files of robots are XML, with or without a declaration, a mark of the byte order, white space.
declaration='<?xml version="1.0"?>'
robot='<robot name="arm"><link name="a"/></robot>'
printf '%s\n%s\n' "$declaration" "$robot" >arm.urdf
printf '\n  %s\n' "$robot" >arm.xml
printf '\xef\xbb\xbf%s%s\n' "$declaration" '<sdf version="1.9"></sdf>' >arm.sdf
printf '<!-- hand --><mujoco/>\n' >arm.mjcf
for file in arm.urdf arm.xml arm.sdf arm.mjcf; do
    for verb in run check info static; do
        run $verb $file
        [[ $code -eq 2 ]] || fail "$verb $file: exit code $code"
        expect_text err "^percuss: $file:1:1: this is XML, as URDF"
    done
done
# A text that begins otherwise is none.
printf '"<robot>": 1\n' >key.yaml
expect_mistake "key.yaml:1:1: .*<robot>" check key.yaml

# Contacts of surfaces in a model without meshes.
for dimension in 2 3; do
    cat >rigid.yaml <<YAML
dimension: $dimension
bodies: {ball: {shape: {sphere: 0.1, density: 1000}}}
contacts: {touch: {type: all-surfaces}}
simulation: {end: 1, step: 1e-2}
YAML
    expect_mistake "rigid.yaml:3:12: contact 'touch': .* meshes, .* of rigid bodies declare the pairs" check rigid.yaml
done

# A stabilisation that the integrator does not have.
for scheme in event-driven hybrid phem56 hem5 dopri5 rk4 alpha3; do
    cat >ggl.yaml <<YAML
dimension: 2
bodies: {arm: {mass: 1.3, inertia: 0.1, position: [0.7, 0]}}
joints: {hinge: {type: revolute, bodies: [ground, arm]}}
simulation: {end: 0.01, step: 1e-2, scheme: $scheme, stabilisation: ggl}
YAML
    expect_mistake "ggl.yaml:4:[0-9]+: stabilisation: ggl is of the integrator alpha2" run ggl.yaml --no-result
done
expect_code 0 run ggl.yaml --no-result --scheme alpha2

# Long names are cut between characters, of one to four bytes.
for letter in e é € 😀; do
    for shift in "" x xx xxx; do
        name=$shift$(printf "%0.s$letter" {1..90})
        printf 'dimension: 2\n"%s": 1\n"%s": 2\n' "$name" "$name" >long.yaml
        expect_code 2 check long.yaml
        iconv -f utf-8 -t utf-8 err >valid || fail "a message ends inside a character"
        expect_text valid "^percuss: long.yaml:3:1: key '$shift$letter$letter"
    done
done

# compare: what the levels of a scheme are.
expect_mistake "scheme 'capturing' has fixed steps; give them with --steps" \
    compare ball.yaml --schemes capturing --end 0.2 --tols 1e-4
expect_mistake "all schemes choose their own steps" \
    compare ball.yaml --schemes capturing:step_control=adaptive --end 0.2 --steps 1e-2
expect_code 0 compare ball.yaml --schemes capturing,capturing:step_control=adaptive --end 0.2 \
    --steps 2e-2,1e-3 --tols 1e-3,1e-6 -o levels
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["scheme"] == "\"capturing\"" { n++; if ($at["level"] != 0.02 && $at["level"] != 0.001) exit 1
                                    steps[n] = $at["accepted"] }
    END { exit !(n == 2 && steps[2] > 10 * steps[1]) }' levels.csv || { cat levels.csv; fail "levels of capturing"; }
echo "ok"
