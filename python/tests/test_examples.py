"""The examples of the guide: short, run as they stand, with the right numbers; and the guide."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
from support import EXAMPLES, SOURCE

import percuss

try:
    import scipy
except ImportError:
    scipy = None

FOLDER = EXAMPLES / "python"


def run(name: str) -> Dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(str(FOLDER / name))


class Examples(unittest.TestCase):
    def test_short(self) -> None:
        files = sorted(FOLDER.glob("*.py"))
        self.assertEqual(len(files), 3)
        for path in files:
            self.assertLess(len(path.read_text().splitlines()), 30, path.name)

    def test_bouncing_ball(self) -> None:
        found = run("bouncing_ball.py")
        # Closed forms, with the instants known to a step of 1 ms (v h = 4.4 mm).
        fall = np.sqrt(2 / 9.81)
        self.assertAlmostEqual(found["impacts"][0].time, fall, delta=1.1e-3)
        after = found["time"] > found["impacts"][0].time
        self.assertAlmostEqual(found["height"][after].max(), 0.64, delta=0.8**2 * 4.5e-3 * 2)
        self.assertAlmostEqual(found["height"][-1], 0, delta=9.81e-6)  # g h^2
        energy = found["statistics"].energy
        weight = 1100 * 4 / 3 * np.pi * 1e-3 * 9.81
        self.assertAlmostEqual(-energy.impact, weight, delta=0.01 * weight)

    def test_four_bar_controller(self) -> None:
        found = run("four_bar_controller.py")
        self.assertAlmostEqual(found["angle"][0], np.pi / 3, 12)
        self.assertAlmostEqual(found["angle"][-1], 0.6, 6)
        self.assertAlmostEqual(found["torque"][1], -40 * (np.pi / 3 - 0.6), 9)
        self.assertLess(abs(found["work"]), 1e-6)

    @unittest.skipIf(scipy is None, "scipy is not installed")
    def test_friction_problem(self) -> None:
        found = run("friction_problem.py")
        n, m, g, force = found["n"], found["m"], found["g"], found["force"]
        self.assertTrue(found["solution"].solved)
        np.testing.assert_allclose(force[:, 0], m * g * np.arange(n, 0, -1), rtol=1e-8)
        np.testing.assert_allclose(force[:, 1], -found["push"], rtol=1e-7)
        self.assertEqual(found["verdict"].stick, n)

    def test_guide_shows_them(self) -> None:
        guide = (SOURCE / "docs" / "python.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", guide, re.S)
        for path in FOLDER.glob("*.py"):
            self.assertIn(path.read_text(), blocks, f"docs/python.md does not show {path.name}")

    def test_guide_runs(self) -> None:
        """What the guide shows beside the examples runs too, beside the folder of examples."""
        guide = (SOURCE / "docs" / "python.md").read_text()
        shown = [path.read_text() for path in FOLDER.glob("*.py")]
        blocks = [b for b in re.findall(r"```python\n(.*?)```", guide, re.S) if b not in shown]
        self.assertEqual(len(blocks), 2)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        with tempfile.TemporaryDirectory() as work:
            os.symlink(SOURCE / "examples", Path(work) / "examples")
            os.chdir(work)
            self.run_blocks(blocks)
            os.chdir(here)

    def run_blocks(self, blocks: List[str]) -> None:
        for block in blocks:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(block, {"percuss": percuss})
            self.assertTrue(printed.getvalue())


if __name__ == "__main__":
    unittest.main()
