"""Qt Advanced Docking set up our way, which docks there are, and where each one stands."""

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
    """Set what holds for all dock managers. Must come before the first one is made."""
    # Or a window that floats makes half of the main one's widgets native, each with a surface of
    # its own; one that then went to another window crashed the program at its end (offscreen).
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontCreateNativeWidgetSiblings)
    flag = QtAds.CDockManager.eConfigFlag
    for name, on in {
        "OpaqueSplitterResize": True,
        "AlwaysShowTabs": True,
        "AllTabsHaveCloseButton": True,
        "DockAreaHasCloseButton": False,
        "DockAreaHasUndockButton": False,
        "DockAreaHasTabsMenuButton": False,
        "DockAreaHideDisabledButtons": True,
        "DoubleClickUndocksWidget": False,
        "EqualSplitOnInsertion": True,
        "MiddleMouseButtonClosesTab": True,
        "FocusHighlighting": False,
        "FloatingContainerHasWidgetTitle": True,
        "FloatingContainerHasWidgetIcon": False,
    }.items():
        QtAds.CDockManager.setConfigFlag(getattr(flag, name), on)


def dock_manager(parent: QWidget) -> QtAds.CDockManager:
    """A manager whose look is the program's own."""
    manager = QtAds.CDockManager(parent)
    # Its own look gives way to the program's sheet, and may not come back with the palette.
    manager.setColorSchemeMode(QtAds.CDockManager.ColorSchemeMode.Light)
    manager.setStyleSheet("")
    _let_windows_be(manager)
    return manager


def _let_windows_be(manager: QtAds.CDockManager) -> None:
    """Leave it to the system that floating windows are above the main one, as it is their parent.

    On Linux QtAds sees to it itself whenever the main window is activated. By X11 it asks the
    window manager, but elsewhere (Wayland) it changes their flags, which hides them.
    """
    if QGuiApplication.platformName() != "xcb":
        manager.window().removeEventFilter(manager)


def dock_named(name: str, manager: QtAds.CDockManager) -> QtAds.CDockWidget:
    """A dock widget for a pane, which asks before it closes, and is ``name`` in layouts."""
    dock = QtAds.CDockWidget(manager, "")
    dock.setObjectName(name)
    for label in dock.tabWidget().findChildren(QLabel):
        # Or a title with HTML in it would load pictures.
        label.setTextFormat(Qt.TextFormat.PlainText)
    feature = QtAds.CDockWidget.DockWidgetFeature
    dock.setFeature(feature.DockWidgetDeleteOnClose, False)
    dock.setFeature(feature.CustomCloseHandling, True)
    dock.setMinimumSizeHintMode(
        QtAds.CDockWidget.eMinimumSizeHintMode.MinimumSizeHintFromContentMinimumSize
    )
    return dock


def set_dock_icons(manager: QtAds.CDockManager) -> None:
    """Give the docking's own buttons icons of our set, in the theme's colour."""
    # A copy: the binding takes what it is given and destroys it with the provider.
    close = QIcon(theme_icon("x", "muted"))
    manager.iconProvider().registerCustomIcon(QtAds.TabCloseIcon, close)


def keep_on_screen(window: QWidget) -> None:
    """Move a window whose edge is beyond its screen; make one smaller that is larger than it."""
    if window.isMaximized() or window.isFullScreen():
        return
    room = _screen_of(window).availableGeometry()
    size = window.frameGeometry().size().boundedTo(room.size())
    if size != window.frameGeometry().size():
        window.resize(size - (window.frameGeometry().size() - window.size()))
    at = window.frameGeometry()
    left = max(room.left(), min(at.left(), room.right() - size.width() + 1))
    top = max(room.top(), min(at.top(), room.bottom() - size.height() + 1))
    if (left, top) != (at.left(), at.top()):
        window.move(left, top)


def _screen_of(window: QWidget) -> QScreen:
    """The screen that shows most of it; Qt's own answer is the screen it was shown on last."""
    place = window.frameGeometry()

    def shown(screen: QScreen) -> int:
        part = screen.geometry().intersected(place)
        return part.width() * part.height()

    most = max(QGuiApplication.screens(), key=shown)
    return most if shown(most) else window.screen()


