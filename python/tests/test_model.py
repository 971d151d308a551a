"""Models: what a file holds, settings, errors with their places."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import unittest

import numpy as np
from support import EXAMPLES, PUSHED, FolderTest

import percuss
from percuss.model import setting_text


class Reading(FolderTest):
    def test_contents(self) -> None:
        model = percuss.load(EXAMPLES / "four_bar.yaml")
        self.assertEqual(model.title, "Four-bar linkage")
        self.assertEqual(model.dimension, 2)
        self.assertEqual(model.bodies, ("crank", "coupler", "rocker"))
        self.assertEqual(model.joints, ("motor", "knee", "elbow", "pivot"))
        self.assertEqual(model.contacts, ())
        self.assertEqual(model.inputs, ())
        self.assertIn("joint.motor.angle", model.signals)
        self.assertEqual(len(set(model.signals)), len(model.signals))
        self.assertEqual((model.start, model.end, model.step), (0, 2, 1e-3))
        self.assertEqual(model.scheme, "moreau-jean")
        self.assertEqual(model.output_step, 0.01)
        self.assertEqual(model.output_signals[0], "body.crank.angle")
        self.assertEqual(model.options, {})
        self.assertIn("9.81", model.text)
        self.assertIn("Four-bar", repr(model))

    def test_systems(self) -> None:
        model = percuss.load(EXAMPLES / "four_bar_formulas.yaml")
        self.assertEqual(model.bodies, ())
        self.assertEqual(model.systems, ("fourbar",))
        self.assertIn("system.fourbar.phi1.rate", model.signals)

    def test_path_kinds(self) -> None:
        path = EXAMPLES / "bouncing_ball.yaml"
        for given in (path, str(path), os.fsencode(path)):
            self.assertEqual(percuss.load(given).bodies, ("ball",))

    def test_every_example(self) -> None:
        for path in sorted(EXAMPLES.glob("*.yaml")):
            with self.subTest(path.name):
                with percuss.load(path).simulate() as sim:
                    sim.step()
                    self.assertTrue(np.isfinite(sim.q).all())
                    values = sim[list(sim.model.signals)]
                    self.assertEqual(len(values), len(sim.model.signals))

    def test_parameters_and_settings(self) -> None:
        model = percuss.load(
            EXAMPLES / "bouncing_ball.yaml",
            {"simulation.step": 2e-4, "bodies.ball.velocity": np.array([0.25, 0, 0])},
            drop=2,
            e="3/10",
        )
        self.assertEqual(model.step, 2e-4)
        self.assertEqual(model.settings["drop"], 2)
        with model.simulate() as sim:
            self.assertAlmostEqual(sim["body.ball.position.z"], 2.1, 12)
            self.assertEqual(sim["body.ball.velocity.x"], 0.25)
        self.assertEqual(percuss.loads(model.text).step, 2e-4)

    def test_options_of_the_file(self) -> None:
        model = percuss.loads(PUSHED, {"simulation.theta": 0.75})
        self.assertEqual(model.options, {"theta": "0.75"})
        a, b = model.simulate(), model.simulate(theta=1)
        a.step()
        b.step()
        self.assertNotEqual(a["body.p.position.y"], b["body.p.position.y"])

    def test_setting_texts(self) -> None:
        cases = [
            (True, "true"),
            (np.bool_(False), "false"),
            (3, "3"),
            (np.int32(-4), "-4"),
            (0.1, "0.1"),
            (np.float64(1e-20), "1e-20"),
            ("2*pi", "2*pi"),
            ([1, 2.5], "[1, 2.5]"),
            (["max(0, t)", 0], "['max(0, t)', 0]"),
            (["it's"], "['it''s']"),
            (np.eye(2), "[[1.0, 0.0], [0.0, 1.0]]"),
            ({"a": 1, "b": {"c": [2]}}, "{a: 1, b: {c: [2]}}"),
        ]
        for value, text in cases:
            self.assertEqual(setting_text(value), text)
        for bad in (None, object(), {1, 2}, 1j):
            self.assertRaises(TypeError, setting_text, bad)
        for worse in (float("nan"), float("inf"), [np.inf]):
            self.assertRaises(ValueError, setting_text, worse)


class Mistakes(FolderTest):
    def test_missing_file(self) -> None:
        with self.assertRaises(percuss.FileError) as caught:
            percuss.load(self.folder / "nothing.yaml")
        self.assertIn("nothing.yaml", str(caught.exception))
        self.assertIsInstance(caught.exception, OSError)
        self.assertEqual(caught.exception.status, -7)

    def test_place(self) -> None:
        path = self.folder / "bad.yaml"
        path.write_text("dimension: 2\nbodies:\n  p: {mas: 1}\n")
        with self.assertRaises(percuss.InputError) as caught:
            percuss.load(path)
        self.assertIn("bad.yaml:3:7: unknown key 'mas'", str(caught.exception))
        self.assertIn("did you mean 'mass'?", str(caught.exception))
        with self.assertRaises(percuss.InputError) as caught:
            percuss.loads("bodies: {}", name="mine")
        self.assertTrue(str(caught.exception).startswith("mine"))

    def test_unknown_parameter(self) -> None:
        with self.assertRaises(percuss.InputError) as caught:
            percuss.load(EXAMPLES / "bouncing_ball.yaml", dropp=2)
        self.assertIn("did you mean 'drop'?", str(caught.exception))

    def test_twice(self) -> None:
        with self.assertRaises(ValueError):
            percuss.load(EXAMPLES / "bouncing_ball.yaml", {"e": 1}, e=0.5)

    def test_open_joint(self) -> None:
        text = (
            "dimension: 2\nbodies:\n  p: {mass: 1, inertia: 1}\njoints:\n"
            "  near: {type: revolute, bodies: [ground, p], a: [0, 0], b: [0, 0]}\n"
            "  far: {type: revolute, bodies: [ground, p], a: [9, 0], b: [1, 0]}\n"
        )
        with self.assertRaises(percuss.ModelError) as caught:
            percuss.loads(text, name="open.yaml").simulate()
        self.assertRegex(str(caught.exception), r"^open\.yaml:\d:3: .*cannot be closed")

    def test_types(self) -> None:
        self.assertRaises(TypeError, percuss.load, None)
        self.assertRaises(TypeError, percuss.loads, b"dimension: 2")
        self.assertRaises(ValueError, percuss.loads, "dimension: 2\0")
        self.assertRaises(ValueError, percuss.load, "a\0b")
        self.assertRaises(ValueError, percuss.load, EXAMPLES / "bouncing_ball.yaml", {"a\0b": 1})
        self.assertRaises(TypeError, percuss.load, EXAMPLES / "bouncing_ball.yaml", {1: 1})

    def test_simulate(self) -> None:
        model = percuss.loads(PUSHED)
        for bad in ({"step": 0}, {"step": float("nan")}, {"end": -1}, {"scheme": "moreau"}):
            with self.subTest(bad):
                self.assertRaises(percuss.InputError, model.simulate, **bad)
        for bad in ({"theta": 7}, {"thta": 0.5}, {"variant": "none"}):
            with self.subTest(bad):
                self.assertRaises(percuss.Error, model.simulate, **bad)
        self.assertRaises(TypeError, model.simulate, step=[1])
        self.assertRaises(TypeError, model.simulate, scheme=3)


class Lifetime(unittest.TestCase):
    def test_model_outlives(self) -> None:
        sim = percuss.loads(PUSHED).simulate()
        gc.collect()
        sim.step()
        self.assertEqual(sim.model.title, "Pushed mass")

    def test_no_copies(self) -> None:
        model = percuss.loads(PUSHED)
        self.assertRaises(TypeError, pickle.dumps, model)
        self.assertRaises(TypeError, copy.deepcopy, model)
        again = copy.copy(model)
        del model
        gc.collect()
        self.assertEqual(again.title, "Pushed mass")

    def test_tables(self) -> None:
        scheme = percuss.schemes()["moreau-jean"]
        theta = {option.key: option for option in scheme.options}["theta"]
        self.assertEqual((theta.type, theta.default, theta.lowest), ("real", 0.5, 0.5))
        for kind in ("lcp", "mlcp", "local", "global"):
            self.assertEqual(next(iter(percuss.solvers(kind))), "auto")
        self.assertRaises(ValueError, percuss.solvers, "other")


if __name__ == "__main__":
    unittest.main()
