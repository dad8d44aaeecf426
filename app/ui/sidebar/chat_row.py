"""One row of the sidebar: as it is painted, and as it is read out."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace
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
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.chats.attached import numbers_of
from app.chats.organising import ARCHIVE
from app.settings.language import counted, number, tr
from app.store import UNTITLED, ChatRecord, SearchHit
from app.ui.style import tokens as t
from app.ui.style.icons import badge, draw_dot, icon
from app.ui.style.theme import grown, scaled, theme, ui_font
from app.ui.widgets.manners import caret


class Row(Struct, frozen=True):
    """One line of the list."""

    text: str  # the chat's title, the folder's name, or the heading
    chat_id: str = ""  # empty for what is no chat
    message_id: str | None = None  # where a search found its words
    snippet: str = ""  # the words around the place found
    # marks, title_marks: where the words looked for stand in the snippet and in the title
    marks: tuple[tuple[int, int], ...] = ()
    title_marks: tuple[tuple[int, int], ...] = ()
    # kind, depth: as in `Entry`
    kind: str = "heading"
    depth: int = 0
    folder_id: str = ""  # of a folder, or ARCHIVE
    count: int = 0  # how many chats are in it
    unfolded: bool = False  # whether they are shown
    tags: tuple[str, ...] = ()  # of a chat
    # the file and page where a search found its words, or the folder of a pinned chat
    place: str = ""
    holds: tuple[str, ...] = ()  # of a group that is folded, its chats

    @property
    def aside(self) -> list[str]:
        """What stands at the end of its title: a hit's place, or what a chat is sorted by."""
        sorted_by = [] if self.snippet else [f"#{tag}" for tag in self.tags]
        return [*([self.place] if self.place else []), *sorted_by]


ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
LIVING_ROLE = ROW_ROLE + 1
UNSEEN_ROLE = ROW_ROLE + 2
WAITING_ROLE = ROW_ROLE + 3
"""How many calls of tools wait for the person in what the row stands for."""


def found_row(chat: ChatRecord, hit: SearchHit) -> Row:
    title, own = chat.shown_title, chat.title or tr(UNTITLED)
    found = Row(title, chat.id, hit.message_id, kind="chat", tags=chat.tags)
    if hit.message_id is None or hit.snippet == own:  # the title says it all
        return replace(found, title_marks=hit.marks)
    page = f", {numbers_of(hit.unit, [hit.page])}" if hit.file and hit.unit else ""
    where = replace(found, place=f"{hit.file}{page}", title_marks=hit.title_marks)
    return replace(where, snippet=hit.snippet, marks=hit.marks)


def name(row: Row, *, living: bool, unseen: bool, waiting: bool = False) -> str:
    """The row with its state: "Trees, answering"."""
    if row.kind == "heading":
        return row.text
    parts = [row.text]
    if row.kind != "chat":
        group = tr("group", "of chats that were asked together")
        kinds = {"folder": tr("folder"), "group": group}
        parts.append(kinds.get(row.kind, tr("archived chats")))
        parts.append(counted("%Ln chat", "%Ln chats", row.count))
        parts.append(tr("expanded") if row.unfolded else tr("collapsed"))
    if waiting:
        parts.append(tr("waits for your answer"))
    elif living:
        parts.append(tr("replying"))
    elif unseen:
        parts.append(tr("unread"))
    return ", ".join(parts)


def description(row: Row, chat: ChatRecord | None, *, opened: bool) -> str:
    """What else there is to know: where it was found, whether it is open, pinned, tagged."""
    parts = list(filter(None, (row.place, row.snippet)))
    if opened:
        parts.append(tr("open", "it stands in a pane"))
    if chat is not None:
        parts += [tr("pinned")] if chat.pinned_at is not None else []
        parts += [tr("archived")] if chat.archived_at is not None else []
        parts += [tr("tagged {tags}", tags=", ".join(chat.tags))] if chat.tags else []
    return ", ".join(parts)


Index = QModelIndex | QPersistentModelIndex


Place = Callable[[QRect], QRect]
"""Where a part belongs that is placed from the left, in the direction of the window."""

INDENT = 20  # pixels for each level of folders