def save_state(manager: QtAds.CDockManager) -> str:
    """Splits, tabs, windows and sizes, as text."""
    return bytes(manager.saveState().toBase64().data()).decode()


def restore_state(manager: QtAds.CDockManager, state: str) -> bool:
    """Put the dock widgets where they stood; False, and nothing done, for a damaged state."""
    said = _written(state)
    if not said:
        return False
    # A window that waits to be deleted would be counted, and another be deleted in its stead.
    for window in manager.floatingWidgets():
        QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    return bool(manager.restoreState(QByteArray(_of_those_here(manager, said))))


def _of_those_here(manager: QtAds.CDockManager, said: bytes) -> bytes:
    """A state without the areas of dock widgets that are gone, as of chats closed before the end.

    QtAds leaves them out by itself, but gives their sizes to those beside them.
    """
    from xml.etree import ElementTree

    def prune(part: Element) -> bool:
        """Whether something of it is here."""
        if part.tag == "Area":
            return any(manager.findDockWidget(w.get("Name", "")) for w in part.iter("Widget"))
        parts, sizes = [each for each in part if each.tag != "Sizes"], part.find("Sizes")
        here = [prune(each) for each in parts]
        numbers = ((sizes.text or "") if sizes is not None else "").split()
        if sizes is not None and any(here) and len(numbers) == len(here):
            for each in compress(parts, map(not_, here)):
                part.remove(each)
            part.set("Count", str(sum(here)))
            sizes.text = " ".join(compress(numbers, here))
        return any(here)

    try:
        root = ElementTree.fromstring(said)
    except ElementTree.ParseError:
        return said
    for splitter in root.iterfind("Container/Splitter"):
        prune(splitter)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _written(state: str) -> bytes:
    """What a state says, in XML; nothing for a damaged one."""
    try:
        # Qt's own check of it would warn, and its sum is not compared.
        return zlib.decompress(binascii.a2b_base64(state)[4:])
    except (binascii.Error, ValueError, zlib.error):
        return b""


class Dock(Struct):
    """A pane and the dock widget around it; a closed one is kept a while, hidden, for undo."""

    pane: ChatPane
    widget: QtAds.CDockWidget
    closed: bool = False
    # while the pane is in a window of its own, a closed dock widget that stands in the main window
    # in its stead. It keeps the place through all changes around it.
    place: QtAds.CDockWidget | None = None
    sizes: tuple[int, ...] = ()  # of the splitter in which it stood, at that time
    bare: bool = False  # its window shows no tab, as long as it is alone there

    def fill(self, *, later: bool = False) -> None:
        """Put the pane into the dock widget.

        ``later``: not yet. Each move of it would have Qt style and lay out all that is in it.
        """
        before: QWidget | None = self.widget.takeWidget()
        if before is not None:
            before.deleteLater()
        content = QWidget() if later else self.pane  # QtAds shows none that is empty
        self.widget.setWidget(content, QtAds.CDockWidget.eInsertMode.ForceNoScrollArea)
        content.show()  # now, where the dock widget is on the screen, and not a moment later

    @property
    def shown_elsewhere(self) -> bool:
        """Whether it belongs into a window of its own that is on the screen."""
        container = self.widget.dockContainer()
        floating = container is not None and self.widget.isInFloatingContainer()
        return floating and bool(container.openedDockAreas())


