"""Docks of QtAds (Qt Advanced Docking): configuration, placing of panes, and saved layouts."""

from __future__ import annotations

import binascii
import zlib
from collections.abc import Collection
from itertools import compress
from operator import itemgetter, not_
from typing import TYPE_CHECKING, Any

import PySide6QtAds as QtAds
from msgspec import Struct
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QScreen
from PySide6.QtWidgets import QLabel, QSplitter, QWidget
from shiboken6 import isValid

from app.ui.pane.pane import ChatPane
from app.ui.style.icons import theme_icon

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def configure_docking() -> None:
    """Configure QtAds globally, before any dock manager is created."""
    # Without this attribute, a floating window makes many widgets of the main window native, each
    # with its own surface. Moving a native widget to another window then crashed at exit (with the
    # offscreen platform).
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontCreateNativeWidgetSiblings)
    flag = QtAds.CDockManager.eConfigFlag
    for name, on in {
        "OpaqueSplitterResize": True,
        "AlwaysShowTabs": True,
        "AllTabsHaveCloseButton": True,
        "DockAreaHasCloseButton": False,
        "DockAreaHasUndockButton": False,
        "DockAreaHasTabsMenuButton": False,
        "DoubleClickUndocksWidget": False,
        "EqualSplitOnInsertion": True,
        "MiddleMouseButtonClosesTab": True,
    }.items():
        QtAds.CDockManager.setConfigFlag(getattr(flag, name), on)


def dock_manager(parent: QWidget) -> QtAds.CDockManager:
    manager = QtAds.CDockManager(parent)
    # Replace the QtAds style sheet with ours, and don't let palette changes restore it.
    manager.setColorSchemeMode(QtAds.CDockManager.ColorSchemeMode.Light)
    manager.setStyleSheet("")
    _disable_window_raising(manager)
    return manager


def _disable_window_raising(manager: QtAds.CDockManager) -> None:
    """Stop QtAds from raising floating windows, which the system keeps above their parent anyway.

    On Linux, QtAds raises them whenever the main window becomes active. With X11 it asks the window
    manager, but on Wayland it changes window flags, which hides the windows.
    """
    if QGuiApplication.platformName() != "xcb":
        manager.window().removeEventFilter(manager)


def dock_named(name: str, manager: QtAds.CDockManager) -> QtAds.CDockWidget:
    """Return a dock widget that emits a signal instead of closing. Layouts refer to ``name``."""
    dock = QtAds.CDockWidget(manager, "")
    dock.setObjectName(name)
    for label in dock.tabWidget().findChildren(QLabel):
        # Otherwise, HTML in a title could load images.
        label.setTextFormat(Qt.TextFormat.PlainText)
    feature = QtAds.CDockWidget.DockWidgetFeature
    dock.setFeature(feature.DockWidgetDeleteOnClose, False)
    # `TabDrag` moves docks. During a fast drag within the tab bar, QtAds would count the distance
    # twice, assume that the mouse has left the bar, and open a window.
    dock.setFeature(feature.DockWidgetFloatable, False)
    dock.setFeature(feature.DockWidgetMovable, False)
    dock.setFeature(feature.CustomCloseHandling, True)
    dock.setMinimumSizeHintMode(
        QtAds.CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContentMinimumSize
    )
    return dock


def set_dock_icons(manager: QtAds.CDockManager) -> None:
    # Copy the icon, because PySide transfers ownership to the provider.
    close = QIcon(theme_icon("x", "muted"))
    manager.iconProvider().registerCustomIcon(QtAds.TabCloseIcon, close)


def move_onto_screen(window: QWidget) -> None:
    """Move a window fully onto its screen, and make it smaller if needed."""
    if window.isMaximized() or window.isFullScreen():
        return
    room = _screen_of(window).availableGeometry()
    size = window.frameGeometry().size().boundedTo(room.size())
    if size != window.frameGeometry().size():
        window.resize(size - (window.frameGeometry().size() - window.size()))
    at = window.frameGeometry()
    x = max(room.left(), min(at.left(), room.right() - size.width() + 1))
    top = max(room.top(), min(at.top(), room.bottom() - size.height() + 1))
    if (x, top) != (at.left(), at.top()):
        window.move(x, top)


