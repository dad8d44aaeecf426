"""Painting of rows with icons and text in widgets and item views, mirrored if right-to-left."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.style import tokens as t
from app.ui.style.icons import badge_icon, draw_dot, icon
from app.ui.style.theme import focus_pen, scale_height, scaled, theme, ui_font

Index = QModelIndex | QPersistentModelIndex
Marks = tuple[tuple[int, int], ...]

_RIGHT = Qt.TextElideMode.ElideRight


class RowPainter:
    """Paints icons and text into a row, working inwards from both ends.

    Attributes:
        line: space that's still free, in left-to-right coordinates.
        painter: can be used directly for custom painting.
    """

    def __init__(
        self, painter: QPainter, line: QRect, around: QRect, direction: Qt.LayoutDirection
    ) -> None:
        """Paint inside ``around``, mirrored if the direction is right-to-left."""
        self.painter, self.line = painter, QRect(line)
        self._around, self._direction = QRect(around), direction
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    @classmethod
    def for_widget(cls, widget: QWidget, start: int = 0, end: int = 0) -> RowPainter:
        """Create a painter for a widget consisting of a single row. Margins are in pixels."""
        line = widget.rect().adjusted(start, 0, -end, 0)
        return cls(QPainter(widget), line, widget.rect(), widget.layoutDirection())

    def inner(self, inset: int = 1) -> QRect:
        return self._around.adjusted(inset, 1, -inset, -1)

    def to_visual(self, part: QRect) -> QRect:
        """Return a rectangle given in left-to-right coordinates, mirrored if needed."""
        return QStyle.visualRect(self._direction, self._around, part)

    def ground(
        self, area: QRectF | QRect, color: str = "", *, ring: bool = False, radius: float = 6
    ) -> None:
        """Paint a rounded rectangle, filled if there's a color. ``ring`` adds a focus ring."""
        if color or ring:
            self.painter.setPen(focus_pen() if ring else QPen(Qt.PenStyle.NoPen))
            self.painter.setBrush(QColor(color) if color else Qt.BrushStyle.NoBrush)
            self.painter.drawRoundedRect(QRectF(area), radius, radius)

    def icon(
        self, name: str, color: str, gap: int, *, side: int = t.SMALL_ICON, end: bool = False
    ) -> None:
        size = scaled(side)
        x = self.line.right() + 1 - size if end else self.line.left()
        top = self.line.top() + (self.line.height() - size) // 2
        icon(name, color).paint(self.painter, self.to_visual(QRect(x, top, size, size)))
        self._skip(size + gap, end=end)

    def caret(self, color: str, gap: int, *, unfolded: bool, end: bool = False) -> None:
        rtl = self._direction == Qt.LayoutDirection.RightToLeft
        folded = "caret-left" if rtl else "caret-right"
        self.icon("caret-down" if unfolded else folded, color, gap, side=12, end=end)

    def dot(self, color: str, gap: int, *, alpha: int = 255, ring: bool = False) -> None:
        top = self.line.top() + self.line.height() // 2 - 4
        center = QRectF(self.to_visual(QRect(self.line.right() - 7, top, 8, 8))).center()
        draw_dot(self.painter, center, color, alpha, ring=ring)
        self._skip(8 + gap, end=True)

    def badge(self, count: int, gap: int) -> None:
        tokens = theme().tokens
        top = self.line.top() + self.line.height() // 2 - 8
        rect = self.to_visual(QRect(self.line.right() - 15, top, 16, 16))
        badge_icon(count, tokens.accent, tokens.accent_text).paint(self.painter, rect)
        self._skip(16 + gap, end=True)

    def text(
        self,
        words: str,
        color: str,
        gap: int = 0,
        *,
        font: QFont | None = None,
        elide: Qt.TextElideMode = _RIGHT,
        most: int | None = None,
        end: bool = False,
    ) -> None:
        """Paint a line of text, elided to the free space or ``most`` pixels."""
        if font is not None:
            self.painter.setFont(font)
        self.painter.setPen(QColor(color))
        measure = self.painter.fontMetrics()
        room = self.line.width() if most is None else min(most, self.line.width())
        visible_text = measure.elidedText(words, elide, max(0, room))
        flags = int(Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
        flags |= int(Qt.AlignmentFlag.AlignRight if end else Qt.AlignmentFlag.AlignLeft)
        self.painter.drawText(self.to_visual(self.line), flags, visible_text)
        if visible_text:
            self._skip(measure.horizontalAdvance(visible_text) + gap, end=end)

    def fits(self, *texts: tuple[str, QFont], gap: int) -> bool:
        width = sum(gap + QFontMetrics(font).horizontalAdvance(words) for words, font in texts)
        return width - gap <= self.line.width()

    def draw_marked_text(self, words: str, marks: Marks, color: str, font: QFont) -> None:
        """Paint text with parts in bold, in all of the remaining space."""
        self.painter.setFont(font)
        self.painter.setPen(QColor(color))
        _draw_marked(self.painter, self.to_visual(self.line), words, marks)
        self.line.setLeft(self.line.right())

    def _skip(self, pixels: int, *, end: bool) -> None:
        if end:
            self.line.setRight(self.line.right() - pixels)
        else:
            self.line.setLeft(self.line.left() + pixels)


def _draw_marked(painter: QPainter, area: QRect, text: str, marks: Marks) -> None:
    """Paint a line of text whose marked ranges are bold and in the normal text color."""
    layout = _text_layout(painter, text, marks)
    line = layout.lineAt(0)
    if line.naturalTextWidth() > area.width():
        room = area.width() - painter.fontMetrics().horizontalAdvance("…")
        end = line.xToCursor(room, QTextLine.CursorPosition.CursorBetweenCharacters)
        # Qt counts in UTF-16 code units here.
        cut = text.encode("utf-16-le")[: 2 * end].decode("utf-16-le", "ignore")
        layout = _text_layout(painter, cut.rstrip() + "…", marks)
    line = layout.lineAt(0)
    top = area.top() + (area.height() - line.height()) / 2
    # If the direction were set in `QTextOption`, Qt would align the text to the far end of a 1e6 px
    # line.
    x = area.left() - line.naturalTextRect().left()
    if painter.layoutDirection() == Qt.LayoutDirection.RightToLeft:
        x += area.width() - line.naturalTextWidth()
    layout.draw(painter, QPointF(x, top))


def _text_layout(painter: QPainter, text: str, marks: Marks) -> QTextLayout:
    layout = QTextLayout(text, painter.font())
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.DemiBold)
    bold.setForeground(QColor(theme().tokens.text))
    formats = []
    for begin, end in marks:
        if begin < len(text):
            part = QTextLayout.FormatRange()
            part.start = _utf16_length(text[:begin])
            part.length = _utf16_length(text[begin:end])
            part.format = bold
            formats.append(part)
    layout.setFormats(formats)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    layout.createLine().setLineWidth(1e6)
    layout.endLayout()
    return layout


