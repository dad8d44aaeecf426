"""Code that is wider than its block: clipped, and moved by wheel, bar and selection."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QPainter, QTextCursor, QWheelEvent

from app.markdown import CodeBlock, MarkdownDocument
from app.markdown.spacing import CODE_HEADER, CODE_PAD
from app.ui.style.theme import theme

_BAR = 4
_FOOT = 12  # from the foot of a block: where the bar is taken hold of
_SHORTEST = 32


class WideCode(QObject):
    """How far each wide code block of a document is moved, in the document's coordinates."""

    def __init__(self, markdown: MarkdownDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._markdown = markdown
        self._moved: dict[tuple[int, int], float] = {}
        self._held: tuple[tuple[int, int], float] | None = None  # a bar, and where on it

    @property
    def held(self) -> bool:
        """Whether a bar is being dragged."""
        return self._held is not None

    def blocks(self, clip: QRectF) -> list[CodeBlock]:
        """The blocks whose lines touch the clip and have more to the side than is seen."""
        return [
            code
            for code in self._markdown.code_blocks(clip)
            if self.hidden(code) > 0 and self.lines(code).intersects(clip)
        ]

    def at(self, y: float) -> CodeBlock | None:
        """The wide block whose lines are at this height."""
        clip = QRectF(0, y, 1, 1)
        return next((code for code in self.blocks(clip) if self.lines(code).contains(1, y)), None)

    def hidden(self, code: CodeBlock) -> float:
        """How many pixels of the widest line do not fit."""
        room = self._markdown.code_area(code).width() - 2 * CODE_PAD
        over = self._markdown.code_width(code) - room
        return over if over >= 1 else 0.0

    def moved(self, code: CodeBlock) -> float:
        """How many pixels of the lines are hidden to the left."""
        return min(self._moved.get(code.name, 0.0), self.hidden(code))

    def move(self, code: CodeBlock, to: float) -> None:
        """Hide this many pixels to the left, or as many as can be."""
        self._moved[code.name] = max(0.0, min(to, self.hidden(code)))

    def lines(self, code: CodeBlock) -> QRectF:
        """The block below its header, from edge to edge of the document."""
        area = self._markdown.code_area(code)
        return QRectF(0, area.top() + CODE_HEADER, area.right(), area.height() - CODE_HEADER)

    def moved_at(self, y: float) -> float:
        """How far what is seen at this height is from its place in the document."""
        code = self.at(y) if self._moved else None
        return self.moved(code) if code is not None else 0.0

    def reveal(self, cursor: QTextCursor, x: float, y: float) -> bool:
        """Move the block around so that the cursor's place (x, y) is seen; True if it moved."""
        code = self.at(y)
        if code is None or not code.first_position <= cursor.position() <= code.last_position:
            return False
        area, before = self._markdown.code_area(code), self.moved(code)
        left, right = area.left() + CODE_PAD, area.right() - CODE_PAD
        self.move(code, min(max(before, x - right), x - left))
        return self.moved(code) != before

    # By pointer.

    def wheel(self, event: QWheelEvent) -> bool:
        """Take a wheel that turns sideways; False if it is not for a code block."""
        code = self.at(event.position().y())
        if code is None:
            return False
        turned = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        sideways = turned.x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not sideways:
            sideways = turned.y()
        elif abs(sideways) <= abs(turned.y()):
            return False
        self.move(code, self.moved(code) - sideways)
        return True

    def press(self, at: QPointF) -> bool:
        """Take hold of the bar there; False if there is none."""
        code = self.at(at.y())
        if code is None or at.y() < self.lines(code).bottom() - _FOOT:
            return False
        handle = self._handle(code)
        within = at.x() - handle.left()
        self._held = (code.name, within if 0 <= within <= handle.width() else handle.width() / 2)
        self.drag(at)
        return True

    def drag(self, at: QPointF) -> None:
        """Move the bar that is held to the pointer."""
        if self._held is None:
            return
        name, within = self._held
        code = next((c for c in self._markdown.code_blocks() if c.name == name), None)
        if code is not None and self.hidden(code):
            track, handle = self._track(code), self._handle(code)
            way = (at.x() - within - track.left()) / max(track.width() - handle.width(), 1.0)
            self.move(code, way * self.hidden(code))

    @Slot()
    def release(self) -> None:
        """Let go of the bar."""
        self._held = None

    # Painting.

    def paint(
        self,
        painter: QPainter,
        code: CodeBlock,
        context: QAbstractTextDocumentLayout.PaintContext,
        clip: QRectF,
        strong: bool,
    ) -> None:
        """Draw the block's text, cut off at its edges, and the bar below it."""
        moved, area = self.moved(code), self._markdown.code_area(code)
        lines = self.lines(code)
        lines.setLeft(area.left())
        seen = lines.intersected(clip)
        if seen.isEmpty():
            return  # to Qt an empty clip is none: it would draw the whole document
        painter.save()
        painter.setClipRect(seen)
        painter.translate(-moved, 0)
        context.clip = seen.translated(moved, 0)
        self._markdown.document.documentLayout().draw(painter, context)
        painter.restore()
        tokens = theme().tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.muted if strong or self.held else tokens.border_strong))
        painter.drawRoundedRect(self._handle(code), _BAR / 2, _BAR / 2)
        painter.restore()

    def _track(self, code: CodeBlock) -> QRectF:
        area = self._markdown.code_area(code)
        top = area.bottom() - (_FOOT + _BAR) / 2
        return QRectF(area.left() + CODE_PAD, top, area.width() - 2 * CODE_PAD, _BAR)

    def _handle(self, code: CodeBlock) -> QRectF:
        track, hidden = self._track(code), self.hidden(code)
        width = max(track.width() * track.width() / (track.width() + hidden), _SHORTEST)
        left = (track.width() - width) * self.moved(code) / hidden if hidden else 0.0
        return QRectF(track.left() + left, track.top(), width, _BAR)
