"""Drag and drop of chats by their tabs, with a tinted drop target.

QtAds uses translucent windows for this, which are black without a compositor, so we paint inside
existing windows.
"""

from __future__ import annotations

import PySide6QtAds as QtAds
from msgspec import Struct
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    QPointF,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from shiboken6 import isValid

from app.ui.style import tokens as t
from app.ui.style.theme import theme
from app.ui.workspace.docks import Dock, Docks

MIDDLE = 0.3
"""Distance from an edge, relative to the pane's size, at which a drop splits the pane. In the
middle it adds a tab.
"""


class DropTarget(Struct, frozen=True):
    area: QtAds.CDockAreaWidget  # gets the tab or is split
    where: str  # "tab" or one of SIDES
    index: int = -1  # index in the tab bar, -1 to append

    def tint_area(self) -> QRect:
        rect: QRect = self.area.rect()
        if self.where in {"left", "right"}:
            rect.setWidth(rect.width() // 2)
        elif self.where in {"up", "down"}:
            rect.setHeight(rect.height() // 2)
        if self.where == "right":
            rect.moveRight(self.area.rect().right())
        elif self.where == "down":
            rect.moveBottom(self.area.rect().bottom())
        return rect


class DropTint(QWidget):
    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = QColor(theme().tokens.accent)
        painter.setPen(QPen(accent, 2))
        accent.setAlpha(48)
        painter.setBrush(accent)
        painter.drawRoundedRect(self.rect().adjusted(4, 4, -4, -4), t.RADIUS, t.RADIUS)


class TabDrag(QObject):
    """Event filter for all tabs and title bars. Events of a bar apply to its current tab."""

    tab_dropped = Signal(object, object)  # (dock, target)
    tab_pulled_out = Signal(object, QPoint)  # (dock, corner), outside of all windows
    tab_double_clicked = Signal(object)  # (pane)
    menu_requested = Signal(object, QPoint)  # (pane, position)

    def __init__(self, docks: Docks, parent: QObject) -> None:
        super().__init__(parent)
        self._docks = docks
        self._pressed: QPoint | None = None
        self._tab: QtAds.CDockWidgetTab | None = None  # tab being dragged
        self._tint: DropTint | None = None
        self._label: QLabel | None = None
        self.target: DropTarget | None = None

    def watch(self, dock: Dock) -> None:
        dock.widget.tabWidget().installEventFilter(self)

    @Slot(object)
    def watch_bar(self, area: QtAds.CDockAreaWidget) -> None:
        area.titleBar().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowBlocked:  # a dialog receives the release
            self._end_drag()
            return False
        if isinstance(watched, QtAds.CFloatingDockContainer):  # no drop targets of QtAds
            return event.type() == QEvent.Type.Move and event.spontaneous()
        if isinstance(watched, QtAds.CDockAreaTitleBar) and event.type() in _BAR_EVENTS:
            tab = watched.tabBar().currentTab()
            # Otherwise QtAds would drag all tabs together.
            return self.eventFilter(tab, event) or event.type() == QEvent.Type.MouseMove
        if not isinstance(watched, QtAds.CDockWidgetTab) or not isValid(watched):
            return False
        kind = event.type()
        if kind == QEvent.Type.Hide and self._tab in {None, watched}:
            self._end_drag()
        if kind == QEvent.Type.ContextMenu:
            if self._pressed is not None:  # the menu would receive the release
                return True
            self.menu_requested.emit(self._dock(watched).pane, event.globalPos())  # type: ignore[attr-defined]
            return True
        if isinstance(event, QKeyEvent) and self._tab is not None:
            if kind == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self._end_drag()
            event.accept()
            return True
        if not isinstance(event, QMouseEvent):
            return False
        at = event.globalPosition().toPoint()
        if kind == QEvent.Type.MouseMove:
            return self._on_move(watched, at, pressed=bool(event.buttons() & LEFT))
        if event.button() != LEFT:
            return False
        if kind == QEvent.Type.MouseButtonDblClick:
            self._pressed = None
            self.tab_double_clicked.emit(self._dock(watched).pane)
            return True
        if kind == QEvent.Type.MouseButtonPress:
            self._pressed = at
        elif kind == QEvent.Type.MouseButtonRelease:
            if self._pressed is None:  # the drag was canceled
                return True
            self._pressed = None
            if self._tab is not None:
                self._on_let_go(at)
                return True
            return self._is_left_behind(watched)
        return False

    def _is_left_behind(self, tab: QtAds.CDockWidgetTab) -> bool:
        """Return True, with the tab back in its place, if a shortcut has activated another tab.

        QtAds would move the tab and show its pane, but mark the other tab.
        """
        if tab.isActiveTab():
            return False
        tab.updateGeometry()
        return True

    def _dock(self, tab: QtAds.CDockWidgetTab) -> Dock:
        return self._docks[tab.dockWidget().objectName()]

    def _on_move(self, tab: QtAds.CDockWidgetTab, at: QPoint, *, pressed: bool) -> bool:
        if not pressed:  # the release went elsewhere
            self._end_drag()
        if self._pressed is None:
            return True
        if self._tab is None and self._has_left_bar(tab, at):
            self._start_drag(tab, at)
        if self._tab is not None:
            self._update_target(at)
            return True
        return False  # QtAds itself moves tabs within their bar

    def _has_left_bar(self, tab: QtAds.CDockWidgetTab, at: QPoint) -> bool:
        assert self._pressed is not None
        bar = tab.parentWidget()
        across = bar.mapFromGlobal(at).x()
        moved, far = at - self._pressed, QApplication.startDragDistance()
        is_outside = not 0 <= across < bar.width()
        return abs(moved.y()) >= far or (is_outside and abs(moved.x()) >= far)

    def _start_drag(self, tab: QtAds.CDockWidgetTab, at: QPoint) -> None:
        # Let QtAds finish moving the tab within its bar.
        local = QPointF(tab.mapFromGlobal(at))
        none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        kind = QEvent.Type.MouseButtonRelease
        pressed = self._pressed
        QCoreApplication.sendEvent(tab, QMouseEvent(kind, local, QPointF(at), LEFT, *none))
        self._pressed = pressed
        self._tab = tab
        tab.setCursor(Qt.CursorShape.ClosedHandCursor)
        tab.grabKeyboard()
        self._label = QLabel(tab.text().replace("&&", "&"), tab.window(), Qt.WindowType.ToolTip)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setObjectName("drag-label")
        self._label.adjustSize()

    def _update_target(self, at: QPoint) -> None:
        assert self._tab is not None
        assert self._label is not None
        self._label.move(at + QPoint(14, 12))
        self._label.show()
        target = self._target(self._tab.dockWidget(), at)
        if target == self.target:
            return
        self.target = target
        if self._tint is not None and isValid(self._tint):
            self._tint.deleteLater()
        self._tint = None
        if target is not None:
            window = target.area.window()
            self._tint = DropTint(window)
            rect = target.tint_area()
            rect.moveTopLeft(target.area.mapTo(window, rect.topLeft()))
            self._tint.setGeometry(rect)
            self._tint.show()
            self._tint.raise_()

    def _on_let_go(self, at: QPoint) -> None:
        assert self._tab is not None
        dock, target = self._dock(self._tab), self.target
        over = bool(self._areas(at))
        self._end_drag()
        if target is not None:
            self.tab_dropped.emit(dock, target)
        elif not over:
            self.tab_pulled_out.emit(dock, at - QPoint(60, 18))

    def _end_drag(self) -> None:
        for overlay in (self._tint, self._label):
            if overlay is not None and isValid(overlay):  # its window may be gone
                overlay.hide()
                overlay.deleteLater()
        if self._tab is not None and isValid(self._tab):
            self._tab.releaseKeyboard()
            self._tab.unsetCursor()
        self._tint = self._label = self._tab = self._pressed = self.target = None

    def _areas(self, at: QPoint) -> list[QtAds.CDockAreaWidget]:
        """Return the areas of the window under the mouse."""
        window = QApplication.topLevelAt(at)
        docks = (dock for dock in self._docks.all_docks() if not dock.closed)
        areas = (dock.widget.dockAreaWidget() for dock in docks)
        return [area for area in areas if area is not None and area.window() is window]

    def _target(self, dragged: QtAds.CDockWidget, at: QPoint) -> DropTarget | None:
        """Return the drop target, or None if there is none or dropping would change nothing."""
        under = (
            area
            for area in self._areas(at)
            if area.isVisible() and area.rect().contains(area.mapFromGlobal(at))
        )
        if (area := next(under, None)) is None:
            return None
        is_own_area = area is dragged.dockAreaWidget()
        if is_own_area and area.openDockWidgetsCount() == 1:
            return None
        bar = area.titleBar()
        if bar.isVisible() and bar.geometry().contains(area.mapFromGlobal(at)):
            tabs = bar.tabBar()
            index = tabs.tabInsertIndexAt(tabs.mapFromGlobal(at))
            return None if is_own_area else DropTarget(area, "tab", index)
        side = self._side(area, at)
        return None if is_own_area and side == "tab" else DropTarget(area, side)

    def _side(self, area: QtAds.CDockAreaWidget, at: QPoint) -> str:
        current = area.currentDockWidget()
        pane = self._docks.pane(current.objectName()) if current is not None else None
        if pane is None:
            return "tab"
        rect = QRect(pane.mapToGlobal(QPoint(0, 0)), pane.size())
        x = (at.x() - rect.left()) / max(1, rect.width())
        y = (at.y() - rect.top()) / max(1, rect.height())
        near = {"left": x, "right": 1 - x, "up": y, "down": 1 - y}
        if rect.width() < 2 * pane.minimumWidth():  # too narrow to split
            del near["left"], near["right"]
        if rect.height() < 2 * pane.minimumHeight():
            del near["up"], near["down"]
        side = min(near, key=lambda one: near[one], default="tab")
        return side if side != "tab" and near[side] < MIDDLE else "tab"


LEFT = Qt.MouseButton.LeftButton
_BAR_EVENTS = {
    QEvent.Type.ContextMenu,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseMove,
}