def _utf16_length(text: str) -> int:
    """Length in UTF-16 code units, which is what Qt uses."""
    return len(text) + sum(letter > "\uffff" for letter in text)


class RowState(Struct, frozen=True):
    """Contents of a row to paint. Colors refer to theme tokens.

    Attributes:
        marks, below_marks: ranges of ``title`` and ``below`` to paint in bold.
        indent: indentation in pixels.
        unfolded: direction of an arrow before the title, None for no arrow.
        end: text at the end of the first line. Gets up to half the space if there's a title.
        title_first: leave out `end` if the title doesn't fit next to it.
        badge, dot, ring: a count, dot or ring after everything else.
        end_unfolded: direction of an arrow after everything else, None for no arrow.
        beside: muted text following the title.
        below: second line. None for a single-line row.
    """

    title: str
    px: int = t.UI_PX
    weight: QFont.Weight = QFont.Weight.Normal
    color: str = "text"
    elide: Qt.TextElideMode = _RIGHT
    marks: Marks | None = None
    indent: int = 0
    icon: str = ""
    unfolded: bool | None = None
    badge_icon: int = 0
    dot: bool = False
    ring: bool = False
    end_icon: str = ""
    end_unfolded: bool | None = None
    end: str = ""
    end_px: int = t.SMALL_PX
    end_color: str = "muted"
    end_elide: Qt.TextElideMode = _RIGHT
    title_first: bool = False
    beside: str = ""
    below: str | None = None
    below_color: str = "muted"
    below_marks: Marks = ()


