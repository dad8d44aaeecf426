"""A reply that must match a schema."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.store import Message, new_id
from app.ui.style.theme import Theme
from app.ui.transcript.answer_row import AnswerRow


def test_json_reply_is_shown_as_code(look: Theme, qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    form = {"options": {"answer_as": "schema"}}
    message = Message(new_id(), "chat", None, "assistant", "", status="streaming", stats=form)
    row = AnswerRow(message, lambda *_, **__: "", parent)
    for piece in ("{", '"a": ', '"*b*"', "}"):
        row.append(piece, "answer")
    row.set_message(replace(message, content='{"a": "*b*"}', status="complete"))
    blocks = row.markdown.code_blocks()
    assert [block.source for block in blocks] == ['{"a": "*b*"}']
