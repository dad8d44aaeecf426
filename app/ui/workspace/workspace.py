from __future__ import annotations

from collections.abc import Callable
from functools import partial

import PySide6QtAds as QtAds
from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QStackedLayout, QWidget
from shiboken6 import isValid

from app.chats.chat import Chat
from app.settings.settings import Settings
from app.ui.pane.empty import NoChat
from app.ui.pane.header import PaneHeader
from app.ui.pane.pane import ChatPane
from app.ui.widgets.widget_behavior import is_typed_text
from app.ui.workspace.docks import (
    Arrangement,
    Dock,
    Docks,
    MaximizedArea,
    dock_manager,
    move_onto_screen,
    save_state,
)
from app.ui.workspace.tab_drag import DropTarget, TabDrag
from app.ui.workspace.tabs import TabMarks, TitleBars


class FocusWatch(QObject):
    """Reports the pane that gets the focus, and sends text typed in a window to a composer."""

    pane_entered = Signal(object)  # (pane)
    window_activated = Signal(object)  # (window)
    window_moved = Signal()  # or resized

    def __init__(self, active: Callable[[], ChatPane | None], parent: QObject) -> None:
        super().__init__(parent)
        self._active = active
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]

    def end(self) -> None:
        QApplication.instance().focusChanged.disconnect(self._on_focus)  # type: ignore[union-attr]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.WindowActivate:
            self.window_activated.emit(watched)
        elif kind in {QEvent.Type.Move, QEvent.Type.Resize}:
            self.window_moved.emit()
        # The window gets key presses that no widget has handled.
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            pane = self._active()
            if pane is not None and is_typed_text(event):
                pane.window().activateWindow()
                pane.focus_composer()
                pane.composer.field.insertPlainText(event.text())
                return True
        return False

    @Slot(QWidget, QWidget)
    def _on_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        widget = now
        while widget is not None and not isinstance(widget, ChatPane):
            # The header may be next to the tabs.
            widget = widget.pane if isinstance(widget, PaneHeader) else widget.parentWidget()
        if isinstance(widget, ChatPane):
            self.pane_entered.emit(widget)


