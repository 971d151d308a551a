"""Simulations: steps, signals, views, inputs, runs, interruption, threads, lifetimes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings
import weakref
from typing import Any, List

import numpy as np
from support import EXAMPLES, PUSHED, FolderTest

import percuss


def pushed(**options: Any) -> percuss.Simulation:
    return percuss.loads(PUSHED).simulate(**options)


class Stepping(unittest.TestCase):
    def test_free_fall(self) -> None:
        with pushed(end=0.5) as sim:
            self.assertEqual(sim.time, 0)
            while not sim.finished:
                self.assertTrue(sim.step())
            self.assertAlmostEqual(sim.time, 0.5, 14)
            # Constant force: the scheme is exact.
            acceleration = -9.81 + 0.5 / 2.5
            self.assertAlmostEqual(sim["body.p.position.y"], 3 + acceleration / 8, 12)
            self.assertRaises(percuss.ArgumentError, sim.step)
            self.assertEqual((sim.start_time, sim.end_time, sim.step_length), (0, 0.5, 1e-2))
            self.assertIn("t = 0.5 s", repr(sim))

    def test_views(self) -> None:
        sim = pushed()
        q, v = sim.q, sim.v
        self.assertEqual((q.shape, v.shape), ((2,), (2,)))
        self.assertEqual(q[1], 3)
        sim.step()
        self.assertEqual(q[1], sim["body.p.position.y"])  # the view shows the new state
        self.assertEqual(v[1], sim["body.p.velocity.y"])
        for array in (q, v):
            with self.assertRaises(ValueError):
                array[0] = 1
            with self.assertRaises(ValueError):
                array.flags.writeable = True
        kept = q.copy()
        sim.close()
        del sim
        gc.collect()
        np.testing.assert_array_equal(q, kept)  # the memory lives as long as the array

    def test_tables(self) -> None:
        with percuss.load(EXAMPLES / "four_bar.yaml").simulate() as sim:
            for _ in range(10):
                sim.step()
            bodies, joints = sim.bodies, sim.joints
            self.assertEqual((len(bodies), len(joints), len(sim.contacts)), (3, 4, 0))
            self.assertEqual(bodies["position"].shape, (3, 3))
            rocker = bodies[sim.model.bodies.index("rocker")]
            self.assertEqual(rocker["position"][0], sim["body.rocker.position.x"])
            self.assertEqual(rocker["angle"], sim["body.rocker.angle"])
            self.assertEqual(rocker["angular_velocity"][2], sim["body.rocker.angular_velocity.z"])
            self.assertEqual(joints["coordinate"][0, 0], sim["joint.motor.angle"])
            self.assertEqual(joints["force"][3, 1], sim["joint.pivot.force.y"])
        with percuss.load(EXAMPLES / "bouncing_ball.yaml").simulate() as sim:
            sim.run(until=0.46)
            contact = sim.contacts[0]
            self.assertEqual(contact["gap"], sim["contact.floor.gap"])
            np.testing.assert_array_equal(contact["normal"], [0, 0, 1])
            self.assertEqual(contact["velocity"][0], sim["contact.floor.velocity.n"])
            self.assertEqual(contact["state"], sim["contact.floor.state"])
            self.assertEqual(sim.bodies["rotation"][0, 0], 1)

    def test_signals(self) -> None:
        with pushed() as sim:
            height = sim.signal("body.p.position.y")
            group = sim.signals(["time", "body.p.position.y", "input.fy"])
            self.assertEqual(len(group), 3)
            sim.step()
            self.assertEqual(height(), sim["body.p.position.y"])
            self.assertEqual(float(height), height.value)
            np.testing.assert_array_equal(group(), [1e-2, height(), 0.5])
            np.testing.assert_array_equal(group.values, sim[list(group.paths)])
            out = np.zeros(3)
            self.assertIs(group(out), out)
            self.assertEqual(out[2], 0.5)
            read_only = np.zeros(3)
            read_only.flags.writeable = False
            for bad in (np.zeros(2), np.zeros((3, 1)), np.zeros(6)[::2], read_only):
                self.assertRaises(ValueError, group, bad)
            for worse in (np.zeros(3, np.float32), [0, 0, 0]):
                self.assertRaises(TypeError, group, worse)
            self.assertEqual(len(sim.signals([])()), 0)

    def test_unknown_signal(self) -> None:
        with pushed() as sim:
            with self.assertRaises(percuss.UnknownNameError) as caught:
                sim["body.p.positoin.y"]
            self.assertEqual(
                str(caught.exception),
                "there is no signal 'body.p.positoin.y'; did you mean 'body.p.position.y'?",
            )
            self.assertIsInstance(caught.exception, KeyError)
            self.assertRaises(percuss.InputError, sim.signal, "x" * 100000)
            self.assertRaises(TypeError, sim.signals, "time")
            self.assertRaises(TypeError, sim.signals, [3])
            self.assertRaises(TypeError, sim.__getitem__, 3)
            self.assertRaises(ValueError, sim.signal, "a\0b")

    def test_evidence(self) -> None:
        with percuss.load(EXAMPLES / "bouncing_ball.yaml").simulate() as sim:
            statistics = sim.run()
            self.assertEqual(statistics, sim.statistics)
            self.assertEqual(statistics.steps, 2000)
            self.assertGreater(statistics.impacts, 5)
            energy = sim.energy
            self.assertEqual(energy.total, energy.kinetic + energy.potential)
            self.assertAlmostEqual(energy.total, sim["energy.total"], 12)
            events = sim.events
            self.assertEqual(len(events), sim.event_count)
            impacts = [event for event in events if event.kind == "impact"]
            self.assertEqual(len(impacts), statistics.impacts)
            self.assertEqual(impacts[0].object, "floor")
            self.assertAlmostEqual(impacts[0].value, np.sqrt(2 * 9.81), 1)

    def test_checkpoint(self) -> None:
        first, second = pushed(), pushed()
        first.run(until=0.2)
        first.inputs["fx"] = 1.25
        state = first.save()
        second.load(state)
        self.assertEqual(second.inputs["fx"], 1.25)
        first.run()
        second.run()
        self.assertEqual(first.save(), second.save())
        second.load(bytearray(state))
        self.assertAlmostEqual(second.time, 0.2, 12)
        for bad in (b"", b"x" * 10, state[:-1], b"\0" * len(state)):
            self.assertRaises(percuss.InputError, second.load, bad)
        self.assertRaises(TypeError, second.load, "text")
        self.assertRaises(percuss.InputError, pushed(step=1e-3).load, state)


class Controlling(unittest.TestCase):
    def test_inputs(self) -> None:
        with pushed() as sim:
            self.assertEqual(dict(sim.inputs), {"fx": 0, "fy": 0.5})
            sim.inputs["fx"] = np.float32(2)
            self.assertEqual(sim["input.fx"], 2)
            self.assertIn("fx", sim.inputs)
            self.assertNotIn("fz", sim.inputs)
            with self.assertRaises(percuss.UnknownNameError) as caught:
                sim.inputs["fxx"] = 1
            self.assertIn("did you mean 'fx'?", str(caught.exception))
            self.assertRaises(KeyError, lambda: sim.inputs["nothing"])
            for bad in (float("nan"), float("inf")):
                with self.assertRaises(percuss.ArgumentError):
                    sim.inputs["fx"] = bad
            for worse in (None, "a", [1, 2]):
                with self.assertRaises((TypeError, ValueError)):
                    sim.inputs["fx"] = worse  # type: ignore[assignment]
            with self.assertRaises(TypeError):
                del sim.inputs["fx"]
            self.assertEqual(sim.inputs["fx"], 2)
            sim.run()
            with self.assertRaises(percuss.ArgumentError) as late:
                sim.inputs["fx"] = 1
            self.assertIn("too late", str(late.exception))

    def test_zero_order_hold(self) -> None:
        def controller(sim: percuss.Simulation) -> None:
            sim.inputs["fx"] = np.sin(7 * sim.time)

        with pushed() as sim:
            data = sim.record(["input.fx", "body.p.velocity.x"], controller=controller, every=0)
        expected = np.cumsum(np.sin(7 * data["time"][:-1])) * 1e-2 / 2.5
        np.testing.assert_allclose(data["body.p.velocity.x"][1:], expected, atol=1e-13)
        # The value at a frame is the one held over the step before it.
        np.testing.assert_array_equal(data["input.fx"][1:], np.sin(7 * data["time"][:-1]))
        self.assertEqual(data["input.fx"][0], 0)

    def test_controller_against_formula(self) -> None:
        """The PD law in Python converges to the one in the file with the step."""
        path, law = EXAMPLES / "four_bar.yaml", "-40*(joint.motor.angle - 0.6) - 4*joint.motor.rate"

        def controller(sim: percuss.Simulation) -> None:
            angle, rate = sim[["joint.motor.angle", "joint.motor.rate"]]
            sim.inputs["torque"] = -40 * (angle - 0.6) - 4 * rate

        differences = []
        for step in (2e-3, 1e-3):
            continuous = percuss.load(path, {"joints.motor.actuator": law}).simulate(step=step)
            changes = {"joints.motor.actuator": "input.torque", "inputs": {"torque": 0}}
            sampled = percuss.load(path, changes).simulate(step=step)
            continuous.run(until=0.1)
            sampled.run(until=0.1, controller=controller)
            differences.append(abs(continuous["joint.motor.angle"] - sampled["joint.motor.angle"]))
        self.assertLess(differences[1], 5e-3)
        self.assertAlmostEqual(differences[0] / differences[1], 2, delta=0.4)  # order 1


class Running(FolderTest):
    def test_until(self) -> None:
        with pushed() as sim:
            sim.run(until=0.3)
            self.assertAlmostEqual(sim.time, 0.3, 12)
            sim.run(until=0.3)
            self.assertAlmostEqual(sim.time, 0.3, 12)
            for bad in (0.2, 1.5, float("nan")):
                self.assertRaises(ValueError, sim.run, bad)
            self.assertRaises(ValueError, sim.run, every=-1)
            self.assertRaises(ValueError, sim.run, every=float("nan"))
            sim.run(1)
            self.assertTrue(sim.finished)
            sim.run()

    def test_callback(self) -> None:
        times: List[float] = []
        with pushed() as sim:
            sim.run(callback=lambda s: times.append(s.time))
            self.assertEqual(len(times), 100)
        with pushed() as sim:
            sim.run(callback=lambda s: s.time > 0.5)
            self.assertAlmostEqual(sim.time, 0.51, 12)

    def test_exceptions_come_out(self) -> None:
        class Mine(Exception):
            pass

        def fail(sim: percuss.Simulation) -> None:
            if sim.time > 0.3:
                raise Mine

        for which in ("controller", "callback"):
            path = self.folder / f"{which}.h5"
            with pushed() as sim:
                with self.assertRaises(Mine):
                    sim.run(output=path, every=0, **{which: fail})  # type: ignore[arg-type]
                self.assertAlmostEqual(sim.time, 0.31, 12)
                sim.run(until=0.4)  # goes on
            with percuss.open_result(path) as result:
                self.assertFalse(result.complete)
                self.assertEqual(result.frames, 32)

    def test_closed_in_callback(self) -> None:
        sim, path = pushed(), self.folder / "closed.h5"
        with self.assertRaises(ValueError):
            sim.run(callback=lambda s: s.close(), output=path)
        self.assertFalse(percuss.open_result(path).complete)

    def test_record_loses_no_impulse(self) -> None:
        sums = []
        for every in (0, 0.0173, 0.5):
            with percuss.load(EXAMPLES / "bouncing_ball.yaml").simulate() as sim:
                path = "contact.floor.impulse.n"
                sums.append(sim.record([path], every=every)[path].sum())
        self.assertGreater(sums[0], 0)
        for total in sums:
            self.assertAlmostEqual(total, sums[0], delta=1e-10 * sums[0])

    def test_record_frames(self) -> None:
        with pushed() as sim:
            data = sim.record(["time", "body.p.position.y"])
        np.testing.assert_allclose(data["time"], np.arange(21) * 0.05, atol=1e-12)
        with pushed() as sim:
            data = sim.record([], until=0.105, every=0.1)
        np.testing.assert_allclose(data["time"], [0, 0.1, 0.11], atol=1e-12)

    def test_frames_as_the_program_stores_them(self) -> None:
        program = os.environ.get("PERCUSS")
        if not program:
            self.skipTest("no program")
        # A program with sanitizers brings their runtime itself.
        environment = {key: text for key, text in os.environ.items() if key != "LD_PRELOAD"}
        for every in ("0", "0.013", "0.5", "7"):
            path = self.folder / "cli.h5"
            model = EXAMPLES / "bouncing_ball.yaml"
            command = [program, "run", str(model), "--quiet", "--out", str(path)]
            subprocess.run(command + ["--output-step", every], check=True, env=environment)
            with percuss.load(model).simulate() as sim:
                data = sim.record(["body.ball.position.z"], every=float(every))
            with percuss.open_result(path) as result:
                np.testing.assert_array_equal(data["time"], result.time)
                stored = result["body.ball.position.z"]
                np.testing.assert_array_equal(data["body.ball.position.z"], stored)

    def test_not_converged_is_a_warning(self) -> None:
        model = percuss.load(EXAMPLES / "three_boxes.yaml")
        with model.simulate(end=0.01, newton_iterations=1, solver_iterations=1) as sim:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                statistics = sim.run()
            self.assertEqual(len(caught), int(statistics.unconverged_steps > 0))
            for warning in caught:
                self.assertTrue(issubclass(warning.category, percuss.NotConvergedWarning))
                self.assertEqual(warning.filename, __file__)

    def test_output_is_not_the_model(self) -> None:
        path = self.folder / "model.yaml"
        path.write_text(PUSHED)
        with percuss.load(path).simulate() as sim:
            self.assertRaises(ValueError, sim.run, output=path)
            self.assertRaises(percuss.FileError, sim.run, output=self.folder)
            self.assertRaises(percuss.FileError, sim.run, output=self.folder / "no" / "r.h5")
        self.assertEqual(path.read_text(), PUSHED)


class Interruption(FolderTest):
    def interrupt_soon(self) -> None:
        def kick() -> None:
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=kick)
        thread.start()
        self.addCleanup(thread.join)

    def test_run_stops_cleanly(self) -> None:
        path = self.folder / "long.h5"
        sim = percuss.load(EXAMPLES / "four_bar.yaml").simulate(end=1e5)
        self.interrupt_soon()
        with self.assertRaises(KeyboardInterrupt):
            sim.run(output=path, every=1)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertGreater(sim.time, 0)
        with percuss.open_result(path) as result:
            self.assertFalse(result.complete)
            self.assertAlmostEqual(result.time[-1], sim.time, 12)
        sim.step()

    def test_interrupt_in_callback(self) -> None:
        sim = pushed()
        self.interrupt_soon()
        before = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            sim.run(callback=lambda s: time.sleep(20))
        self.assertLess(time.monotonic() - before, 10)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)


class Lifetimes(unittest.TestCase):
    def test_use_after_close(self) -> None:
        sim = pushed()
        one, several, inputs = sim.signal("time"), sim.signals(["time"]), sim.inputs
        sim.close()
        sim.close()
        uses = [
            lambda: sim.step(),
            lambda: sim.run(),
            lambda: sim.time,
            lambda: sim.finished,
            lambda: sim.q,
            lambda: sim.v,
            lambda: sim["time"],
            lambda: sim.bodies,
            lambda: sim.joints,
            lambda: sim.contacts,
            lambda: sim.events,
            lambda: sim.event_count,
            lambda: sim.statistics,
            lambda: sim.energy,
            lambda: sim.save(),
            lambda: sim.load(b""),
            lambda: sim.signal("time"),
            lambda: sim.signals(["time"]),
            lambda: one(),
            lambda: several(),
            lambda: inputs["fx"],
            lambda: inputs.__setitem__("fx", 1),
            lambda: inputs["nothing"],
            lambda: sim.__enter__(),
        ]
        for use in uses:
            self.assertRaises(ValueError, use)
        self.assertIn("closed", repr(sim))

    def test_threads_are_kept_apart(self) -> None:
        """Two threads on one simulation: one of them gets an error, none a crash."""
        sim = percuss.load(EXAMPLES / "four_bar.yaml").simulate(end=1e4)
        errors: List[BaseException] = []
        stop = time.monotonic() + 1

        def work() -> None:
            while time.monotonic() < stop:
                try:
                    sim.step()
                    sim["joint.motor.angle"]
                    sim.bodies
                    sim.save()
                except RuntimeError as error:
                    errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(np.isfinite(sim.q).all())
        for error in errors:
            self.assertIn("another thread", str(error))

    def test_one_model_in_many_threads(self) -> None:
        model = percuss.load(EXAMPLES / "woodpecker.yaml")
        states: List[bytes] = []

        def work() -> None:
            with model.simulate(end=0.05) as sim:
                sim.run()
                states.append(sim.save())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(states), 4)
        self.assertEqual(len(set(states)), 1)  # same bits

    def test_cycles(self) -> None:
        """The collector may finalize in any order; a finalizer of the user may come late."""

        class Late:
            def __init__(self, sim: percuss.Simulation) -> None:
                self.me, self.sim, self.model = self, sim, sim.model
                self.signal, self.inputs = sim.signal("time"), sim.inputs

            def __del__(self) -> None:
                uses = [self.sim.step, self.signal, lambda: self.model.title, self.sim.save]
                for use in uses + [lambda: self.inputs["fx"], lambda: self.model.simulate()]:
                    try:
                        use()
                    except ValueError as error:
                        seen.append(str(error))

        seen: List[str] = []
        for _ in range(200):
            sim = pushed()
            Late(sim)
            problem = percuss.LCP([[1.0]], [-1.0])
            problem.me = problem  # type: ignore[attr-defined]
            del sim, problem
        gc.collect()

    def test_freed_without_collector(self) -> None:
        gc.disable()
        self.addCleanup(gc.enable)
        sim = pushed()
        sim.run(until=0.1, controller=lambda s: s.inputs.__setitem__("fx", 1))
        sim["time"], sim.signal("time"), sim.signals(["time"]), sim.q  # noqa: B018
        handle = weakref.ref(sim._held())
        model = weakref.ref(sim.model._handle)
        del sim
        self.assertIsNone(handle())
        self.assertIsNone(model())

    def test_exit_with_open_objects(self) -> None:
        """The interpreter ends well, whatever is still open."""
        code = (
            "import percuss, sys\n"
            f"model = percuss.load({str(EXAMPLES / 'four_bar.yaml')!r})\n"
            "sim = model.simulate()\n"
            "view = sim.q\n"
            "signal = sim.signal('time')\n"
            "cycle = [sim]; cycle.append(cycle)\n"
            "problem = percuss.LCP([[1.0]], [-1.0])\n"
            "sys.keep = (view, signal, problem)\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    unittest.main()
