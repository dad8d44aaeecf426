"""The window: everything that a person sees and touches. It is built on the engine's public face.

Imports: app.chats, app.models, app.program, app.remote, app.settings, app.system, app.tools,
app.ui.dialogs, engine, engine.cache, engine.cli, engine.cluster, engine.sandbox, engine.serve.
"""

from __future__ import annotations

import os

# Another binding may be installed beside PySide6, and libraries for several would take it first.
os.environ.setdefault("QT_API", "pyside6")

__version__ = "0.9.0"
