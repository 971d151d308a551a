# percuss export --vtk: well-formed files, read back by VTK where Debian's python3-vtk9 is installed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
here=$PERCUSS_SOURCE/tests/cli

python=/usr/bin/python3 # that of the Debian packages
has_vtk=false
! "$python" -c 'import vtkmodules.vtkIOXML' 2>/dev/null || has_vtk=true

cat >scene.yaml <<'YAML'
title: All shapes
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  box: {position: [0, 0, 0.31], angular_velocity: [0.13, 2.385, 0.71], shape: {box: [0.1, 0.2, 0.31], density: 700}}
  can: {position: [0.6, 0, 0.5], angular_velocity: [1.13, 0.385, 0.71], shape: {cylinder: {radius: 0.1, length: 0.3}, density: 700}}
  pill: {position: [0.6, 0.6, 0.5], velocity: [0.1, 0.2, 0], shape: {capsule: {radius: 0.1, length: 0.3}, density: 700}}
  ball: {position: [0, 0.6, 0.2], velocity: [0.3, 0, 0], shape: {sphere: 0.14, density: 700}}
  rod: {position: [0.3, 0.3, 0.9], mass: 2, inertia: [0.01, 0.02, 0.02], shape: {rod: {length: 0.5}, density: 0}}
  bare: {position: [-0.4, 0.3, 0.9], mass: 2, inertia: [0.01, 0.02, 0.02]}
springs:
  coil: {type: point, bodies: [box, can], at: [[0, 0, 0.31], [0.6, 0, 0.5]], stiffness: 100}
joints:
  hinge: {type: spherical, bodies: [ground, rod], at: [0.3, 0.3, 1.15]}
  link: {type: distance, bodies: [ground, bare], at: [[-0.4, 0, 1.2], [-0.4, 0.3, 0.9]]}
contacts:
  floor: {type: sphere-plane, bodies: [ground, ball], radius: 0.14, friction: 0.3, restitution: 0.5}
  foot: {type: box-plane, bodies: [ground, box], size: [0.1, 0.2, 0.31], friction: 0.3}
simulation: {step: 1e-3, end: 0.4}
output: {step: 0.01}
YAML

check_export() { # MODEL FOLDER EVERY [RUN-OPTION]...
    local model=$1 folder=$2 every=$3
    shift 3
    expect_code 0 run "$model" --out "$folder.h5" --csv '*' --csv-file "$folder.csv" --quiet "$@"
    expect_code 0 export "$folder.h5" --vtk "$folder" --every "$every"
    expect_text out "frames in $folder"
    expect_empty err
    "$python" - "$folder" <<'PYTHON' || fail "$folder: not well-formed"
import os, sys, xml.dom.minidom
for root, _, files in os.walk(sys.argv[1]):
    assert not any(f.endswith(".part") for f in files), files
    for name in files:
        xml.dom.minidom.parse(os.path.join(root, name))
PYTHON
    if $has_vtk; then
        local impacts
        impacts=$("$PERCUSS" info "$folder.h5" | sed -n 's/^ *impacts *//p' | head -n 1)
        "$python" "$here/check_vtk.py" "$folder" "$folder.csv" "$every" "$impacts" ||
            fail "VTK: $folder"
    fi
}

"$python" -c 'import xml.dom.minidom' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
check_export ball.yaml planar 1
check_export scene.yaml spatial 3
check_export scene.yaml short 1 --end 1e-3 --output-step 10
for model in woodpecker slider_crank_clearance pin_in_hole ratchet newton_cradle; do
    expect_code 0 run "$PERCUSS_SOURCE/examples/$model.yaml" --out "$model.h5" --quiet --end 0.02
    expect_code 0 export "$model.h5" --vtk "$model" --every 10 --quiet
    expect_empty out
    [[ -s $model/bodies.pvd && -s $model/contacts.pvd ]] || fail "$model: no collections"
done

# Flexible bodies: a block and a beam in space, bars in the plane.
cat >flexible.yaml <<'YAML'
dimension: 3
gravity: [0, 0, -9.81]
materials: {soft: {young: 2.385e5, poisson: 0.31, density: 1173}}
meshes:
  block:
    block: {size: [0.1, 0.13, 0.17], divisions: [2, 2, 3], element: hexahedron}
    material: soft
    fixed: [z_min]
  arm:
    line: {from: [0.2, 0, 0], to: [0.2, 0.07, 0.43], divisions: 4, element: beam}
    material: soft
    section: {rectangle: [0.021, 0.013]}
    fixed: [start]
simulation: {step: 1e-3, end: 0.03}
output: {step: 0.002}
YAML
expect_code 0 run flexible.yaml --out flexible.h5 --csv '*,mesh.block.node.7.position.x,mesh.block.node.30.velocity.z,mesh.block.element.5.mises,mesh.arm.node.4.position.y,mesh.arm.element.2.bending_moment' --csv-file flexible.csv
expect_text out "block: 36 nodes, 12 elements"
expect_text out "largest mises"
expect_code 0 export flexible.h5 --vtk flexible
[[ -s flexible/meshes.pvd ]] || fail "flexible: no meshes.pvd"
if $has_vtk; then
    "$python" "$here/check_vtk_meshes.py" flexible flexible.csv || fail "VTK: meshes"
fi
expect_code 0 info flexible.h5
expect_text out "arm: 5 nodes, 4 elements"

# A part of the time; frames of an earlier, longer export are not listed.
expect_code 0 export planar.h5 --vtk planar --from 0.245 --to 0.305
[[ $(grep -c '<DataSet' planar/bodies.pvd) -eq 6 ]] || fail "window: $(cat planar/bodies.pvd)"
# No bodies at all.
printf 'dimension: 2\nsimulation: {step: 0.1, end: 1}\n' >empty.yaml
if "$PERCUSS" run empty.yaml --out empty.h5 --quiet 2>/dev/null; then
    expect_code 0 export empty.h5 --vtk empty
fi

expect_mistake "no frame from 5 s" export planar.h5 --vtk planar2 --from 5
[[ ! -e planar2 ]] || fail "a folder for nothing"
expect_mistake "must not be after" export planar.h5 --vtk planar2 --from 5 --to 1
expect_mistake "must be an integer from 1" export planar.h5 --vtk planar2 --every 0
expect_mistake "segments must be from 3 to 4096" export planar.h5 --vtk planar2 --segments 5000
expect_mistake "a result" export
expect_mistake "a format and a folder" export planar.h5
expect_mistake "'--vtk' has an empty value" export planar.h5 --vtk ''
expect_mistake "one result at a time" export planar.h5 spatial.h5 --vtk x
expect_mistake "not a result" export ball.yaml --vtk x
head -c 3000 planar.h5 >cut.h5
expect_mistake "cut.h5" export cut.h5 --vtk x
echo text >file
expect_code 3 export planar.h5 --vtk file
expect_text err "file: cannot make the folder: a file has this name"
expect_code 3 export planar.h5 --vtk nowhere/below
expect_text err "nowhere/below: cannot make the folder: no such file"
$has_vtk || { echo "skipped: VTK did not read the files (no python3-vtk9)"; exit 77; }
echo "ok"
