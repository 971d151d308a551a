"""What the tests share: paths, small models, and a clean skip where numpy is missing."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)  # ctest counts it as skipped

# A job of the background starts with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

SOURCE = Path(os.environ.get("PERCUSS_SOURCE", Path(__file__).resolve().parents[2]))
EXAMPLES = SOURCE / "examples"

# A point mass that falls and is pushed by an input.
PUSHED = """
title: Pushed mass
dimension: 2
gravity: [0, -9.81]
parameters: {m: 2.5}
inputs: {fx: 0, fy: 0.5}
bodies: {p: {point: true, mass: m, position: [0, 3]}}
forces: {drive: {body: p, force: [input.fx, input.fy]}}
contacts: {floor: {type: point-plane, bodies: [ground, p], normal: [0, 1], restitution: 0.3}}
simulation: {end: 1, step: 1e-2}
output: {step: 0.05, signals: [body.p.position.x]}
"""


class FolderTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
