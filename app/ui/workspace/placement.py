"""Moving a pane to another place and changing its size, by key; and where there is room."""

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

SHARE = 0.08  # of the room that panes share: how much one press gives or takes


def why_not_move(workspace: Workspace, pane: ChatPane, step: int) -> str:
    """Why `move_pane` would do nothing, "" if it would do something."""
    dock = workspace.dock(pane.chat.id)
    area = dock.dockAreaWidget() if dock is not None else None
    if dock is None or area is None or dock.isInFloatingContainer():
        return tr("This chat has a window of its own. Move it back first.")
    areas = _areas(workspace)
    if 0 <= areas.index(area) + step < len(areas) or area.openDockWidgetsCount() > 1:
        return ""
    if step > 0:
        return tr("There is no pane after this one")
    return tr("There is no pane before this one")


def move_pane(workspace: Workspace, pane: ChatPane, step: int) -> None:
    """To the tabs of the area before (-1) or after (+1); past the last one, beside them."""
    dock = workspace.dock(pane.chat.id)
    area = dock.dockAreaWidget() if dock is not None else None
    if dock is None or area is None or dock.isInFloatingContainer():
        return
    workspace.restore_panes()
    areas = _areas(workspace)
    at = areas.index(area) + step
    if 0 <= at < len(areas):
        workspace.manager.addDockWidgetTabToArea(dock, areas[at])
    elif area.openDockWidgetsCount() > 1:
        side = QtAds.DockWidgetArea
        where = side.RightDockWidgetArea if step > 0 else side.LeftDockWidgetArea
        workspace.manager.addDockWidget(where, dock, area)
    else:
        return
    workspace.activate(pane)
    workspace.arranged.emit()


def why_not_grow(workspace: Workspace, pane: ChatPane) -> str:
    """Why `grow_pane` would do nothing, "" if it would do something."""
    return (
        ""
        if workspace.maximised or _shared(workspace, pane)
        else tr("There is no other pane beside this one")
    )


def grow_pane(workspace: Workspace, pane: ChatPane, by: int) -> None:
    """Larger (+1) or smaller (-1), in the direction in which it stands beside others."""
    workspace.restore_panes()
    shared = _shared(workspace, pane)
    if shared is not None:
        _grow(*shared, by)
        workspace.arranged.emit()


def _shared(workspace: Workspace, pane: ChatPane) -> tuple[QSplitter, int] | None:
    """What the pane shares its room in with others, and its number there."""
    dock = workspace.dock(pane.chat.id)
    part: QWidget | None = dock.dockAreaWidget() if dock is not None else None
    while part is not None:
        splitter = part.parentWidget()
        if isinstance(splitter, QSplitter) and sum(size > 0 for size in splitter.sizes()) > 1:
            return splitter, splitter.indexOf(part)
        part = splitter
    return None


def front_window(workspace: Workspace) -> QWidget:
    """The window of the active pane: the main one, or one that a pane has to itself."""
    pane = workspace.active
    return pane.window() if pane is not None and pane.isVisible() else workspace.window()


def has_room(workspace: Workspace, pane: ChatPane, where: str) -> bool:
    """Whether another pane can stand beside this one and both be read; "right" or "down" of it."""
    if where == "right":
        return columns_that_fit(workspace, pane) > 1
    return pane.height() >= 2 * pane.minimumHeight()


def even_out(workspace: Workspace) -> None:
    """Give all panes of the main window the same room: columns their width, rows their height."""
    workspace.restore_panes()
    for splitter in workspace.manager.findChildren(QSplitter):
        _share(splitter)
    workspace.arranged.emit()


def even_out_beside(workspace: Workspace, pane: ChatPane) -> None:
    """Give those that this pane shares its room with the same, and leave the others as they are."""
    workspace.restore_panes()
    shared = _shared(workspace, pane)
    if shared is not None:
        _share(shared[0])


