"""Where the panes are: side by side, in tabs, in windows of their own (Qt Advanced Docking)."""

from __future__ import annotations

from dataclasses import dataclass

import PySide6QtAds as QtAds
from PySide6.QtCore import QByteArray, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QStackedLayout, QWidget

from app.chats.controller import ChatController
from app.ui.docking import dock_around, furnish_title_bar, set_dock_icons
from app.ui.empty import NoChat
from app.ui.icons import dot
from app.ui.pane import ChatPane
from app.ui.plain import plain_tip
from app.ui.theme import theme


@dataclass
class _Dock:
    """A pane and the dock widget around it; a closed one is kept a while, hidden, for undo."""

    pane: ChatPane
    dock: QtAds.CDockWidget
    closed: bool = False


class Workspace(QWidget):
    """Opens, splits, closes and reopens panes, and knows which one has the keys.

    Signals:
        active_changed(): another pane has the keys, or none.
        pane_made(pane): for whoever listens to panes.
        pane_closed(id): the person closed a pane.
        forgotten(id): a closed pane is kept no longer.
        arranged(): the layout is another and worth saving.
        new_asked(): a chat is asked for from the workspace itself.
        split_asked(area, direction): a title bar's split button; direction "right" or "down".
    """

    KEPT_CLOSED = 12

    active_changed = Signal()
    pane_made = Signal(object)
    pane_closed = Signal(str)
    arranged = Signal()
    forgotten = Signal(str)
    new_asked = Signal()
    split_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._docks: dict[str, _Dock] = {}
        self._closed: list[str] = []
        self._active: ChatPane | None = None
        self._alpha = 255
        self._ending = False
        self.nothing = NoChat(self)
        self.nothing.new_asked.connect(self.new_asked)
        self.manager = QtAds.CDockManager(self)
        # Its own look gives way to the program's sheet, and may not come back with the palette.
        self.manager.setColorSchemeMode(QtAds.CDockManager.ColorSchemeMode.Light)
        self.manager.setStyleSheet("")
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self.nothing)
        self._layers.addWidget(self.manager)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._settle)
        self.manager.dockAreaCreated.connect(self._on_area)
        self.manager.dockAreasRemoved.connect(self._soon.start)
        self.manager.floatingWidgetCreated.connect(self._on_floating)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    # What is open.

    @property
    def active(self) -> ChatPane | None:
        """The pane that the keys go to, or would."""
        return self._active

    def panes(self) -> list[ChatPane]:
        """All open panes in reading order: left to right, down, by tab; then other windows'."""
        entries = [entry for entry in self._docks.values() if not entry.closed]
        return [entry.pane for entry in sorted(entries, key=self._place)]

    def _place(self, entry: _Dock) -> tuple[int, int, int, int]:
        # By the area: a pane that is not its current tab has no window.
        area = entry.dock.dockAreaWidget()
        if area is None:
            return (2, 0, 0, 0)
        window = area.window()
        at = area.mapTo(window, QPoint(0, 0))
        return (int(window is not self.window()), at.x(), at.y(), area.index(entry.dock))

    def _in_main_window(self) -> list[ChatPane]:
        places = {
            entry.pane: self._place(entry) for entry in self._docks.values() if not entry.closed
        }
        return [pane for pane in self.panes() if places[pane][0] == 0]

    def pane(self, chat_id: str) -> ChatPane | None:
        """The chat's open pane."""
        entry = self._docks.get(chat_id)
        return entry.pane if entry is not None and not entry.closed else None

    def dock(self, chat_id: str) -> QtAds.CDockWidget | None:
        entry = self._docks.get(chat_id)
        return entry.dock if entry is not None else None

    def _first_area(self) -> QtAds.CDockAreaWidget | None:
        panes = self._in_main_window()
        return self._docks[panes[0].controller.id].dock.dockAreaWidget() if panes else None

    # What changes it.

    def show_chat(self, controller: ChatController, where: str = "tab") -> ChatPane:
        """Open the chat, or bring it forward if it is open.

        ``where``: "tab" beside the active one, "right" or "down" of it.
        """
        entry = self._docks.get(controller.id)
        if entry is not None and not entry.closed:
            self.activate(entry.pane)
            return entry.pane
        if entry is not None:
            self._forget(controller.id)
        pane = ChatPane(controller)
        dock = self._make_dock(pane)
        # Beside the active pane; where its area is a floating window, in that window.
        near = self._docks.get(self._active.controller.id) if self._active is not None else None
        area = near.dock.dockAreaWidget() if near is not None and not near.closed else None
        if area is None:
            area = self._first_area()
        if area is None:
            self.manager.addDockWidget(QtAds.DockWidgetArea.CenterDockWidgetArea, dock)
        elif where == "tab":
            self.manager.addDockWidgetTabToArea(dock, area)
        else:
            side = "RightDockWidgetArea" if where == "right" else "BottomDockWidgetArea"
            self.manager.addDockWidget(getattr(QtAds.DockWidgetArea, side), dock, area)
        self._settle()
        self.activate(pane)
        return pane

    def activate(self, pane: ChatPane, *, focus: bool = True) -> None:
        """Bring a pane forward and give it the keys."""
        entry = self._docks[pane.controller.id]
        entry.dock.setAsCurrentTab()
        self._set_active(pane)
        if focus:
            if pane.window() is not self.window():
                pane.window().raise_()
            pane.window().activateWindow()
            pane.focus_composer()

    def activate_next(self, step: int) -> None:
        """Give the keys to the next pane (+1) or the previous one (-1)."""
        panes = self.panes()
        if panes:
            at = panes.index(self._active) if self._active in panes else -step
            self.activate(panes[(at + step) % len(panes)])

    def close_pane(self, pane: ChatPane) -> None:
        """Take a pane off the screen. Its chat goes on; ``reopen`` puts it back in its place."""
        entry = self._docks[pane.controller.id]
        if entry.closed:
            return
        order = self.panes()
        at = order.index(pane) if pane in order else 0
        entry.closed = True
        entry.dock.toggleView(False)
        self._closed.append(pane.controller.id)
        if pane is self._active:
            rest = self.panes()
            self._set_active(None)
            if rest:
                self.activate(rest[min(at, len(rest) - 1)])
        while len(self._closed) > self.KEPT_CLOSED:
            oldest = self._closed[0]
            self._forget(oldest)
            self.forgotten.emit(oldest)
        self._settle()
        self.pane_closed.emit(pane.controller.id)

    def reopen(self, chat_id: str) -> bool:
        """Put a closed pane back where it was; False if it is not kept any more."""
        entry = self._docks.get(chat_id)
        if entry is None:
            return False
        if entry.closed:
            entry.closed = False
            self._closed.remove(chat_id)
            entry.dock.toggleView(True)
            self._settle()
        self.activate(entry.pane)
        return True

    def float_pane(self, pane: ChatPane) -> None:
        """Move a pane out into a window of its own, or back into the main one."""
        dock = self._docks[pane.controller.id].dock
        if dock.isInFloatingContainer():
            self.manager.addDockWidget(QtAds.DockWidgetArea.RightDockWidgetArea, dock)
        else:
            dock.setFloating()
            window = pane.window()
            window.resize(max(480, pane.width()), max(520, pane.height()))
        self._settle()
        self.activate(pane)

    def share_width(self, panes: list[ChatPane]) -> None:
        """Give the columns that stand with these panes the same width."""
        area = self._docks[panes[0].controller.id].dock.dockAreaWidget()
        sizes = self.manager.splitterSizes(area) if area is not None else []
        if sizes:
            self.manager.setSplitterSizes(area, [sum(sizes) // len(sizes)] * len(sizes))

    # Keeping the layout.

    def state(self) -> dict[str, object]:
        """The layout as JSON can hold it."""
        return {
            "docks": bytes(self.manager.saveState().toBase64().data()).decode(),
            "open": [pane.controller.id for pane in self.panes()],
            "active": self._active.controller.id if self._active is not None else None,
        }

    def restore(self, docks: str, panes: list[ChatController], active: str | None) -> None:
        """Open these chats in the arrangement that ``state`` gave."""
        for controller in panes:
            dock = self._make_dock(ChatPane(controller))
            area = self._first_area()
            if area is not None:
                self.manager.addDockWidgetTabToArea(dock, area)
            else:
                self.manager.addDockWidget(QtAds.DockWidgetArea.CenterDockWidgetArea, dock)
        # Splitters share out the size they have at this moment: let it be the final one.
        self._layers.setCurrentWidget(self.manager)
        for widget in (self.window(), self.parentWidget(), self):
            layout = widget.layout() if widget is not None else None
            if layout is not None:
                layout.activate()
        self.manager.restoreState(QByteArray.fromBase64(docks.encode()))
        for entry in self._docks.values():
            if entry.dock.isClosed():  # the arrangement did not know it
                entry.dock.toggleView(True)
        self._settle()
        chosen = self.pane(active) if active else None
        panes_now = self.panes()
        if chosen is None and panes_now:
            chosen = panes_now[0]
        if chosen is not None:
            self.activate(chosen)

    def end(self) -> None:
        """The program ends: no more answers to what Qt tells while it takes things down."""
        self._ending = True
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.disconnect(self._on_focus)
        self._soon.stop()

    # Inside.

    def _make_dock(self, pane: ChatPane) -> QtAds.CDockWidget:
        controller = pane.controller
        dock = dock_around(pane, controller.id, self.manager)
        dock.closeRequested.connect(self._on_close_requested)
        dock.topLevelChanged.connect(self._on_moved_out_or_in)
        controller.chat_changed.connect(self._on_chat_changed)
        self._docks[controller.id] = _Dock(pane, dock)
        self._title(controller.id)
        self.pane_made.emit(pane)
        return dock

    def _forget(self, chat_id: str) -> None:
        """Let go of a closed pane for good. Its chat stays in the list."""
        entry = self._docks.pop(chat_id)
        if chat_id in self._closed:
            self._closed.remove(chat_id)
        entry.pane.controller.chat_changed.disconnect(self._on_chat_changed)
        self.manager.removeDockWidget(entry.dock)
        entry.dock.deleteLater()

    def _set_active(self, pane: ChatPane | None) -> None:
        if pane is self._active:
            return
        before, self._active = self._active, pane
        for one, active in ((before, False), (pane, True)):
            if one is not None:
                one.set_active(active)
                self._mark_tab(one.controller.id, active=active)
        if pane is not None:
            self._mark(pane.controller.id)
        self.active_changed.emit()

    def _title(self, chat_id: str) -> None:
        entry = self._docks[chat_id]
        title = entry.pane.controller.title
        entry.dock.setWindowTitle(title.replace("&", "&&"))
        entry.dock.setTabToolTip(plain_tip(title))

    def _mark(self, chat_id: str) -> None:
        """The tab's dot: living while its chat answers, still when it ended unseen."""
        entry = self._docks.get(chat_id)
        if entry is None:
            return
        controller, accent = entry.pane.controller, theme().tokens.accent
        if controller.answering:
            entry.dock.setIcon(dot(accent, self._alpha))
        elif controller.unseen:
            entry.dock.setIcon(dot(accent, 255))
        elif not entry.dock.icon().isNull():
            entry.dock.setIcon(QIcon())

    def _mark_tab(self, chat_id: str, *, active: bool) -> None:
        """The accent below a tab says where the keys go, as the ring of the composer does."""
        entry = self._docks.get(chat_id)
        if entry is not None:
            tab = entry.dock.tabWidget()
            tab.setProperty("keys", active)
            tab.style().unpolish(tab)
            tab.style().polish(tab)

    @Slot(int)
    def on_beat(self, alpha: int) -> None:
        """Move the living dots."""
        self._alpha = alpha
        for chat_id, entry in self._docks.items():
            if entry.pane.controller.answering and not entry.closed:
                self._mark(chat_id)

    @Slot(str)
    def on_activity(self, chat_id: str) -> None:
        self._mark(chat_id)

    @Slot()
    def _settle(self) -> None:
        """After any change: show the panes or the invitation, and tell."""
        if self._ending:
            return
        panes = self.panes()
        self.nothing.set_elsewhere(bool(panes))
        self._layers.setCurrentWidget(self.manager if self._in_main_window() else self.nothing)
        if self._active is not None and self._active not in panes:
            self._set_active(panes[0] if panes else None)
        self.arranged.emit()

    @Slot()
    def _on_close_requested(self) -> None:
        dock = self.sender()
        entry = self._docks.get(dock.objectName()) if isinstance(dock, QObject) else None
        if entry is not None and not self._ending:
            self.close_pane(entry.pane)

    @Slot(bool)
    def _on_moved_out_or_in(self, alone: bool) -> None:
        """A pane was dragged to another place: the keys go with it."""
        dock = self.sender()
        entry = self._docks.get(dock.objectName()) if isinstance(dock, QObject) else None
        if entry is not None and not entry.closed and not self._ending:
            self._set_active(entry.pane)
            entry.pane.focus_composer()
            self._soon.start()

    @Slot()
    def _on_chat_changed(self) -> None:
        controller = self.sender()
        if isinstance(controller, ChatController) and controller.id in self._docks:
            self._title(controller.id)

    @Slot(QWidget, QWidget)
    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        widget = now
        while widget is not None and not isinstance(widget, ChatPane):
            widget = widget.parentWidget()
        if isinstance(widget, ChatPane) and self.pane(widget.controller.id) is widget:
            self._set_active(widget)

    @Slot(object)
    def _on_area(self, area: QtAds.CDockAreaWidget) -> None:
        """A new area: put the new-tab and split buttons into its title bar."""
        furnish_title_bar(area, lambda where: self._from_bar(area, where))
        area.titleBar().tabBar().tabBarClicked.connect(lambda index: self._on_tab(area, index))
        area.currentChanged.connect(lambda index: self._soon.start())
        self._soon.start()

    def _from_bar(self, area: QtAds.CDockAreaWidget, where: str) -> None:
        current = area.currentDockWidget()
        entry = self._docks.get(current.objectName()) if current is not None else None
        if entry is not None:
            self._set_active(entry.pane)
        if where == "tab":
            self.new_asked.emit()
        else:
            self.split_asked.emit(where)

    def _on_tab(self, area: QtAds.CDockAreaWidget, index: int) -> None:
        dock = area.dockWidget(index)
        entry = self._docks.get(dock.objectName()) if dock is not None else None
        if entry is not None:
            self._set_active(entry.pane)
            entry.pane.focus_composer()

    @Slot(object)
    def _on_floating(self, window: QWidget) -> None:
        window.setMinimumSize(300, 320)
        self._soon.start()

    @Slot()
    def _on_theme(self) -> None:
        set_dock_icons(self.manager)
        for chat_id in self._docks:
            self._mark(chat_id)
