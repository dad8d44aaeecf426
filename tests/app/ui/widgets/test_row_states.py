"""Contents of list rows, computed without widgets."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.ui.palette.finder import EntryKind, PaletteEntry
from app.ui.palette.palette import entry_state
from app.ui.sidebar.chat_row import ChatListRow, row_state
from app.ui.widgets.row_painter import RowPainter


def entry(**values: object) -> PaletteEntry:
    return PaletteEntry(EntryKind.COMMAND, "key", "Split\n Right", print, **values)  # type: ignore[arg-type]


def test_entry_ends_with_its_keys_or_why_it_is_refused() -> None:
    state = entry_state(entry(keys="Ctrl+D", beside="Window"))
    assert (state.title, state.beside, state.end) == ("Split Right", "Window", "Ctrl+D")
    refused = entry_state(entry(keys="Ctrl+D", why_not="No chat is open"))
    assert (refused.end, refused.colour) == ("No chat is open", "muted")


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (ChatListRow("Today"), ("", None, None)),
        (ChatListRow("Trees", chat_id="1", kind="chat", tags=("a", "b")), ("#a  #b", None, None)),
        (
            ChatListRow("Trees", chat_id="1", kind="chat", place="x.pdf", snippet="y"),
            ("x.pdf", None, "y"),
        ),
        (ChatListRow("Folder", kind="folder", folder_id="f", count=3), ("3", False, None)),
        (ChatListRow("Folder", kind="folder", folder_id="f", unfolded=True), ("", True, None)),
    ],
)
def test_chat_row_shows_tags_place_or_count(row: ChatListRow, shown: tuple[object, ...]) -> None:
    state = row_state(row)
    assert (state.end, state.unfolded, state.below) == shown


def test_chat_row_marks_waiting_before_replying() -> None:
    row = ChatListRow("Trees", chat_id="1", kind="chat")
    state = row_state(row, waiting=2, living=True)
    assert (state.badge_icon, state.dot, state.ring) == (2, True, True)
    assert not row_state(row, unseen=True).ring


@pytest.mark.parametrize("rtl", [False, True])
def test_row_is_mirrored_in_its_own_area(rtl: bool, qapp: QApplication) -> None:
    direction = Qt.LayoutDirection.RightToLeft if rtl else Qt.LayoutDirection.LeftToRight
    area, image = QRect(10, 20, 200, 30), QImage(220, 60, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    row = RowPainter(painter, area, area, direction)
    row.icon("x", "black", 14)
    left = row.to_visual(row.line)
    assert area.contains(left)
    assert (left.left() == area.left()) == rtl
    row.text("words " * 50, "black")
    assert row.line.width() < 20
    painter.end()
