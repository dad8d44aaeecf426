"""Workarounds for PySide."""

from __future__ import annotations

import sys
from functools import cache, wraps
from types import FunctionType, MethodDescriptorType
from typing import Any

from PySide6.QtCore import QObject


def skip_source_reading() -> None:
    """Keep PySide from reading the source of every module.

    Call this before importing the app's own modules. PySide reads the source of each module
    imported after it to look for snake case names. This takes a tenth of the startup time and keeps
    all source lines in memory (15 MB for the window alone). Without sources, as in the bundle, the
    result is the same.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False  # type: ignore[union-attr]


def survive_errors() -> None:
    """Make exceptions in methods called by Qt non-fatal, for classes created from now on.

    On Python 3.11, PySide (tested: 6.12) crashes the process if the interpreter raised the
    exception ("None has no attribute …") and our own code called Qt. PySide uses the exception
    before its object is created. Raising the exception again creates the object.
    """
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_wrap_overrides)  # type: ignore[assignment]


def _wrap_overrides(kind: type) -> None:
    overrides = {
        name: member for name, member in vars(kind).items() if isinstance(member, FunctionType)
    }
    for base in kind.__mro__[1:]:
        if base.__module__.startswith("PySide6"):
            for name in overrides.keys() & _qt_methods(base):
                setattr(kind, name, _wrap_method(overrides.pop(name)))


@cache
def _qt_methods(base: type) -> frozenset[str]:
    """Return the names of a PySide class's own methods. Cached, because PySide's lookup is slow."""
    return frozenset(n for n, item in vars(base).items() if isinstance(item, MethodDescriptorType))


def _wrap_method(method: FunctionType) -> Any:
    @wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except BaseException:
            raise  # creates the exception object, see `survive_errors`

    return called
