"""The window: everything that a person sees and touches. It is built on the engine's public face.

Imports: app.bench, app.chats, app.markdown, app.remote, app.score, app.store, app.tools,
app.ui.dialogs, app.ui.style, app.ui.window, engine, engine.bench, engine.cli,
engine.cluster, engine.sandbox, engine.errors, engine.hub, engine.hub.gguf,
engine.model, engine.runtime, engine.serve.
"""

from __future__ import annotations

import os

# Another binding may be installed beside PySide6, and libraries for several would take it first.
os.environ.setdefault("QT_API", "pyside6")

__version__ = "0.1.0"
