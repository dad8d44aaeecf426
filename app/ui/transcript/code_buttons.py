"""The buttons of the code block under the pointer: copy it, break its long lines."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QWidget

from app.language import tr
from app.markdown import CodeBlock, MarkdownDocument
from app.ui.style.icons import icon
from app.ui.style.theme import theme
from app.ui.transcript.wide_code import WideCode

_SIDE = 24


class CodeButtons(QObject):
    """Painted, not made of widgets: an answer may have dozens of code blocks.

    Signals:
        copied(): a code block went to the clipboard.
    """

    copied = Signal()

    def __init__(
        self, markdown: MarkdownDocument, wide: WideCode, viewport: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._markdown = markdown
        self._wide = wide
        self._viewport = viewport
        self._pointer = QPoint(-1, -1)
        self._pointed: tuple[object, str] = (None, "")
        self.held: CodeBlock | None = None

    @property
    def code(self) -> CodeBlock | None:
        """The code block under the pointer, or the one that has the keys."""
        return self.code_at(self._pointer) or self.held

    @property
    def action(self) -> str:
        """What the button under the pointer does: "copy", "wrap", or "" if there is none."""
        code = self.code
        buttons = self._places(code).items() if code is not None else ()
        return next((name for name, area in buttons if area.contains(self._pointer)), "")

    def code_at(self, at: QPoint) -> CodeBlock | None:
        """The code block at a point of the document."""
        if at.y() < 0:
            return None
        clip = QRectF(at.x(), at.y(), 1, 1)
        area = self._markdown.code_area
        codes = self._markdown.code_blocks(clip)
        return next((code for code in codes if area(code).contains(at.toPointF())), None)

    def hold(self, code: CodeBlock | None) -> None:
        """The keys are at this block, or at none."""
        self.held = code
        self._viewport.update()

    def can_wrap(self, code: CodeBlock) -> bool:
        """Whether it has lines that may be broken, or are."""
        return code.wrapped or self._wide.hidden(code) > 0

    def point(self, at: QPoint) -> None:
        """Follow the pointer."""
        self._pointer = at
        code, action = self.code, self.action
        tip = ""
        if code is not None and action:
            wrap = tr("Do not wrap lines") if code.wrapped else tr("Wrap long lines")
            tip = tr("Copy code") if action == "copy" else wrap
        if tip:
            self._viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._viewport.toolTip():
            self._viewport.setCursor(Qt.CursorShape.IBeamCursor)
        self._viewport.setToolTip(tip)
        pointed = (code.name if code is not None else None, action)
        if pointed != self._pointed:
            self._pointed = pointed
            self._viewport.update()

    def press(self) -> bool:
        """Do what the button under the pointer does; False if there is none."""
        code, action = self.code, self.action
        if code is None or not action:
            return False
        self.act(action, code)
        return True

    def act(self, action: str, code: CodeBlock) -> None:
        """Copy the code, or break its long lines or leave them whole."""
        if action == "copy":
            QGuiApplication.clipboard().setText(code.source)
            self.copied.emit()
        else:
            self._markdown.wrap(code.name, not code.wrapped)
            self.point(self._pointer)
            self._viewport.update()

    def paint(self, painter: QPainter, code: CodeBlock) -> None:
        """Paint the buttons of a block."""
        tokens, action = theme().tokens, self.action
        if self.held is not None and self.held.name == code.name:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = self._markdown.code_area(code).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(ring, 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        for name, area in self._places(code).items():
            strong = name == action or (name == "wrap" and code.wrapped)
            painter.setBrush(QColor(tokens.pressed if strong else tokens.code_background))
            painter.drawRoundedRect(area, 6, 6)
            colour = tokens.text if strong else tokens.muted
            picture = icon("copy", colour) if name == "copy" else icon("wrap", colour)
            picture.paint(painter, area.adjusted(4, 4, -4, -4))

    def _places(self, code: CodeBlock) -> dict[str, QRect]:
        """Where a block's buttons are, by what they do."""
        area = self._markdown.code_area(code)
        place = QRect(round(area.right()) - _SIDE - 4, round(area.top()) + 3, _SIDE, _SIDE)
        places = {"copy": place}
        if self.can_wrap(code):
            places["wrap"] = place.translated(-_SIDE - 2, 0)
        return places
