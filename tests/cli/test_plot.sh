# percuss plot: files of all formats, sizes, wildcards, phase plots, several results, mistakes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect_code 0 run ball.yaml --out run.h5 --quiet
run plot run.h5 body.ball.position.y -o probe.svg
if [[ $code -eq 3 ]] && grep -q "without plots" err; then
    expect_text err "libcairo2-dev"
    echo "skipped: built without cairo"
    exit 77
fi

png_size() { # FILE: width x height, from the header
    od -A n -t u1 -j 16 -N 8 "$1" | awk '{print (($1*256+$2)*256+$3)*256+$4 "x" (($5*256+$6)*256+$7)*256+$8}'
}

expect_picture() { # FILE ARGUMENT...: draws without a word, and leaves nothing else
    local file=$1
    shift
    rm -f "$file"
    expect_code 0 plot "$@" -o "$file"
    expect_empty out
    expect_empty err
    [[ -s $file ]] || fail "no $file"
    [[ ! -e $file.part ]] || fail "$file.part is left"
    case $file in
    *.svg) ! command -v python3 >/dev/null ||
        python3 -c 'import sys, xml.dom.minidom as m
root = m.parse(sys.argv[1]).documentElement
assert root.tagName == "svg" and root.getElementsByTagName("path"), root.tagName' "$file" ||
        fail "$file is no SVG" ;;
    *.pdf) [[ $(head -c 5 "$file") == %PDF- ]] || fail "$file is no PDF" ;;
    *.png) [[ $(head -c 4 "$file" | od -A n -t x1) == " 89 50 4e 47" ]] || fail "$file is no PNG" ;;
    esac
}

expect_picture one.svg run.h5 body.ball.position.y
expect_picture one.pdf run.h5 body.ball.position.y --title 'Höhe <&> "ball"'
expect_picture one.svg run.h5 body.ball.position.y --title ''
expect_picture one.png run.h5 body.ball.position.y --size 700x400px
[[ $(png_size one.png) == 700x400 ]] || fail "size $(png_size one.png)"
expect_picture one.png run.h5 body.ball.position.y --size 127x50.8mm --style dark
[[ $(png_size one.png) == 1500x600 ]] || fail "size $(png_size one.png)" # 300 dots per inch
for panels in unit one each; do
    expect_picture "panels_$panels.svg" run.h5 'body.ball.*' 'contact.*.gap' contact.tip.state \
        --panels "$panels" --size 200x300
done
expect_picture window.svg run.h5 energy.total contact.tip.force.n --from 0.25 --to 0.5 --points
expect_picture outside.svg run.h5 energy.total --from 50 --to 60
expect_picture phase.svg run.h5 body.ball.position.x:body.ball.position.y --equal
expect_picture phase2.svg run.h5 body.ball.position.y:body.ball.velocity.y \
    joint.hinge.angle:joint.hinge.rate energy.total
# Impacts are stems in N s: vertical lines from one axis, as many as the run tells.
expect_picture impacts.svg run.h5 'contact.*.impact' --size 300x60
expect_code 0 info run.h5
impacts=$(sed -n 's/^ *impacts *\([0-9]*\)$/\1/p' out | head -n 1)
stems=$(grep -o 'd="M [^"]*"' impacts.svg |
    sed 's/M /\n/g' | awk '$3 == "L" && $1 == $4 && NF <= 6 && $2 > $5 { n[$2]++ }
                           END { for (y in n) if (n[y] > most) most = n[y]; print most + 0 }')
[[ $impacts -gt 3 && $stems -eq $impacts ]] || fail "$impacts impacts, $stems stems"
expect_mistake "no signal 'contact.nothing.impact'" plot run.h5 contact.nothing.impact -o no.svg
expect_picture label.svg run.h5 'body.ball.position.y=height of the ball'
expect_picture log.svg run.h5 solver.residual energy.kinetic --log y
expect_picture log2.svg run.h5 time:energy.kinetic --log xy
expect_picture many.svg run.h5 'energy.*' 'contact.*'

expect_code 0 run ball.yaml --out other.h5 --set e=0.9 --quiet
expect_picture both.svg run.h5 other.h5 body.ball.position.y energy.kinetic energy.potential
expect_picture both2.svg run.h5 body.ball.position.y ./other.h5
expect_code 0 run spatial.yaml --out spatial.h5 --quiet
expect_picture lacks.svg run.h5 spatial.h5 'body.ball.position.*' # the other one has no ball
expect_mistake "spatial.h5: no signal 'body.ball.position.y'" \
    plot run.h5 spatial.h5 body.ball.position.y -o no.svg

# One frame; a constant signal; the default name.
expect_code 0 run ball.yaml --out short.h5 --end 1e-3 --output-step 10 --quiet
expect_picture short.svg short.h5 body.ball.position.y energy.damping
mkdir elsewhere
(cd elsewhere && "$PERCUSS" plot ../run.h5 energy.total) || fail "default name"
[[ -s elsewhere/run.svg ]] || fail "no elsewhere/run.svg"
# The same input gives the same picture.
expect_picture again.svg run.h5 body.ball.position.y
cmp one.svg again.svg || fail "pictures differ"

expect_mistake "did you mean 'body.ball.position.y'" plot run.h5 body.bal.position.y -o no.svg
expect_mistake "no signal fits 'contact.\*.gapp'" plot run.h5 'contact.*.gapp' -o no.svg
expect_mistake "wildcards" plot run.h5 'body.*.position.x:energy.total' -o no.svg
expect_mistake "X:Y" plot run.h5 a:b:c -o no.svg
expect_mistake "X:Y" plot run.h5 :energy.total -o no.svg
expect_mistake "label needs one signal" plot run.h5 'energy.*=work' -o no.svg
expect_mistake "must end in .svg, .pdf or .png" plot run.h5 energy.total -o no.jpg
expect_mistake "'--style' has an empty value" plot run.h5 energy.total --style ''
expect_mistake "plot needs a signal" plot run.h5
expect_mistake "plot needs a result" plot
expect_mistake "nowhere.h5" plot nowhere.h5 energy.total
expect_mistake "not a result" plot ball.yaml energy.total
expect_mistake "before --to" plot run.h5 energy.total --from 2 --to 1
expect_mistake "number of seconds" plot run.h5 energy.total --from soon
expect_mistake "did you mean 'dark'" plot run.h5 energy.total --style darc
expect_mistake "did you mean 'unit'" plot run.h5 energy.total --panels units
for size in 10x10 1e9x1e9 100 x 100x 100x100cm nanxnan -50x-50; do
    expect_mistake "WIDTHxHEIGHT" plot run.h5 energy.total --size "$size"
done
expect_mistake "no room" plot run.h5 'energy.*' --panels each --size 100x60
expect_mistake "more than 64 curves" plot run.h5 other.h5 '*'
head -c 3000 run.h5 >cut.h5
expect_mistake "cut.h5" plot cut.h5 energy.total
expect_code 3 plot run.h5 energy.total -o nowhere/plot.svg
expect_text err "nowhere/plot.svg: cannot write the picture: No such file"
expect_code 3 plot run.h5 energy.total -o /dev/full/plot.svg
expect_code 0 plot --help
expect_text out "phase plot"
echo "ok"
