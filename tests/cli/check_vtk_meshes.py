# Reads with VTK the meshes that `percuss export --vtk` wrote and compares them with signals of the run.
# usage: check_vtk_meshes.py FOLDER CSV      the model is that of test_export.sh
import csv
import os
import sys
import xml.etree.ElementTree as tree

from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

LINE, HEXAHEDRON = 3, 12
folder, csv_path = sys.argv[1], sys.argv[2]
with open(csv_path) as file:
    rows = list(csv.DictReader(file))


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def frames():
    root = tree.parse(os.path.join(folder, "meshes.pvd")).getroot()
    for entry in root.find("Collection"):
        reader = vtkXMLUnstructuredGridReader()
        path = os.path.join(folder, entry.get("file"))
        assert reader.CanReadFile(path), path
        reader.SetFileName(path)
        reader.Update()
        assert reader.GetErrorCode() == 0, path
        yield float(entry.get("timestep")), reader.GetOutput()


def volume(corners):
    """Of a hexahedron, by six tetrahedra around its first diagonal; positive for VTK's order."""
    total = 0.0
    ring = [1, 2, 3, 7, 4, 5, 1]
    for a, b in zip(ring, ring[1:]):
        u, v, w = ([corners[k][i] - corners[0][i] for i in range(3)] for k in (a, b, 6))
        total += (
            u[0] * (v[1] * w[2] - v[2] * w[1])
            - u[1] * (v[0] * w[2] - v[2] * w[0])
            + u[2] * (v[0] * w[1] - v[1] * w[0])
        ) / 6
    return total


def check_frame(row, time, data):
    assert time == float(row["time"])
    assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == time
    assert data.GetNumberOfPoints() == 36 + 5 and data.GetNumberOfCells() == 12 + 4
    points, cells = data.GetPointData(), data.GetCellData()
    assert [cells.GetArray("mesh").GetValue(c) for c in range(16)] == [0] * 12 + [1] * 4
    assert [data.GetCellType(c) for c in range(16)] == [HEXAHEDRON] * 12 + [LINE] * 4
    assert data.GetPoint(7)[0] == float(row["mesh.block.node.7.position.x"])
    assert data.GetPoint(36 + 4)[1] == float(row["mesh.arm.node.4.position.y"])
    assert points.GetArray("velocity").GetComponent(30, 2) == float(row["mesh.block.node.30.velocity.z"])
    # Results are stored in single precision.
    assert near(cells.GetArray("mises").GetValue(5), float(row["mesh.block.element.5.mises"]), 1e-6)
    moment = cells.GetArray("bending_moment")
    assert near(moment.GetValue(12 + 2), float(row["mesh.arm.element.2.bending_moment"]), 1e-6)
    assert moment.GetValue(0) != moment.GetValue(0)  # a hexahedron has none: NaN
    size = sum(
        volume([data.GetPoint(data.GetCell(c).GetPointId(i)) for i in range(8)]) for c in range(12)
    )
    assert near(size, 0.1 * 0.13 * 0.17, 0.05), size  # soft, but not that soft


count, first = 0, None
for row, (time, data) in zip(rows, frames()):
    check_frame(row, time, data)
    displacement = data.GetPointData().GetArray("displacement")
    place = [data.GetPoint(36 + 4)[k] - displacement.GetComponent(36 + 4, k) for k in range(3)]
    first = first or place
    assert all(near(a, b, 1e-15) for a, b in zip(place, first))  # displacements are from the start
    count += 1
assert count == len(rows), (count, len(rows))
print(f"{count} frames of meshes")
