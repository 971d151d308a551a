"""Simulations: steps, runs, signals, inputs, results."""

from __future__ import annotations

import ctypes
import math
import os
import sys
import warnings
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional
from typing import Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from ._handle import Busy, Handle, Interrupt, PathLike, check, create_context, encode, encode_path
from ._handle import text_of, view
from ._library import NOT_CONVERGED, pcs_body_view, pcs_contact_view, pcs_event, pcs_joint_view
from ._library import pcs_extreme, pcs_quat, pcs_signal, pcs_statistics, pcs_vec3
from ._library import library as lib
from .mesh import find_mesh
from .errors import InputError, ModelError, NotConvergedWarning, NumericError, UnknownNameError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Simulation", "Signal", "Signals", "Inputs", "Event", "Energy", "Statistics"]

Array = npt.NDArray[np.float64]

# Rounding allowed when a step end is compared with an asked time, in intervals.
_DUE_TOLERANCE = 1e-9


# ---- Evidence ----


@dataclass(frozen=True)
class Energy:
    """The energy account, J: kinetic and potential now, works since the start."""

    kinetic: float
    potential: float
    applied: float
    actuator: float
    driver: float
    damping: float
    friction: float
    impact: float
    numerical: float  #: what the works leave unexplained

    @property
    def total(self) -> float:
        return self.kinetic + self.potential


class Extreme(NamedTuple):
    """The largest of a quantity; 0 has neither time nor place."""

    value: float
    time: float  #: s
    where: int  #: contact point or body


@dataclass(frozen=True)
class Statistics:
    """What a run counts and measures; the fields are those of docs/result-file.md."""

    steps: int
    rejected_steps: int
    unconverged_steps: int
    impacts: int
    contact_steps: int
    contacts_now: int
    contacts_most: int
    newton_iterations: int
    solver_iterations: int
    worst_residual: float
    worst_newton: float
    worst_penetration: float
    penetration_time: float
    penetration_slot: int
    worst_drift: float
    worst_velocity_drift: float
    last_residual: float
    energy: Energy
    energy_rounding: float
    refined_by: int
    assembly_moved: float
    assembly_body: int
    assembly_velocity: float
    assembly_velocity_body: int
    initial_penetration: float
    initial_contact: int
    redundant_rows: int
    redundant_most: int
    inner_steps: int
    evaluations: int
    smallest_step: float
    time_stepping: float
    switches_zeno: int
    switches_friction: int
    switches_edge: int
    size: float
    hover: Extreme
    impact_gain: Extreme
    chatter: Extreme
    free_forces: Extreme
    force_components: int
    momentum_drift: float
    turn: Extreme
    way: Extreme
    rate: float
    estimates: int
    error_step: float
    error: Extreme
    error_length: float
    error_velocity: float
    growth: float
    horizon: float
    stiffness: float


def make_statistics(raw: pcs_statistics) -> Statistics:
    values: Dict[str, Any] = {name: getattr(raw, name) for name, *_ in raw._fields_}
    energy = values["energy"]
    values["energy"] = Energy(**{name: getattr(energy, name) for name, *_ in energy._fields_})
    for name, value in values.items():
        if isinstance(value, pcs_extreme):
            values[name] = Extreme(value.value, value.time, value.where)
    return Statistics(**values)


class Event(NamedTuple):
    """Something that happened in a step."""

    time: float  #: end of the step, s
    kind: str  #: "impact", "close", "open", "stick", "slip", "rejected step"...
    object: Optional[str]  #: the contact point; None: the whole model
    value: float  #: approach speed of an impact, m/s
    impulse: Tuple[float, float, float] = (0.0, 0.0, 0.0)  #: of an impact, (N, T1, T2), N s


# ---- Numpy types of the views ----


def _dtype(structure: Any) -> np.dtype[Any]:
    formats: List[Any] = []
    for _, kind in structure._fields_:
        if kind in (pcs_vec3, pcs_quat):
            formats.append((np.float64, (len(kind._fields_),)))
        elif issubclass(kind, ctypes.Array):
            formats.append((np.float64, (kind._length_,)))
        else:
            formats.append(np.dtype(kind))
    names = [name for name, _ in structure._fields_]
    offsets = [getattr(structure, name).offset for name in names]
    return np.dtype(
        {
            "names": names,
            "formats": formats,
            "offsets": offsets,
            "itemsize": ctypes.sizeof(structure),
        }
    )


