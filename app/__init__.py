"""The window, built on the engine's public interface.

Imports: app.chats, app.models, app.program, app.remote, app.settings, app.system, app.tools,
app.ui.dialogs, engine, engine.cache, engine.cli, engine.cluster, engine.hub, engine.sandbox,
engine.serve.
"""

from __future__ import annotations

import os

# Another Qt binding may be installed, and libraries that support several would prefer it.
os.environ.setdefault("QT_API", "pyside6")

__version__ = "0.9.0"
