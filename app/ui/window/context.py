from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.chats.library import ChatLibrary
from app.models.models import Models
from app.serving import Serving
from app.settings.paths import Paths
from app.settings.settings import Settings
from app.spelling.speller import Speller
from app.store import Store
from app.system.updates import Updates
from app.ui.sidebar.sidebar import Sidebar
from app.ui.widgets.toast import Toast
from app.ui.window.commands import Commands
from app.ui.window.undo import UndoStack
from app.ui.workspace.workspace import Workspace


class WindowContext(Struct, frozen=True):
    """Parts of the app that a window works with."""

    library: ChatLibrary
    store: Store
    settings: Settings
    paths: Paths
    models: Models
    serving: Serving
    speller: Speller
    updates: Updates


class WindowParts(Struct, frozen=True):
    """Parts of a window that controllers need."""

    context: WindowContext
    window: QWidget
    workspace: Workspace
    sidebar: Sidebar
    toast: Toast
    undos: UndoStack
    commands: Callable[[], Commands]


class WindowController(QObject):
    """Base class of a window's controllers. `Commands` finds the commands they define."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.window)
        self._library, self._store = parts.context.library, parts.context.store
        self._settings, self._window = parts.context.settings, parts.window
        self._workspace, self._sidebar = parts.workspace, parts.sidebar
        self._toast, self._undos = parts.toast, parts.undos
        self._commands = parts.commands

    def _run(self, name: str) -> None:
        """Run any controller's command, or show why it's unavailable."""
        self._commands().run_or_explain(name)

    @property
    def _target_chat(self) -> str:
        """Return the chat in the focused sidebar row or in the active pane, or ""."""
        active = self._workspace.active
        return self._sidebar.focused_chat() or (active.chat.id if active is not None else "")

    def _model_names(self, *first: str) -> dict[str, str]:
        loader = self._library.loader
        known_refs = (model_status.ref for model_status in loader.known_statuses())
        refs = filter(
            None, dict.fromkeys([*first, *known_refs, *self._settings.models, loader.small])
        )
        return {ref: loader.get(ref).name for ref in refs}
