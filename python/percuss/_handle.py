"""Ownership of the library's objects, errors from statuses, and Ctrl-C during long calls.

A Handle owns one C object and holds the handles that it depends on, so that nothing is freed before
what uses it. Python's collector of reference cycles calls finalizers in any order; a handle that is
let go therefore waits for its users. Arrays that look into C memory hold the handle too.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from typing import Any, Callable, Dict, List, Optional, Type, Union

import numpy as np
import numpy.typing as npt

from . import errors
from ._library import library as lib

PathLike = Union[str, "os.PathLike[str]", bytes]


class Handle:
    """A C object, destroyed with the last reference to the handle and after all its users."""

    __slots__ = ("_pointers", "_destroy", "_owners", "_users", "_let_go", "__weakref__")

    def __init__(self, pointer: int, destroy: Callable[[int], None], *owners: Handle) -> None:
        self._pointers = [pointer]  # empty once it is destroyed
        self._destroy = destroy
        self._owners = owners
        self._users: Dict[int, None] = {}
        self._let_go = False
        for owner in owners:
            owner._users[id(self)] = None

    @property
    def pointer(self) -> int:
        """The object, never NULL."""
        for pointer in self._pointers:
            return pointer
        raise ValueError("the object is closed")

    def take(self) -> int:
        """The object, for a call that destroys it."""
        pointer = self._pointers.pop()
        for owner in self._owners:
            owner._users.pop(id(self), None)
            owner._release()
        return pointer

    def _release(self) -> None:
        if self._let_go and not self._users:
            try:
                pointer = self._pointers.pop()  # atomic: one thread gets it
            except IndexError:
                return
            self._destroy(pointer)
            for owner in self._owners:
                owner._users.pop(id(self), None)
                owner._release()

    def __del__(self) -> None:
        self._let_go = True
        self._release()

    def __reduce__(self) -> Any:
        raise TypeError("objects of the library cannot be copied or pickled")


def create_context() -> Handle:
    pointer = lib.pcs_context_create(None)
    if not pointer:
        raise errors.OutOfMemoryError("out of memory")
    return Handle(pointer, lib.pcs_context_destroy)


def error_text(context: Handle) -> str:
    return text_of(lib.pcs_context_error(context.pointer))


def check(context: Handle, status: int, kind: Optional[Type[errors.Error]] = None) -> int:
    """The status, or the exception that belongs to it (`kind` replaces an InputError)."""
    if status >= 0:
        return status
    error = errors.BY_STATUS.get(status, errors.Error)
    if error is errors.OutOfMemoryError:
        raise error("out of memory")
    if kind is not None and error is errors.InputError:
        error = kind
    raise error(error_text(context))


def text_of(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def encode(text: str, what: str) -> bytes:
    """UTF-8 for the library, which knows no zero bytes inside a text."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} contains a zero byte")
    return text.encode("utf-8", "surrogateescape")


def encode_path(path: PathLike) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path contains a zero byte")
    return encoded


def list_texts(get: Callable[[int, ctypes.Array[ctypes.c_char], int], Any]) -> List[str]:
    """The texts that get(index, buffer, size) writes, for index = 0, 1, ... until it says false."""
    size = 1024
    buffer = ctypes.create_string_buffer(size)
    texts: List[str] = []
    while get(len(texts), buffer, size):
        texts.append(text_of(buffer.value))
    return texts


class _Memory:
    """Memory of a C object for numpy: read-only, and the object lives as long as the array."""

    def __init__(self, handle: Handle, address: int, count: int) -> None:
        self.handle = handle
        self.__array_interface__ = {
            "version": 3,
            "shape": (count,),
            "typestr": np.dtype(np.float64).str,
            "data": (address, True),
        }


def view(handle: Handle, address: int, count: int) -> npt.NDArray[np.float64]:
    if count == 0 or not address:
        empty = np.empty(0)
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(handle, address, count))


class Busy:
    """Keeps two threads from using one object at the same time: the second one gets an error."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise self.error()

    def __exit__(self, *unused: object) -> None:
        self._lock.release()

    def error(self) -> RuntimeError:
        return RuntimeError(
            f"the {self._what} is in use by another thread; give each thread one of its own"
        )

    def look(self) -> None:
        """Raises if a call is under way."""
        if self._lock.locked():
            raise self.error()


class Interrupt:
    """Ctrl-C while the library works: noted, so that the present step ends and files are closed.

    Only in the main thread and only if Python's own handler stands; inside functions of the user
    (`in_user`) KeyboardInterrupt is raised at once, as usual.
    """

    def __init__(self) -> None:
        self.pending = False
        self.in_user = False
        self._installed = False

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._note)
                self._installed = True
        return self

    def __exit__(self, *unused: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @property
    def installed(self) -> bool:
        return self._installed

    def _note(self, *unused: object) -> None:
        if self.in_user:
            raise KeyboardInterrupt
        self.pending = True
