"""Formulas in a QTextDocument, drawn as vectors on the text's baseline.

In the document, a formula is a U+FFFC whose format has the LaTeX source. `MathObject` draws the
result of `tex`.
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

_ROOM = 4  # pixels between a display formula and the text above
_MIDDLE = QTextCharFormat.VerticalAlignment.AlignMiddle
_BASELINE = QTextCharFormat.VerticalAlignment.AlignBaseline


def format_formula(form: QTextCharFormat, source: str, display: bool) -> None:
    """Turn `form`, a text format with font and color, into the format of a formula."""
    form.setObjectType(OBJECT)
    form.setProperty(SOURCE, source)
    form.setProperty(DISPLAY, display)
    _, depth = _measure(form)
    # Qt can only align objects to the font's descent or to the center.
    deep = depth > QFontMetricsF(form.font()).descent()
    form.setVerticalAlignment(_MIDDLE if deep else _BASELINE)


class MathObject(QPyTextObject):
    def intrinsicSize(self, doc: QTextDocument, pos: int, form: QTextFormat) -> QSizeF:
        char = form.toCharFormat()
        size, depth = _measure(char, doc)
        above = size.height() - depth
        room = _ROOM if char.property(DISPLAY) else 0
        if char.verticalAlignment() == _MIDDLE:
            raised = _object_rise(char)
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
        formula = _formula(char)
        if formula is None:
            return
        size, depth = _measure(char, doc)
        line = area.bottom() - QFontMetricsF(char.font()).descent()
        if char.verticalAlignment() == _MIDDLE:
            line = area.center().y() + _object_rise(char) / 2
        top = line - (size.height() - depth)
        area_used = QRectF(area.left(), top, size.width(), size.height())
        _picture(formula, char.foreground().color().name()).render(painter, area_used)


def _object_rise(char: QTextCharFormat) -> float:
    """Return half the x-height. Qt centers objects at half of this height above the baseline."""
    return QFontMetrics(char.font()).xHeight() / 2


def _formula(char: QTextCharFormat) -> tex.Formula | None:
    return tex.formula(str(char.property(SOURCE)), bool(char.property(DISPLAY)))


def _measure(char: QTextCharFormat, document: QTextDocument | None = None) -> tuple[QSizeF, float]:
    """Return a formula's size in text of this format, and its height below the baseline.

    Formulas wider than the document are scaled down.
    """
    formula = _formula(char)
    if formula is None:
        return QSizeF(0, 0), 0.0
    scale = char.font().pixelSize() / tex.EM
    if document is not None and document.textWidth() > 0:
        scale = min(scale, document.textWidth() / formula.width)
    return QSizeF(formula.width * scale, formula.height * scale), formula.depth * scale


@lru_cache(maxsize=256)
def _picture(formula: tex.Formula, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(formula.svg.replace(tex.INK, color).encode()))
