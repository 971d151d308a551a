"""Contact problems apart from any model: friction problems, LCP and MLCP from arrays or files.

    LCP     w = M z + q,  0 <= w, z >= 0, w . z = 0
    MLCP    the same, with rows marked as equalities: w_i = 0, z_i free
    local   u = W r + q, Coulomb's law between u and r, components (N, T1[, T2]) of each contact
    global  M v = H r + f,  u = H^T v + w, the same law between u and r

Matrices may be numpy arrays or scipy sparse matrices of any format.
"""

from __future__ import annotations

import ctypes
import os
import warnings
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple, Type

import numpy as np
import numpy.typing as npt

from ._handle import Busy, Handle, Interrupt, PathLike, check, create_context, encode, encode_path
from ._handle import text_of
from ._library import ENUMERATIONS, INTERRUPTED, OK, pcs_residual, pcs_solve_info, pcs_stop_fn
from ._library import pcs_triplets, pcs_verdict
from ._library import library as lib
from .errors import NotConvergedWarning
from .options import PROBLEM_CLASSES, solvers

__all__ = [
    "Problem",
    "ContactProblem",
    "LCP",
    "MLCP",
    "Residual",
    "Stage",
    "Solution",
    "Verdict",
    "read_problem",
]

Array = npt.NDArray[np.float64]

_MEASURES = {
    "scaled": ENUMERATIONS["PCS_MEASURE_SCALED"],
    "unscaled": ENUMERATIONS["PCS_MEASURE_UNSCALED"],
    "relative": ENUMERATIONS["PCS_MEASURE_RELATIVE"],
}
_FORMATS = {"text": ENUMERATIONS["PCS_PROBLEM_TEXT"], "fclib": ENUMERATIONS["PCS_PROBLEM_FCLIB"]}
_LARGEST = 2**31 - 1


# ---- Answers ----


@dataclass(frozen=True)
class Residual:
    """How far (r, u) is from a solution, in three measures (docs/solvers.md)."""

    scaled: float
    unscaled: float
    relative: float
    worst: int  #: contact with the largest scaled part, -1 without contacts


@dataclass(frozen=True)
class Stage:
    """One stage of a solve."""

    name: str
    iterations: int
    seconds: float
    residual: float  #: in the chosen measure


@dataclass(frozen=True)
class Solution:
    """What a solver found."""

    r: Array  #: impulses (LCP, MLCP: z)
    u: Array  #: velocities (LCP, MLCP: w)
    status: str  #: "solved", "not converged" or "interrupted"
    reason: str  #: why it was not solved, "" when it was
    residuals: Residual
    stages: Tuple[Stage, ...]
    iterations: int
    factorisations: int
    seconds: float
    at_rounding: bool  #: above the tolerance, but within what rounding r to double can reach
    solutions: int  #: number of solutions if they were counted, else -1

    @property
    def solved(self) -> bool:
        return self.status == "solved"

    @property
    def z(self) -> Array:
        return self.r

    @property
    def w(self) -> Array:
        return self.u


@dataclass(frozen=True)
class Verdict:
    """What an independent check from the data alone finds (docs/solvers.md)."""

    residual: Residual
    cone: float
    dual: float
    complementarity: float
    bilateral: float
    dissipation: float
    equation: float
    open: int
    stick: int
    slip: int


def _residual(raw: pcs_residual) -> Residual:
    return Residual(raw.scaled, raw.unscaled, raw.relative, raw.worst)


# ---- Arrays for the library ----


def _vector(value: Any, size: Optional[int], name: str) -> Array:
    """A contiguous copy of finite numbers."""
    if value is None:
        raise TypeError(f"{name} is missing")
    found = np.asarray(value)
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, not {found.dtype}")
    vector = np.array(found, dtype=np.float64, order="C", ndmin=1)
    if vector.ndim != 1 or (size is not None and vector.shape[0] != size):
        wanted = "one dimension" if size is None else f"the shape ({size},)"
        raise ValueError(f"{name} must have {wanted}, not the shape {found.shape}")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} must be finite")
    return vector


