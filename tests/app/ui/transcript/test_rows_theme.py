from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.store import Message, new_id
from app.store.records import Role
from app.ui.style.theme import Theme
from app.ui.transcript.answer_row import AnswerRow
from app.ui.transcript.user_row import UserRow


def test_deleted_rows_ignore_theme_changes(look: Theme, qtbot: QtBot):
    parent = QWidget()
    rows = [
        kind(Message(new_id(), "chat", None, role, "hello"), lambda *_, **__: "", parent)
        for kind, role in ((UserRow, "user"), (AnswerRow, "assistant"))
    ]
    shiboken6.delete(parent)
    assert not any(map(shiboken6.isValid, rows))  # Python still has references to them
    with qtbot.captureExceptions() as raised:
        look.set_appearance("dark")
    assert raised == []


@pytest.mark.parametrize(
    "direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft]
)
@pytest.mark.parametrize(("kind", "role"), [(UserRow, "user"), (AnswerRow, "assistant")])
def test_second_version_leaves_the_icons_in_place(
    look: Theme,
    qtbot: QtBot,
    kind: type[UserRow | AnswerRow],
    role: Role,
    direction: Qt.LayoutDirection,
):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.setLayoutDirection(direction)
    row = kind(Message(new_id(), "chat", None, role, "hello"), lambda *_, **__: "", parent)
    row.arrange(400)
    versions = (row._previous, row._next)
    icons = [button for button in row._buttons if button not in versions]
    before = [icon.geometry() for icon in icons]
    row.set_alternative(2, 2)
    row.arrange(400)
    assert [icon.geometry() for icon in icons] == before
    for version in versions:
        assert not any(version.geometry().intersects(area) for area in before)
        assert QRect(0, 0, 400, 1000).contains(version.geometry())