_BODY, _JOINT = _dtype(pcs_body_view), _dtype(pcs_joint_view)
_CONTACT = _dtype(pcs_contact_view)


# ---- Signals and inputs ----


class Signal:
    """One quantity of a simulation, found once. ``signal()`` or ``float(signal)`` reads it."""

    __slots__ = ("path", "_simulation", "_signal")

    def __init__(self, simulation: Simulation, path: str) -> None:
        self.path = path
        self._simulation = simulation
        self._signal = simulation._find_signal(path)

    def __call__(self) -> float:
        return float(lib.pcs_simulation_signal(self._simulation._look(), self._signal))

    __float__ = __call__

    @property
    def value(self) -> float:
        """The present value."""
        return self()

    def __repr__(self) -> str:
        return f"<percuss.Signal {self.path}>"


class Signals:
    """Several quantities of a simulation, found once. ``signals()`` reads them into an array."""

    __slots__ = ("paths", "_simulation", "_signals")

    def __init__(self, simulation: Simulation, paths: Sequence[str]) -> None:
        if isinstance(paths, str):
            raise TypeError("signals() takes a list of paths; signal() takes one")
        self.paths = tuple(paths)
        self._simulation = simulation
        self._signals = (pcs_signal * len(self.paths))()
        for i, path in enumerate(self.paths):
            self._signals[i] = simulation._find_signal(path)

    def __len__(self) -> int:
        return len(self.paths)

    def __call__(self, out: Optional[Array] = None) -> Array:
        """A new array, or `out`: float64, contiguous, writeable and as long as the signals."""
        if out is None:
            out = np.empty(len(self.paths))
        elif not isinstance(out, np.ndarray) or out.dtype != np.float64:
            raise TypeError("out must be an array of float64")
        elif out.shape != (len(self.paths),):
            raise ValueError(f"out must have the shape ({len(self.paths)},), not {out.shape}")
        elif not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
            raise ValueError("out must be contiguous and writeable")
        pointer = self._simulation._look()
        lib.pcs_simulation_signals(pointer, self._signals, len(self.paths), out.ctypes.data)
        return out

    @property
    def values(self) -> Array:
        """The present values."""
        return self()

    def __repr__(self) -> str:
        return f"<percuss.Signals {', '.join(self.paths)}>"


