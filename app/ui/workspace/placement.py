"""Moving, resizing and wrapping of panes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import PySide6QtAds as QtAds
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QSplitter, QWidget
from shiboken6 import isValid

from app.settings.language import tr
from app.ui.pane.pane import ChatPane
from app.ui.workspace.docks import Arrangement
from app.ui.workspace.workspace import Workspace

SHARE = 0.08  # change in a pane's size per key press, relative to the total size


def why_not_move(workspace: Workspace, pane: ChatPane, step: int) -> str:
    """Return why `move_pane` would do nothing, or ""."""
    dock = workspace.dock(pane.chat.id)
    if dock.isInFloatingContainer():
        return tr("This chat is in its own window. Move it back first.")
    area, areas = dock.dockAreaWidget(), _areas(workspace)
    if 0 <= areas.index(area) + step < len(areas) or area.openDockWidgetsCount() > 1:
        return ""
    if step > 0:
        return tr("There’s no pane after this one")
    return tr("There’s no pane before this one")


def move_pane(workspace: Workspace, pane: ChatPane, step: int) -> None:
    """Move a pane to the previous (-1) or next (+1) area, or split it off at the end."""
    workspace.restore_panes()
    dock = workspace.dock(pane.chat.id)
    area, areas = dock.dockAreaWidget(), _areas(workspace)
    at = areas.index(area) + step
    if 0 <= at < len(areas):
        workspace.manager.addDockWidgetTabToArea(dock, areas[at])
    else:
        side = QtAds.DockWidgetArea
        where = side.RightDockWidgetArea if step > 0 else side.LeftDockWidgetArea
        workspace.manager.addDockWidget(where, dock, area)
    workspace.activate(pane)
    workspace.layout_changed.emit()


def why_not_grow(workspace: Workspace, pane: ChatPane) -> str:
    """Return why `grow_pane` would do nothing, or ""."""
    return (
        ""
        if workspace.is_maximized or _shared(workspace, pane)
        else tr("There’s no other pane next to this one")
    )


def grow_pane(workspace: Workspace, pane: ChatPane, by: int) -> None:
    """Grow (1) or shrink (-1) a pane at the expense of the others, in proportion."""
    workspace.restore_panes()
    if (shared := _shared(workspace, pane)) is None:
        return
    splitter, at = shared
    sizes = splitter.sizes()
    rest, change = sum(sizes) - sizes[at], round(by * SHARE * sum(sizes))
    splitter.setSizes(
        [
            max(1, size + change if n == at else size - round(change * size / rest)) if size else 0
            for n, size in enumerate(sizes)
        ]
    )
    workspace.layout_changed.emit()


def _shared(workspace: Workspace, pane: ChatPane) -> tuple[QSplitter, int] | None:
    """Return the closest splitter with several visible children, and the pane's index in it."""
    part: QWidget | None = workspace.dock(pane.chat.id).dockAreaWidget()
    while part is not None:
        splitter = part.parentWidget()
        if isinstance(splitter, QSplitter) and sum(size > 0 for size in splitter.sizes()) > 1:
            return splitter, splitter.indexOf(part)
        part = splitter
    return None


def front_window(workspace: Workspace) -> QWidget:
    pane = workspace.active
    return pane.window() if pane is not None and pane.isVisible() else workspace.window()


def has_room(workspace: Workspace, pane: ChatPane, where: str) -> bool:
    """Return True if another pane fits to the "right" or "down"."""
    if where == "down":
        return pane.height() >= 2 * pane.minimumHeight()
    splitter = workspace.dock(pane.chat.id).dockAreaWidget().parentWidget()
    count, width = 2, pane.width()
    if isinstance(splitter, QSplitter) and splitter.orientation() == Qt.Orientation.Horizontal:
        # All other panes in the splitter would shrink.
        count, width = sum(size > 0 for size in splitter.sizes()) + 1, splitter.width()
    return width >= count * pane.minimumWidth()


def equalize_panes(workspace: Workspace) -> None:
    workspace.restore_panes()
    for splitter in workspace.manager.findChildren(QSplitter):
        _equalize(splitter)
    workspace.layout_changed.emit()


def equalize_splitter(workspace: Workspace, pane: ChatPane) -> None:
    workspace.restore_panes()
    if (shared := _shared(workspace, pane)) is not None:
        _equalize(shared[0])


