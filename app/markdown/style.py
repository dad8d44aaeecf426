"""Colors, sizes and Qt formats of rendered Markdown."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextFrameFormat,
    QTextOption,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.markdown import maths
from app.markdown.highlight import COLORS
from app.markdown.rows import (
    CELL_PAD,
    CODE_HEADER,
    CODE_PAD,
    LIST_INDENT,
    MARKER_GAP,
    PLAIN,
    QUOTE,
    QUOTE_INDENT,
    Ink,
    TableRow,
    TextRow,
)


class MarkdownStyle(Struct, frozen=True):
    """Style of rendered Markdown. Colors are "#rrggbb", sizes are in pixels."""

    text: str = "#1f1f1e"  # body text
    muted: str = "#6b6a66"  # quotes, list markers, and code labels
    border: str = "#dddcd7"  # borders of tables, and rules
    code_background: str = "#f6f5f1"  # code blocks
    inline_code_background: str = "#efeeea"  # inline code
    accent: str = "#2a62c9"  # links
    quote_bar: str = "#d3d1ca"  # bar next to a quote
    dark: bool = False  # use the dark colors for highlighted code
    # An empty name means the system font.
    font_family: str = ""
    font_px: int = 15  # font size of body text
    code_family: str = ""
    code_px: int = 13  # font size of code
    line_height: float = 1.5  # line height of body text, as a factor of the font size


LIGHT = MarkdownStyle()


_HEADINGS = {"heading1": 1.6, "heading2": 1.333, "heading3": 1.133, "heading4": 1.0}
_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_LEAST = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
_ALIGN = {"l": _LEFT, "c": Qt.AlignmentFlag.AlignHCenter, "r": _RIGHT}
_LOW = QTextCharFormat.VerticalAlignment.AlignSubScript
_HIGH = QTextCharFormat.VerticalAlignment.AlignSuperScript
_MARKED = ("#fff1a6", "#5a4d12")  # background of marked text: light, dark
_LINE = QTextFrameFormat.BorderStyle.BorderStyle_Solid


# Custom property for a background with padding and rounded corners.
INLINE_CODE = QTextFormat.Property.UserProperty.value + 1


class Formats:
    def __init__(self, style: MarkdownStyle) -> None:
        self.style = style
        self.char = lru_cache(maxsize=512)(self._char)
        self._level = lru_cache(maxsize=64)(self._measured_indent)
        self._marker = QFontMetricsF(self.marker_font())
        stop = 4 * QFontMetricsF(self.code_font()).horizontalAdvance(" ")
        left_tab = QTextOption.TabType.LeftTab
        self._tabs = [QTextOption.Tab(stop * number, left_tab) for number in range(1, 13)]

    def font(self) -> QFont:
        system = QFontDatabase.SystemFont.GeneralFont
        font = QFont(self.style.font_family or QFontDatabase.systemFont(system).family())
        font.setPixelSize(self.style.font_px)
        return font

    def marker_font(self) -> QFont:
        font = self.font()
        # Set this explicitly, because the widget's value would apply to painting but not to
        # measuring.
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def code_font(self) -> QFont:
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font = QFont(self.style.code_family) if self.style.code_family else QFont(fixed.family())
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setFixedPitch(True)
        font.setPixelSize(self.style.code_px)
        return font

    def row_char(self, row: TextRow) -> QTextCharFormat:
        """Return the format of the block itself, used for empty lines and list markers."""
        if row.item is not None:
            return self.char("marker", PLAIN, bool(row.bars))
        return self.char(row.kind, PLAIN, bool(row.bars))

    def indent(self, levels: tuple[str, ...]) -> int:
        return sum(map(self._level, levels))

    def marker_width(self, marker: str) -> float:
        return self._marker.horizontalAdvance(marker)

    def block(self, row: TextRow) -> QTextBlockFormat:
        style = self.style
        block = QTextBlockFormat()
        space = row.space
        indent, inset = self.indent(row.levels), 0
        if row.code is not None:
            block.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        elif row.levels or row.rtl:
            # Align with the list or quote, even if this text runs in the other direction.
            block.setAlignment((_RIGHT if row.rtl else _LEFT) | Qt.AlignmentFlag.AlignAbsolute)
        if row.kind == "code":
            height = self._pixels(style.code_px * 1.5)
            inset = CODE_PAD
            if row.first:
                space += CODE_HEADER
            if any("\t" in span.text for span in row.spans):
                block.setTabPositions(self._tabs)
        elif row.kind.startswith("heading"):
            height = self._pixels(self._font_px(row.kind) * 1.3)
            block.setHeadingLevel(int(row.kind[-1]))
        elif row.kind == "pad":
            height = CODE_PAD
        elif row.kind == "rule":
            height = 1
        else:
            height = self._pixels(style.font_px * style.line_height)
        block.setTopMargin(space)
        block.setLeftMargin(inset if row.rtl else indent + inset)
        block.setRightMargin(indent + inset if row.rtl else inset)
        formula = any(span.ink.math for span in row.spans)
        block.setLineHeight(height, _LEAST if formula else _FIXED)
        return block

    def table(self, row: TableRow) -> QTextTableFormat:
        """Return the format of a table, without borders because the lines belong to the cells."""
        form = QTextTableFormat()
        form.setBorder(0)
        form.setBorderCollapse(True)
        form.setCellSpacing(0)
        form.setCellPadding(0)
        form.setTopMargin(row.space)
        form.setHeaderRowCount(1)
        indent = self.indent(row.levels)
        if row.rtl:
            form.setAlignment(_RIGHT)
            form.setRightMargin(indent)
        else:
            form.setLeftMargin(indent)
        return form

    def cell(self, first_column: bool, rtl: bool = False) -> QTextTableCellFormat:
        outer, inner = 2 if first_column else 14, 14
        form = QTextTableCellFormat()
        form.setTopPadding(CELL_PAD)
        form.setBottomPadding(CELL_PAD)
        form.setLeftPadding(inner if rtl else outer)
        form.setRightPadding(outer if rtl else inner)
        form.setBottomBorder(1)
        form.setBottomBorderStyle(_LINE)
        form.setBottomBorderBrush(QBrush(QColor(self.style.border)))
        return form

    def cell_block(self, align: str, formula: bool, rtl: bool = False) -> QTextBlockFormat:
        block = QTextBlockFormat()
        # "l" is also the default alignment, which depends on the table's direction.
        aside = rtl and align == "l"
        block.setAlignment(_RIGHT | Qt.AlignmentFlag.AlignAbsolute if aside else _ALIGN[align])
        height = self._pixels(self.style.font_px * 1.4)
        block.setLineHeight(height, _LEAST if formula else _FIXED)
        return block

    def after_table(self) -> QTextBlockFormat:
        """Return a format that hides the empty block Qt requires after a table."""
        block = QTextBlockFormat()
        block.setLineHeight(1, _FIXED)
        return block

    def _measured_indent(self, level: str) -> int:
        if level == QUOTE:
            return QUOTE_INDENT
        indent = LIST_INDENT * self.style.font_px
        widest = max("0123456789", key=self.marker_width)
        room = self.marker_width(level.replace("0", widest)) + MARKER_GAP * self.style.font_px
        return ceil(max(indent - 0.5, room))

    def _char(self, kind: str, ink: Ink, quoted: bool) -> QTextCharFormat:
        style = self.style
        form = QTextCharFormat()
        boxed = ink.code or "kbd" in ink.tags
        font = self.code_font() if kind == "code" or boxed else self.font()
        quiet = (quoted and kind != "code") or kind == "marker"
        color = style.muted if quiet else style.text
        if kind.startswith("heading"):
            px = self._font_px(kind)
            font.setPixelSize(self._pixels(px * 0.9) if boxed else px)
            font.setWeight(QFont.Weight.DemiBold)
            if kind == "heading6":
                color = style.muted
        elif kind == "head":
            font.setWeight(QFont.Weight.DemiBold)
        if ink.bold:
            font.setWeight(QFont.Weight.DemiBold)
        if ink.italic:
            font.setItalic(True)
        if boxed:
            form.setProperty(INLINE_CODE, True)
        if ink.link:
            form.setAnchor(True)
            form.setAnchorHref(ink.link)
            color = style.accent
        if ink.token:
            color = COLORS[ink.token][style.dark]
        form.setFont(font)
        form.setFontUnderline(bool(ink.link) or "u" in ink.tags)
        form.setFontStrikeOut(ink.strike)
        form.setForeground(QColor(color))
        if "mark" in ink.tags:
            form.setBackground(QColor(_MARKED[style.dark]))
        if "sub" in ink.tags or "sup" in ink.tags:
            form.setVerticalAlignment(_LOW if "sub" in ink.tags else _HIGH)
        if ink.math:
            maths.format_formula(form, ink.math, ink.display)
        return form

    def _font_px(self, kind: str) -> int:
        return self._pixels(self.style.font_px * _HEADINGS.get(kind, 1.0))

    @staticmethod
    def _pixels(size: float) -> int:
        return int(size + 0.5)


@lru_cache(maxsize=8)
def formats_of(style: MarkdownStyle) -> Formats:
    """Return the formats for a style, shared by all documents."""
    return Formats(style)