class _Triplets:
    """A matrix as the library takes it; the arrays live as long as this object."""

    def __init__(self, matrix: Any, name: str, rows: Optional[int], columns: Optional[int]) -> None:
        if matrix is None:
            raise TypeError(f"{name} is missing")
        if hasattr(matrix, "tocoo"):
            coo = matrix.tocoo()
            shape, row, column, value = coo.shape, coo.row, coo.col, coo.data
        else:
            dense = np.asarray(matrix)
            if dense.ndim != 2:
                raise ValueError(f"{name} must be a matrix, not of the shape {dense.shape}")
            shape = dense.shape
            row, column = np.nonzero(dense)
            value = dense[row, column]
        if np.asarray(value).dtype.kind not in "biuf":
            raise TypeError(f"{name} must be real numbers, not {np.asarray(value).dtype}")
        for found, wanted in zip(shape, (rows, columns)):
            if wanted is not None and found != wanted:
                raise ValueError(f"{name} is {shape[0]} x {shape[1]}, not {rows} x {columns}")
        if max(shape[0], shape[1], len(value)) > _LARGEST:
            raise ValueError(f"{name} is too large")
        self.row = np.ascontiguousarray(row, dtype=np.int32)
        self.column = np.ascontiguousarray(column, dtype=np.int32)
        self.value = np.ascontiguousarray(value, dtype=np.float64)
        if not np.isfinite(self.value).all():
            raise ValueError(f"{name} must be finite")
        self.shape = (int(shape[0]), int(shape[1]))
        self.raw = pcs_triplets(
            self.shape[0],
            self.shape[1],
            len(self.value),
            self.row.ctypes.data,
            self.column.ctypes.data,
            self.value.ctypes.data,
        )


def _integer(value: Any, name: str, lowest: int) -> int:
    number = int(value)
    if number != value or not lowest <= number <= _LARGEST:
        raise ValueError(f"{name} must be an integer >= {lowest}, not {value}")
    return number


# ---- Problems ----


class Problem:
    """A problem of any class. One thread at a time may solve it."""

    _handle: Handle
    _context: Handle
    _busy: Busy

    def _create(self, function: Any, *arguments: Any) -> None:
        context, pointer = create_context(), ctypes.c_void_p()
        check(context, function(context.pointer, *arguments, ctypes.byref(pointer)))
        self._adopt(context, pointer.value or 0)

    def _adopt(self, context: Handle, pointer: int) -> None:
        self._context = context
        self._handle = Handle(pointer, lib.pcs_problem_destroy, context)
        self._busy = Busy("problem")

    @property
    def problem_class(self) -> str:
        """ "lcp", "mlcp", "local" or "global"."""
        number = lib.pcs_problem_get_class(self._handle.pointer)
        return next(name for name, value in PROBLEM_CLASSES.items() if value == number)

    @property
    def contacts(self) -> int:
        """Contacts; complementarity rows of an LCP or MLCP."""
        return int(lib.pcs_problem_contacts(self._handle.pointer))

    @property
    def dimension(self) -> int:
        """Components of a contact; 1 for LCP and MLCP."""
        return int(lib.pcs_problem_dimension(self._handle.pointer))

    @property
    def rows(self) -> int:
        """Length of r and u."""
        return int(lib.pcs_problem_rows(self._handle.pointer))

    @property
    def bilateral_rows(self) -> int:
        return int(lib.pcs_problem_bilateral_rows(self._handle.pointer))

    @property
    def dofs(self) -> int:
        """Degrees of freedom of a global problem, else 0."""
        return int(lib.pcs_problem_dofs(self._handle.pointer))

    def __repr__(self) -> str:
        return (
            f"<percuss.{type(self).__name__}, {self.problem_class}: {self.contacts} contacts, "
            f"{self.rows} rows>"
        )

    def solve(
        self,
        solver: str = "auto",
        *,
        tolerance: float = 1e-8,
        measure: str = "relative",
        warm_start: Optional[npt.ArrayLike] = None,
        threads: int = 1,
        max_time: Optional[float] = None,
        max_iterations: Optional[int] = None,
        count_solutions: bool = False,
        options: Optional[Mapping[str, Any]] = None,
    ) -> Solution:
        """Solves the problem, from `warm_start` (r) if it is given.

        `options` are those of the solver (percuss.solvers()). The answer has the same bits for any
        number of threads. Without convergence the best iterate comes back, `status` and `reason`
        say so, and NotConvergedWarning is issued. Ctrl-C raises KeyboardInterrupt.
        """
        if measure not in _MEASURES:
            raise ValueError(f"measure must be one of {', '.join(_MEASURES)}")
        rows = self.rows
        r = np.zeros(rows) if warm_start is None else _vector(warm_start, rows, "warm_start")
        u = np.zeros(rows)
        numbers = self._numbers(solver, options)
        opts, info = lib.pcs_solve_default(), pcs_solve_info()
        opts.tolerance, opts.measure = float(tolerance), _MEASURES[measure]
        opts.threads = _integer(threads, "threads", 1)
        opts.max_time = 0.0 if max_time is None else _positive(max_time, "max_time")
        opts.max_iterations = (
            0 if max_iterations is None else _integer(max_iterations, "max_iterations", 1)
        )
        opts.count_solutions = int(bool(count_solutions))
        handle = self._handle
        with self._busy, Interrupt() as interrupt:
            stop = pcs_stop_fn(lambda user: int(interrupt.pending))
            if interrupt.installed:
                opts.stop = stop
            status = lib.pcs_problem_solve(
                handle.pointer,
                encode(solver, "solver"),
                ctypes.byref(opts),
                numbers.ctypes.data if numbers is not None else None,
                r.ctypes.data,
                u.ctypes.data,
                ctypes.byref(info),
            )
        if interrupt.pending:
            raise KeyboardInterrupt
        check(self._context, status)
        return _solution(status, r, u, info)

    def _numbers(self, solver: str, options: Optional[Mapping[str, Any]]) -> Optional[Array]:
        if not options:
            return None
        known = solvers(self.problem_class)
        if solver not in known:
            raise ValueError(f"there is no solver '{solver}'; there are {', '.join(known)}")
        return np.array(known[solver].numbers(options))

    def verify(self, r: npt.ArrayLike) -> Verdict:
        """Checks an answer by code that shares nothing with the solvers."""
        raw = pcs_verdict()
        vector = _vector(r, self.rows, "r")
        with self._busy:
            status = lib.pcs_problem_verify(
                self._handle.pointer, vector.ctypes.data, ctypes.byref(raw)
            )
        check(self._context, status)
        values = {name: getattr(raw, name) for name, *_ in raw._fields_}
        values["residual"] = _residual(raw.residual)
        return Verdict(**values)

    def write(
        self, path: PathLike, format: Optional[str] = None, r: Optional[npt.ArrayLike] = None
    ) -> None:
        """Writes the problem as "text" or "fclib" (HDF5, with the solution r if it is given).

        If `format` is not given, names that end in .h5 or .hdf5 are fclib.
        """
        encoded = encode_path(path)
        if format is None:
            suffix = os.path.splitext(os.fsdecode(encoded))[1].lower()
            format = "fclib" if suffix in (".h5", ".hdf5") else "text"
        if format not in _FORMATS:
            raise ValueError(f"format must be one of {', '.join(_FORMATS)}")
        vector = _vector(r, self.rows, "r") if r is not None else None
        with self._busy:
            status = lib.pcs_problem_write(
                self._handle.pointer,
                encoded,
                _FORMATS[format],
                vector.ctypes.data if vector is not None else None,
            )
        check(self._context, status)


