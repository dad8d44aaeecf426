"""A model's card: its maker's words, rendered by the program itself. Nothing in it is fetched."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.language import tr
from app.markdown import MarkdownDocument
from app.ui.style.markdown_style import markdown_style
from app.ui.style.theme import theme
from app.ui.widgets.textview import TextView


class CardView(QScrollArea):
    """Shows one card, which scrolls in its own area."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("Model card"))
        self._markdown = MarkdownDocument(markdown_style(quiet=True), self)
        self.view = _Words(self._markdown, self)
        self.view.setAccessibleName(tr("Model card"))
        self.setWidget(self.view)
        self.view.height_changed.connect(self._lay_out)
        theme().changed.connect(self._on_theme)

    @property
    def text(self) -> str:
        """The card as it reads."""
        return self._markdown.plain_text()

    def show_card(self, markdown: str) -> None:
        """Show a card in place of the one before; "" shows nothing."""
        self._markdown.set_text(markdown)
        self._markdown.finish()
        for code in self._markdown.code_blocks():
            self._markdown.wrap(code.name, True)  # there is no moving sideways here
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        self.setVisible(bool(markdown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    @Slot()
    def _lay_out(self) -> None:
        width = max(80, self.viewport().width())
        self.view.resize(width, self.view.height_for(width) + 4)

    @Slot()
    def _on_theme(self) -> None:
        self._markdown.set_style(markdown_style(quiet=True))
        self._lay_out()


class _Words(TextView):
    """The card's text with what is painted under it."""

    def __init__(self, markdown: MarkdownDocument, parent: QWidget) -> None:
        super().__init__(markdown.document, parent)
        self._markdown = markdown

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._markdown.paint_under(painter, QRectF(event.rect()))
        painter.end()
        super().paintEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
