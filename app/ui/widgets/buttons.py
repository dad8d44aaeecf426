from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QCursor,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

from app.settings.language import tr
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import focus_pen, scale_height, scaled, theme
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.widget_behavior import insert_shortcut, mirror_area


class PaintedButton(QAbstractButton):
    """Base class of custom-painted buttons. Unlike Qt's buttons, they react to Enter."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        popup = QApplication.activePopupWidget()
        if popup is not None and isValid(self):
            popup.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # If a button opens a popup under the mouse, Qt doesn't send a leave event.
        if event.type() == QEvent.Type.Hide:
            watched.removeEventFilter(self)
            over = self.rect().contains(self.mapFromGlobal(QCursor.pos()))
            self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, over)
            self.update()
        return False


class RemovableButton(PaintedButton):
    """Button for an item that can be removed with Delete."""

    remove_requested = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.remove_requested.emit()
        else:
            super().keyPressEvent(event)


class IconButton(PaintedButton):
    """Square icon button whose tooltip has its name and shortcut.

    The button is painted by hand because a screen full of messages has dozens of them, and style
    sheets are slow.
    """

    def __init__(
        self, name: str, tip: str, parent: QWidget | None = None, *, side: int = 28
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._revealed = True
        self._marked = False
        self._side = side
        self._update_size()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._set_tip(tip)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        theme().changed.connect(self._on_theme)

    def set_icon(self, name: str, tip: str | None = None) -> None:
        self._name = name
        if tip is not None:
            self._set_tip(tip)
        self.update()

    def set_revealed(self, revealed: bool) -> None:
        """Show or hide the icon, which keeps its space. It's visible while focused or marked."""
        if revealed != self._revealed:
            self._revealed = revealed
            self.update()

    def set_marked(self, marked: bool) -> None:
        if marked != self._marked:
            self._marked = marked
            self.update()

    def _set_tip(self, tip: str) -> None:
        """Set the tooltip: text, two spaces, then an optional shortcut in portable format."""
        self._tip = tip
        self._shown_tip = self.tip
        self.setToolTip(self._shown_tip)
        self.setAccessibleName(tip.partition("  ")[0])

    @property
    def tip(self) -> str:
        return insert_shortcut(self._tip)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._update_tip()
        super().enterEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._update_tip()
        super().focusInEvent(event)

    def _update_tip(self) -> None:
        """Update the shortcut in the tooltip, unless the tooltip was changed elsewhere."""
        if self.toolTip() == self._shown_tip != self.tip:
            self._shown_tip = self.tip
            self.setToolTip(self._shown_tip)

    def sizeHint(self) -> QSize:
        return self.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not (self._revealed or self._marked or self.hasFocus()):
            return
        row, tokens = RowPainter.for_widget(self), theme().tokens
        over = self.underMouse() and self.isEnabled()
        lit = self.isDown() or self.isChecked() or over
        ground = tokens.pressed if self.isDown() else tokens.hover
        row.ground(row.inner(), ground if lit else "")
        row.ground(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), ring=self.hasFocus())
        color = tokens.text if over or self.isDown() else tokens.muted
        if not self.isEnabled():
            row.painter.setOpacity(0.4)
        side = t.ICON if self._side >= 28 else t.SMALL_ICON
        row.line.setLeft((self.width() - scaled(side)) // 2)
        row.icon(self._name, tokens.accent if self.isChecked() else color, 0, side=side)
        if self._marked:
            row.painter.setPen(Qt.PenStyle.NoPen)
            row.painter.setBrush(QColor(tokens.accent))
            dot = QRectF(self.width() - 9, 4, 5, 5)
            row.painter.drawEllipse(mirror_area(self, dot))

    def _update_size(self) -> None:
        side = scale_height(self._side)
        self.setFixedSize(side, side)

    @Slot()
    def _on_theme(self) -> None:
        self._update_size()
        self.update()


class RoundButton(PaintedButton):
    SIDE = 32

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stops = False
        self.setFixedSize(self.SIDE, self.SIDE)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_stops(False)
        theme().changed.connect(self.update)

    def set_stops(self, stops: bool) -> None:
        self.stops = stops
        self.setToolTip(tr("Stop  Esc") if stops else tr("Send  Enter"))
        self.setAccessibleName(tr("Stop") if stops else tr("Send"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ready = self.isEnabled()
        ground = QColor(tokens.accent if ready else tokens.pressed)
        if ready and self.stops:
            ground = QColor(tokens.text)
        if ready and (self.underMouse() or self.isDown()):
            ground = ground.lighter(112) if tokens.dark else ground.darker(115)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = focus_pen()
            ring.setColor(QColor(tokens.accent if self.stops else tokens.text))
            painter.setPen(ring)
            painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        center = QPointF(self.rect().center()) + QPointF(0.5, 0.5)
        if self.stops:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.background))
            painter.drawRoundedRect(QRectF(center.x() - 5, center.y() - 5, 10, 10), 2, 2)
        else:
            color = tokens.accent_text if ready else tokens.muted
            side = min(scaled(t.SMALL_ICON), self.SIDE - 8)
            x, top = round(center.x()) - side // 2, round(center.y()) - side // 2
            icon("arrow-up", color).paint(painter, x, top, side, side)