def prepare_row_view(view: QAbstractItemView, name: str) -> None:
    """Set what all views of painted rows have in common. ``name`` is for screen readers."""
    view.setAccessibleName(name)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.viewport().setAutoFillBackground(False)


class RowDelegate(QStyledItemDelegate):
    """Item delegate that paints rows from a `RowState`, with up to two lines."""

    PADDING = 10

    def __init__(
        self,
        parent: QObject | None,
        state_of: Callable[[Index], RowState | None],
        *,
        inset: int = 1,
        height: int = t.ROW,
        lines: int = 1,
    ) -> None:
        """``inset`` is the horizontal margin of the background in pixels."""
        super().__init__(parent)
        self._state_of, self._inset = state_of, inset
        self._height, self._lines = height, lines
        self.alpha = 255  # opacity of pulsing rings
        self.painted = QRect()  # region to be painted; empty means everything

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, scale_height(self._height, self._lines))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if (state := self._state_of(index)) is None:
            return
        painter.save()
        area: QRect = option.rect.adjusted(self._inset, 1, -self._inset, -1)
        row = RowPainter(painter, area, option.rect, option.direction)
        strong = self.paint_ground(row, option, index)
        self.paint_state(row, state, strong=strong)
        painter.restore()

    def paint_ground(self, row: RowPainter, option: QStyleOptionViewItem, index: Index) -> bool:
        """Paint the background. Return True if it's too dark for muted text."""
        tokens = theme().tokens
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        color = tokens.accent_quiet if is_selected else tokens.hover if over else ""
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        row.ground(row.line, color, ring=focused or (is_selected and tokens.strong), radius=7)
        return is_selected

    def paint_state(self, row: RowPainter, state: RowState, *, strong: bool) -> None:
        def shade(name: str) -> str:
            return str(getattr(theme().tokens, "text" if strong and name == "muted" else name))

        row.line.adjust(self.PADDING + state.indent, 0, -self.PADDING, 0)
        line = QRect(row.line)
        if state.below is not None:
            row.line.setHeight(scale_height(30))
        if state.badge_icon:
            row.badge(state.badge_icon, 8)
        elif state.dot:
            row.dot(shade("accent"), 8, alpha=self.alpha if state.ring else 255, ring=state.ring)
        if not self.painted.isEmpty() and not self.painted.intersects(row.to_visual(row.line)):
            return  # only a dot needs repainting
        if state.end_unfolded is not None:
            row.caret(shade("muted"), 6, unfolded=state.end_unfolded, end=True)
        if state.end_icon:
            row.icon(state.end_icon, shade("accent"), 6, side=14, end=True)
        if state.icon:
            row.icon(state.icon, shade("muted"), 10)
        if state.unfolded is not None:
            row.caret(shade("muted"), 4, unfolded=state.unfolded)
        font, end_font = ui_font(state.px, state.weight), ui_font(state.end_px)
        if not state.title_first or row.fits((state.title, font), (state.end, end_font), gap=12):
            row.text(
                state.end,
                shade(state.end_color),
                12,
                font=end_font,
                elide=state.end_elide,
                most=row.line.width() // 2 if state.title else None,
                end=True,
            )
        if state.marks is not None:
            row.draw_marked_text(state.title, state.marks, shade(state.color), font)
        else:
            row.text(state.title, shade(state.color), 10, font=font, elide=state.elide)
        if state.beside and row.line.width() > 72:
            font = ui_font(state.px)
            row.text(state.beside, shade("muted"), font=font, elide=Qt.TextElideMode.ElideMiddle)
        if state.below:
            top, height = line.top() + scale_height(24), scale_height(20)
            row.line = QRect(line.left(), top, line.width(), height)
            color, font = shade(state.below_color), ui_font(t.SMALL_PX)
            if state.below_marks:
                row.draw_marked_text(state.below, state.below_marks, color, font)
            else:
                row.text(state.below, color, font=font)