class Workspace(QWidget):
    """Shows panes side by side, in tabs and in floating windows, using QtAds."""

    active_changed = Signal()  # another pane became active, or none is active
    pane_made = Signal(object)  # (pane)
    pane_closed = Signal(str)  # (chat ID): the user closed the pane
    layout_changed = Signal()  # the layout must be saved
    geometry_changed = Signal()  # only sizes or positions have changed
    pane_discarded = Signal(str)  # (chat ID): a closed pane was permanently deleted
    new_chat_requested = Signal()  # while no pane is open
    # (where): open a new chat as a "tab", to the "right" or "down"
    split_requested = Signal(str)
    # (pane, position): show the menu of the pane's tab
    menu_requested = Signal(object, QPoint)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.active: ChatPane | None = None  # has the focus, or had the focus last
        self._recent: list[str] = []  # chat IDs, most recent last
        self._maximized = MaximizedArea()
        self._ending = False
        self.nothing = NoChat(self)
        self.nothing.button.clicked.connect(self.new_chat_requested)
        self.manager = dock_manager(self)
        self._docks = Docks(self.manager)
        self.marks = TabMarks(self._docks, self)
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self.nothing)
        self._layers.addWidget(self.manager)
        self._update_timer = QTimer(self, singleShot=True, interval=0)
        self._update_timer.timeout.connect(self._update_view)
        self._bars = TitleBars(self.manager, self)
        self._bars.split_requested.connect(self._on_split_requested)
        self._bars.pane_pressed.connect(self.activate)
        self._bars.tab_switched.connect(self._update_timer.start)
        self._bars.area_resized.connect(self._on_area_resized)
        self._bars.restore_requested.connect(self.restore_panes)
        self.manager.dockAreaCreated.connect(self._update_timer.start)
        self.manager.dockAreasRemoved.connect(self._update_timer.start)
        self.manager.floatingWidgetCreated.connect(self._on_floating)
        self._drag = TabDrag(self._docks, self)
        self.manager.dockAreaCreated.connect(self._drag.watch_bar)
        self._drag.tab_dropped.connect(self._on_dropped)
        self._drag.tab_pulled_out.connect(self._on_pulled_out)
        self._drag.tab_double_clicked.connect(self.maximize)
        self._drag.menu_requested.connect(self._on_menu_asked)
        self._focus = FocusWatch(lambda: self.active, self)
        self._focus.pane_entered.connect(self._on_entered)
        self._focus.window_activated.connect(self._on_window_activated)
        self._focus.window_moved.connect(self.geometry_changed)
        self.window().installEventFilter(self._focus)
        self.window().installEventFilter(self._drag)

    def panes(self) -> list[ChatPane]:
        return self._docks.panes()

    def pane(self, chat_id: str) -> ChatPane | None:
        return self._docks.pane(chat_id)

    def is_kept(self, chat_id: str) -> bool:
        """Return True if a chat was closed recently, so that its pane can be reopened in place."""
        dock = self._docks.get(chat_id)
        return dock is not None and dock.closed

    def dock(self, chat_id: str) -> QtAds.CDockWidget:
        return self._docks[chat_id].widget

    def show_chat(self, chat: Chat, where: str = "tab") -> ChatPane:
        """Open a chat or switch to its pane.

        ``where`` is relative to the active pane: "tab", "right" or "down".
        """
        dock = self._docks.get(chat.id)
        if dock is not None and not dock.closed:
            self.activate(dock.pane)
            return dock.pane
        if self.is_kept(chat.id):  # don't reopen the chat in its old position
            self._docks.remove(chat.id)
        if where != "tab":
            self.restore_panes()
        dock = self._make_dock(chat)
        dock.fill(later=True)
        self._docks.insert(dock, where, self.active)
        dock.fill()
        self._update_view()
        self.activate(dock.pane)
        return dock.pane

    def show_in_window(self, chat: Chat) -> ChatPane:
        """Open a chat in a small floating window without tabs."""
        dock = self._make_dock(chat)
        dock.fill(later=True)
        self._float(dock)
        dock.fill()
        dock.bare = True
        self._update_view()
        self.activate(dock.pane)
        return dock.pane

    @Slot(object)
    def _on_window_activated(self, window: QWidget) -> None:
        if window is not self.window():
            # The size of its frame isn't known until a window becomes active.
            if not window.property("frame-checked"):
                window.setProperty("frame-checked", True)
                move_onto_screen(window)
        else:
            self.activate_last()

    def activate_last(self) -> None:
        window = self.window()
        if self._ending or self.active is None or self._window_of(self.active) is window:
            return
        area = self._docks.area(self._latest_in(window))
        # After a tab has left, the area shows the tab next to it.
        shown = area.currentDockWidget() if area is not None else None
        self._set_active(self.pane(shown.objectName()) if shown is not None else None)

    def _latest_in(self, window: QWidget) -> ChatPane | None:
        panes = [pane for pane in self.panes() if self._window_of(pane) is window]
        return self._latest_of(panes) or next(iter(panes), None)

    def _latest_of(self, panes: list[ChatPane]) -> ChatPane | None:
        """Return the pane that was active last, or None if none was."""
        by_id = {pane.chat.id: pane for pane in panes}
        return next((by_id[i] for i in reversed(self._recent) if i in by_id), None)

    def _window_of(self, pane: ChatPane) -> QWidget | None:
        # Use the area, because a hidden tab has no window.
        area = self._docks.area(pane)
        return area.window() if area is not None else None

    def activate(self, pane: ChatPane, *, focus: bool = True) -> None:
        area = self._docks.area(pane)
        alone = self._maximized.area
        if area is not alone and alone is not None and self._window_of(pane) is alone.window():
            self.restore_panes()
        self._docks[pane.chat.id].widget.setAsCurrentTab()
        self._set_active(pane)
        if focus:
            if pane.window() is not self.window():
                pane.window().raise_()
            pane.window().activateWindow()
            pane.focus_composer()

    def close_pane(self, pane: ChatPane, *, announce: bool = True) -> None:
        """Close a pane without stopping its chat. `reopen` undoes this.

        Pass ``announce=False`` to not emit `pane_closed`.
        """
        chat_id = pane.chat.id
        dock = self._docks[chat_id]
        if dock.closed:
            return
        if self._docks.area(pane) is not self._maximized.area or len(self.tabs_beside(pane)) == 1:
            self.restore_panes()
        was_active = pane is self.active  # before Qt focuses the next widget
        focus = QApplication.focusWidget()
        had_focus = focus is not None and pane.isAncestorOf(focus)
        successor = self._successor(pane)
        if successor is not None and self._is_shown(pane):
            # QtAds would show the first tab of the bar.
            self._docks[successor.chat.id].widget.setAsCurrentTab()
        self._docks.mark_closed(chat_id)
        dock.widget.toggleView(False)
        if was_active:
            self._set_active(None)
            if successor is not None:
                self.activate(successor)
        self._forget_overdue()
        self._update_view()
        if had_focus and self.nothing.isVisible():
            self.nothing.button.setFocus()  # otherwise, Qt focuses the first button of the window
        # Wait, because the next pane might use the same model.
        QTimer.singleShot(0, self, partial(self._leave_model, pane.chat))
        if announce:
            self.pane_closed.emit(chat_id)

    def _successor(self, pane: ChatPane) -> ChatPane | None:
        """Return the pane to show when one closes: a tab next to it, if there is one.

        Otherwise, a pane of its window, or else of the main window. In each case, the one that was
        active last, or else the neighbor.
        """
        panes, window = self.panes(), self._window_of(pane)
        shown = [each for each in panes if self._is_shown(each)]
        for group in (
            self.tabs_beside(pane),
            [each for each in shown if self._window_of(each) is window],
            [each for each in shown if self._window_of(each) is self.window()],
            shown,
        ):
            if others := [each for each in group if each is not pane]:
                after = (each for each in others if panes.index(each) > panes.index(pane))
                return self._latest_of(others) or next(after, others[-1])
        return None

    def _is_shown(self, pane: ChatPane) -> bool:
        """Return True if a pane is the current tab of its bar."""
        area = self._docks.area(pane)
        return area is not None and area.currentDockWidget() is self._docks[pane.chat.id].widget

    def _leave_model(self, chat: Chat) -> None:
        if self.pane(chat.id) is None and isValid(chat) and not chat.turn.is_at_work:
            chat.model.cancel_load_if_unused()

    def reopen(self, chat_id: str) -> bool:
        """Reopen a closed pane in its place. Return False if it's gone for good."""
        dock = self._docks.get(chat_id)
        if dock is None:
            return False
        if dock.closed:
            self.restore_panes()
            self._docks.mark_open(chat_id)
            self._docks.put_back(dock, self._latest_in(self.window()))
            self._update_view()
            dock.pane.chat.model.load()
        self.activate(dock.pane)
        return True

    def delete_closed(self, chat_id: str) -> None:
        if self.is_kept(chat_id):
            self._docks.remove(chat_id)
            self.pane_discarded.emit(chat_id)

    def float_pane(self, pane: ChatPane) -> None:
        self.restore_panes()
        dock = self._docks[pane.chat.id]
        if dock.widget.isInFloatingContainer():
            self._docks.take_back(dock, self._latest_in(self.window()))
        else:
            self._float(dock)
        self._update_view()
        self.activate(pane)

    def _float(self, dock: Dock, at: QPoint | None = None) -> None:
        self.expect_panes()  # QtAds doesn't show new windows while the main window has no panes
        self._docks.float(dock, at)

    def is_alone(self, pane: ChatPane) -> bool:
        return self._window_of(pane) is not self.window()

    def tabs_beside(self, pane: ChatPane) -> list[ChatPane]:
        """Return all panes in the same tab bar, in tab order."""
        area = self._docks.area(pane)
        return [one for one in self.panes() if area is not None and self._docks.area(one) is area]

    @property
    def is_maximized(self) -> bool:
        return self._maximized.area is not None

    def has_neighbors(self, pane: ChatPane) -> bool:
        """Return True if the pane's window also has panes outside of its tab bar."""
        window, area = self._window_of(pane), self._docks.area(pane)
        siblings = (sibling for sibling in self.panes() if self._window_of(sibling) is window)
        return any(self._docks.area(sibling) is not area for sibling in siblings)

    def maximize(self, pane: ChatPane) -> None:
        """Maximize a pane and its tabs, or undo this."""
        area = self._docks.area(pane)
        if self.is_maximized:
            self.restore_panes()
        elif area is not None and self.has_neighbors(pane):
            self._maximized.show(area, self.arrangement())
            self._bars.show_maximized(area)
        self.activate(pane)

    def restore_panes(self) -> None:
        if self.is_maximized:
            self._maximized.restore()
            self._bars.show_maximized(None)

    def arrangement(self) -> Arrangement:
        """Return the current arrangement, as if no pane were maximized."""
        chats = tuple(pane.chat.id for pane in self.panes())
        area, before = self._maximized.area, self._maximized.before
        if before is not None and set(before.chats) == set(chats):
            docks, chats = before.docks, before.chats
        elif area is not None and before is not None:
            self.setUpdatesEnabled(False)
            self._maximized.restore()
            docks = save_state(self.manager)
            self._maximized.show(area, before)
            self.setUpdatesEnabled(True)
        else:
            docks = save_state(self.manager)
        return Arrangement(
            docks=docks,
            chats=chats,
            active=self.active.chat.id if self.active is not None else None,
        )

    def arrange(self, arrangement: Arrangement, chats: list[Chat]) -> list[str]:
        """Open the given chats in a saved arrangement and close all others.

        Returns the IDs of chats that were closed. The most recent of these can be reopened.
        """
        self.restore_panes()
        chat_ids = {chat.id for chat in chats}
        if self.active is not None and self.active.chat.id not in chat_ids:
            self._set_active(None)
        leaving = self._docks.mark_others_closed(chat_ids)
        docks: list[Dock] = []
        for chat in chats:
            if self._docks.get(chat.id) is not None:
                self._docks.mark_open(chat.id)
            else:
                docks.append(self._make_dock(chat))
                docks[-1].fill(later=True)
                self._docks.insert(docks[-1], "tab", self.active)
        self.expect_panes()
        self._docks.restore(arrangement.docks, self, self.active)
        for dock in docks:
            dock.fill()
        self._bars.arrange()
        self._forget_overdue()
        self._update_view()
        # If all panes were floating, the main window may have had the focus instead of a pane.
        target = self._latest_in(self.window())
        if arrangement.active is not None:
            target = self.pane(arrangement.active) or target or next(iter(self.panes()), None)
        if target is not None:
            self.activate(target)
        elif chats:
            self.window().activateWindow()  # new windows have taken the focus
        return leaving

    def expect_panes(self) -> None:
        """Hide the page of the empty workspace, because panes are about to be added."""
        self._layers.setCurrentWidget(self.manager)

    def end(self) -> None:
        self._ending = True
        self._focus.end()
        self._update_timer.stop()

    def _make_dock(self, chat: Chat) -> Dock:
        dock = self._docks.add(ChatPane(chat, self._settings))
        dock.widget.closeRequested.connect(self._on_close_requested)
        dock.widget.topLevelChanged.connect(self._on_moved_out_or_in)
        self._drag.watch(dock)
        self.marks.follow(chat)
        self.pane_made.emit(dock.pane)
        return dock

    def _forget_overdue(self) -> None:
        for chat_id in self._docks.docks_over_limit():
            self.delete_closed(chat_id)

    def _set_active(self, pane: ChatPane | None) -> None:
        if pane is self.active:
            return
        before, self.active = self.active, pane
        for changed_pane, active in ((before, False), (pane, True)):
            if changed_pane is not None:
                changed_pane.set_active(active)
        self.marks.show_keys(pane)
        if pane is not None:
            self._recent = [
                chat_id for chat_id in self._recent if self.pane(chat_id) not in {None, pane}
            ]
            self._recent.append(pane.chat.id)
            self.marks.show_dot(pane.chat.id)
        self.active_changed.emit()

    @Slot()
    def _update_view(self) -> None:
        if self._ending:
            return
        self._docks.settle_bars()
        self._docks.hide_empty_windows()
        panes = self.panes()
        self.nothing.set_elsewhere(bool(panes))
        view = self.manager if self._docks.panes_in_main_window() else self.nothing
        self._layers.setCurrentWidget(view)
        if self.active is not None and self.active not in panes:
            self._set_active(panes[0] if panes else None)
        self.marks.show_keys(self.active)
        self.layout_changed.emit()

    @Slot()
    def _on_area_resized(self) -> None:
        if not self.is_maximized:  # `arrangement` resizes the areas as well
            self.geometry_changed.emit()

    def _sender_pane(self) -> ChatPane | None:
        widget = self.sender()
        if self._ending or self._docks.restoring or not isinstance(widget, QObject):
            return None
        return self.pane(widget.objectName())

    @Slot()
    def _on_close_requested(self) -> None:
        pane = self._sender_pane()
        if pane is not None:
            self.close_pane(pane)

    @Slot(bool)
    def _on_moved_out_or_in(self, alone: bool) -> None:
        pane = self._sender_pane()
        if pane is not None:
            self._set_active(pane)
            pane.focus_composer()
            self._update_timer.start()

    @Slot(object)
    def _on_entered(self, pane: ChatPane) -> None:
        if self.pane(pane.chat.id) is pane:
            self._set_active(pane)

    @Slot(object, str)
    def _on_split_requested(self, pane: ChatPane, where: str) -> None:
        """Open a new chat next to the current pane of the button's area."""
        self._set_active(pane)
        self.split_requested.emit(where)

    @Slot(object, object)
    def _on_dropped(self, dock: Dock, target: DropTarget) -> None:
        if isValid(target.area):
            self.restore_panes()
            self._docks.drop(dock, target.area, target.where, target.index)
            self._update_view()
            self.activate(dock.pane)

    @Slot(object, QPoint)
    def _on_pulled_out(self, dock: Dock, corner: QPoint) -> None:
        if dock.widget.isFloating():  # the only pane in its window, so move the window
            window = dock.pane.window()
            window.move(corner)
            move_onto_screen(window)
            return
        self.restore_panes()
        self._float(dock, corner)
        self._update_view()
        self.activate(dock.pane)

    @Slot(object, QPoint)
    def _on_menu_asked(self, pane: ChatPane, position: QPoint) -> None:
        self.activate(pane)
        self.menu_requested.emit(pane, position)

    @Slot(object)
    def _on_floating(self, window: QWidget) -> None:
        window.setMinimumSize(300, 320)
        window.installEventFilter(self._drag)
        window.installEventFilter(self._focus)  # gets events first
        self._update_timer.start()