PLACE = "place of "  # before the name of a dock widget that keeps another's place


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
        main, areas = self._manager.window(), dict[QtAds.CDockAreaWidget, tuple[int, int, int]]()
        placed: list[tuple[tuple[int, int, int, int], Dock]] = []
        for dock in self._by_id.values():
            if dock.closed:
                continue
            # By the area: a pane that is not its current tab has no window.
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
        """Make a dock widget for a new pane. It stands nowhere yet, and is empty."""
        chat_id = pane.chat.id
        self._by_id[chat_id] = Dock(pane, dock_named(chat_id, self._manager))
        return self._by_id[chat_id]

    def settle_bars(self) -> None:
        """Show the tab of a bare window once another chat joins it, or it joins the others."""
        for dock in self._by_id.values():
            area = dock.widget.dockAreaWidget() if dock.bare and not dock.closed else None
            if area is not None:
                dock.bare = dock.widget.isFloating()
                area.titleBar().setVisible(not dock.bare)

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
        self.drop_place(dock)
        self._manager.removeDockWidget(dock.widget)
        dock.widget.deleteLater()
        return dock.pane

    def leave_place(self, dock: Dock) -> None:
        """Keep the place in the main window that a pane is about to leave."""
        area = dock.widget.dockAreaWidget()
        if dock.place is not None or area is None or dock.widget.isInFloatingContainer():
            return
        dock.sizes = tuple(self._manager.splitterSizes(area))
        dock.place = QtAds.CDockWidget(self._manager, "")
        dock.place.setObjectName(PLACE + dock.widget.objectName())
        dock.place.setWidget(QWidget(), QtAds.CDockWidget.eInsertMode.ForceNoScrollArea)
        current = area.currentDockWidget()
        self._manager.addDockWidgetTabToArea(dock.place, area, area.index(dock.widget))
        dock.place.toggleView(False)
        if current is not None:
            area.setCurrentDockWidget(current)

    def drop_place(self, dock: Dock) -> None:
        if dock.place is not None:
            self._manager.removeDockWidget(dock.place)
            dock.place.deleteLater()
            dock.place, dock.sizes = None, ()


class Arrangement(Struct, frozen=True):
    """One arrangement of panes."""

    MOST = 120
    """Panes that are opened again; each takes some 20 ms. A layout of more is none that was saved
    here."""

    docks: str  # what Qt Advanced Docking saves, in base64: splits, tabs, windows, sizes
    chats: tuple[str, ...]  # ids of the open chats in reading order
    active: str | None = None  # the id of the chat that has the focus

    def to_json(self) -> dict[str, Any]:
        return {"docks": self.docks, "open": list(self.chats), "active": self.active}

    @classmethod
    def from_json(cls, data: object) -> Arrangement | None:
        """What ``to_json`` gave; None for anything that cannot have come from there."""
        if not isinstance(data, dict):
            return None
        docks, chats, active = data.get("docks"), data.get("open"), data.get("active")
        if not isinstance(docks, str) or not isinstance(chats, list):
            return None
        ids = tuple(dict.fromkeys(i for i in chats if isinstance(i, str) and i))
        if len(ids) > cls.MOST:
            docks, ids = "", ids[: cls.MOST]
        return cls(docks, ids, active if isinstance(active, str) else None)


SIDES = {
    "left": QtAds.DockWidgetArea.LeftDockWidgetArea,
    "right": QtAds.DockWidgetArea.RightDockWidgetArea,
    "up": QtAds.DockWidgetArea.TopDockWidgetArea,
    "down": QtAds.DockWidgetArea.BottomDockWidgetArea,
}


