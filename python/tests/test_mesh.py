"""Meshes: what models and results tell of flexible bodies."""

from __future__ import annotations

import unittest

import numpy as np
from support import FolderTest

import percuss

MODEL = """
title: arm
dimension: 3
gravity: [0, 0, -9.81]
meshes:
  arm:
    line: {from: [0, 0, 0], to: [0.83, 0, 0], divisions: 4, element: beam}
    material: {young: 2.1e9, poisson: 0.3, density: 1170}
    section: {rectangle: [0.021, 0.013]}
    fixed: [start]
simulation: {end: 0.02, step: 1e-3}
output: {step: 0}
"""


def load() -> percuss.Model:
    return percuss.loads(MODEL)


class Meshes(FolderTest):
    def test_model(self) -> None:
        arm = load().meshes["arm"]
        self.assertEqual(len(arm), 5)
        self.assertTrue(arm.turns)
        self.assertAlmostEqual(arm.mass, 1170 * 0.83 * 0.021 * 0.013, places=12)
        self.assertEqual(arm.parts[0].kind, "beam")
        self.assertEqual(arm.parts[0].elements.tolist(), [[0, 1], [1, 2], [2, 3], [3, 4]])
        self.assertEqual(arm.groups["end"].tolist(), [4])
        self.assertEqual(arm.results[0], "bending_moment")
        self.assertEqual(arm.unit("bending_moment"), "N m")
        np.testing.assert_allclose(arm.start[:, 0], np.linspace(0, 0.83, 5), atol=1e-15)
        with self.assertRaises(ValueError):
            arm.start[0, 0] = 1

    def test_simulation_and_result(self) -> None:
        path = self.folder / "run.h5"
        with load().simulate() as sim:
            sim.run(output=path)
            nodes = sim.nodes("arm")
            moment = sim.element_results("arm", "bending_moment")
            self.assertEqual(nodes["position"][4, 2], sim["mesh.arm.node.4.position.z"])
            self.assertEqual(moment[0], sim["mesh.arm.element.0.bending_moment"])
            self.assertLess(nodes["position"][4, 2], 0)
            with self.assertRaisesRegex(percuss.UnknownNameError, "there are: arm"):
                sim.nodes("leg")
            with self.assertRaisesRegex(percuss.UnknownNameError, "it has: bending_moment"):
                sim.element_results("arm", "mises")
        with percuss.open_result(path) as result:
            self.assertEqual(list(result.meshes), ["arm"])
            np.testing.assert_array_equal(result.meshes["arm"].start, load().meshes["arm"].start)
            x = result.nodes("arm")
            self.assertEqual(x.shape, (result.frames, 5, 3))
            np.testing.assert_array_equal(x[-1], nodes["position"])
            np.testing.assert_array_equal(result.nodes("arm", "rotation")[-1], nodes["rotation"])
            np.testing.assert_array_equal(x[:, 4, 2], result["mesh.arm.end.position.z"])
            stored = result.element_results("arm", "bending_moment", every=5)
            self.assertEqual(stored.shape, (-(-result.frames // 5), 4))
            np.testing.assert_array_equal(
                result.element_results("arm", "bending_moment")[-1], moment.astype(np.float32)
            )
            with self.assertRaisesRegex(percuss.UnknownNameError, "have no angle"):
                result.nodes("arm", "angle")
            with self.assertRaisesRegex(percuss.UnknownNameError, "there are: position"):
                result.nodes("arm", "place")
            with self.assertRaises(ValueError):
                result.nodes("arm", every=0)


if __name__ == "__main__":
    unittest.main()