def _equalize(splitter: QSplitter) -> None:
    sizes = splitter.sizes()
    count = sum(size > 0 for size in sizes)
    if count > 1:
        splitter.setSizes([sum(sizes) // count if size > 0 else 0 for size in sizes])


class PaneWrapper:
    """Arranges panes in rows if they don't fit side by side, or in tabs if rows would be too short.

    Once there's enough space, the previous arrangement is restored, unless the user has changed it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._before: Arrangement | None = None
        # widths when the panes were wrapped
        self._needed_width = self._min_pane_width = 0
        self._wrapped_chats: list[list[str]] = []

    @property
    def width_needed(self) -> int:
        return max(self._unwrapped_width, self._workspace.minimumSizeHint().width())

    @property
    def _unwrapped_width(self) -> int:
        if self._before is None:
            return 0
        columns = self._needed_width // max(1, self._min_pane_width)
        return self._needed_width + columns * (_least_width(self._workspace) - self._min_pane_width)

    def to_json(self) -> dict[str, Any] | None:
        """Return the arrangement before wrapping, or None if nothing is wrapped."""
        if self._before is None or _chats(self._workspace) != self._wrapped_chats:
            return None
        return {
            **self._before.to_json(),
            "needed": self._needed_width,
            "least": self._min_pane_width,
        }

    def restore(self, data: object) -> None:
        """Restore the result of `to_json`. Call this after the panes have been restored."""
        before, panes = Arrangement.from_json(data), self._workspace.panes()
        needed_width = data.get("needed") if isinstance(data, dict) else None
        same = before is not None and set(before.chats) == {pane.chat.id for pane in panes}
        if same and isinstance(data, dict) and isinstance(needed_width, int):
            self._before, self._needed_width, self._wrapped_chats = (
                before,
                needed_width,
                _chats(self._workspace),
            )
            min_pane_width = data.get("least")  # missing in older layouts
            self._min_pane_width = (
                min_pane_width if isinstance(min_pane_width, int) else _least_width(self._workspace)
            )

    def wrap_to_fit(self) -> None:
        workspace = self._workspace
        if self._before is not None and _chats(workspace) != self._wrapped_chats:
            self._before = None
        width = workspace.width()
        if self._before is not None and width >= self._unwrapped_width:
            before, self._before = self._before, None
            self._apply(lambda: self._unwrap(before))
        elif len(_areas(workspace)) > 1 and (
            workspace.minimumSizeHint().width() > width or self._too_many_rows
        ):
            if self._before is None:
                self._needed_width = self.width_needed
                self._min_pane_width = _least_width(workspace)
                self._before = workspace.arrangement()
            self._apply(self._wrap)
            self._wrapped_chats = _chats(workspace)

    @property
    def _too_many_rows(self) -> bool:
        """Return True if the wrapped rows don't fit, e.g. because of a larger text size."""
        workspace = self._workspace
        if self._before is None or workspace.is_maximized:
            return False
        tops = {area.mapTo(workspace, QPoint()).y() for area in _areas(workspace)}
        return len(tops) > _rows_that_fit(workspace)

    def _apply(self, action: Callable[[], None]) -> None:
        """Change the arrangement without flicker and without losing focus."""
        workspace, focus = self._workspace, QApplication.focusWidget()
        active = workspace.active
        workspace.setUpdatesEnabled(False)
        try:
            action()
        finally:
            workspace.setUpdatesEnabled(True)
        if active is not None:
            workspace.activate(active, focus=False)
        if focus is not None and isValid(focus) and focus.isVisible():
            focus.setFocus()

    def _unwrap(self, before: Arrangement) -> None:
        active = self._workspace.active
        active_id = active.chat.id if active is not None else before.active
        chats = [pane.chat for pane in self._workspace.panes()]
        self._workspace.arrange(replace(before, active=active_id), chats)

    def _wrap(self) -> None:
        """Arrange panes in a grid. Panes that don't fit become tabs of the last one that does."""
        workspace, side = self._workspace, QtAds.DockWidgetArea
        areas = _areas(workspace)
        min_size = workspace.panes()[0].minimumSize()
        columns = max(1, workspace.width() // (min_size.width() + 1))
        rows = _rows_that_fit(workspace)
        groups = [(area.openedDockWidgets(), area.currentDockWidget()) for area in areas]
        last = areas[0]
        for number, (docks, current) in enumerate(groups):
            placed = 0 < number < columns * rows
            if placed:
                if number % columns:
                    last = workspace.manager.addDockWidget(side.RightDockWidgetArea, docks[0], last)
                else:
                    last = workspace.manager.addDockWidget(side.BottomDockWidgetArea, docks[0])
            for dock in docks[placed:] if number else ():
                workspace.manager.addDockWidgetTabToArea(dock, last)
            current.setAsCurrentTab()
        equalize_panes(workspace)


def _least_width(workspace: Workspace) -> int:
    panes = workspace.panes()
    return panes[0].minimumWidth() if panes else 0


def _rows_that_fit(workspace: Workspace) -> int:
    min_height, bar = workspace.panes()[0].minimumHeight(), _areas(workspace)[0].titleBar()
    return max(1, workspace.height() // (min_height + int(bar.height()) + 1))


def _chats(workspace: Workspace) -> list[list[str]]:
    return [[dock.objectName() for dock in area.openedDockWidgets()] for area in _areas(workspace)]


def _areas(workspace: Workspace) -> list[QtAds.CDockAreaWidget]:
    docks = [workspace.dock(pane.chat.id) for pane in workspace.panes()]
    areas = [dock.dockAreaWidget() for dock in docks if not dock.isInFloatingContainer()]
    return list(dict.fromkeys(areas))