class DockPlacing:
    """Moves the docks of one dock manager."""

    def __init__(self, manager: QtAds.CDockManager, docks: Docks) -> None:
        self._manager = manager
        self._docks = docks
        # a kept layout is being put back; what Qt tells meanwhile is no person's doing
        self.restoring = False

    def insert(self, dock: Dock, where: str, active: ChatPane | None) -> None:
        """Beside the active pane; where its area is a floating window, in that window.

        ``where``: "tab", "right" or "down".
        """
        area = self._docks.area(active)
        if area is None:
            area = self._docks.area(next(iter(self._docks.in_main_window()), None))
        if area is None:
            self._manager.addDockWidget(QtAds.DockWidgetArea.CenterDockWidgetArea, dock.widget)
        elif where == "tab":
            self._manager.addDockWidgetTabToArea(dock.widget, area)
        else:
            self._manager.addDockWidget(SIDES[where], dock.widget, area)

    def put_back(self, dock: Dock, active: ChatPane | None) -> None:
        """Show a hidden dock widget where it was, or with the others if that place is gone.

        Where it was is in the main window, if the one that it had to itself has gone.
        """
        widget = dock.widget
        if widget.isInFloatingContainer() and not dock.shown_elsewhere:
            self.take_back(dock, active)
        elif widget.dockAreaWidget() is None:
            self.insert(dock, "tab", active)
        if widget.isClosed():
            widget.toggleView(True)

    def float(self, dock: Dock, at: QPoint | None = None) -> QWidget:
        """Move a pane out into a window of its own, wholly on the screen; returns the window.

        ``at``: where the window's upper left corner is to be.
        """
        size = dock.pane.size() if dock.pane.isVisible() else QSize()
        corner = at or dock.pane.mapToGlobal(QPoint(24, 24))
        self._docks.leave_place(dock)
        window: QWidget = self._manager.addDockWidgetFloating(dock.widget)
        window.resize(size.expandedTo(QSize(480, 520)))
        window.move(corner)
        keep_on_screen(window)
        return window

    def take_back(self, dock: Dock, active: ChatPane | None) -> None:
        """Move a pane from a window of its own to where it was in the main one."""
        place, sizes = dock.place, dock.sizes
        area = place.dockAreaWidget() if place is not None else None
        if place is None or area is None:
            self.insert(dock, "tab", active)
        else:
            self._manager.addDockWidgetTabToArea(dock.widget, area, area.index(place))
            if len(sizes) == len(self._manager.splitterSizes(area)):
                self._manager.setSplitterSizes(area, sizes)
        self._docks.drop_place(dock)

    def drop(self, dock: Dock, area: QtAds.CDockAreaWidget, where: str, index: int) -> None:
        """Put a dragged pane into an area: as its tab ``index``, or beside it on one of SIDES."""
        if area.window() is not self._manager.window():
            self._docks.leave_place(dock)
        if where == "tab":
            self._manager.addDockWidgetTabToArea(dock.widget, area, index)
        else:
            self._manager.addDockWidget(SIDES[where], dock.widget, area)
        if not dock.widget.isInFloatingContainer():
            self._docks.drop_place(dock)

    def restore(self, state: str, around: QWidget, active: ChatPane | None) -> None:
        """Put all docks where a kept state says. ``around`` holds the manager."""
        # Splitters share out the size they have at this moment: let it be the final one.
        for widget in (around.window(), around.parentWidget(), around):
            layout = widget.layout() if widget is not None else None
            if layout is not None:
                layout.activate()
        self.restoring = True
        try:
            said = _written(state)
            for dock in self._docks.all():
                if (PLACE + dock.widget.objectName()).encode() in said:
                    self._docks.leave_place(dock)
            restore_state(self._manager, state)
            # What the arrangement did not know is nowhere now, or as it was.
            for dock in self._docks.all():
                if dock.closed and not dock.widget.isClosed():
                    dock.widget.toggleView(False)
            for dock in self._docks.all():
                if not dock.closed and dock.widget.isClosed():
                    self.put_back(dock, active)
                lost = dock.place is not None and dock.place.dockAreaWidget() is None
                if lost or not dock.widget.isInFloatingContainer():
                    self._docks.drop_place(dock)
            for window in self._manager.floatingWidgets():
                keep_on_screen(window)
        finally:
            self.restoring = False


class Maximised:
    """The area that has its window to itself; the others come back by ``restore``."""

    def __init__(self) -> None:
        self.area: QtAds.CDockAreaWidget | None = None
        self._hidden: list[QWidget] = []
        self._sizes: list[tuple[QSplitter, list[int]]] = []

    def show(self, area: QtAds.CDockAreaWidget) -> None:
        """Hide all that stands beside the area."""
        self.area = area
        part: QWidget = area
        while isinstance(splitter := part.parentWidget(), QSplitter):
            self._sizes.append((splitter, splitter.sizes()))
            # Not ``splitter.widget`` nor ``findChildren``: PySide 6.11 makes what they return a
            # child of the splitter's wrapper and invalidates both together, although the area
            # lives on. The buttons of its row would then work with a dead wrapper.
            for beside in splitter.children():
                if not isinstance(beside, QWidget) or splitter.indexOf(beside) < 0:
                    continue  # a handle
                if beside is not part and not beside.isHidden():
                    beside.hide()
                    self._hidden.append(beside)
            part = splitter

    def restore(self) -> None:
        """Show them where and as large as they were."""
        for part in self._hidden:
            if isValid(part):
                part.show()
        for splitter, sizes in self._sizes:
            if isValid(splitter) and splitter.count() == len(sizes):
                splitter.setSizes(sizes)
        self.area, self._hidden, self._sizes = None, [], []