class Inputs(MutableMapping):  # type: ignore[type-arg]
    """The inputs of a simulation by name: numbers that hold over the steps that follow."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._index = simulation.model._input_index

    def _find(self, name: str) -> int:
        if name in self._index:
            return self._index[name]
        simulation, index = self._simulation, ctypes.c_int32()
        simulation._look()
        encoded = encode(name, "the name of an input")
        ctx = simulation._context
        status = lib.pcs_model_find_input(
            ctx.pointer, simulation.model._model, encoded, ctypes.byref(index)
        )
        check(ctx, status, UnknownNameError)
        return index.value

    def __getitem__(self, name: str) -> float:
        return float(lib.pcs_simulation_input(self._simulation._look(), self._find(name)))

    def __setitem__(self, name: str, value: float) -> None:
        index, number = self._find(name), float(value)
        status = lib.pcs_simulation_set_input(self._simulation._look(), index, number)
        check(self._simulation._context, status)

    def __delitem__(self, name: str) -> None:
        raise TypeError("inputs belong to the model; they cannot be deleted")

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"<percuss.Inputs {dict(self)}>"


# ---- Frames of a run ----


class _Frames:
    """When frames are due: at the steps nearest to start + k every; `every` 0: at each step."""

    def __init__(self, start: float, step: float, every: float, sinks: List[Callable[[], None]]):
        self._start, self._early, self._every = start, 0.5 * step, every
        self._sinks = sinks
        self._last = -math.inf
        self._next = -math.inf

    def write(self, time: float) -> None:
        for sink in self._sinks:
            sink()
        self._last = self._next = time
        if self._every > 0:
            passed = (time + self._early - self._start) / self._every
            asked = self._every * (math.floor(passed + _DUE_TOLERANCE) + 1)
            self._next = self._start + asked - self._early

    def step(self, time: float) -> None:
        if time >= self._next - _DUE_TOLERANCE * self._every:
            self.write(time)

    def finish(self, time: float) -> None:
        if time > self._last:
            self.write(time)


class _Writer:
    """A result file that is being written."""

    def __init__(self, simulation: Simulation, output: PathLike) -> None:
        path = encode_path(output)
        source = simulation.model.path
        if source is not None and os.path.exists(path) and os.path.samefile(path, source):
            raise ValueError(f"{os.fsdecode(path)}: is the model file; give another name")
        self._busy, self._context = simulation._busy, simulation._context
        self._state = simulation._held()  # also if the user closes the simulation meanwhile
        definition = lib.pcs_result_default()
        definition.path = path
        definition.title = simulation.model.title.encode()
        definition.model_text = simulation.model.text.encode()
        script = sys.argv[0] if getattr(sys, "argv", None) else ""
        definition.command = f"python {script}".strip().encode("utf-8", "replace")
        writer = ctypes.c_void_p()
        with self._busy:
            status = lib.pcs_result_create(
                self._context.pointer,
                self._state.pointer,
                ctypes.byref(definition),
                ctypes.byref(writer),
            )
        check(self._context, status)
        self._handle: Optional[Handle] = Handle(
            writer.value or 0, lib.pcs_result_abandon, self._state
        )

    def append(self) -> None:
        assert self._handle
        with self._busy:
            status = lib.pcs_result_append(self._handle.pointer, self._state.pointer)
        check(self._context, status)

    def close(self, complete: bool) -> None:
        handle, self._handle = self._handle, None
        assert handle
        pointer = handle.take()  # close() destroys it, whatever comes
        with self._busy:
            status = lib.pcs_result_close(pointer, self._state.pointer, complete)
        check(self._context, status)


# ---- The simulation ----


class Simulation:
    """Model, state and scheme. Made by Model.simulate().

    One thread at a time may use it; simulations of one model in several threads are independent.
    """

    model: Model

    def __init__(
        self,
        model: Model,
        *,
        step: Optional[float] = None,
        end: Optional[float] = None,
        start: Optional[float] = None,
        scheme: Optional[str] = None,
        options: Optional[Dict[str, Any]] = None,
    ) -> None:
        definition = model._definition()
        if scheme is not None:
            definition.scheme = encode(scheme, "scheme")
        for name, value in (("step", step), ("end", end), ("start", start)):
            if value is not None:
                setattr(definition, name, float(value))
        self.model = model
        self._start = float(definition.start)
        self._end = float(definition.end)
        self._step = float(definition.step)
        self._scheme = text_of(definition.scheme)
        self._busy = Busy("simulation")
        self._context = create_context()
        self._handle: Optional[Handle] = None
        pointer = ctypes.c_void_p()
        status = lib.pcs_simulation_create(
            self._context.pointer, model._model, ctypes.byref(definition), ctypes.byref(pointer)
        )
        check(self._context, status)
        handle = Handle(
            pointer.value or 0, lib.pcs_simulation_destroy, self._context, model._handle
        )
        given: Dict[str, Any] = dict(model.options) if self._scheme == model.scheme else {}
        given.update(options or {})
        for key, value in given.items():
            text = value if isinstance(value, str) else repr(value)
            status = lib.pcs_simulation_set(
                handle.pointer, encode(key, "an option"), encode(text, f"option {key}")
            )
            check(self._context, status)
        self._handle = handle
        self._check(lib.pcs_simulation_start(handle.pointer))
        self._signals: Dict[str, pcs_signal] = {}  # found so far
        count_q = lib.pcs_model_coordinate_count(model._model)
        count_v = lib.pcs_model_velocity_count(model._model)
        self._q = view(handle, lib.pcs_simulation_q(handle.pointer), count_q)
        self._v = view(handle, lib.pcs_simulation_v(handle.pointer), count_v)

    # ---- Lifetime ----

    def close(self) -> None:
        """Lets go of the state. Later uses raise ValueError; arrays taken from it stay valid."""
        self._busy.look()
        self._handle = None
        self._q = self._v = np.empty(0)

    def __enter__(self) -> Simulation:
        self._held()
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _held(self) -> Handle:
        if self._handle is None:
            raise ValueError("the simulation is closed")
        return self._handle

    def _pointer(self) -> int:
        return self._held().pointer

    def _look(self) -> int:
        """The pointer, for a short call; not while another thread makes a step."""
        self._busy.look()
        return self._pointer()

    def _check(self, status: int) -> int:
        """As check(), with the place in the model file before the text if the model is at fault."""
        if status in (InputError.status, ModelError.status, NumericError.status):
            model, ctx = self.model._handle.pointer, self._context.pointer
            status = lib.pcs_model_file_locate_in(model, ctx, status)
        return check(self._context, status)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<percuss.Simulation, closed>"
        name = self.model.title or self.model.path
        return f"<percuss.Simulation of {name!r}, {self._scheme}, t = {self.time:g} s>"

    # ---- Time ----

    @property
    def time(self) -> float:
        """The present time, s."""
        return float(lib.pcs_simulation_time(self._look()))

    @property
    def finished(self) -> bool:
        """Whether the end is reached."""
        return bool(lib.pcs_simulation_finished(self._look()))

    @property
    def start_time(self) -> float:
        return self._start

    @property
    def end_time(self) -> float:
        return self._end

    @property
    def step_length(self) -> float:
        return self._step

    @property
    def scheme(self) -> str:
        return self._scheme

    def step(self) -> bool:
        """One time step. False if a solver did not converge (the best iterate was kept)."""
        handle = self._held()
        with self._busy:
            status = lib.pcs_simulation_step(handle.pointer)
        return self._check(status) != NOT_CONVERGED

    # ---- Runs ----

    def run(
        self,
        until: Optional[float] = None,
        *,
        controller: Optional[Callable[[Simulation], Any]] = None,
        callback: Optional[Callable[[Simulation], Any]] = None,
        output: Optional[PathLike] = None,
        every: Optional[float] = None,
    ) -> Statistics:
        """Steps to the end, or to the first step that reaches `until`.

        controller(sim) is called before each step and may set ``sim.inputs``; callback(sim) is
        called after each step and ends the run by returning True. `output` names a result file;
        frames are stored every `every` seconds (if not given, as the model file says; 0: each
        step). Steps that did not converge are warned of once (NotConvergedWarning).

        Ctrl-C finishes the present step, closes the result (marked as not complete) and raises
        KeyboardInterrupt; the simulation can be continued. An exception of controller or callback
        does the same and comes out here.
        """
        return self._run(until, controller, callback, output, every, [])

    def record(
        self,
        paths: Sequence[str],
        until: Optional[float] = None,
        *,
        controller: Optional[Callable[[Simulation], Any]] = None,
        callback: Optional[Callable[[Simulation], Any]] = None,
        output: Optional[PathLike] = None,
        every: Optional[float] = None,
    ) -> Dict[str, Array]:
        """Runs as run() does and returns the signals at the frames, with their times as "time"."""
        wanted = ["time"] + [path for path in paths if path != "time"]
        signals = self.signals(wanted)
        frames: List[Array] = []
        self._run(until, controller, callback, output, every, [lambda: frames.append(signals())])
        table = np.array(frames)
        return {path: table[:, i].copy() for i, path in enumerate(signals.paths)}

    def _run(
        self,
        until: Optional[float],
        controller: Optional[Callable[[Simulation], Any]],
        callback: Optional[Callable[[Simulation], Any]],
        output: Optional[PathLike],
        every: Optional[float],
        sinks: List[Callable[[], None]],
    ) -> Statistics:
        last = self._last_time(until)
        interval = self.model.output_step if every is None else float(every)
        if not (interval >= 0 and math.isfinite(interval)):
            raise ValueError(f"every must be a finite time >= 0, not {every}")
        unconverged = self.statistics.unconverged_steps
        with Interrupt() as interrupt:
            writer = _Writer(self, output) if output is not None else None
            try:
                if writer:
                    sinks = sinks + [writer.append]
                if sinks:  # what contacts transmit between two frames belongs to the second one
                    sinks = sinks + [lambda: lib.pcs_simulation_mark_frame(self._look())]
                frames = _Frames(self._start, self._step, interval, sinks) if sinks else None
                if frames:
                    frames.write(self.time)
                self._loop(last, controller, callback, frames, interrupt)
                if frames:
                    frames.finish(self.time)
            except BaseException:
                interrupt.in_user = False
                if writer:
                    _close_quietly(writer)
                raise
            if writer:
                writer.close(not interrupt.pending)
        if interrupt.pending:
            raise KeyboardInterrupt
        statistics = self.statistics
        bad = statistics.unconverged_steps - unconverged
        if bad:
            warnings.warn(
                f"{bad} of {statistics.steps} steps did not converge; the worst residual is "
                f"{statistics.worst_residual:.1e}",
                NotConvergedWarning,
                stacklevel=3,
            )
        return statistics

    def _last_time(self, until: Optional[float]) -> float:
        if until is None:
            return math.inf
        last = float(until)
        if not self.time <= last <= self._end + _DUE_TOLERANCE * self._step:
            raise ValueError(
                f"until must be between the present time {self.time:g} s and the end "
                f"{self._end:g} s, not {last:g} s"
            )
        return last - _DUE_TOLERANCE * self._step

    def _loop(
        self,
        last: float,
        controller: Optional[Callable[[Simulation], Any]],
        callback: Optional[Callable[[Simulation], Any]],
        frames: Optional[_Frames],
        interrupt: Interrupt,
    ) -> None:
        time = self.time
        while not (interrupt.pending or self.finished or time >= last):
            if controller is not None:
                interrupt.in_user = True
                controller(self)
                interrupt.in_user = False
            self.step()
            time = self.time
            if frames:
                frames.step(time)
            if callback is not None:
                interrupt.in_user = True
                stop = callback(self)
                interrupt.in_user = False
                if stop is True:
                    return

    # ---- Signals ----

    def _find_signal(self, path: str) -> pcs_signal:
        self._look()
        if path in self._signals:
            return self._signals[path]
        found = pcs_signal()
        status = lib.pcs_model_find_signal(
            self._context.pointer, self.model._model, encode(path, "a path"), ctypes.byref(found)
        )
        check(self._context, status, UnknownNameError)
        self._signals[path] = found
        return found

    def signal(self, path: str) -> Signal:
        """A quantity by its path, found once and then fast to read."""
        return Signal(self, path)

    def signals(self, paths: Sequence[str]) -> Signals:
        """Several quantities, found once and then read into one array."""
        self._look()
        return Signals(self, paths)

    @overload
    def __getitem__(self, path: str) -> float: ...

    @overload
    def __getitem__(self, path: List[str]) -> Array: ...

    def __getitem__(self, path: Union[str, List[str]]) -> Union[float, Array]:
        """The present value of a signal, or of a list of signals."""
        if isinstance(path, str):
            return float(lib.pcs_simulation_signal(self._look(), self._find_signal(path)))
        return self.signals(path)()

    @property
    def inputs(self) -> Inputs:
        """The inputs by name: ``sim.inputs["torque"] = 2.5`` holds from the next step on."""
        return Inputs(self)

    # ---- State ----

    @property
    def q(self) -> Array:
        """The coordinates: a read-only view, which shows the new ones after the next step."""
        self._look()
        return self._q

    @property
    def v(self) -> Array:
        """The velocities: a read-only view, which shows the new ones after the next step."""
        self._look()
        return self._v

    def _table(self, kind: np.dtype[Any], count: int, fill: Callable[[int, int, int], None]) -> Any:
        pointer = self._look()
        table = np.zeros(count, kind)
        address, size = table.ctypes.data, kind.itemsize
        for i in range(count):
            fill(pointer, i, address + i * size)
        return table

    @property
    def bodies(self) -> npt.NDArray[Any]:
        """All bodies, in the order of model.bodies: a structured array (a copy) with position,
        rotation, angle, velocity, angular_velocity."""
        return self._table(_BODY, len(self.model.bodies), lib.pcs_simulation_body)  # type: ignore

    @property
    def joints(self) -> npt.NDArray[Any]:
        """All joints: coordinate, rate, force, torque (a copy)."""
        return self._table(_JOINT, len(self.model.joints), lib.pcs_simulation_joint)  # type: ignore

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """All contact points (a copy): gap; impulse, force (mean), load (mean without impacts) and
        force_max (of a single step), all since the last frame, force_now, velocity (N, T1, T2);
        point, normal, tangent1, tangent2; state: 0 open, 1 slip, 2 stick, 3 closed. Results and
        CSV files begin a frame with each row; without them every step is a frame."""
        fill, count = lib.pcs_simulation_contact, len(self.model.contacts)
        return self._table(_CONTACT, count, fill)  # type: ignore

    def nodes(self, mesh: str) -> npt.NDArray[Any]:
        """All nodes of a mesh: a structured array (a copy) with position, rotation, angle,
        velocity, angular_velocity, as for bodies."""
        of = find_mesh(self.model.meshes, mesh)

        def fill(pointer: int, node: int, address: int) -> None:
            lib.pcs_simulation_mesh_node(pointer, of.index, node, address)

        return self._table(_BODY, len(of), fill)  # type: ignore

    def element_results(self, mesh: str, result: str) -> Array:
        """A result of all elements of a mesh, such as "mises"; NaN for parts without it."""
        of, pointer = find_mesh(self.model.meshes, mesh), self._look()
        values: List[Optional[Array]] = []
        for i, part in enumerate(of.parts):
            if result not in part.results:
                values.append(None)
                continue
            table = np.empty((len(part), len(part.results)))
            lib.pcs_simulation_mesh_results(pointer, of.index, i, table.ctypes.data)
            values.append(table[:, part.results.index(result)])
        return of._spread(result, values)

    # ---- Evidence ----

    @property
    def events(self) -> List[Event]:
        """What happened so far, oldest first; only the latest some ten thousand are kept."""
        pointer, contacts = self._look(), self.model.contacts
        found: List[Event] = []
        raw = pcs_event()
        for i in range(lib.pcs_simulation_event_count(pointer) - 1, -1, -1):
            if not lib.pcs_simulation_event(pointer, i, ctypes.byref(raw)):
                break
            name = contacts[raw.object] if 0 <= raw.object < len(contacts) else None
            kind = text_of(lib.pcs_event_kind_name(raw.kind))
            name = name if kind != "switch" else None
            found.append(Event(raw.time, kind, name, raw.value, tuple(raw.impulse)))
        return found[::-1]

    @property
    def event_count(self) -> int:
        """Events so far."""
        return int(lib.pcs_simulation_event_count(self._look()))

    @property
    def statistics(self) -> Statistics:
        """Counts and measures so far."""
        return make_statistics(lib.pcs_simulation_statistics(self._look()).contents)

    @property
    def energy(self) -> Energy:
        """The energy account."""
        return self.statistics.energy

    # ---- Checkpoint ----

    def save(self) -> bytes:
        """The complete state."""
        pointer = self._look()
        size = lib.pcs_simulation_save(pointer, None, 0)
        buffer = ctypes.create_string_buffer(size)
        lib.pcs_simulation_save(pointer, buffer, size)
        return buffer.raw

    def load(self, checkpoint: bytes) -> None:
        """Continues from a state of save(), bit for bit: same model, scheme, step and options."""
        data = bytes(memoryview(checkpoint))
        handle = self._held()
        with self._busy:
            status = lib.pcs_simulation_load(handle.pointer, data, len(data))
        check(self._context, status)


def _close_quietly(writer: _Writer) -> None:
    """Closes the file of a run that failed, without hiding why it did."""
    try:
        writer.close(False)
    except Exception as error:  # noqa: BLE001
        warnings.warn(f"the result could not be closed: {error}", RuntimeWarning, stacklevel=4)
