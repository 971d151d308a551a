"""Exceptions and warnings. Each error carries the library's message and its status."""

from __future__ import annotations

__all__ = [
    "Error",
    "OutOfMemoryError",
    "ArgumentError",
    "InputError",
    "UnknownNameError",
    "ModelError",
    "SingularError",
    "NumericError",
    "FileError",
    "NotConvergedWarning",
]


class Error(Exception):
    """An error of the library; the subclasses name its kind."""

    status: int = 0

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class OutOfMemoryError(Error, MemoryError):
    """The system has no more memory."""

    status = -1


class ArgumentError(Error, ValueError):
    """A call with values that make no sense."""

    status = -2


class InputError(Error, ValueError):
    """A file, a formula or a setting with a mistake; the text has file:line:column."""

    status = -3


class UnknownNameError(InputError, KeyError):
    """A signal, an input or another name that does not exist; the text has the nearest one."""


class ModelError(Error):
    """A model that cannot be simulated: contradictory joints, zero mass..."""

    status = -4


class SingularError(Error, ArithmeticError):
    """A matrix without a usable factorisation."""

    status = -5


class NumericError(Error, ArithmeticError):
    """NaN or infinity appeared."""

    status = -6


class FileError(Error, OSError):
    """The operating system refused to read or write."""

    status = -7


class NotConvergedWarning(UserWarning):
    """A result is usable, but a solver did not reach its tolerance."""


BY_STATUS = {
    kind.status: kind
    for kind in (
        OutOfMemoryError,
        ArgumentError,
        InputError,
        ModelError,
        SingularError,
        NumericError,
        FileError,
    )
}