def _positive(value: Any, name: str) -> float:
    number = float(value)
    if not 0 < number < float("inf"):
        raise ValueError(f"{name} must be positive and finite, not {value}")
    return number


def _solution(status: int, r: Array, u: Array, info: pcs_solve_info) -> Solution:
    word = "interrupted" if status == INTERRUPTED else "solved" if status == OK else "not converged"
    reason = text_of(info.reason)
    residuals = _residual(info.residual)
    if status != OK:
        warnings.warn(
            f"{word}: {reason or f'the residual is {residuals.relative:.1e} (relative)'}",
            NotConvergedWarning,
            stacklevel=3,
        )
    stages = tuple(
        Stage(text_of(s.name), s.iterations, s.seconds, s.residual)
        for s in info.stage[: info.n_stages]
    )
    return Solution(
        r=r,
        u=u,
        status=word,
        reason=reason,
        residuals=residuals,
        stages=stages,
        iterations=info.iterations,
        factorisations=info.factorisations,
        seconds=info.seconds,
        at_rounding=bool(info.at_rounding),
        solutions=info.solutions,
    )


class ContactProblem(Problem):
    """A friction problem: ``ContactProblem(W, q, mu)``, or with the masses of the bodies
    ``ContactProblem(M=M, H=H, f=f, w=w, mu=mu)``.

    Rows of contacts come first, `dimension` (2 or 3) for each, then `bilateral_rows` rows with
    u = 0 and r free. mu is a number for all contacts or one for each.
    H has a row for each degree of freedom and a column for each row of r.
    """

    def __init__(
        self,
        W: Any = None,
        q: Optional[npt.ArrayLike] = None,
        mu: Optional[npt.ArrayLike] = None,
        *,
        M: Any = None,
        H: Any = None,
        f: Optional[npt.ArrayLike] = None,
        w: Optional[npt.ArrayLike] = None,
        dimension: int = 3,
        bilateral_rows: int = 0,
    ) -> None:
        if dimension not in (2, 3):
            raise ValueError(f"dimension must be 2 or 3, not {dimension}")
        bilateral = _integer(bilateral_rows, "bilateral_rows", 0)
        if (W is None) == (M is None):
            raise TypeError("give W and q, or M, H, f and w")
        if W is not None:
            if not all(value is None for value in (H, f, w)):
                raise TypeError("H, f and w belong to M; with W give q")
            offset = _vector(q, None, "q")
            n = len(offset)
        else:
            if q is not None:
                raise TypeError("q belongs to W; with M give w")
            offset = _vector(w, None, "w")
            n = len(offset)
        contacts, rest = divmod(n - bilateral, dimension)
        if rest or contacts < 0:
            raise ValueError(
                f"{n} rows are not {bilateral} bilateral ones and {dimension} for each contact"
            )
        friction = _vector(mu, None, "mu")
        if np.ndim(mu) == 0:  # type: ignore[arg-type]
            friction = np.full(contacts, friction[0])
        friction = _vector(friction, contacts, "mu")
        sizes = (dimension, contacts, bilateral)
        if W is not None:
            matrix = _Triplets(W, "W", n, n)
            self._create(
                lib.pcs_problem_create_local,
                *sizes,
                ctypes.byref(matrix.raw),
                offset.ctypes.data,
                friction.ctypes.data,
            )
            return
        force = _vector(f, None, "f")
        mass = _Triplets(M, "M", len(force), len(force))
        directions = _Triplets(H, "H", len(force), n)
        self._create(
            lib.pcs_problem_create_global,
            *sizes,
            ctypes.byref(mass.raw),
            ctypes.byref(directions.raw),
            force.ctypes.data,
            offset.ctypes.data,
            friction.ctypes.data,
        )

    def reduce(self) -> ContactProblem:
        """The local problem W = H^T M^-1 H, q = H^T M^-1 f + w of a global one."""
        if self.problem_class != "global":
            raise ValueError("only a global problem can be reduced")
        pointer = ctypes.c_void_p()
        with self._busy:
            status = lib.pcs_problem_reduce(self._handle.pointer, ctypes.byref(pointer))
        check(self._context, status)
        found = ContactProblem.__new__(ContactProblem)
        found._adopt(self._context, pointer.value or 0)
        found._busy = self._busy  # both use one context
        return found