def _screen_of(window: QWidget) -> QScreen:
    """Return the screen with most of the window. Qt only knows where the window was last shown."""
    frame = window.frameGeometry()

    def visible_area(screen: QScreen) -> int:
        part = screen.geometry().intersected(frame)
        return part.width() * part.height()

    best_screen = max(QGuiApplication.screens(), key=visible_area)
    return best_screen if visible_area(best_screen) else window.screen()


def save_state(manager: QtAds.CDockManager) -> str:
    """Return the layout as text: splits, tabs, windows and sizes."""
    return bytes(manager.saveState().toBase64().data()).decode()


def restore_state(manager: QtAds.CDockManager, state: str) -> None:
    """Restore a layout, unless the data is damaged."""
    xml = _state_xml(state)
    if not xml:
        return
    # QtAds also counts windows waiting to be deleted, and might delete the wrong window.
    for window in manager.floatingWidgets():
        QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    manager.restoreState(QByteArray(_remove_missing_docks(manager, xml)))


def _remove_missing_docks(manager: QtAds.CDockManager, state: bytes) -> bytes:
    """Remove dock widgets that don't exist any more from a layout, e.g. of closed chats.

    QtAds would do so too, but it gives the freed space to neighbors.
    """
    from xml.etree import ElementTree

    def prune(part: Element) -> bool:
        """Prune an element. Return True if any of its dock widgets exist."""
        if part.tag == "Area":
            return any(manager.findDockWidget(w.get("Name", "")) for w in part.iter("Widget"))
        parts, sizes = [child for child in part if child.tag != "Sizes"], part.find("Sizes")
        children = [prune(child) for child in parts]
        numbers = ((sizes.text or "") if sizes is not None else "").split()
        if sizes is not None and any(children) and len(numbers) == len(children):
            for child in compress(parts, map(not_, children)):
                part.remove(child)
            part.set("Count", str(sum(children)))
            sizes.text = " ".join(compress(numbers, children))
        return any(children)

    try:
        root = ElementTree.fromstring(state)
    except ElementTree.ParseError:
        return state
    for splitter in root.iterfind("Container/Splitter"):
        prune(splitter)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _state_xml(state: str) -> bytes:
    try:
        # Unlike Qt's function, this prints no warnings, but it also skips the checksum.
        return zlib.decompress(binascii.a2b_base64(state)[4:])
    except (binascii.Error, ValueError, zlib.error):
        return b""


class Dock(Struct):
    """A pane with its dock widget. Closed panes are hidden for a while, for undo."""

    pane: ChatPane
    widget: QtAds.CDockWidget
    closed: bool = False
    # hidden dock widget at the pane's place in the main window while the pane is floating
    placeholder: QtAds.CDockWidget | None = None
    sizes: tuple[int, ...] = ()  # splitter sizes before floating
    bare: bool = False  # hide the tab bar, because the pane is alone in its window

    def fill(self, *, later: bool = False) -> None:
        """Put the pane into its dock widget.

        With ``later``, use an empty widget for now, because Qt styles and lays out the whole pane
        again each time the dock moves.
        """
        before: QWidget | None = self.widget.takeWidget()
        if before is not None:
            before.deleteLater()
        content = QWidget() if later else self.pane  # QtAds hides dock widgets with no content
        self.widget.setWidget(content, QtAds.CDockWidget.eInsertMode.ForceNoScrollArea)
        content.show()  # prevents flicker

    @property
    def is_shown_elsewhere(self) -> bool:
        """Return True if the dock is in a visible floating window."""
        container = self.widget.dockContainer()
        floating = container is not None and self.widget.isInFloatingContainer()
        return floating and bool(container.openedDockAreas())


PLACE = "place of "  # name prefix of dock widgets that only mark a place


