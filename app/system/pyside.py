"""Workarounds for PySide: it reads the sources of all modules, and crashes on some errors."""

from __future__ import annotations

import sys
from functools import cache, wraps
from types import FunctionType, MethodDescriptorType
from typing import Any

from PySide6.QtCore import QObject


def leave_sources_alone() -> None:
    """Prevent PySide from reading the sources of modules.

    Call it before the program's own imports.

    PySide reads the source of each module imported after it, to detect snake case names. That takes
    a tenth of a start, and keeps the lines of all sources in memory (15 MB for the window alone).
    Without sources, as in the bundle, it assumes the same result.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False  # type: ignore[union-attr]


def survive_errors() -> None:
    """Report errors in methods called by Qt like other errors, for classes created later.

    On Python 3.11, PySide (tried: 6.12) crashes the process if the interpreter raised the error
    ("None has no attribute …") and our own code called Qt: it treats the error as an object before
    it is one. An error that is raised again is an object.
    """
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_raise_objects)  # type: ignore[assignment]


def _raise_objects(kind: type) -> None:
    """Wrap the methods of a new class that override Qt's."""
    own = {name: made for name, made in vars(kind).items() if isinstance(made, FunctionType)}
    for base in kind.__mro__[1:]:
        if base.__module__.startswith("PySide6"):
            for name in own.keys() & _methods_of_qt(base):
                setattr(kind, name, _raising_anew(own.pop(name)))


@cache
def _methods_of_qt(base: type) -> frozenset[str]:
    """Return the methods that a class of PySide declares, without asking PySide, which is slow."""
    return frozenset(n for n, made in vars(base).items() if isinstance(made, MethodDescriptorType))


def _raising_anew(method: FunctionType) -> Any:
    @wraps(method)
    def called(*args: Any, **named: Any) -> Any:
        try:
            return method(*args, **named)
        except BaseException:
            raise

    return called
