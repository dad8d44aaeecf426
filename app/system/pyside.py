"""PySide's look through the sources of all modules, which nothing here needs."""

from __future__ import annotations

import sys


def leave_sources_alone() -> None:
    """Have modules imported without a look at their sources; before the program's own are.

    PySide reads the source of whatever is imported after it, to see whether it may switch names to
    snake case. That is a tenth of a start, and the lines of all sources stay in memory (15 MB with
    the window's alone). Where there are no sources, as in the bundle, it takes the same answer.
    """
    import PySide6.QtCore  # noqa: F401, brings the module along

    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False  # type: ignore[union-attr]
