"""Formulas in a QTextDocument: vectors that stand on the line of the text.

A formula is one U+FFFC in the document. Its format carries the LaTeX, so that copying gives it
back, and `MathObject` draws what `tex` has made of it.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.markdown import tex

OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
SOURCE = QTextFormat.Property.UserProperty.value + 2
DISPLAY = QTextFormat.Property.UserProperty.value + 3

_ROOM = 4  # pixels above a formula that is set large, to the line of text there
_MIDDLE = QTextCharFormat.VerticalAlignment.AlignMiddle
_BASELINE = QTextCharFormat.VerticalAlignment.AlignBaseline


def apply(form: QTextCharFormat, source: str, display: bool) -> None:
    """Make `form`, whose font and colour are those of the text, a formula's."""
    form.setObjectType(OBJECT)
    form.setProperty(SOURCE, source)
    form.setProperty(DISPLAY, display)
    _, depth = _extent(form)
    # Qt puts an object on the descent of the font or half below the line, nothing else.
    deep = depth > QFontMetricsF(form.font()).descent()
    form.setVerticalAlignment(_MIDDLE if deep else _BASELINE)


def typed(form: QTextFormat) -> str:
    """The formula that the format is of, as Markdown."""
    return tex.typed(str(form.property(SOURCE)), bool(form.property(DISPLAY)))


class MathObject(QPyTextObject):
    """Draws the formulas of a document."""

    def intrinsicSize(self, doc: QTextDocument, pos: int, form: QTextFormat) -> QSizeF:
        char = form.toCharFormat()
        size, depth = _extent(char, doc)
        above = size.height() - depth
        room = _ROOM if char.property(DISPLAY) else 0
        if char.verticalAlignment() == _MIDDLE:
            raised = _raised(char)
            height = max(2 * above - raised, 2 * depth + raised)
            return QSizeF(size.width(), height + 2 * room)
        return QSizeF(size.width(), above + QFontMetricsF(char.font()).descent() + room)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        pos: int,
        form: QTextFormat,
    ) -> None:
        char, area = form.toCharFormat(), QRectF(rect)
        made = _made(char)
        if made is None:
            return
        size, depth = _extent(char, doc)
        line = area.bottom() - QFontMetricsF(char.font()).descent()
        if char.verticalAlignment() == _MIDDLE:
            line = area.center().y() + _raised(char) / 2
        top = line - (size.height() - depth)
        place = QRectF(area.left(), top, size.width(), size.height())
        _picture(made, char.foreground().color().name()).render(painter, place)


def _raised(char: QTextCharFormat) -> float:
    """Twice of how far above the line Qt puts the middle of an object: half the height of an x."""
    return QFontMetrics(char.font()).xHeight() / 2


def _made(char: QTextCharFormat) -> tex.Formula | None:
    return tex.formula(str(char.property(SOURCE)), bool(char.property(DISPLAY)))


def _extent(char: QTextCharFormat, document: QTextDocument | None = None) -> tuple[QSizeF, float]:
    """The formula's size beside text of this format, and what of its height is below the line.

    One that is wider than its document is made smaller.
    """
    made = _made(char)
    if made is None:
        return QSizeF(0, 0), 0.0
    scale = char.font().pixelSize() / tex.EM
    if document is not None and document.textWidth() > 0:
        scale = min(scale, document.textWidth() / made.width)
    return QSizeF(made.width * scale, made.height * scale), made.depth * scale


@lru_cache(maxsize=256)
def _picture(made: tex.Formula, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(made.svg.replace(tex.INK, colour).encode()))
