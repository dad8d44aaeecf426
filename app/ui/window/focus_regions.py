"""F6: the keys go from one part of the window to the next, Shift+F6 to the one before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.score.score import ScoreView
from app.ui.sidebar.sidebar import Sidebar
from app.ui.window.workspace import Workspace


class Parts(QObject):
    """The composer, the conversation above it, the score and the sidebar, as far as there are."""

    def __init__(self, workspace: Workspace, score: ScoreView, sidebar: Sidebar) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._score = score
        self._sidebar = sidebar

    def step(self, by: int) -> None:
        """Give the keys to the next part (+1) or to the one before (-1)."""
        parts = self._parts()
        if parts:
            here = QApplication.focusWidget()
            at = next(
                (n for n, (part, _) in enumerate(parts) if part is here or _holds(part, here)),
                0 if by > 0 else 1,
            )
            parts[(at + by) % len(parts)][1]()

    def _parts(self) -> list[tuple[QWidget, Callable[[], object]]]:
        parts: list[tuple[QWidget, Callable[[], object]]] = []
        pane = self._workspace.active
        if pane is not None:
            parts.append((pane.composer, lambda: self._workspace.activate(pane)))
            if pane.transcript.isVisible():
                parts.append((pane.transcript, pane.transcript.enter))
        if self._score.rows() and self._score.isVisible():
            parts.append((self._score, self._score.enter))
        if self._sidebar.isVisible():
            parts.append((self._sidebar, self._sidebar.enter))
        return parts


def _holds(part: QWidget, widget: QWidget | None) -> bool:
    return widget is not None and part.isAncestorOf(widget)