SIDES = {
    "left": QtAds.DockWidgetArea.LeftDockWidgetArea,
    "right": QtAds.DockWidgetArea.RightDockWidgetArea,
    "up": QtAds.DockWidgetArea.TopDockWidgetArea,
    "down": QtAds.DockWidgetArea.BottomDockWidgetArea,
}


class Docks:
    """Docks of a dock manager, by chat ID.

    The chat ID is also the object name of the dock widget, because saved layouts refer to it.
    """

    KEPT_CLOSED = 12

    def __init__(self, manager: QtAds.CDockManager) -> None:
        self._manager = manager
        self._by_id: dict[str, Dock] = {}  # closed docks in the order of their closing
        self.restoring = False  # QtAds' signals aren't caused by the user

    def get(self, chat_id: str) -> Dock | None:
        return self._by_id.get(chat_id)

    def __getitem__(self, chat_id: str) -> Dock:
        return self._by_id[chat_id]

    def all_docks(self) -> list[Dock]:
        return list(self._by_id.values())

    def pane(self, chat_id: str) -> ChatPane | None:
        dock = self._by_id.get(chat_id)
        return dock.pane if dock is not None and not dock.closed else None

    def area(self, pane: ChatPane | None) -> QtAds.CDockAreaWidget | None:
        dock = self._by_id.get(pane.chat.id) if pane is not None else None
        return dock.widget.dockAreaWidget() if dock is not None and not dock.closed else None

    def panes(self) -> list[ChatPane]:
        """Return open panes in reading order: by column, row, then tab. Floating windows come
        last.
        """
        return [dock.pane for _, dock in self._in_order()]

    def panes_in_main_window(self) -> list[ChatPane]:
        return [dock.pane for position, dock in self._in_order() if position[0] == 0]

    def _in_order(self) -> list[tuple[tuple[int, int, int, int], Dock]]:
        main, areas = self._manager.window(), dict[QtAds.CDockAreaWidget, tuple[int, int, int]]()
        placed: list[tuple[tuple[int, int, int, int], Dock]] = []
        for dock in self._by_id.values():
            if dock.closed:
                continue
            # Use the area, because a hidden tab has no window.
            area = dock.widget.dockAreaWidget()
            if area is None:
                placed.append(((2, 0, 0, 0), dock))
                continue
            if area not in areas:
                window = area.window()
                at = area.mapTo(window, QPoint(0, 0))
                areas[area] = (int(window is not main), at.x(), at.y())
            placed.append(((*areas[area], area.index(dock.widget)), dock))
        return sorted(placed, key=itemgetter(0))

    def add(self, pane: ChatPane) -> Dock:
        chat_id = pane.chat.id
        self._by_id[chat_id] = Dock(pane, dock_named(chat_id, self._manager))
        return self._by_id[chat_id]

    def settle_bars(self) -> None:
        """Bring back the tab bar if a window that had none is docked or gets another chat."""
        for dock in self._by_id.values():
            area = dock.widget.dockAreaWidget() if dock.bare and not dock.closed else None
            if area is not None:
                dock.bare = dock.widget.isFloating()
                area.titleBar().setVisible(not dock.bare)

    def hide_empty_windows(self) -> None:
        """Hide windows with only closed panes. QtAds doesn't if the last open one is moved."""
        for window in self._manager.floatingWidgets():
            if window.isVisible() and not window.dockContainer().openedDockAreas():
                window.hide()

    def mark_closed(self, chat_id: str) -> None:
        dock = self._by_id[chat_id] = self._by_id.pop(chat_id)
        dock.closed = True

    def mark_others_closed(self, kept_ids: Collection[str]) -> list[str]:
        """Mark open docks as closed unless they're in ``kept_ids``. Return the closed chats."""
        leaving = [p.chat.id for p in self.panes() if p.chat.id not in kept_ids]
        for chat_id in leaving:
            self.mark_closed(chat_id)
        return leaving

    def mark_open(self, chat_id: str) -> None:
        self._by_id[chat_id].closed = False

    def docks_over_limit(self) -> list[str]:
        """Return closed docks that exceed the limit, oldest first."""
        closed = [chat_id for chat_id, dock in self._by_id.items() if dock.closed]
        return closed[: -self.KEPT_CLOSED]

    def remove(self, chat_id: str) -> None:
        """Delete a dock for good."""
        dock = self._by_id.pop(chat_id)
        self.drop_place(dock)
        self._manager.removeDockWidget(dock.widget)
        dock.widget.deleteLater()

    def mark_place(self, dock: Dock) -> None:
        """Mark the place of a pane that's about to leave the main window."""
        area = dock.widget.dockAreaWidget()
        if dock.placeholder is not None or area is None or dock.widget.isInFloatingContainer():
            return
        dock.sizes = tuple(self._manager.splitterSizes(area))
        dock.placeholder = QtAds.CDockWidget(self._manager, "")
        dock.placeholder.setObjectName(PLACE + dock.widget.objectName())
        dock.placeholder.setWidget(QWidget(), QtAds.CDockWidget.eInsertMode.ForceNoScrollArea)
        current = area.currentDockWidget()
        self._manager.addDockWidgetTabToArea(dock.placeholder, area, area.index(dock.widget))
        dock.placeholder.toggleView(False)
        if current is not None:
            area.setCurrentDockWidget(current)

    def drop_place(self, dock: Dock) -> None:
        if dock.placeholder is not None:
            self._manager.removeDockWidget(dock.placeholder)
            dock.placeholder.deleteLater()
            dock.placeholder, dock.sizes = None, ()

    def insert(self, dock: Dock, where: str, active: ChatPane | None) -> None:
        """Insert a dock next to the active pane, as a "tab", to the "right" or "down"."""
        area = self.area(active)
        if area is None:
            area = self.area(next(iter(self.panes_in_main_window()), None))
        if area is None:
            # Join the pane that was closed last, which may reopen in its place.
            closed = [
                d.widget for d in self._by_id.values() if not d.widget.isInFloatingContainer()
            ]
            area = next((a for w in reversed(closed) if (a := w.dockAreaWidget())), None)
            where = "tab"
        if area is None:
            self._manager.addDockWidget(QtAds.DockWidgetArea.CenterDockWidgetArea, dock.widget)
        else:
            self._add(dock, area, where)

    def _add(self, dock: Dock, area: QtAds.CDockAreaWidget, where: str, index: int = -1) -> None:
        if where == "tab":
            self._manager.addDockWidgetTabToArea(dock.widget, area, index)
        else:
            self._manager.addDockWidget(SIDES[where], dock.widget, area)

    def put_back(self, dock: Dock, active: ChatPane | None) -> None:
        """Show a hidden dock in its previous place, or else among the other panes.

        A dock whose floating window no longer exists moves to the main window.
        """
        widget = dock.widget
        if widget.isInFloatingContainer() and not dock.is_shown_elsewhere:
            self.take_back(dock, active)
        elif widget.dockAreaWidget() is None:
            self.insert(dock, "tab", active)
        if widget.isClosed():
            widget.toggleView(True)

    def float(self, dock: Dock, at: QPoint | None = None) -> None:
        """Move a pane into a new window on the screen. ``at`` is the top left corner."""
        size = dock.pane.size() if dock.pane.isVisible() else QSize()
        corner = at or dock.pane.mapToGlobal(QPoint(24, 24))
        self.mark_place(dock)
        window: QWidget = self._manager.addDockWidgetFloating(dock.widget)
        window.resize(size.expandedTo(QSize(480, 520)))
        window.move(corner)
        move_onto_screen(window)

    def take_back(self, dock: Dock, active: ChatPane | None) -> None:
        """Move a floating pane back to its place in the main window."""
        target, sizes = dock.placeholder, dock.sizes
        area = target.dockAreaWidget() if target is not None else None
        if target is None or area is None:
            self.insert(dock, "tab", active)
        else:
            self._manager.addDockWidgetTabToArea(dock.widget, area, area.index(target))
            if len(sizes) == len(self._manager.splitterSizes(area)):
                self._manager.setSplitterSizes(area, sizes)
        self.drop_place(dock)

    def drop(self, dock: Dock, area: QtAds.CDockAreaWidget, where: str, index: int) -> None:
        """Drop a pane on an area, as tab ``index`` or on one of SIDES."""
        if area.window() is not self._manager.window():
            self.mark_place(dock)
        self._add(dock, area, where, index)
        if not dock.widget.isInFloatingContainer():
            self.drop_place(dock)

    def restore(self, state: str, around: QWidget, active: ChatPane | None) -> None:
        """Restore a saved layout. ``around`` is the widget that contains the manager."""
        # Splitters divide up their current size, so this must be the final size.
        for widget in (around.window(), around.parentWidget(), around):
            layout = widget.layout() if widget is not None else None
            if layout is not None:
                layout.activate()
        self.restoring = True
        try:
            xml = _state_xml(state)
            for dock in self.all_docks():
                if (PLACE + dock.widget.objectName()).encode() in xml:
                    self.mark_place(dock)
            restore_state(self._manager, state)
            # Close docks that aren't part of the layout. Insert docks without a place.
            for dock in self.all_docks():
                if dock.closed and not dock.widget.isClosed():
                    dock.widget.toggleView(False)
            for dock in self.all_docks():
                if not dock.closed and dock.widget.isClosed():
                    self.put_back(dock, active)
                lost = dock.placeholder is not None and dock.placeholder.dockAreaWidget() is None
                if lost or not dock.widget.isInFloatingContainer():
                    self.drop_place(dock)
            for window in self._manager.floatingWidgets():
                move_onto_screen(window)
        finally:
            self.restoring = False


