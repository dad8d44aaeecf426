"""The entry at the foot of the sidebar that leads to the trash."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.language import tr
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import grown, theme, ui_font
from app.ui.widgets.buttons import PaintedButton
from app.ui.widgets.mirror import mirrored


class TrashButton(PaintedButton):
    """A row like those of the chats above it, with an icon."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(tr("Trash"))
        self.setToolTip(tr("Deleted chats"))
        self.setAccessibleName(tr("Trash"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._on_theme()
        theme().changed.connect(self._on_theme)

    def sizeHint(self) -> QSize:
        return QSize(100, grown(t.ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(8, 1, -8, -1)
        over = self.underMouse() or self.isDown()
        if over or self.hasFocus():
            painter.setPen(QColor(tokens.accent) if self.hasFocus() else Qt.PenStyle.NoPen)
            ground = QColor(tokens.pressed if self.isDown() else tokens.hover)
            painter.setBrush(ground if over else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 7, 7)
        colour = tokens.text if over else tokens.muted
        top = round(area.center().y()) - 8
        sign = QRectF(round(area.left()) + 8, top, 16, 16)
        icon("trash", colour).paint(painter, mirrored(self, sign).toRect())
        painter.setPen(QColor(colour))
        painter.setFont(ui_font(t.UI_PX))
        words = mirrored(self, area.adjusted(32, 0, 0, 0))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())

    @Slot()
    def _on_theme(self) -> None:
        self.setFixedHeight(grown(t.ROW))
        self.update()
