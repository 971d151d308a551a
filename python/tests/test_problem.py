"""Contact problems from arrays and files. The answers are checked from the data with numpy."""

from __future__ import annotations

import os
import signal
import threading
import time
import unittest
import warnings
from typing import Any, List, Tuple

import numpy as np
from support import SOURCE, FolderTest

import percuss

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None

DATA = SOURCE / "tests" / "data" / "contact-problems"


def random_problem(
    contacts: int, dimension: int, bilateral: int = 0, seed: int = 3
) -> Tuple[Any, Any, Any, Any]:
    """Masses, directions, forces and friction of some bodies."""
    random = np.random.default_rng(seed)
    rows = contacts * dimension + bilateral
    dofs = rows + 5
    M = np.diag(random.uniform(0.5, 3, dofs))
    H = random.normal(size=(dofs, rows))
    return M, H, random.normal(size=dofs), random.uniform(0.1, 0.9, contacts)


class Friction(FolderTest):
    def assert_solves(
        self, W: Any, q: Any, mu: Any, dimension: int, found: percuss.Solution
    ) -> None:
        """Coulomb's law, contact by contact."""
        size = max(np.abs(q).max(), 1)
        np.testing.assert_allclose(found.u, W @ found.r + q, atol=1e-10 * size)
        contacts = len(mu)
        r = found.r[: contacts * dimension].reshape(contacts, dimension)
        u = found.u[: contacts * dimension].reshape(contacts, dimension)
        np.testing.assert_allclose(found.u[contacts * dimension :], 0, atol=1e-6 * size)
        self.assertGreaterEqual(u[:, 0].min(), -1e-6 * size)
        self.assertLess(np.abs(r[:, 0] * u[:, 0]).max(), 1e-6 * size**2)
        friction, slide = np.linalg.norm(r[:, 1:], axis=1), np.linalg.norm(u[:, 1:], axis=1)
        self.assertLess((friction - mu * r[:, 0]).max(), 1e-6 * size)
        # Slip: friction is opposite to the sliding and on the cone.
        power = np.einsum("ij,ij->i", r[:, 1:], u[:, 1:]) + mu * r[:, 0] * slide
        self.assertLess(np.abs(power).max(), 1e-6 * size**2)

    def test_local_and_global(self) -> None:
        for dimension in (2, 3):
            for bilateral in (0, 2):
                with self.subTest(dimension=dimension, bilateral=bilateral):
                    M, H, f, mu = random_problem(6, dimension, bilateral)
                    w = np.linspace(-1, 1, H.shape[1])
                    inverse = np.linalg.inv(M)
                    W, q = H.T @ inverse @ H, H.T @ inverse @ f + w
                    sizes = {"dimension": dimension, "bilateral_rows": bilateral}
                    local = percuss.ContactProblem(W, q, mu, **sizes)
                    whole = percuss.ContactProblem(M=M, H=H, f=f, w=w, mu=mu, **sizes)
                    self.assertEqual((local.problem_class, local.dofs), ("local", 0))
                    self.assertEqual((whole.problem_class, whole.dofs), ("global", len(f)))
                    self.assertEqual((whole.contacts, whole.dimension), (6, dimension))
                    self.assertEqual((whole.rows, whole.bilateral_rows), (len(q), bilateral))
                    for problem in (local, whole, whole.reduce()):
                        found = problem.solve(tolerance=1e-10)
                        self.assertTrue(found.solved)
                        self.assert_solves(W, q, mu, dimension, found)
                        verdict = problem.verify(found.r)
                        self.assertLess(verdict.residual.relative, 1e-8)
                        self.assertEqual(verdict.open + verdict.stick + verdict.slip, 6)
                    self.assertRaises(ValueError, local.reduce)

    @unittest.skipIf(sparse is None, "scipy is not installed")
    def test_sparse_formats(self) -> None:
        M, H, f, mu = random_problem(5, 3)
        W, q = H.T @ H, H.T @ f
        answers = [percuss.ContactProblem(W, q, mu).solve().r]
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr"):
            matrix = sparse.csr_matrix(W).asformat(form)
            answers.append(percuss.ContactProblem(matrix, q, mu).solve().r)
        row, column = np.repeat(range(15), 15), np.tile(range(15), 15)
        doubled = sparse.coo_matrix(  # duplicates are summed
            (np.tile(W.ravel() / 2, 2), (np.tile(row, 2), np.tile(column, 2)))
        )
        answers.append(percuss.ContactProblem(doubled, q, mu).solve().r)
        for answer in answers[1:]:
            np.testing.assert_array_equal(answer, answers[0])

    def test_layouts(self) -> None:
        M, H, f, mu = random_problem(4, 3)
        W, q = H.T @ H, H.T @ f
        expected = percuss.ContactProblem(W, q, mu).solve().r
        wide = np.zeros((24, 24))
        wide[::2, ::2] = W
        for matrix in (np.asfortranarray(W), wide[::2, ::2], W.tolist()):
            found = percuss.ContactProblem(matrix, list(q), tuple(mu)).solve().r
            np.testing.assert_array_equal(found, expected)
        one = percuss.ContactProblem(W, q, 0.3).solve().r
        np.testing.assert_array_equal(percuss.ContactProblem(W, q, np.full(4, 0.3)).solve().r, one)
        percuss.ContactProblem(np.eye(3, dtype=int), [-1, 0, 0], 0).solve()

    def test_solve_arguments(self) -> None:
        M, H, f, mu = random_problem(6, 3)
        problem = percuss.ContactProblem(H.T @ H, H.T @ f, mu)
        first = problem.solve(tolerance=1e-12)
        self.assertEqual(first.status, "solved")
        self.assertEqual(first.reason, "")
        self.assertGreaterEqual(len(first.stages), 1)
        self.assertLess(first.residuals.relative, 1e-12)
        again = problem.solve(tolerance=1e-10, warm_start=first.r)
        self.assertLessEqual(again.iterations, first.iterations)
        np.testing.assert_array_equal(problem.solve(tolerance=1e-12, threads=2).r, first.r)
        for measure in ("scaled", "unscaled", "relative"):
            self.assertTrue(problem.solve(measure=measure).solved)
        for name in percuss.solvers("local"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", percuss.NotConvergedWarning)
                found = problem.solve(name, tolerance=1e-6, max_time=5)
            if found.solved:
                self.assertLess(problem.verify(found.r).residual.relative, 2e-6, name)
        bad = [
            {"solver": "magic"},
            {"measure": "other"},
            {"threads": 0},
            {"threads": 1.5},
            {"threads": 2**40},
            {"tolerance": -1},
            {"max_time": 0},
            {"max_iterations": 0},
            {"warm_start": [1, 2]},
            {"warm_start": np.full(18, np.nan)},
            {"options": {"nothing": 1}},
            {"solver": "magic", "options": {"nothing": 1}},
            {"solver": "a\0b"},
        ]
        for arguments in bad:
            with self.subTest(arguments):
                self.assertRaises(ValueError, problem.solve, **arguments)  # type: ignore[arg-type]
        self.assertRaises(TypeError, problem.solve, 3)

    def test_options(self) -> None:
        problem = percuss.LCP([[2, 1], [1, 2]], [-5, -6])
        self.assertTrue(problem.solve("sor", options={"relaxation": 1.1}).solved)
        self.assertTrue(problem.solve("pivot", options={"rule": "murty"}).solved)
        for options in ({"relaxation": 5}, {"relaxation": "x"}):
            self.assertRaises(ValueError, problem.solve, "sor", options=options)
        self.assertRaises(ValueError, problem.solve, "pivot", options={"rule": "other"})
        self.assertRaises(ValueError, problem.solve, "lemke", options={"covers": 1.5})

    def test_bad_arrays(self) -> None:
        W, q, mu = np.eye(6), np.zeros(6), [0.1, 0.2]
        make = percuss.ContactProblem
        nan = W.copy()
        nan[1, 2] = np.nan
        wrong_values: List[Tuple[Any, ...]] = [
            (W[:5], q, mu),
            (W, q[:5], mu),
            (W, q, [0.1]),
            (W, q, [0.1, -0.2]),
            (W, q, [0.1, np.inf]),
            (nan, q, mu),
            (W, np.full(6, np.inf), mu),
            (W.ravel(), q, mu),
            (W, q.reshape(2, 3), mu),
        ]
        for arguments in wrong_values:
            self.assertRaises(ValueError, make, *arguments)
        for arguments in [(W * 1j, q, mu), (W, ["a"] * 6, mu), (None, q, mu), (W, None, mu)]:
            self.assertRaises(TypeError, make, *arguments)
        self.assertRaises(TypeError, make, W, q)
        self.assertRaises(TypeError, make, W, q, mu, M=W)
        self.assertRaises(TypeError, make, W, q, mu, f=q)
        self.assertRaises(TypeError, make, M=W, H=W, f=q, w=q, q=q, mu=mu)
        self.assertRaises(TypeError, make, M=W, f=q, w=q, mu=mu)
        self.assertRaises(ValueError, make, M=W, H=W[:5], f=q, w=q, mu=mu)
        self.assertRaises(ValueError, make, W, q, mu, dimension=4)
        self.assertRaises(ValueError, make, W, q, mu, bilateral_rows=-1)
        self.assertRaises(ValueError, make, W, q, mu, bilateral_rows=9)
        problem = make(W, q, mu)
        self.assertRaises(ValueError, problem.verify, np.zeros(5))
        self.assertRaises(TypeError, problem.verify, None)

    def test_unsolvable(self) -> None:
        """A sliding body jammed in a cone: no solution, and the library says why."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = percuss.LCP([[-1.0]], [-1.0]).solve()
        self.assertFalse(found.solved)
        self.assertEqual(found.status, "not converged")
        self.assertTrue(found.reason)
        self.assertEqual([w.category for w in caught], [percuss.NotConvergedWarning])
        self.assertEqual(caught[0].filename, __file__)

    def test_no_contacts(self) -> None:
        found = percuss.ContactProblem(np.zeros((0, 0)), [], []).solve()
        self.assertEqual(found.r.shape, (0,))
        only = percuss.ContactProblem(2 * np.eye(2), [1.0, 2.0], [], bilateral_rows=2).solve()
        np.testing.assert_allclose(only.r, [-0.5, -1], atol=1e-12)

    def test_files(self) -> None:
        M, H, f, mu = random_problem(3, 3)
        problem = percuss.ContactProblem(H.T @ H, H.T @ f, mu)
        found = problem.solve()
        for name in ("p.dat", "p.hdf5"):
            path = self.folder / name
            problem.write(path, r=found.r if name.endswith("hdf5") else None)
            back = percuss.read_problem(path)
            self.assertIsInstance(back, percuss.ContactProblem)
            self.assertEqual((back.contacts, back.rows), (3, 9))
            np.testing.assert_allclose(back.solve().r, found.r, rtol=1e-6, atol=1e-9)
        lcp = percuss.LCP([[2, 1], [1, 2]], [-5, -6])
        lcp.write(self.folder / "lcp.dat")
        self.assertIs(type(percuss.read_problem(self.folder / "lcp.dat")), percuss.LCP)
        self.assertRaises(ValueError, problem.write, self.folder / "x", "other")
        self.assertRaises(percuss.Error, problem.write, self.folder / "no" / "p.dat")
        self.assertRaises(percuss.Error, percuss.read_problem, self.folder / "nothing.dat")
        (self.folder / "junk.dat").write_text("no problem at all")
        self.assertRaises(percuss.InputError, percuss.read_problem, self.folder / "junk.dat")

    def test_shipped_problems(self) -> None:
        box = percuss.read_problem(DATA / "box.dat")
        found = box.solve(tolerance=1e-12)
        self.assertTrue(found.solved)
        self.assertEqual(box.verify(found.r).slip, 4)

    def test_threads(self) -> None:
        M, H, f, mu = random_problem(30, 3)
        problem = percuss.ContactProblem(H.T @ H, H.T @ f, mu)
        expected = problem.solve(tolerance=1e-10).r
        seen: List[Any] = []

        def work() -> None:
            for _ in range(20):
                try:
                    seen.append(problem.solve(tolerance=1e-10).r)
                except RuntimeError as error:
                    self.assertIn("another thread", str(error))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for r in seen:
            np.testing.assert_array_equal(r, expected)

    def test_interrupt(self) -> None:
        M, H, f, mu = random_problem(20, 3)
        problem = percuss.ContactProblem(H.T @ H, H.T @ f, mu)

        def kick() -> None:
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=kick)
        thread.start()
        self.addCleanup(thread.join)
        with self.assertRaises(KeyboardInterrupt):  # a tolerance that nothing reaches
            problem.solve("gauss-seidel", tolerance=1e-30, max_iterations=2**31 - 1, max_time=60)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertTrue(problem.solve().solved)
        with self.assertWarns(percuss.NotConvergedWarning):
            found = problem.solve("gauss-seidel", tolerance=1e-30, max_time=0.05)
        self.assertFalse(found.solved)


class Complementarity(unittest.TestCase):
    def test_lcp(self) -> None:
        M, q = np.array([[2.0, 1], [1, 2]]), np.array([-5.0, -6])
        found = percuss.LCP(M, q).solve(tolerance=1e-12)
        np.testing.assert_allclose(found.z, [4 / 3, 7 / 3], atol=1e-12)
        np.testing.assert_allclose(found.w, 0, atol=1e-10)
        many = percuss.LCP(np.array([[0.0, 1], [1, 0]]), [-1.0, -1.0])
        self.assertGreaterEqual(many.solve(count_solutions=True).solutions, 1)

    def test_mlcp(self) -> None:
        random = np.random.default_rng(7)
        A = random.normal(size=(8, 8))
        M, q = A @ A.T + np.eye(8), random.normal(size=8)
        equality = np.arange(8) % 3 == 0
        problem = percuss.MLCP(M, q, equality)
        self.assertEqual(problem.problem_class, "mlcp")
        found = problem.solve(tolerance=1e-12)
        w = M @ found.z + q
        np.testing.assert_allclose(w[equality], 0, atol=1e-9)
        rest = ~equality
        self.assertGreaterEqual(min(w[rest].min(), found.z[rest].min()), -1e-9)
        self.assertLess(np.abs(w[rest] * found.z[rest]).max(), 1e-9)
        for bad in (equality[:7], [0, 1] * 4):
            self.assertRaises(ValueError, percuss.MLCP, M, q, bad)
        self.assertRaises(ValueError, percuss.LCP, M, q[:7])
        self.assertEqual(len(percuss.LCP(np.zeros((0, 0)), []).solve().z), 0)


if __name__ == "__main__":
    unittest.main()