class Arrangement(Struct, frozen=True):
    MOST = 120
    """Limit of panes to restore, at 20 ms each. Layouts that the app saves have fewer."""

    docks: str  # QtAds layout, base64
    chats: tuple[str, ...]  # in reading order
    active: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"docks": self.docks, "open": list(self.chats), "active": self.active}

    @classmethod
    def from_json(cls, data: object) -> Arrangement | None:
        if not isinstance(data, dict):
            return None
        docks, chats, active = data.get("docks"), data.get("open"), data.get("active")
        if not isinstance(docks, str) or not isinstance(chats, list):
            return None
        ids = tuple(dict.fromkeys(i for i in chats if isinstance(i, str) and i))
        if len(ids) > cls.MOST:
            docks, ids = "", ids[: cls.MOST]
        return cls(docks, ids, active if isinstance(active, str) else None)


class MaximizedArea:
    """Maximized area of a window. `restore` brings back the other areas."""

    def __init__(self) -> None:
        self.area: QtAds.CDockAreaWidget | None = None
        self.before: Arrangement | None = None  # before maximizing
        self._hidden: list[QWidget] = []
        self._sizes: list[tuple[QSplitter, list[int]]] = []

    def show(self, area: QtAds.CDockAreaWidget, before: Arrangement) -> None:
        self.area, self.before = area, before
        part: QWidget = area
        while isinstance(splitter := part.parentWidget(), QSplitter):
            self._sizes.append((splitter, splitter.sizes()))
            # Avoid ``splitter.widget`` and ``findChildren``. With PySide 6.11, their results become
            # children of the splitter's wrapper and are invalidated along with it, even if the area
            # still exists. Its buttons would then have invalid wrappers.
            for child in splitter.children():
                if not isinstance(child, QWidget) or splitter.indexOf(child) < 0:
                    continue  # splitter handle
                if child is not part and not child.isHidden():
                    child.hide()
                    self._hidden.append(child)
            part = splitter

    def restore(self) -> None:
        for part in self._hidden:
            if isValid(part):
                part.show()
        for splitter, sizes in self._sizes:
            if isValid(splitter) and splitter.count() == len(sizes):
                splitter.setSizes(sizes)
        self.area, self.before, self._hidden, self._sizes = None, None, [], []
