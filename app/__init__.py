"""The window: everything a person sees and touches. The engine beneath it knows nothing of it."""

from __future__ import annotations

import os

# Another binding may be installed beside PySide6, and libraries for several would take it first.
os.environ.setdefault("QT_API", "pyside6")

__version__ = "0.1.0"
