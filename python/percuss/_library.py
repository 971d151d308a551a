"""The shared library: where it is found, and its declarations for ctypes.

The declarations repeat include/percuss/*.h; tests/test_declarations.py compares every structure,
enumeration value and prototype with the headers.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t
from ctypes import c_void_p
from pathlib import Path
from typing import Any, Dict, List, Tuple

from ._version import VERSION

# ---- Enumerations ----

OK, NOT_CONVERGED, INTERRUPTED = 0, 1, 2

ENUMERATIONS: Dict[str, int] = {
    "PCS_OK": 0,
    "PCS_NOT_CONVERGED": 1,
    "PCS_INTERRUPTED": 2,
    "PCS_ERROR_MEMORY": -1,
    "PCS_ERROR_ARGUMENT": -2,
    "PCS_ERROR_INPUT": -3,
    "PCS_ERROR_MODEL": -4,
    "PCS_ERROR_SINGULAR": -5,
    "PCS_ERROR_NUMERIC": -6,
    "PCS_ERROR_IO": -7,
    "PCS_ERROR_STOPPED": -8,
    "PCS_JOINT_COORDINATES_MAX": 3,
    "PCS_OPEN": 0,
    "PCS_SLIP": 1,
    "PCS_STICK": 2,
    "PCS_CLOSED": 3,
    "PCS_EVENT_IMPACT": 0,
    "PCS_EVENT_CLOSE": 1,
    "PCS_EVENT_OPEN": 2,
    "PCS_EVENT_STICK": 3,
    "PCS_EVENT_SLIP": 4,
    "PCS_EVENT_REJECTED": 5,
    "PCS_EVENT_UNCONVERGED": 6,
    "PCS_EVENT_SWITCH": 7,
    "PCS_MEASURE_SCALED": 0,
    "PCS_MEASURE_UNSCALED": 1,
    "PCS_MEASURE_RELATIVE": 2,
    "PCS_PROBLEM_LCP": 0,
    "PCS_PROBLEM_MLCP": 1,
    "PCS_PROBLEM_LOCAL": 2,
    "PCS_PROBLEM_GLOBAL": 3,
    "PCS_PROBLEM_TEXT": 0,
    "PCS_PROBLEM_FCLIB": 1,
    "PCS_OPTION_REAL": 0,
    "PCS_OPTION_INTEGER": 1,
    "PCS_OPTION_CHOICE": 2,
    "PCS_SOLVE_STAGES_MAX": 16,
    "PCS_SOLVE_REASON_SIZE": 240,
}

# ---- Structures ----


class pcs_vec3(ctypes.Structure):
    _fields_ = [("x", c_double), ("y", c_double), ("z", c_double)]


class pcs_quat(ctypes.Structure):
    _fields_ = [("w", c_double), ("x", c_double), ("y", c_double), ("z", c_double)]


class pcs_option(ctypes.Structure):
    _fields_ = [
        ("key", c_char_p),
        ("type", c_int),
        ("fallback", c_double),
        ("lowest", c_double),
        ("highest", c_double),
        ("choices", POINTER(c_char_p)),
        ("help", c_char_p),
    ]


class pcs_simulation_def(ctypes.Structure):
    _fields_ = [
        ("scheme", c_char_p),
        ("start", c_double),
        ("end", c_double),
        ("step", c_double),
        ("events", POINTER(c_double)),
        ("n_events", c_int32),
        ("without_estimate", c_bool),
    ]


class pcs_signal(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("index", c_int32), ("component", c_int32)]


class pcs_contact_view(ctypes.Structure):
    _fields_ = [
        ("gap", c_double),
        ("impulse", c_double * 3),
        ("force", c_double * 3),
        ("load", c_double * 3),
        ("force_max", c_double * 3),
        ("force_now", c_double * 3),
        ("velocity", c_double * 3),
        ("point", pcs_vec3),
        ("normal", pcs_vec3),
        ("tangent1", pcs_vec3),
        ("tangent2", pcs_vec3),
        ("state", c_int),
    ]


class pcs_body_view(ctypes.Structure):
    _fields_ = [
        ("position", pcs_vec3),
        ("rotation", pcs_quat),
        ("angle", c_double),
        ("velocity", pcs_vec3),
        ("angular_velocity", pcs_vec3),
    ]


class pcs_joint_view(ctypes.Structure):
    _fields_ = [
        ("coordinate", c_double * 3),
        ("rate", c_double * 3),
        ("force", pcs_vec3),
        ("torque", pcs_vec3),
    ]


class pcs_mesh_part_view(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int),
        ("nodes_per_element", c_int32),
        ("n_elements", c_int32),
        ("nodes", POINTER(c_int32)),
        ("section", c_void_p),
        ("n_results", c_int32),
        ("results_names", POINTER(c_char_p)),
    ]


class pcs_mesh_group_view(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("nodes", POINTER(c_int32)),
        ("n_nodes", c_int32),
        ("faces", POINTER(c_int32)),
        ("n_faces", c_int32),
    ]


class pcs_result_mesh_view(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("first_node", c_int32),
        ("n_nodes", c_int32),
        ("first_frame", c_int32),
        ("start", POINTER(pcs_vec3)),
        ("n_parts", c_int32),
        ("n_groups", c_int32),
        ("mass", c_double),
    ]


class pcs_frame_range(ctypes.Structure):
    _fields_ = [("first", c_int64), ("count", c_int64), ("stride", c_int64)]


class pcs_event(ctypes.Structure):
    _fields_ = [
        ("time", c_double),
        ("value", c_double),
        ("kind", c_int),
        ("object", c_int32),
        ("impulse", c_double * 3),
    ]


class pcs_energy_account(ctypes.Structure):
    _fields_ = [
        ("kinetic", c_double),
        ("potential", c_double),
        ("applied", c_double),
        ("actuator", c_double),
        ("driver", c_double),
        ("damping", c_double),
        ("friction", c_double),
        ("impact", c_double),
        ("numerical", c_double),
    ]


class pcs_extreme(ctypes.Structure):
    _fields_ = [("value", c_double), ("time", c_double), ("where", c_int32)]


class pcs_statistics(ctypes.Structure):
    _fields_ = [
        ("steps", c_int64),
        ("rejected_steps", c_int64),
        ("unconverged_steps", c_int64),
        ("impacts", c_int64),
        ("contact_steps", c_int64),
        ("contacts_now", c_int32),
        ("contacts_most", c_int32),
        ("newton_iterations", c_int64),
        ("solver_iterations", c_int64),
        ("worst_residual", c_double),
        ("worst_newton", c_double),
        ("worst_penetration", c_double),
        ("penetration_time", c_double),
        ("penetration_slot", c_int32),
        ("worst_drift", c_double),
        ("worst_velocity_drift", c_double),
        ("last_residual", c_double),
        ("energy", pcs_energy_account),
        ("energy_rounding", c_double),
        ("refined_by", c_int32),
        ("assembly_moved", c_double),
        ("assembly_body", c_int32),
        ("assembly_velocity", c_double),
        ("assembly_velocity_body", c_int32),
        ("initial_penetration", c_double),
        ("initial_contact", c_int32),
        ("redundant_rows", c_int32),
        ("redundant_most", c_int32),
        ("inner_steps", c_int64),
        ("evaluations", c_int64),
        ("smallest_step", c_double),
        ("time_stepping", c_double),
        ("switches_zeno", c_int64),
        ("switches_friction", c_int64),
        ("switches_edge", c_int64),
        ("size", c_double),
        ("hover", pcs_extreme),
        ("impact_gain", pcs_extreme),
        ("chatter", pcs_extreme),
        ("free_forces", pcs_extreme),
        ("force_components", c_int32),
        ("momentum_drift", c_double),
        ("turn", pcs_extreme),
        ("way", pcs_extreme),
        ("rate", c_double),
        ("estimates", c_int64),
        ("error_step", c_double),
        ("error", pcs_extreme),
        ("error_length", c_double),
        ("error_velocity", c_double),
        ("growth", c_double),
        ("horizon", c_double),
        ("stiffness", c_double),
    ]


class pcs_setting(ctypes.Structure):
    _fields_ = [("key", c_char_p), ("text", c_char_p)]


class pcs_result_def(ctypes.Structure):
    _fields_ = [
        ("path", c_char_p),
        ("title", c_char_p),
        ("model_text", c_char_p),
        ("command", c_char_p),
        ("flush_interval", c_double),
    ]


class pcs_residual(ctypes.Structure):
    _fields_ = [
        ("scaled", c_double),
        ("unscaled", c_double),
        ("relative", c_double),
        ("worst", c_int32),
    ]


pcs_stop_fn = ctypes.CFUNCTYPE(c_int, c_void_p)


class pcs_solve_opts(ctypes.Structure):
    _fields_ = [
        ("tolerance", c_double),
        ("measure", c_int),
        ("max_iterations", c_int32),
        ("max_time", c_double),
        ("threads", c_int32),
        ("count_solutions", c_int32),
        ("stop", pcs_stop_fn),
        ("stop_user", c_void_p),
    ]


class pcs_solve_stage(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("iterations", c_int32),
        ("seconds", c_double),
        ("residual", c_double),
    ]


class pcs_solve_info(ctypes.Structure):
    _fields_ = [
        ("iterations", c_int32),
        ("factorisations", c_int32),
        ("seconds", c_double),
        ("residual", pcs_residual),
        ("at_rounding", c_int32),
        ("solutions", c_int32),
        ("n_stages", c_int32),
        ("stage", pcs_solve_stage * 16),
        ("reason", c_char * 240),
    ]


class pcs_triplets(ctypes.Structure):
    _fields_ = [
        ("rows", c_int32),
        ("columns", c_int32),
        ("count", c_int32),
        ("row", c_void_p),
        ("column", c_void_p),
        ("value", c_void_p),
    ]


class pcs_verdict(ctypes.Structure):
    _fields_ = [
        ("residual", pcs_residual),
        ("cone", c_double),
        ("dual", c_double),
        ("complementarity", c_double),
        ("bilateral", c_double),
        ("dissipation", c_double),
        ("equation", c_double),
        ("open", c_int32),
        ("stick", c_int32),
        ("slip", c_int32),
    ]


STRUCTURES: List[type] = [
    pcs_vec3,
    pcs_quat,
    pcs_option,
    pcs_simulation_def,
    pcs_signal,
    pcs_contact_view,
    pcs_body_view,
    pcs_joint_view,
    pcs_mesh_part_view,
    pcs_mesh_group_view,
    pcs_result_mesh_view,
    pcs_frame_range,
    pcs_event,
    pcs_energy_account,
    pcs_extreme,
    pcs_statistics,
    pcs_setting,
    pcs_result_def,
    pcs_residual,
    pcs_solve_opts,
    pcs_solve_stage,
    pcs_solve_info,
    pcs_triplets,
    pcs_verdict,
]

# ---- Functions: result, arguments ----

_out = POINTER(c_void_p)  # a created object
_status = c_int

# Calls that may take long: other Python threads go on meanwhile.
LONG_CALLS: Dict[str, Tuple[Any, List[Any]]] = {
    "pcs_model_file_read": (_status, [c_void_p, c_char_p, POINTER(pcs_setting), c_int32, _out]),
    "pcs_model_file_read_memory": (
        _status,
        [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(pcs_setting), c_int32, _out],
    ),
    "pcs_simulation_create": (_status, [c_void_p, c_void_p, POINTER(pcs_simulation_def), _out]),
    "pcs_simulation_start": (_status, [c_void_p]),
    "pcs_simulation_step": (_status, [c_void_p]),
    "pcs_simulation_load": (_status, [c_void_p, c_char_p, c_size_t]),
    "pcs_result_create": (_status, [c_void_p, c_void_p, POINTER(pcs_result_def), _out]),
    "pcs_result_append": (_status, [c_void_p, c_void_p]),
    "pcs_result_close": (_status, [c_void_p, c_void_p, c_bool]),
    "pcs_result_abandon": (None, [c_void_p]),
    "pcs_result_open": (_status, [c_void_p, c_char_p, _out]),
    "pcs_result_destroy": (None, [c_void_p]),
    "pcs_result_signal": (_status, [c_void_p, c_char_p, c_void_p]),
    "pcs_result_read": (_status, [c_void_p, c_char_p, pcs_frame_range, c_void_p]),
    "pcs_result_checkpoint": (_status, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "pcs_problem_create_mlcp": (
        _status,
        [c_void_p, c_int32, POINTER(pcs_triplets), c_void_p, c_void_p, _out],
    ),
    "pcs_problem_create_local": (
        _status,
        [c_void_p, c_int32, c_int32, c_int32, POINTER(pcs_triplets), c_void_p, c_void_p, _out],
    ),
    "pcs_problem_create_global": (
        _status,
        [c_void_p, c_int32, c_int32, c_int32, POINTER(pcs_triplets), POINTER(pcs_triplets)]
        + [c_void_p, c_void_p, c_void_p, _out],
    ),
    "pcs_problem_reduce": (_status, [c_void_p, _out]),
    "pcs_problem_solve": (
        _status,
        [c_void_p, c_char_p, POINTER(pcs_solve_opts), c_void_p, c_void_p, c_void_p]
        + [POINTER(pcs_solve_info)],
    ),
    "pcs_problem_verify": (_status, [c_void_p, c_void_p, POINTER(pcs_verdict)]),
    "pcs_problem_read": (_status, [c_void_p, c_char_p, _out]),
    "pcs_problem_write": (_status, [c_void_p, c_char_p, c_int, c_void_p]),
}

# Calls that take a moment: the interpreter's lock is kept, which is faster.
SHORT_CALLS: Dict[str, Tuple[Any, List[Any]]] = {
    "pcs_version": (c_char_p, []),
    "pcs_context_create": (c_void_p, [c_void_p]),
    "pcs_context_destroy": (None, [c_void_p]),
    "pcs_context_error": (c_char_p, [c_void_p]),
    "pcs_model_file_destroy": (None, [c_void_p]),
    "pcs_model_file_model": (c_void_p, [c_void_p]),
    "pcs_model_file_title": (c_char_p, [c_void_p]),
    "pcs_model_file_simulation": (pcs_simulation_def, [c_void_p]),
    "pcs_model_file_options": (c_int32, [c_void_p, POINTER(POINTER(pcs_setting))]),
    "pcs_model_file_output_step": (c_double, [c_void_p]),
    "pcs_model_file_signals": (c_int32, [c_void_p, POINTER(POINTER(c_char_p))]),
    "pcs_model_file_text": (c_char_p, [c_void_p]),
    "pcs_model_file_locate_in": (_status, [c_void_p, c_void_p, _status]),
    "pcs_model_dimension": (c_int32, [c_void_p]),
    "pcs_model_body_count": (c_int32, [c_void_p]),
    "pcs_model_body_name": (c_char_p, [c_void_p, c_int32]),
    "pcs_model_joint_count": (c_int32, [c_void_p]),
    "pcs_model_joint_name": (c_char_p, [c_void_p, c_int32]),
    "pcs_model_system_count": (c_int32, [c_void_p]),
    "pcs_model_system_name": (c_char_p, [c_void_p, c_int32]),
    "pcs_model_contact_count": (c_int32, [c_void_p]),
    "pcs_model_contact_name": (c_char_p, [c_void_p, c_int32]),
    "pcs_model_input_count": (c_int32, [c_void_p]),
    "pcs_model_input_name": (c_char_p, [c_void_p, c_int32]),
    "pcs_model_find_input": (_status, [c_void_p, c_void_p, c_char_p, POINTER(c_int32)]),
    "pcs_model_coordinate_count": (c_int32, [c_void_p]),
    "pcs_model_velocity_count": (c_int32, [c_void_p]),
    "pcs_model_find_signal": (_status, [c_void_p, c_void_p, c_char_p, POINTER(pcs_signal)]),
    "pcs_model_signal_path": (c_bool, [c_void_p, c_int32, c_char_p, c_size_t]),
    "pcs_scheme_name": (
        c_char_p,
        [c_int32, POINTER(c_char_p), POINTER(POINTER(pcs_option)), POINTER(c_int32)],
    ),
    "pcs_simulation_destroy": (None, [c_void_p]),
    "pcs_simulation_set": (_status, [c_void_p, c_char_p, c_char_p]),
    "pcs_simulation_finished": (c_bool, [c_void_p]),
    "pcs_simulation_time": (c_double, [c_void_p]),
    "pcs_simulation_q": (c_void_p, [c_void_p]),
    "pcs_simulation_v": (c_void_p, [c_void_p]),
    "pcs_simulation_set_input": (_status, [c_void_p, c_int32, c_double]),
    "pcs_simulation_input": (c_double, [c_void_p, c_int32]),
    "pcs_simulation_signal": (c_double, [c_void_p, pcs_signal]),
    "pcs_simulation_signals": (None, [c_void_p, POINTER(pcs_signal), c_int32, c_void_p]),
    "pcs_simulation_body": (None, [c_void_p, c_int32, c_void_p]),
    "pcs_simulation_joint": (None, [c_void_p, c_int32, c_void_p]),
    "pcs_simulation_contact": (None, [c_void_p, c_int32, c_void_p]),
    "pcs_simulation_mesh_node": (None, [c_void_p, c_int32, c_int32, c_void_p]),
    "pcs_simulation_mesh_results": (None, [c_void_p, c_int32, c_int32, c_void_p]),
    "pcs_model_mesh_count": (c_int32, [c_void_p]),
    "pcs_model_mesh_name": (c_char_p, [c_void_p, c_int32]),
    "pcs_model_mesh_node_count": (c_int32, [c_void_p, c_int32]),
    "pcs_model_mesh_mass": (c_double, [c_void_p, c_int32]),
    "pcs_model_mesh_turns": (c_bool, [c_void_p, c_int32]),
    "pcs_model_mesh_start": (POINTER(pcs_vec3), [c_void_p, c_int32]),
    "pcs_model_mesh_part_count": (c_int32, [c_void_p, c_int32]),
    "pcs_model_mesh_part": (pcs_mesh_part_view, [c_void_p, c_int32, c_int32]),
    "pcs_model_mesh_group": (pcs_mesh_group_view, [c_void_p, c_int32, c_int32]),
    "pcs_element_kind_name": (c_char_p, [c_int]),
    "pcs_mesh_result_unit": (c_char_p, [c_char_p]),
    "pcs_result_mesh_count": (c_int32, [c_void_p]),
    "pcs_result_mesh": (pcs_result_mesh_view, [c_void_p, c_int32]),
    "pcs_result_mesh_part": (pcs_mesh_part_view, [c_void_p, c_int32, c_int32, POINTER(c_int64)]),
    "pcs_result_mesh_group": (pcs_mesh_group_view, [c_void_p, c_int32, c_int32]),
    "pcs_result_width": (c_int64, [c_void_p, c_char_p]),
    "pcs_simulation_mark_frame": (None, [c_void_p]),
    "pcs_simulation_reopen_frame": (None, [c_void_p]),
    "pcs_simulation_is_between_frames": (c_bool, [c_void_p]),
    "pcs_simulation_event_count": (c_int64, [c_void_p]),
    "pcs_simulation_event": (c_bool, [c_void_p, c_int64, POINTER(pcs_event)]),
    "pcs_simulation_statistics": (POINTER(pcs_statistics), [c_void_p]),
    "pcs_simulation_save": (c_size_t, [c_void_p, c_void_p, c_size_t]),
    "pcs_event_kind_name": (c_char_p, [c_int]),
    "pcs_result_default": (pcs_result_def, []),
    "pcs_result_frames": (c_int64, [c_void_p]),
    "pcs_result_is_complete": (c_bool, [c_void_p]),
    "pcs_result_title": (c_char_p, [c_void_p]),
    "pcs_result_model_text": (c_char_p, [c_void_p]),
    "pcs_result_statistics": (POINTER(pcs_statistics), [c_void_p]),
    "pcs_result_signal_path": (c_bool, [c_void_p, c_int32, c_char_p, c_size_t]),
    "pcs_problem_destroy": (None, [c_void_p]),
    "pcs_problem_get_class": (c_int, [c_void_p]),
    "pcs_problem_contacts": (c_int32, [c_void_p]),
    "pcs_problem_dimension": (c_int32, [c_void_p]),
    "pcs_problem_rows": (c_int32, [c_void_p]),
    "pcs_problem_dofs": (c_int32, [c_void_p]),
    "pcs_problem_bilateral_rows": (c_int32, [c_void_p]),
    "pcs_solve_default": (pcs_solve_opts, []),
    "pcs_problem_solver": (
        c_char_p,
        [c_int, c_int32, POINTER(c_char_p), POINTER(POINTER(pcs_option)), POINTER(c_int32)],
    ),
}

# What a library may be built without.
OPTIONAL_CALLS: Dict[str, Tuple[Any, List[Any]]] = {
    "pcs_report_is_available": (c_bool, []),
    "pcs_report_write": (
        _status,
        [c_void_p, POINTER(c_void_p), POINTER(c_char_p), c_int32, c_char_p],
    ),
}

# ---- Finding the library ----

_SONAME = "libpercuss.so.0"


class Library:
    """The functions of one loaded library, as attributes."""

    path: str
    version: str

    def __init__(self, path: str) -> None:
        long_calls, short_calls = ctypes.CDLL(path), ctypes.PyDLL(path)
        self.path = path
        for loaded, table in ((long_calls, LONG_CALLS), (short_calls, SHORT_CALLS)):
            for name, prototype in table.items():
                setattr(self, name, _declare(loaded, name, prototype))
        self._optional = long_calls
        self.version = self.pcs_version().decode()

    def optional(self, name: str) -> Any:
        """A function that not every library has, or None."""
        try:
            return _declare(self._optional, name, OPTIONAL_CALLS[name])
        except AttributeError:
            return None

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(f"{self.path} has no function {name}")


def _declare(loaded: ctypes.CDLL, name: str, prototype: Tuple[Any, List[Any]]) -> Any:
    function = getattr(loaded, name)
    function.restype, function.argtypes = prototype
    return function


def _candidates() -> List[str]:
    here = Path(__file__).resolve().parent
    found = [str(path) for path in sorted(here.glob("libpercuss.so*"))[:1]]
    found.append(_SONAME)
    if not sys.platform.startswith("linux"):
        name = ctypes.util.find_library("percuss")
        found += [name] if name else []
    repository = here.parent.parent
    if (repository / "include" / "percuss" / "base.h").is_file():
        for preset in ("dev", "release"):
            path = repository / "build" / preset / _SONAME
            found += [str(path)] if path.is_file() else []
    return found


def _open(path: str) -> Library:
    """Loads a library of the right version; ImportError says what is wrong with it."""
    try:
        library = Library(path)
    except OSError as error:
        raise ImportError(str(error)) from None
    except AttributeError as error:
        raise ImportError(f"{path} is not a library of version {VERSION}: {error}") from None
    if library.version.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"{path} has version {library.version}, the package {VERSION}")
    return library


def load_library() -> Library:
    """Loads the library: PERCUSS_LIBRARY, beside the package, installed, or of the repository."""
    chosen = os.environ.get("PERCUSS_LIBRARY")
    if chosen:
        try:
            return _open(chosen)
        except ImportError as error:
            raise ImportError(f"PERCUSS_LIBRARY={chosen}: {error}") from None
    tried = []
    for path in _candidates():
        try:
            return _open(path)
        except ImportError as error:
            tried.append(f"  {error}")
    raise ImportError(
        "percuss needs its shared library " + _SONAME + " of version " + VERSION + ". Install it "
        "(cmake --install build/release, then ldconfig), build the repository that the package "
        "lies in (./dev build), or name the file in the environment variable PERCUSS_LIBRARY. "
        "Tried:\n" + "\n".join(tried)
    )


library = load_library()
