"""Moving a pane to another place and changing its size, by key; and where there is room."""

from __future__ import annotations

import PySide6QtAds as QtAds
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from app.settings.language import tr
from app.ui.pane.pane import ChatPane
from app.ui.workspace.workspace import Workspace

SHARE = 0.08
"""Of the room that panes share: how much one press gives or takes."""


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
        sizes = splitter.sizes()
        shown = sum(size > 0 for size in sizes)
        if shown > 1:
            share = sum(sizes) // shown
            splitter.setSizes([share if size > 0 else 0 for size in sizes])
    workspace.arranged.emit()


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
