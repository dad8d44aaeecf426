"""Which panes there are, open or kept for undo, and in which order they stand on screen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import PySide6QtAds as QtAds
from PySide6.QtCore import QPoint

from app.ui.pane.pane import ChatPane
from app.ui.window.docking import dock_around


@dataclass
class Dock:
    """A pane and the dock widget around it; a closed one is kept a while, hidden, for undo."""

    pane: ChatPane
    widget: QtAds.CDockWidget
    closed: bool = False


class Docks:
    """The panes of one dock manager, by their chats' ids.

    A dock widget's object name is its chat's id: so it is found again in a saved layout.
    """

    KEPT_CLOSED = 12

    def __init__(self, manager: QtAds.CDockManager) -> None:
        self._manager = manager
        self._by_id: dict[str, Dock] = {}
        self._closed: list[str] = []

    def get(self, chat_id: str) -> Dock | None:
        return self._by_id.get(chat_id)

    def __getitem__(self, chat_id: str) -> Dock:
        return self._by_id[chat_id]

    def all(self) -> list[Dock]:
        """Open and closed ones, the oldest first."""
        return list(self._by_id.values())

    def pane(self, chat_id: str) -> ChatPane | None:
        """The chat's open pane."""
        dock = self._by_id.get(chat_id)
        return dock.pane if dock is not None and not dock.closed else None

    def area(self, pane: ChatPane | None) -> QtAds.CDockAreaWidget | None:
        """Where an open pane stands: its area with its tabs, in whichever window."""
        dock = self._by_id.get(pane.chat.id) if pane is not None else None
        return dock.widget.dockAreaWidget() if dock is not None and not dock.closed else None

    def panes(self) -> list[ChatPane]:
        """All open panes in reading order: left to right, down, by tab; then other windows'."""
        return [dock.pane for _, dock in self._in_order()]

    def in_main_window(self) -> list[ChatPane]:
        """The open panes of the manager's own window, in reading order."""
        return [dock.pane for place, dock in self._in_order() if place[0] == 0]

    def _in_order(self) -> list[tuple[tuple[int, int, int, int], Dock]]:
        placed = [(self._place(dock), dock) for dock in self._by_id.values() if not dock.closed]
        return sorted(placed, key=lambda pair: pair[0])

    def _place(self, dock: Dock) -> tuple[int, int, int, int]:
        # By the area: a pane that is not its current tab has no window.
        area = dock.widget.dockAreaWidget()
        if area is None:
            return (2, 0, 0, 0)
        window = area.window()
        at = area.mapTo(window, QPoint(0, 0))
        return (int(window is not self._manager.window()), at.x(), at.y(), area.index(dock.widget))

    def add(self, pane: ChatPane) -> Dock:
        """Put a dock widget around a new pane. It stands nowhere yet."""
        chat_id = pane.chat.id
        self._by_id[chat_id] = Dock(pane, dock_around(pane, chat_id, self._manager))
        return self._by_id[chat_id]

    def mark_closed(self, chat_id: str) -> None:
        self._by_id[chat_id].closed = True
        self._closed.append(chat_id)

    def mark_others_closed(self, kept: Collection[str]) -> list[str]:
        """Close all open ones but these; returns the ids of the closed."""
        leaving = [p.chat.id for p in self.panes() if p.chat.id not in kept]
        for chat_id in leaving:
            self.mark_closed(chat_id)
        return leaving

    def mark_open(self, chat_id: str) -> None:
        self._by_id[chat_id].closed = False
        if chat_id in self._closed:
            self._closed.remove(chat_id)

    def overdue(self) -> list[str]:
        """Closed ones beyond the number that is kept, the oldest first."""
        return self._closed[: -self.KEPT_CLOSED]

    def remove(self, chat_id: str) -> ChatPane:
        """Let go of a pane for good; returns it."""
        dock = self._by_id.pop(chat_id)
        if chat_id in self._closed:
            self._closed.remove(chat_id)
        self._manager.removeDockWidget(dock.widget)
        dock.widget.deleteLater()
        return dock.pane
