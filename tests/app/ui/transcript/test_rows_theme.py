from __future__ import annotations

import shiboken6
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.store import Message, new_id
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
