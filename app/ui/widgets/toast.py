"""A short word over the window's foot or head, with at most one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.ui.style import tokens as t
from app.ui.style.theme import theme, ui_font


class Toast(QWidget):
    """Appears, waits, and goes by itself; it never takes the keys away.

    Signals:
        acted(): its button was pressed.
        offers(on): there is something to do about it now, or no more.
    """

    acted = Signal()
    offers = Signal(bool)

    def __init__(
        self,
        parent: QWidget,
        *,
        at_top: bool = False,
        where: Callable[[], QWidget] | None = None,
    ) -> None:
        """``where``: the window that the next word is to be in; ``parent`` unless it is given."""
        super().__init__(parent)
        self._home = parent
        self._where = where
        self._at_top = at_top
        self._label = QLabel(self)
        self._label.setFont(ui_font(14))
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton(self)
        self.button.setObjectName("toast-action")
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.clicked.connect(self._on_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(12)
        layout.addWidget(self._label)
        layout.addWidget(self.button)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        return self._label.text()

    def show_text(self, text: str, action: str = "", seconds: float = 6.0) -> None:
        """Say ``text``; ``action`` names the button, empty for none. 0 seconds: until hidden."""
        if self._where is not None:
            self._go_to(self._where())
        self._label.setText(text)
        # A sentence of the store wraps; a word or two keeps its line.
        self._label.setWordWrap(len(text) > 60)
        self._label.setFixedWidth(
            420 if len(text) > 60 else self._label.fontMetrics().horizontalAdvance(text) + 2
        )
        self.button.setText(action)
        self.button.setVisible(bool(action))
        margins = (16, 8, 8, 8) if action else (16, 10, 16, 10)
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(*margins)
            layout.activate()  # or a shorter text would keep the room of the one before
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self.offers.emit(bool(action))
        if seconds > 0:
            self._timer.start(round(seconds * 1000))
        else:
            self._timer.stop()

    def hideEvent(self, event: QEvent) -> None:
        self._timer.stop()
        self.offers.emit(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parentWidget() and event.type() == QEvent.Type.Resize:
            self._place()
        elif watched is not self._home and event.type() == QEvent.Type.Hide:
            # The other window goes: a word that still stands goes on in the main one.
            shown = not self.isHidden()
            self._go_to(self._home)
            self.setVisible(shown)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.tooltip))
        painter.drawRoundedRect(QRectF(self.rect()), t.RADIUS, t.RADIUS)

    def _go_to(self, window: QWidget) -> None:
        if window is not self.parentWidget():
            if (before := self.parentWidget()) is not None:
                before.removeEventFilter(self)
            window.installEventFilter(self)
            left = self._timer.remainingTime()
            self.setParent(window)  # hides it, which ends its time
            if left > 0:
                self._timer.start(left)
            self._place()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            top = 88 if self._at_top else parent.height() - self.height() - 96
            self.move((parent.width() - self.width()) // 2, top)

    @Slot()
    def _on_clicked(self) -> None:
        if self._timer.isActive():  # one that stands stays until it is hidden
            self.hide()
        self.acted.emit()
