"""Result files: reading back, unfinished and damaged files, checkpoints, reports."""

from __future__ import annotations

import gc
import unittest
from unittest import mock

import numpy as np
from support import EXAMPLES, PUSHED, FolderTest

import percuss
from percuss import result as result_module


class Results(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.folder / "run.h5"
        self.model = percuss.loads(PUSHED)

    def write(self) -> percuss.Statistics:
        def controller(sim: percuss.Simulation) -> None:
            sim.inputs["fx"] = 3 * sim.time

        with self.model.simulate() as sim:
            return sim.run(output=self.path, controller=controller)

    def test_reading(self) -> None:
        statistics = self.write()
        with percuss.open_result(self.path) as result:
            self.assertEqual((result.frames, len(result)), (21, 21))
            self.assertTrue(result.complete)
            self.assertEqual(result.title, "Pushed mass")
            self.assertEqual(result.model_text, self.model.text)
            self.assertEqual(result.statistics, statistics)
            self.assertEqual(result.signals[0], "time")
            self.assertEqual(set(result.signals), set(self.model.signals))
            np.testing.assert_allclose(result.time, np.arange(21) * 0.05, atol=1e-12)
            np.testing.assert_allclose(result["input.fx"][1:], 3 * (result.time[1:] - 0.01))
            table = result[["time", "body.p.position.y"]]
            self.assertEqual(list(table), ["time", "body.p.position.y"])
            self.assertEqual(table["body.p.position.y"][0], 3)
            for path in result.signals:
                self.assertEqual(result.signal(path).shape, (21,))
            self.assertIn("21 frames, complete", repr(result))
        self.assertEqual(percuss.loads(self.model.text).title, "Pushed mass")

    def test_arrays_stay(self) -> None:
        self.write()
        result = percuss.open_result(str(self.path))
        time = result.time
        result.close()
        del result
        gc.collect()
        self.assertEqual(time[0], 0)

    def test_checkpoint(self) -> None:
        with self.model.simulate() as sim:
            sim.run(until=0.5, output=self.path)
            state = sim.save()
        with percuss.open_result(self.path) as result:
            self.assertEqual(result.checkpoint, state)
        with self.model.simulate() as sim:
            sim.load(state)
            self.assertAlmostEqual(sim.time, 0.5, 12)

    def test_mistakes(self) -> None:
        self.write()
        with percuss.open_result(self.path) as result:
            with self.assertRaises(percuss.UnknownNameError) as caught:
                result["body.p.positoin.y"]
            self.assertIn("did you mean 'body.p.position.y'?", str(caught.exception))
            self.assertRaises(TypeError, result.signal, 3)
        uses = ("frames", "complete", "title", "time", "statistics", "checkpoint", "model_text")
        for use in uses:
            self.assertRaises(ValueError, getattr, result, use)
        self.assertRaises(ValueError, result.signal, "time")
        self.assertIn("closed", repr(result))
        self.assertRaises(percuss.Error, percuss.open_result, self.folder / "nothing.h5")
        self.assertRaises(percuss.Error, percuss.open_result, EXAMPLES / "four_bar.yaml")
        whole = self.path.read_bytes()
        cut = self.folder / "cut.h5"
        for size in (0, 7, 100, 600, 2000, len(whole) // 2, len(whole) - 1):
            cut.write_bytes(whole[:size])
            try:
                with percuss.open_result(cut) as result:
                    for path in result.signals:
                        result.signal(path)
            except percuss.Error as error:
                self.assertTrue(str(error))

    def test_report(self) -> None:
        self.write()
        page = self.folder / "page.html"
        available = result_module.lib.optional("pcs_report_is_available")
        if available is not None and available():
            percuss.write_report(self.path, page)
            self.assertIn("<html", page.read_text()[:2000].lower())
            with percuss.open_result(self.path) as result:
                percuss.write_report([result, self.path], page, ["one", "two"])
        with mock.patch.object(result_module.lib, "optional", return_value=None):
            with self.assertRaises(percuss.Error) as caught:
                percuss.write_report(self.path, page)
            self.assertIn("pcs_report_write", str(caught.exception))
        with mock.patch.object(result_module.lib, "optional", return_value=lambda *a: 0):
            percuss.write_report([self.path, str(self.path)], page)
            self.assertRaises(ValueError, percuss.write_report, [], page)
            self.assertRaises(ValueError, percuss.write_report, [self.path], page, ["a", "b"])


if __name__ == "__main__":
    unittest.main()