class ChatDelegate(QStyledItemDelegate):
    """Rows of 32 px: a heading, or a chat with its dot; hits of a search have a second line."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.alpha = 255
        self.painted = QRect()  # what of the list is painted now
        self.current = ""
        self.several = False  # more than one row is chosen

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Row = index.data(ROW_ROLE)
        return QSize(100, grown(50, 2) if row.snippet else grown(t.ROW))

    def dot_area(self, view: QWidget, row: QRect) -> QRect:
        """The end of a row, where its living dot is; its words end before."""
        return QStyle.visualRect(
            view.layoutDirection(), row, row.adjusted(row.width() - 26, 0, 0, 0)
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW_ROLE)
        tokens = theme().tokens
        area: QRect = option.rect.adjusted(8, 1, -8, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "heading":
            painter.setFont(ui_font(t.TINY_PX, QFont.Weight.DemiBold))
            painter.setPen(QColor(tokens.muted))
            heading = area.adjusted(8, 4, -8, 0)
            painter.drawText(heading, Qt.AlignmentFlag.AlignVCenter, row.text)
            painter.restore()
            return
        self._ground(painter, option, area, row)

        def place(part: QRect) -> QRect:
            return QStyle.visualRect(option.direction, option.rect, part)

        area.setLeft(area.left() + scaled(INDENT) * row.depth)
        living, unseen = index.data(LIVING_ROLE), index.data(UNSEEN_ROLE)
        waiting = index.data(WAITING_ROLE)
        right = 10
        if waiting:
            mark = badge(waiting, tokens.accent, tokens.accent_text)
            top = area.top() + grown(30) // 2 - 8
            mark.paint(painter, place(QRect(area.right() - 20, top, 16, 16)))
            right = 28
        elif living or unseen:
            top = area.top() + grown(30) // 2 - 4
            at = QRectF(place(QRect(area.right() - 16, top, 8, 8))).center()
            draw_dot(painter, at, tokens.accent, self.alpha if living else 255, ring=living)
            right = 24
        chosen = self._is_current(row)
        painter.setFont(ui_font(t.UI_PX, QFont.Weight.Medium if chosen else QFont.Weight.Normal))
        painter.setPen(QColor(tokens.text))
        line = QRect(area.left() + 8, area.top(), area.width() - 8 - right, grown(30))
        if not self.painted.intersects(place(line)):  # a dot beats
            painter.restore()
            return
        if row.folder_id:
            self._folder(painter, line, row, place)
            painter.restore()
            return
        if row.aside:
            line.setRight(self._aside(painter, line, row, place))
        draw_marked(painter, place(line), row.text, row.title_marks)
        if row.snippet:
            painter.setFont(ui_font(t.SMALL_PX))
            # On the ground of the current chat muted writing would be too faint.
            painter.setPen(QColor(tokens.text if chosen else tokens.muted))
            below = QRect(area.left() + 8, area.top() + grown(24), area.width() - 16, grown(20))
            draw_marked(painter, place(below), row.snippet, row.marks)
        painter.restore()

    def _folder(self, painter: QPainter, line: QRect, row: Row, place: Place) -> None:
        """A folder (or the archive): which way it is folded, its name, how many chats it has."""
        tokens = theme().tokens
        rtl = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
        sign = "caret-down" if row.unfolded else caret("caret-right", rtl=rtl)
        side = scaled(12)
        at = place(QRect(line.left() - 2, line.center().y() + 1 - side // 2, side, side))
        icon(sign, tokens.muted).paint(painter, at)
        font, small = painter.font(), ui_font(t.SMALL_PX)
        painter.setFont(small)
        painter.setPen(QColor(tokens.muted))
        count = number(row.count) if row.count else ""
        end = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place(line), end, count)
        line.setRight(line.right() - painter.fontMetrics().horizontalAdvance(count) - 8)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted if row.folder_id == ARCHIVE else tokens.text))
        draw_marked(painter, place(line.adjusted(side + 2, 0, 0, 0)), row.text, ())

    def _aside(self, painter: QPainter, line: QRect, row: Row, place: Place) -> int:
        """Write what stands at the right, as far as it leaves room; where the title must end."""
        font, pen = painter.font(), painter.pen()
        painter.setFont(ui_font(t.TINY_PX))
        painter.setPen(QColor(theme().tokens.muted))
        metrics, end = painter.fontMetrics(), line.right()
        room = line.width() * 2 // 5
        # A page is told at the end of its place.
        mode = Qt.TextElideMode.ElideMiddle if row.snippet else Qt.TextElideMode.ElideRight
        words = metrics.elidedText("  ".join(row.aside), mode, room)
        width = metrics.horizontalAdvance(words)
        far = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place(line), far, words)
        painter.setFont(font)
        painter.setPen(pen)
        return end - width - 8

    def _is_current(self, row: Row) -> bool:
        """Whether it stands for the chat that has the focus."""
        return bool(self.current) and (row.chat_id == self.current or self.current in row.holds)

    def _ground(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, row: Row
    ) -> None:
        tokens = theme().tokens
        state = option.state
        focused = state & QStyle.StateFlag.State_HasFocus
        painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
        if self._is_current(row):
            painter.setBrush(QColor(tokens.pressed))
        elif state & QStyle.StateFlag.State_Selected and self.several:
            painter.setBrush(QColor(tokens.accent_quiet))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(tokens.hover))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area, 7, 7)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("rename")
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(8, 1, -8, -1))


def draw_marked(
    painter: QPainter, area: QRect, text: str, marks: tuple[tuple[int, int], ...]
) -> None:
    """One line of text with the marked parts in bold and in the colour of text, cut at its end."""
    layout = _line(painter, text, marks)
    line = layout.lineAt(0)
    if line.naturalTextWidth() > area.width():
        room = area.width() - painter.fontMetrics().horizontalAdvance("…")
        end = line.xToCursor(room, QTextLine.CursorPosition.CursorBetweenCharacters)
        # Where a cursor may stand counts UTF-16 units.
        kept = text.encode("utf-16-le")[: 2 * end].decode("utf-16-le", "ignore")
        layout = _line(painter, kept.rstrip() + "…", marks)
    line = layout.lineAt(0)
    top = area.top() + (area.height() - line.height()) / 2
    # An option of the text's own direction would put it at the far end of a line without end.
    left = area.left() - line.naturalTextRect().left()
    if painter.layoutDirection() == Qt.LayoutDirection.RightToLeft:
        left += area.width() - line.naturalTextWidth()
    layout.draw(painter, QPointF(left, top))


def _line(painter: QPainter, text: str, marks: tuple[tuple[int, int], ...]) -> QTextLayout:
    layout = QTextLayout(text, painter.font())
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.DemiBold)
    bold.setForeground(QColor(theme().tokens.text))
    formats = []
    for begin, end in marks:
        if begin < len(text):
            part = QTextLayout.FormatRange()
            part.start = _units(text[:begin])
            part.length = _units(text[begin:end])
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


def _units(text: str) -> int:
    """How many UTF-16 units the text has, by which Qt counts."""
    return len(text) + sum(letter > "\uffff" for letter in text)
