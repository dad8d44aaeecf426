"""A model's reasoning above its answer: one line that unfolds."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.language import tr
from app.markdown import MarkdownDocument
from app.ui.style.figures import thought_line
from app.ui.style.icons import icon
from app.ui.style.markdown_style import markdown_style
from app.ui.style.theme import grown, theme, ui_font
from app.ui.transcript.markdown_view import MarkdownView
from app.ui.widgets.buttons import PaintedButton
from app.ui.widgets.mirror import caret, mirrored


class FoldButton(PaintedButton):
    """A line like "Thought for 3 s" with a caret; a click folds and unfolds."""

    HEIGHT = 28

    def __init__(self, parent: QWidget, sign: str = "light-bulb") -> None:
        super().__init__(parent)
        self._sign = sign
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        width = QFontMetrics(ui_font()).horizontalAdvance(self.text())
        return QSize(width + 46, max(self.HEIGHT, grown(self.HEIGHT)))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = tokens.text if self.underMouse() else tokens.muted
        if self.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        middle = self.height() // 2
        sign = mirrored(self, QRectF(2, middle - 8, 16, 16)).toRect()
        icon(self._sign, colour).paint(painter, sign)
        painter.setFont(ui_font())
        painter.setPen(QColor(colour))
        text = QRectF(24, 0, self.width() - 24, self.height())
        painter.drawText(mirrored(self, text), Qt.AlignmentFlag.AlignVCenter, self.text())
        folded = caret("caret-right", rtl=self.isRightToLeft())
        end = mirrored(self, QRectF(self.width() - 18, middle - 6, 12, 12)).toRect()
        icon("caret-down" if self.isChecked() else folded, colour).paint(painter, end)


class Reasoning(QWidget):
    """The thought above an answer: open while it runs, folded when the answer begins.

    Once a person has folded or unfolded it, it stays so.

    Signals:
        resized(): ``arrange`` would give another height now.
    """

    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Thought"))
        self._markdown = MarkdownDocument(markdown_style(quiet=True), self)
        self._view = MarkdownView(self._markdown, self)
        self._view.setAccessibleName(tr("Thought"))
        self._fold = FoldButton(self)
        self._chosen = False
        self._fold.clicked.connect(self._on_clicked)
        self._view.height_changed.connect(self.resized)

    @property
    def text(self) -> str:
        return self._markdown.source

    def append(self, text: str) -> None:
        self._markdown.append(text)

    def set_state(self, *, running: bool, thought_s: float | None) -> None:
        """Open while the thought runs, folded when it has ended."""
        self._fold.setText(thought_line(None if running else thought_s or 0.0))
        self._fold.setAccessibleName(self._fold.text())
        if not running:
            self._markdown.finish()
        if not self._chosen and self._fold.isChecked() != running:
            self._fold.setChecked(running)
            self.resized.emit()
        self._fold.resize(self._fold.sizeHint())

    def restyle(self) -> None:
        self._markdown.set_style(markdown_style(quiet=True))
        self._fold.resize(self._fold.sizeHint())

    def arrange(self, width: int) -> int:
        """Place the parts for ``width`` pixels; returns the height needed."""
        self._fold.move(0, 0)
        self._view.setVisible(self._fold.isChecked())
        if not self._fold.isChecked():
            return self._fold.height()
        height = self._view.height_for(width - 18)
        self._view.setGeometry(18, self._fold.height() + 4, width - 18, height)
        return self._fold.height() + 4 + height + 4

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._fold.isChecked():
            painter = QPainter(self)
            bar = QRectF(8, self._fold.height() + 4, 2, self._view.height())
            painter.fillRect(bar, QColor(theme().tokens.divider))

    @Slot()
    def _on_clicked(self) -> None:
        self._chosen = True
        self.resized.emit()
