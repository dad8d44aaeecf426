"""Where PySide does what the program cannot use: it reads all sources, and dies of some errors."""

from __future__ import annotations

import sys
from functools import cache, wraps
from types import FunctionType, MethodDescriptorType
from typing import Any

from PySide6.QtCore import QObject


def leave_sources_alone() -> None:
    """Have modules imported without a look at their sources; before the program's own are.

    PySide reads the source of whatever is imported after it, to see whether it may switch names to
    snake case. That is a tenth of a start, and the lines of all sources stay in memory (15 MB with
    the window's alone). Where there are no sources, as in the bundle, it takes the same answer.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False  # type: ignore[union-attr]


def survive_errors() -> None:
    """Have what a method raises that Qt has called reported as all errors are.

    It is so for classes that are made afterwards.

    On Python 3.11 an error that the interpreter raises ("None has no attribute …") is not an object
    yet when PySide is told of it, which takes it for one: the process ends, if a call of ours led
    to Qt's (as of PySide 6.12). What is raised anew is an object.
    """
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_raise_objects)  # type: ignore[assignment]


def _raise_objects(kind: type) -> None:
    """Wrap the methods of a new class that take the place of Qt's."""
    own = {name: made for name, made in vars(kind).items() if isinstance(made, FunctionType)}
    for base in kind.__mro__[1:]:
        if base.__module__.startswith("PySide6"):
            for name in own.keys() & _methods_of_qt(base):
                setattr(kind, name, _raising_anew(own.pop(name)))


@cache
def _methods_of_qt(base: type) -> frozenset[str]:
    """What such a class declares; to ask PySide for it takes long."""
    return frozenset(n for n, made in vars(base).items() if isinstance(made, MethodDescriptorType))


def _raising_anew(method: FunctionType) -> Any:
    @wraps(method)
    def called(*args: Any, **named: Any) -> Any:
        try:
            return method(*args, **named)
        except BaseException:
            raise

    return called
