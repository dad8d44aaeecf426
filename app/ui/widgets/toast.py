from __future__ import annotations

from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.settings.language import tr
from app.ui.style import tokens as t
from app.ui.style.theme import scaled, set_scaled_font, theme
from app.ui.widgets.layout_helpers import make_row_layout
from app.ui.widgets.widget_behavior import announce


class Toast(QWidget):
    """Temporary message at the top or bottom of a window, with an optional button. Never gets the
    focus.
    """

    action_requested = Signal()
    button_toggled = Signal(bool)  # (visible)

    # Minimum height at 100% text size. Transcripts end with an empty space of this height.
    HEIGHT = 44
    MAX_S = 45.0  # display time of a message that others are added to
    SETTLED_MS = 150
    """Delay before repositioning. The action that shows a toast may also add a button that the
    toast must not cover, e.g. *Continue* below a stopped reply.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        at_top: bool = False,
        # returns the window for the next message, by default ``parent``
        where: Callable[[], QWidget] | None = None,
        # returns the widget at whose lower edge toasts appear, if it is in the same window
        over: Callable[[], QWidget | None] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Notice"))
        self._home = parent
        self._find_window, self._find_anchor = where, over
        # Other windows get their own toast. Reparenting this toast would create a native window,
        # and destroying that window crashed Qt.
        self._overlay: Toast | None = None
        self.text = ""  # last message in any window
        self._at_top = at_top
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label = QLabel(self)
        set_scaled_font(self._label, t.LEAD_PX)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton(self)
        self.button.setObjectName("toast-action")
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.clicked.connect(self._on_clicked)
        make_row_layout(self._label, self.button, of=self, margins=(16, 8, 8, 8), spacing=12)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self._settle_timer = QTimer(self, singleShot=True, interval=self.SETTLED_MS)
        self._settle_timer.timeout.connect(self._update_geometry)
        theme().changed.connect(self.move_soon)
        self.hide()

    @Slot(str)
    def show_text(self, text: str, action: str = "", seconds: float | None = None) -> None:
        """Show a message, optionally with a button.

        ``seconds`` limits the display time. 0 means no limit, and None the time that reading takes.
        """
        if seconds is None:
            seconds = 6.0 if action else min(6.0, 1.2 + len(text) / 15)
        self.text = text
        window = self._find_window() if self._find_window is not None else self._home
        self.dismiss()
        if window is not self._home:
            self._overlay_in(window).show_text(text, action, seconds)
            return
        self._label.setText(text)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        if (layout := self.layout()) is not None:
            layout.setContentsMargins(16, 8, 8 if action else 16, 8)
        self._update_geometry()
        self.show()
        self.raise_()
        self.move_soon()
        self.setAccessibleName(text)
        announce(self, f"{text} {action}" if action else text)
        self.button_toggled.emit(bool(action))
        if seconds > 0:
            self._timer.start(round(seconds * 1000))
        else:
            self._timer.stop()

    def add_text(self, text: str) -> None:
        """Append to the current message, or replace it if it has a button."""
        overlay = self if self.isVisible() else self.visible_overlay
        if overlay is None or not overlay.isVisible() or not overlay.button.isHidden():
            self.show_text(text)
            return
        if text not in self.text:
            timer = overlay._timer
            left_s = timer.remainingTime() / 1000 + 6.0 if timer.isActive() else 0.0
            self.show_text(f"{self.text} {text}", seconds=min(self.MAX_S, left_s))

    def dismiss(self) -> None:
        self.hide()
        if (overlay := self.visible_overlay) is not None:
            overlay.hide()

    @property
    def visible_overlay(self) -> Toast | None:
        """Return the toast in another window, if the last message was shown there."""
        overlay = self._overlay
        return overlay if overlay is not None and shiboken6.isValid(overlay) else None

    def _overlay_in(self, window: QWidget) -> Toast:
        overlay = self.visible_overlay
        if overlay is None or overlay.parentWidget() is not window:
            overlay = self._overlay = Toast(window, at_top=self._at_top, over=self._find_anchor)
            overlay.action_requested.connect(self.action_requested)
            overlay.button_toggled.connect(self.button_toggled)
        return overlay

    def showEvent(self, event: QEvent) -> None:
        # Installed lazily, because windows get hundreds of events.
        self._home.installEventFilter(self)

    def hideEvent(self, event: QEvent) -> None:
        if shiboken6.isValid(self._home):  # a floating window may be gone before its toast
            self._home.removeEventFilter(self)
        self._timer.stop()
        self.button_toggled.emit(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._update_geometry()
        return False

    def _update_geometry(self) -> None:
        parent, layout = self.parentWidget(), self.layout()
        if parent is not None and layout is not None:
            # Wrap long messages.
            text = self._label.text()
            self._label.ensurePolished()  # measuring requires the final font
            wide = self._label.fontMetrics().horizontalAdvance(text) + 2
            reserved = 64 + (self.button.sizeHint().width() if not self.button.isHidden() else 0)
            area = self._area(parent)
            room = min(scaled(420), parent.width() - reserved)
            room = min(room, max(scaled(240), area.width() - reserved))
            self._label.setWordWrap(wide > room)
            # Lines of about equal length, so that the last one isn't a single word.
            lines = -(-wide // max(1, room))
            self._label.setFixedWidth(wide if lines == 1 else min(room, wide // lines + scaled(40)))
            self.setMinimumHeight(scaled(self.HEIGHT))
            layout.activate()  # otherwise the size never shrinks
            self.adjustSize()
            self.move(self._corner(parent, area))
            if not self._at_top:
                self.move(self.x(), self._free_top(parent))

    def _area(self, parent: QWidget) -> QRect:
        part = self._find_anchor() if self._find_anchor is not None else None
        if part is not None and parent.isAncestorOf(part) and part.isVisible():
            return QRect(part.mapTo(parent, QPoint()), part.size())
        return parent.rect()

    def _corner(self, parent: QWidget, area: QRect) -> QPoint:
        x = min(area.center().x() - self.width() // 2, parent.width() - self.width() - 16)
        return QPoint(max(16, x), 88 if self._at_top else area.bottom() - self.height() - 4)

    def _free_top(self, parent: QWidget) -> int:
        buttons = [
            QRect(button.mapTo(parent, QPoint()), button.size())
            for button in parent.findChildren(QPushButton)
            if button is not self.button and not button.visibleRegion().isEmpty()
        ]
        area = self.geometry()
        while covered := [rect for rect in buttons if rect.intersects(area)]:
            area.moveBottom(min(rect.top() for rect in covered) - 8)
        return area.top() if area.top() > parent.height() // 3 else self.y()

    @Slot()
    def move_soon(self) -> None:
        self._settle_timer.start()

    @Slot()
    def _on_clicked(self) -> None:
        if self._timer.isActive():  # messages without a timeout stay until hidden
            self.hide()
        self.action_requested.emit()
