"""Meshes of models and results: nodes, elements, groups, and what is computed for the elements."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Tuple

import numpy as np
import numpy.typing as npt

from ._handle import text_of
from ._library import library as lib
from .errors import UnknownNameError

__all__ = ["Mesh", "MeshPart"]


@dataclass(frozen=True)
class MeshPart:
    """Elements of one kind."""

    name: str
    kind: str  #: "bar", "beam", "hexahedron"...
    elements: npt.NDArray[np.int32]  #: node numbers, one row for each element
    results: Tuple[str, ...]  #: names of what is computed for each element
    _first: int = field(default=0, repr=False)  # place of its results among those of a result file

    def __len__(self) -> int:
        return len(self.elements)


@dataclass(frozen=True)
class Mesh:
    """A flexible body: what it is made of. Nodes and elements count from 0."""

    name: str
    index: int  #: place among the meshes of the model
    mass: float  #: kg
    turns: bool  #: its nodes are frames, as those of beams are
    start: npt.NDArray[np.float64]  #: positions of the nodes at the start, n x 3, m
    parts: Tuple[MeshPart, ...]
    groups: Mapping[str, npt.NDArray[np.int32]]  #: node numbers by the name of the group
    _first_node: int = field(default=0, repr=False)
    _first_frame: int = field(default=-1, repr=False)

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        elements = sum(len(part) for part in self.parts)
        return f"<percuss.Mesh {self.name}: {len(self)} nodes, {elements} elements>"

    @property
    def results(self) -> Tuple[str, ...]:
        """Names of the results of its elements, each once."""
        names: List[str] = []
        for part in self.parts:
            names += [name for name in part.results if name not in names]
        return tuple(names)

    @staticmethod
    def unit(result: str) -> str:
        """Unit of a result, "Pa" or "N m"; "1" for a plain number."""
        return text_of(lib.pcs_mesh_result_unit(result.encode()))

    def _spread(self, result: str, values: List[Any]) -> npt.NDArray[np.float64]:
        """Values of the parts (arrays with the elements last, or None) as one array."""
        shape = next((v.shape[:-1] for v in values if v is not None), None)
        if shape is None:
            known = ", ".join(self.results) or "none"
            raise UnknownNameError(f"mesh {self.name!r} has no result {result!r}; it has: {known}")
        filled = [
            np.full((*shape, len(part)), np.nan) if value is None else value
            for part, value in zip(self.parts, values)
        ]
        return np.concatenate(filled, axis=-1)


def _integers(pointer: Any, count: int) -> npt.NDArray[np.int32]:
    if count == 0:
        return np.empty(0, np.int32)
    copy = np.ctypeslib.as_array(pointer, (count,)).copy()
    copy.flags.writeable = False
    return copy


def make_part(raw: Any, first: int = 0) -> MeshPart:
    width = raw.nodes_per_element
    elements = _integers(raw.nodes, raw.n_elements * width).reshape(raw.n_elements, width)
    return MeshPart(
        text_of(raw.name) if raw.name else "",
        text_of(lib.pcs_element_kind_name(raw.kind)),
        elements,
        tuple(text_of(raw.results_names[i]) for i in range(raw.n_results)),
        first,
    )


def make_groups(get: Callable[[int], Any]) -> Dict[str, npt.NDArray[np.int32]]:
    groups: Dict[str, npt.NDArray[np.int32]] = {}
    raw = get(0)
    while raw.name:
        groups[text_of(raw.name)] = _integers(raw.nodes, raw.n_nodes)
        raw = get(len(groups))
    return groups


def make_start(pointer: Any, count: int) -> npt.NDArray[np.float64]:
    address = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_double))
    copy = np.ctypeslib.as_array(address, (count, 3)).copy()
    copy.flags.writeable = False
    return copy


def model_meshes(model: int) -> Dict[str, Mesh]:
    """The meshes of a model by their names."""
    meshes: Dict[str, Mesh] = {}
    for k in range(lib.pcs_model_mesh_count(model)):
        name = text_of(lib.pcs_model_mesh_name(model, k))
        count = lib.pcs_model_mesh_node_count(model, k)
        parts = [
            make_part(lib.pcs_model_mesh_part(model, k, i))
            for i in range(lib.pcs_model_mesh_part_count(model, k))
        ]
        meshes[name] = Mesh(
            name,
            k,
            float(lib.pcs_model_mesh_mass(model, k)),
            bool(lib.pcs_model_mesh_turns(model, k)),
            make_start(lib.pcs_model_mesh_start(model, k), count),
            tuple(parts),
            make_groups(lambda i, k=k: lib.pcs_model_mesh_group(model, k, i)),  # type: ignore
        )
    return meshes


def result_meshes(result: int) -> Dict[str, Mesh]:
    """The meshes of a result by their names."""
    meshes: Dict[str, Mesh] = {}
    for k in range(lib.pcs_result_mesh_count(result)):
        raw = lib.pcs_result_mesh(result, k)
        parts = []
        for i in range(raw.n_parts):
            first = ctypes.c_int64()
            part = lib.pcs_result_mesh_part(result, k, i, ctypes.byref(first))
            parts.append(make_part(part, first.value))
        name = text_of(raw.name)
        meshes[name] = Mesh(
            name,
            k,
            float(raw.mass),
            raw.first_frame >= 0,
            make_start(raw.start, raw.n_nodes),
            tuple(parts),
            make_groups(lambda i, k=k: lib.pcs_result_mesh_group(result, k, i)),  # type: ignore
            raw.first_node,
            raw.first_frame,
        )
    return meshes


def find_mesh(meshes: Mapping[str, Mesh], name: str) -> Mesh:
    try:
        return meshes[name]
    except KeyError:
        known = ", ".join(meshes) or "none"
        raise UnknownNameError(f"there is no mesh {name!r}; there are: {known}") from None