class MLCP(Problem):
    """A mixed complementarity problem; `equality` marks the rows with w_i = 0 and z_i free."""

    def __init__(self, M: Any, q: npt.ArrayLike, equality: Optional[npt.ArrayLike]) -> None:
        offset = _vector(q, None, "q")
        matrix = _Triplets(M, "M", len(offset), len(offset))
        marks = None
        if equality is not None:
            marked = np.asarray(equality)
            if marked.dtype != np.bool_ or marked.shape != offset.shape:
                raise ValueError(f"equality must be {len(offset)} times True or False")
            marks = np.ascontiguousarray(marked, dtype=np.uint8)
        self._create(
            lib.pcs_problem_create_mlcp,
            len(offset),
            ctypes.byref(matrix.raw),
            offset.ctypes.data,
            marks.ctypes.data if marks is not None else None,
        )


class LCP(MLCP):
    """A linear complementarity problem w = M z + q, 0 <= w, z >= 0, w . z = 0."""

    def __init__(self, M: Any, q: npt.ArrayLike) -> None:
        super().__init__(M, q, None)


def read_problem(path: PathLike) -> Problem:
    """Reads a problem from an FCLIB file or a text file; the result has the class that fits."""
    context, pointer = create_context(), ctypes.c_void_p()
    check(context, lib.pcs_problem_read(context.pointer, encode_path(path), ctypes.byref(pointer)))
    classes: Dict[int, Type[Problem]] = {
        PROBLEM_CLASSES["lcp"]: LCP,
        PROBLEM_CLASSES["mlcp"]: MLCP,
    }
    kind = classes.get(lib.pcs_problem_get_class(pointer.value), ContactProblem)
    found = kind.__new__(kind)
    found._adopt(context, pointer.value or 0)
    return found