def _share(splitter: QSplitter) -> None:
    sizes = splitter.sizes()
    shown = sum(size > 0 for size in sizes)
    if shown > 1:
        splitter.setSizes([sum(sizes) // shown if size > 0 else 0 for size in sizes])


class Wrapping:
    """Panes that have no room beside each other stand in rows, or in tabs where that is too low.

    They stand again as before once there is room, if nobody has moved one meanwhile.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._before: Arrangement | None = None
        # The width that they had to have then, and the least width of one pane.
        self._needed = self._least = 0
        self._made: list[list[str]] = []

    @property
    def needed(self) -> int:
        """The width in which no pane is too narrow as a person has placed them."""
        return max(self._before_needs, self._workspace.minimumSizeHint().width())

    @property
    def _before_needs(self) -> int:
        """Return the width needed to undo the wrapping at the current size of text."""
        if self._before is None:
            return 0
        columns = self._needed // max(1, self._least)
        return self._needed + columns * (_least_width(self._workspace) - self._least)

    def to_json(self) -> dict[str, Any] | None:
        """How the panes stand again once there is room, for another start; None: as they do."""
        if self._before is None or _chats(self._workspace) != self._made:
            return None
        return {**self._before.to_json(), "needed": self._needed, "least": self._least}

    def restore(self, data: object) -> None:
        """Take what `to_json` gave, once the panes stand as they did then."""
        before, shown = Arrangement.from_json(data), self._workspace.panes()
        needed = data.get("needed") if isinstance(data, dict) else None
        same = before is not None and set(before.chats) == {pane.chat.id for pane in shown}
        if same and isinstance(data, dict) and isinstance(needed, int):
            self._before, self._needed, self._made = before, needed, _chats(self._workspace)
            least = data.get("least")  # older layouts lack it
            self._least = least if isinstance(least, int) else _least_width(self._workspace)

    def fit(self) -> None:
        """Fit the panes of the main window to its width."""
        workspace = self._workspace
        if self._before is not None and _chats(workspace) != self._made:
            self._before = None
        width = workspace.width()
        if self._before is not None and width >= self._before_needs:
            before, self._before = self._before, None
            self._change(lambda: self._unwrap(before))
        elif len(_areas(workspace)) > 1 and (
            workspace.minimumSizeHint().width() > width or self._too_many_rows
        ):
            if self._before is None:
                self._needed, self._least = self.needed, _least_width(workspace)
                self._before = workspace.arrangement()
            self._change(self._wrap)
            self._made = _chats(workspace)

    @property
    def _too_many_rows(self) -> bool:
        """Whether rows that were made here are too low now: text is larger, or the window lower."""
        workspace = self._workspace
        if self._before is None or workspace.maximised:
            return False
        tops = {area.mapTo(workspace, QPoint()).y() for area in _areas(workspace)}
        return len(tops) > _rows_that_fit(workspace)

    def _change(self, what: Callable[[], None]) -> None:
        """Do it in one go, and leave the focus where it is."""
        workspace, focus = self._workspace, QApplication.focusWidget()
        active = workspace.active
        workspace.setUpdatesEnabled(False)
        try:
            what()
        finally:
            workspace.setUpdatesEnabled(True)
        if active is not None:
            workspace.activate(active, focus=False)
        if focus is not None and isValid(focus) and focus.isVisible():
            focus.setFocus()

    def _unwrap(self, before: Arrangement) -> None:
        active = self._workspace.active
        chosen = active.chat.id if active is not None else before.active
        chats = [pane.chat for pane in self._workspace.panes()]
        self._workspace.arrange(replace(before, active=chosen), chats)

    def _wrap(self) -> None:
        """In a grid of as many columns and rows as can be read; the others are tabs in its last."""
        workspace, side = self._workspace, QtAds.DockWidgetArea
        areas = _areas(workspace)
        least = workspace.panes()[0].minimumSize()
        columns = max(1, workspace.width() // (least.width() + 1))
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
        even_out(workspace)


def _least_width(workspace: Workspace) -> int:
    panes = workspace.panes()
    return panes[0].minimumWidth() if panes else 0


def _rows_that_fit(workspace: Workspace) -> int:
    """How many panes can stand below each other."""
    least, bar = workspace.panes()[0].minimumHeight(), _areas(workspace)[0].titleBar()
    return max(1, workspace.height() // (least + int(bar.height()) + 1))


def _chats(workspace: Workspace) -> list[list[str]]:
    """The chats of the main window by their areas."""
    return [[dock.objectName() for dock in area.openedDockWidgets()] for area in _areas(workspace)]


def columns_that_fit(workspace: Workspace, pane: ChatPane) -> int:
    """How many panes, this one included, can stand beside each other in its place, not cut off."""
    dock = workspace.dock(pane.chat.id)
    area = dock.dockAreaWidget() if dock is not None else None
    splitter = area.parentWidget() if area is not None else None
    others, width = 0, pane.width()
    if isinstance(splitter, QSplitter) and splitter.orientation() == Qt.Orientation.Horizontal:
        # They share out all of its width again.
        others, width = sum(size > 0 for size in splitter.sizes()) - 1, splitter.width()
    return max(1, width // pane.minimumWidth() - others)


def _grow(splitter: QSplitter, at: int, by: int) -> None:
    """The others give what one gets, each by its size. Qt keeps to what each needs at least."""
    sizes = splitter.sizes()
    whole, rest = sum(sizes), sum(sizes) - sizes[at]
    given = round(by * SHARE * whole)
    splitter.setSizes(
        [
            max(1, size + given if n == at else size - round(given * size / rest)) if size else 0
            for n, size in enumerate(sizes)
        ]
    )


def _areas(workspace: Workspace) -> list[QtAds.CDockAreaWidget]:
    """The areas of the main window, in reading order."""
    areas: list[QtAds.CDockAreaWidget] = []
    for pane in workspace.panes():
        dock = workspace.dock(pane.chat.id)
        if dock is not None and not dock.isInFloatingContainer():
            area = dock.dockAreaWidget()
            if area not in areas:
                areas.append(area)
    return areas
