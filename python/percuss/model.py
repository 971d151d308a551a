"""Models: reading a model file, and looking at what it holds."""

from __future__ import annotations

import ctypes
import math
import os
from functools import cached_property
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ._handle import Handle, PathLike, check, create_context, encode, encode_path, list_texts
from ._handle import text_of
from ._library import pcs_setting, pcs_simulation_def
from ._library import library as lib
from .mesh import Mesh, model_meshes
from .simulation import Simulation

__all__ = ["Model", "load", "loads"]


def load(path: PathLike, settings: Optional[Mapping[str, Any]] = None, **parameters: Any) -> Model:
    """Reads a model file.

    Keywords give new values to parameters of the model: ``load("ball.yaml", e=0.8)``. `settings`
    replaces anything by its path, as --set does: ``{"simulation.step": 1e-4,
    "bodies.ball.velocity": [1, 0]}``. Numbers, texts (formulas), lists, dicts and arrays are
    understood. A mistake raises InputError or ModelError with file:line:column.
    """
    encoded = encode_path(path)

    def read(ctx: int, table: Any, count: int, out: Any) -> Any:
        return lib.pcs_model_file_read(ctx, encoded, table, count, out)

    return Model(read, os.fsdecode(encoded), _merge(settings, parameters))


def loads(
    text: str,
    settings: Optional[Mapping[str, Any]] = None,
    *,
    name: str = "<text>",
    **parameters: Any,
) -> Model:
    """Reads a model from a text; `name` stands for the file in messages. No includes."""
    data, label = encode(text, "the model"), encode(name, "name")

    def read(ctx: int, table: Any, count: int, out: Any) -> Any:
        return lib.pcs_model_file_read_memory(ctx, label, data, len(data), table, count, out)

    return Model(read, None, _merge(settings, parameters))


def _merge(settings: Optional[Mapping[str, Any]], parameters: Dict[str, Any]) -> Dict[str, Any]:
    merged = dict(settings) if settings is not None else {}
    twice = merged.keys() & parameters.keys()
    if twice:
        raise ValueError(f"given as setting and as parameter: {', '.join(sorted(twice))}")
    merged.update(parameters)
    return merged


def setting_text(value: Any) -> str:
    """A value as it would stand in a model file."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"a setting must be finite, not {value}")
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return setting_text(value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_quoted(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_quoted(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"a setting cannot be a {type(value).__name__}")


def _quoted(value: Any) -> str:
    """Inside a list or map a text stands in quotes: a formula may have commas."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return setting_text(value)


class Model:
    """A model: immutable, shared by any number of simulations, also in several threads."""

    path: Optional[str]  #: the file, None for loads()
    settings: Dict[str, Any]  #: what was given to load()

    def __init__(
        self,
        read: Callable[[int, Any, int, Any], Any],
        path: Optional[str],
        settings: Dict[str, Any],
    ) -> None:
        self.path = path
        self.settings = settings
        table = (pcs_setting * len(settings))()
        for row, (key, value) in zip(table, settings.items()):
            row.key = encode(key, "a setting's key")
            row.text = encode(setting_text(value), f"setting {key}")
        context = create_context()
        pointer = ctypes.c_void_p()
        check(context, read(context.pointer, table, len(table), ctypes.byref(pointer)))
        assert pointer.value
        self._handle = Handle(pointer.value, lib.pcs_model_file_destroy, context)

    @property
    def _model(self) -> int:
        return int(lib.pcs_model_file_model(self._handle.pointer))

    def __repr__(self) -> str:
        return (
            f"<percuss.Model {self.title or self.path!r}: {len(self.bodies)} bodies, "
            f"{len(self.joints)} joints, {len(self.contacts)} contact points>"
        )

    # ---- What it holds ----

    @property
    def title(self) -> str:
        return text_of(lib.pcs_model_file_title(self._handle.pointer))

    @property
    def text(self) -> str:
        """The file with all includes and settings resolved."""
        return text_of(lib.pcs_model_file_text(self._handle.pointer))

    @property
    def dimension(self) -> int:
        """2 (planar) or 3."""
        return int(lib.pcs_model_dimension(self._model))

    def _names(self, count: Callable[[int], int], name: Callable[[int, int], bytes]) -> List[str]:
        return [text_of(name(self._model, i)) for i in range(count(self._model))]

    @cached_property
    def bodies(self) -> Tuple[str, ...]:
        """Names of the bodies."""
        return tuple(self._names(lib.pcs_model_body_count, lib.pcs_model_body_name))

    @cached_property
    def joints(self) -> Tuple[str, ...]:
        """Names of the joints."""
        return tuple(self._names(lib.pcs_model_joint_count, lib.pcs_model_joint_name))

    @cached_property
    def systems(self) -> Tuple[str, ...]:
        """Names of the Lagrangian systems; their signals are system.NAME.COORDINATE."""
        return tuple(self._names(lib.pcs_model_system_count, lib.pcs_model_system_name))

    @cached_property
    def contacts(self) -> Tuple[str, ...]:
        """Names of the contact points: "tip", or "foot.2" for the third point of a contact."""
        return tuple(self._names(lib.pcs_model_contact_count, lib.pcs_model_contact_name))

    @cached_property
    def meshes(self) -> Dict[str, Mesh]:
        """The flexible bodies by their names."""
        return model_meshes(self._model)

    @cached_property
    def inputs(self) -> Tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self._names(lib.pcs_model_input_count, lib.pcs_model_input_name))

    @cached_property
    def _input_index(self) -> Dict[str, int]:
        return {name: i for i, name in enumerate(self.inputs)}

    @cached_property
    def signals(self) -> Tuple[str, ...]:
        """Paths of all signals."""
        return tuple(
            list_texts(lambda i, buffer, n: lib.pcs_model_signal_path(self._model, i, buffer, n))
        )

    # ---- What the file says of a run ----

    def _definition(self) -> pcs_simulation_def:
        return lib.pcs_model_file_simulation(self._handle.pointer)  # type: ignore[no-any-return]

    @property
    def scheme(self) -> str:
        return text_of(self._definition().scheme)

    @property
    def start(self) -> float:
        return float(self._definition().start)

    @property
    def end(self) -> float:
        return float(self._definition().end)

    @property
    def step(self) -> float:
        return float(self._definition().step)

    @property
    def options(self) -> Dict[str, str]:
        """Options of the scheme that the file gives."""
        table = ctypes.POINTER(pcs_setting)()
        count = lib.pcs_model_file_options(self._handle.pointer, ctypes.byref(table))
        return {text_of(table[i].key): text_of(table[i].text) for i in range(count)}

    @property
    def output_step(self) -> float:
        """Time between stored frames; 0: every step."""
        return float(lib.pcs_model_file_output_step(self._handle.pointer))

    @property
    def output_signals(self) -> Tuple[str, ...]:
        """The signals that the file asks for (``output: signals``)."""
        table = ctypes.POINTER(ctypes.c_char_p)()
        count = lib.pcs_model_file_signals(self._handle.pointer, ctypes.byref(table))
        return tuple(text_of(table[i]) for i in range(count))

    # ---- Running it ----

    def simulate(
        self,
        *,
        step: Optional[float] = None,
        end: Optional[float] = None,
        start: Optional[float] = None,
        scheme: Optional[str] = None,
        **options: Any,
    ) -> Simulation:
        """A simulation of this model, in its initial state, which is put on the joints.

        What is not given is as in the file. `options` are those of the scheme (percuss.schemes()).
        """
        return Simulation(self, step=step, end=end, start=start, scheme=scheme, options=options)
