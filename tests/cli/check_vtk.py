# Reads with VTK what `percuss export --vtk` wrote and compares it with the signals of the run.
# usage: check_vtk.py FOLDER CSV EVERY [IMPACTS]
# CSV has time and positions, velocities of all bodies; IMPACTS is the number of impacts of the run
import csv
import os
import sys
import xml.etree.ElementTree as tree

from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

folder, csv_path, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(csv_path) as file:
    all_rows = list(csv.DictReader(file))
rows = all_rows[::every]


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def frames(part):
    """Time and data of each entry of a collection."""
    root = tree.parse(os.path.join(folder, part + ".pvd")).getroot()
    assert root.tag == "VTKFile" and root.get("type") == "Collection"
    for entry in root.find("Collection"):
        reader = vtkXMLPolyDataReader()
        path = os.path.join(folder, entry.get("file"))
        assert os.path.exists(path), path
        assert reader.CanReadFile(path), path
        reader.SetFileName(path)
        reader.Update()
        assert reader.GetErrorCode() == 0, path
        yield float(entry.get("timestep")), reader.GetOutput()


def names(data, key):
    array = data.GetFieldData().GetAbstractArray(key)
    return [array.GetValue(i) for i in range(array.GetNumberOfValues())] if array else []


def body_bounds(data, body):
    """Bounds of the cells of a body that are not planes (kind 5)."""
    of, kind = data.GetCellData().GetArray("body"), data.GetCellData().GetArray("kind")
    low, high = [float("inf")] * 3, [-float("inf")] * 3
    for cell in range(data.GetNumberOfCells()):
        if of.GetValue(cell) == body and kind.GetValue(cell) != 5:
            bounds = data.GetCell(cell).GetBounds()
            low = [min(low[k], bounds[2 * k]) for k in range(3)]
            high = [max(high[k], bounds[2 * k + 1]) for k in range(3)]
    return low, high


def value(row, path, default=0.0):
    return float(row[path]) if path in row else default


def check_bodies():
    count = 0
    for row, (time, data) in zip(rows, frames("bodies")):
        count += 1
        assert time == float(row["time"]), (time, row["time"])
        assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == time
        assert data.GetNumberOfCells() > 0
        cells = data.GetCellData()
        assert cells.GetArray("velocity").GetNumberOfComponents() == 3
        assert cells.GetArray("angular_velocity").GetNumberOfTuples() == data.GetNumberOfCells()
        of = cells.GetArray("body")
        for body, name in enumerate(names(data, "body_names")):
            low, high = body_bounds(data, body)
            for k, axis in enumerate("xyz"):  # all shapes of these models are centred
                middle = value(row, f"body.{name}.position.{axis}")
                assert near((low[k] + high[k]) / 2, middle, 1e-6), (name, axis, low, high, middle)
            cell = next(c for c in range(data.GetNumberOfCells()) if of.GetValue(c) == body)
            for k, axis in enumerate("xyz"):
                assert near(cells.GetArray("velocity").GetComponent(cell, k),
                            value(row, f"body.{name}.velocity.{axis}"), 1e-6)
                assert near(cells.GetArray("angular_velocity").GetComponent(cell, k),
                            value(row, f"body.{name}.angular_velocity.{axis}"), 1e-6)
    assert count == len(rows) and count == sum(1 for _ in frames("bodies")), (count, len(rows))
    return count


def check_contacts():
    closed = 0
    for row, (_, data) in zip(rows, frames("contacts")):
        points = data.GetPointData()
        labels = names(data, "contact_names")
        assert data.GetNumberOfVerts() == data.GetNumberOfPoints()
        for i in range(data.GetNumberOfPoints()):
            name = labels[points.GetArray("slot").GetValue(i)]
            gap = value(row, f"contact.{name}.gap")
            assert points.GetArray("gap").GetValue(i) == gap
            assert points.GetArray("state").GetValue(i) == value(row, f"contact.{name}.state")
            normal = points.GetArray("normal").GetTuple3(i)
            force = points.GetArray("force").GetTuple3(i)
            assert near(sum(n * n for n in normal), 1, 1e-12)
            along = sum(n * f for n, f in zip(normal, force))
            total = sum(value(row, f"contact.{name}.force.{c}") ** 2 for c in ("n", "t1", "t2"))
            assert near(along, value(row, f"contact.{name}.force.n"), 1e-9)
            assert near(sum(f * f for f in force), total, 1e-9)
            closed += along > 0
    return closed


def check_impulses():
    """Impulses of all frames, those that were left out too, and all impacts of the run."""
    impacts, before = 0, -1
    for k, (row, (_, data)) in enumerate(zip(rows, frames("contacts"))):
        points = data.GetPointData()
        labels = names(data, "contact_names")
        passed = all_rows[before + 1:k * every + 1]
        before = k * every
        for i in range(data.GetNumberOfPoints()):
            name = labels[points.GetArray("slot").GetValue(i)]
            impulse, impact, normal = (points.GetArray(key).GetTuple3(i)
                                       for key in ("impulse", "impact", "normal"))
            along = sum(n * p for n, p in zip(normal, impulse))
            total = sum(value(r, f"contact.{name}.impulse.n") for r in passed)
            assert near(along, total, 1e-9), (name, along, total)  # the planes do not turn
            struck = sum(n * p for n, p in zip(normal, impact))
            count = points.GetArray("impacts").GetValue(i)
            assert (struck > 0) == (count > 0), (name, struck, count)
            # Between frames a contact without impacts has its load alone.
            load = sum(value(r, f"contact.{name}.load.n") * (float(r["time"]) - float(q["time"]))
                       for q, r in zip(all_rows[max(before - every, 0):], passed[k == 0:]))
            assert near(along - struck, load, 1e-9), (name, along, struck, load)
            impacts += count
    return impacts


def check_lines():
    for row, (_, data) in zip(rows, frames("lines")):
        cells = data.GetCellData()
        for c in range(data.GetNumberOfCells()):
            if cells.GetArray("owner").GetValue(c) != 1:
                continue
            name = names(data, "joint_names")[cells.GetArray("object").GetValue(c)]
            for k, axis in enumerate("xyz"):
                assert near(cells.GetArray("force").GetComponent(c, k),
                            value(row, f"joint.{name}.force.{axis}"), 1e-6)
    return sum(1 for _ in frames("lines"))


bodies, contacts = check_bodies(), 0
if os.path.exists(os.path.join(folder, "contacts.pvd")):
    contacts = check_contacts()
    if len(sys.argv) > 4:
        assert check_impulses() == int(sys.argv[4])
lines = check_lines() if os.path.exists(os.path.join(folder, "lines.pvd")) else 0
print(f"{bodies} frames, {contacts} contacts with force, {lines} frames of lines")
