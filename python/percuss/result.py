"""Result files: signals over time, and what the run says of itself."""

from __future__ import annotations

import ctypes
import os
from functools import cached_property
from typing import Dict, List, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import errors
from ._handle import Busy, Handle, PathLike, check, create_context, encode, encode_path, list_texts
from ._handle import text_of
from ._library import library as lib
from ._library import pcs_frame_range
from .mesh import Mesh, find_mesh, result_meshes
from .simulation import Statistics, make_statistics

__all__ = ["Result", "open_result", "write_report"]

Array = npt.NDArray[np.float64]


class Result:
    """A result file, open for reading. One thread at a time may use it."""

    path: str

    def __init__(self, path: PathLike) -> None:
        encoded = encode_path(path)
        self.path = os.fsdecode(encoded)
        self._busy = Busy("result")
        self._context = create_context()
        self._handle: Optional[Handle] = None
        pointer = ctypes.c_void_p()
        status = lib.pcs_result_open(self._context.pointer, encoded, ctypes.byref(pointer))
        check(self._context, status)
        self._handle = Handle(pointer.value or 0, lib.pcs_result_destroy, self._context)

    def close(self) -> None:
        """Closes the file. Later uses raise ValueError."""
        self._busy.look()
        self._handle = None

    def __enter__(self) -> Result:
        self._held()
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _held(self) -> Handle:
        if self._handle is None:
            raise ValueError(f"the result {self.path} is closed")
        return self._handle

    def _look(self) -> int:
        self._busy.look()
        return self._held().pointer

    def __repr__(self) -> str:
        if self._handle is None:
            return f"<percuss.Result {self.path}, closed>"
        state = "complete" if self.complete else "not complete"
        return f"<percuss.Result {self.path}: {self.frames} frames, {state}>"

    def __len__(self) -> int:
        return self.frames

    @property
    def frames(self) -> int:
        """Number of stored frames."""
        return int(lib.pcs_result_frames(self._look()))

    @property
    def complete(self) -> bool:
        """Whether the run came to its end."""
        return bool(lib.pcs_result_is_complete(self._look()))

    @property
    def title(self) -> str:
        return text_of(lib.pcs_result_title(self._look()))

    @property
    def model_text(self) -> str:
        """The model file with all includes and settings resolved; percuss.loads() reads it."""
        return text_of(lib.pcs_result_model_text(self._look()))

    @property
    def statistics(self) -> Statistics:
        """Statistics at the end; zeros if the run was cut off."""
        return make_statistics(lib.pcs_result_statistics(self._look()).contents)

    @cached_property
    def signals(self) -> Tuple[str, ...]:
        """Paths of all stored signals."""
        pointer = self._look()
        return tuple(
            list_texts(lambda i, buffer, n: lib.pcs_result_signal_path(pointer, i, buffer, n))
        )

    @property
    def time(self) -> Array:
        """Times of the frames, s."""
        return self.signal("time")

    def signal(self, path: str) -> Array:
        """A signal by its path, over all frames."""
        encoded, handle = encode(path, "a path"), self._held()
        with self._busy:
            values = np.empty(int(lib.pcs_result_frames(handle.pointer)))
            status = lib.pcs_result_signal(handle.pointer, encoded, values.ctypes.data)
        check(self._context, status, errors.UnknownNameError)
        return values

    # ---- Meshes ----

    @cached_property
    def meshes(self) -> Dict[str, Mesh]:
        """The flexible bodies by their names."""
        return result_meshes(self._look())

    def _read(self, quantity: str, stride: int) -> Array:
        """A whole quantity of docs/result-file.md: a row of numbers for each frame read."""
        name, handle = quantity.encode(), self._held()
        if stride < 1:
            raise ValueError(f"every must be at least 1, not {stride}")
        with self._busy:
            count = -(-int(lib.pcs_result_frames(handle.pointer)) // stride)
            width = int(lib.pcs_result_width(handle.pointer, name))
            values = np.empty((count, width))
            frames = pcs_frame_range(0, count, stride)
            status = lib.pcs_result_read(handle.pointer, name, frames, values.ctypes.data)
        check(self._context, status)
        return values

    def nodes(self, mesh: str, quantity: str = "position", every: int = 1) -> Array:
        """A quantity of all nodes of a mesh over time: "position" or "velocity" (frames, nodes, 3),
        of nodes that turn also "rotation" (4 numbers) or "angle", and "angular_velocity".

        `every` takes every so many frames, from the first on.
        """
        of = find_mesh(self.meshes, mesh)
        widths = {"position": 3, "velocity": 3, "rotation": 4, "angle": 1, "angular_velocity": 3}
        if quantity not in widths:
            raise errors.UnknownNameError(
                f"there is no quantity {quantity!r} of nodes; there are: {', '.join(widths)}"
            )
        framed = quantity not in ("position", "velocity")
        stored = lib.pcs_result_width(self._look(), f"mesh/{quantity}".encode()) > 0
        if framed and not (of.turns and stored):
            raise errors.UnknownNameError(f"nodes of mesh {mesh!r} have no {quantity}")
        width = widths[quantity]
        first = width * (of._first_frame if framed else of._first_node)
        rows = self._read(f"mesh/{quantity}", every)[:, first : first + width * len(of)]
        return rows.reshape((len(rows), len(of)) + ((width,) if width > 1 else ()))

    def element_results(self, mesh: str, result: str, every: int = 1) -> Array:
        """A result of all elements of a mesh over time, such as "mises": (frames, elements), NaN for
        parts without it. Results are stored in single precision."""
        of = find_mesh(self.meshes, mesh)
        rows = self._read("mesh/result", every) if of.results else np.empty((0, 0))
        values: List[Optional[Array]] = []
        for part in of.parts:
            if result not in part.results:
                values.append(None)
                continue
            end = part._first + len(part) * len(part.results)
            table = rows[:, part._first : end].reshape(len(rows), len(part), len(part.results))
            values.append(table[:, :, part.results.index(result)])
        return of._spread(result, values)

    @overload
    def __getitem__(self, path: str) -> Array: ...

    @overload
    def __getitem__(self, path: List[str]) -> Dict[str, Array]: ...

    def __getitem__(self, path: Union[str, List[str]]) -> Union[Array, Dict[str, Array]]:
        """A signal, or a dict of several."""
        if isinstance(path, str):
            return self.signal(path)
        return {one: self.signal(one) for one in path}

    @property
    def checkpoint(self) -> bytes:
        """The state at the end, for Simulation.load()."""
        handle = self._held()
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._busy:
            status = lib.pcs_result_checkpoint(
                handle.pointer, ctypes.byref(data), ctypes.byref(size)
            )
            check(self._context, status)
            return ctypes.string_at(data, size.value) if data.value else b""


def open_result(path: PathLike) -> Result:
    """Opens a result file, also one of a run that was interrupted or killed (FILE.part)."""
    return Result(path)


def write_report(
    results: Union[Result, PathLike, Sequence[Union[Result, PathLike]]],
    path: PathLike,
    names: Optional[Sequence[str]] = None,
) -> None:
    """Writes one self-contained HTML page for one result or several, to look at and compare.

    `names` are what the page calls them; if not given, the names of the files.
    """
    write = lib.optional("pcs_report_write")
    if write is None:
        raise errors.Error(
            f"{lib.path} (version {lib.version}) has no reports (pcs_report_write); install a "
            "newer library"
        )
    given: List[Union[Result, PathLike]]
    if isinstance(results, (Result, str, bytes, os.PathLike)):
        given = [results]
    else:
        given = list(results)
    if not given:
        raise ValueError("a report needs at least one result")
    opened = [one if isinstance(one, Result) else Result(one) for one in given]
    labels = list(names) if names is not None else [os.path.basename(one.path) for one in opened]
    if len(labels) != len(opened):
        raise ValueError(f"{len(opened)} results, but {len(labels)} names")
    handles = [one._held() for one in opened]
    for one in opened:
        one._busy.look()
    table = (ctypes.c_void_p * len(opened))(*[handle.pointer for handle in handles])
    texts = (ctypes.c_char_p * len(opened))(*[encode(label, "a name") for label in labels])
    context = create_context()
    check(context, write(context.pointer, table, texts, len(opened), encode_path(path)))
