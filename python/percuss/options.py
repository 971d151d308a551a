"""Tables of schemes and solvers with their options."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Tuple

from ._handle import text_of
from ._library import ENUMERATIONS, pcs_option
from ._library import library as lib

__all__ = ["Option", "Method", "schemes", "solvers"]

PROBLEM_CLASSES = {
    "lcp": ENUMERATIONS["PCS_PROBLEM_LCP"],
    "mlcp": ENUMERATIONS["PCS_PROBLEM_MLCP"],
    "local": ENUMERATIONS["PCS_PROBLEM_LOCAL"],
    "global": ENUMERATIONS["PCS_PROBLEM_GLOBAL"],
}


@dataclass(frozen=True)
class Option:
    """One option of a scheme or solver."""

    key: str
    type: str  #: "real", "integer" or "choice"
    default: Any  #: a number, or one of the choices
    lowest: float
    highest: float
    choices: Tuple[str, ...]
    help: str

    def number(self, value: Any) -> float:
        """The value as the library counts it; ValueError if it is out of range."""
        if self.type == "choice":
            if value not in self.choices:
                raise ValueError(f"{self.key} must be one of {', '.join(self.choices)}")
            return float(self.choices.index(value))
        number = float(value)
        if not self.lowest <= number <= self.highest:
            raise ValueError(
                f"{self.key} must be between {self.lowest:g} and {self.highest:g}, not {number:g}"
            )
        if self.type == "integer" and number != int(number):
            raise ValueError(f"{self.key} must be an integer, not {number:g}")
        return number


@dataclass(frozen=True)
class Method:
    """A scheme or a solver."""

    name: str
    help: str
    options: Tuple[Option, ...]

    def numbers(self, values: Mapping[str, Any]) -> Tuple[float, ...]:
        """All options in the order of the table, with these values in place of the defaults."""
        known = [option.key for option in self.options]
        for key in values:
            if key not in known:
                raise ValueError(
                    f"{self.name} has no option '{key}'; it has {', '.join(known) or 'none'}"
                )
        return tuple(o.number(values.get(o.key, o.default)) for o in self.options)


def _option(row: pcs_option) -> Option:
    choices: List[str] = []
    while row.choices and row.choices[len(choices)] is not None:
        choices.append(text_of(row.choices[len(choices)]))
    kind = ("real", "integer", "choice")[row.type]
    fallback: Any = row.fallback
    if kind != "real":
        fallback = choices[int(fallback)] if kind == "choice" else int(fallback)
    return Option(
        text_of(row.key), kind, fallback, row.lowest, row.highest, tuple(choices), text_of(row.help)
    )


def _methods(get: Callable[..., Any]) -> Dict[str, Method]:
    found: Dict[str, Method] = {}
    while True:
        help_text, table = ctypes.c_char_p(), ctypes.POINTER(pcs_option)()
        count = ctypes.c_int32()
        name = get(
            len(found), ctypes.byref(help_text), ctypes.byref(table), ctypes.byref(count)
        )
        if name is None:
            return found
        options = tuple(_option(table[i]) for i in range(count.value))
        found[text_of(name)] = Method(text_of(name), text_of(help_text.value), options)


def schemes() -> Dict[str, Method]:
    """The time integration schemes by name, with their options."""
    return _methods(lib.pcs_scheme_name)


def solvers(problem_class: str = "local") -> Dict[str, Method]:
    """The solvers for a class of problems: "lcp", "mlcp", "local" or "global"."""
    if problem_class not in PROBLEM_CLASSES:
        raise ValueError(f"problem_class must be one of {', '.join(PROBLEM_CLASSES)}")
    number = PROBLEM_CLASSES[problem_class]
    return _methods(lambda *rest: lib.pcs_problem_solver(number, *rest))
