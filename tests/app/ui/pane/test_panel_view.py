"""A panel by keys: asked, shown in columns, merged, unfolded, one taken; and what becomes of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.chats import panel
from app.store import Message, new_id
from tests.app.conftest import Run, Start


def press(run: Run, name: str) -> None:
    """The keys of a command, as its action has them."""
    run.window.commands[name].trigger()


def asked(run: Run, text: str) -> list[str]:
    """A panel by one key about what stands in the composer; the columns' ids, once all ended."""
    run.pane.composer.set_text(text)
    press(run, "panel_again")
    run.until(lambda: not run.pane.chat.answering)
    return [column.message_id for column in run.pane.panel.columns]


def test_a_panel_is_asked_merged_unfolded_and_a_branch_taken(start: Start):
    run = start().ready()
    run.ask("say before")
    pane, chat = run.pane, run.pane.chat
    ids = asked(run, "say yes")
    sent = run.engine.sent[-3:]
    assert [s.turns[-1]["content"].partition("\n\n")[0] for s in sent] == ["say yes"] * 3
    assert len({s.session.id for s in sent}) == 3
    assert pane.unfolded
    assert [c.accessibleName() for c in pane.panel.columns] == [
        "A Guide · Optimist",
        "B Guide · Sceptic",
        "C Guide · Engineer",
    ]
    assert QApplication.focusWidget() is pane.panel.columns[0]
    question = chat.transcript[ids[0]].parent_id
    assert [m.id for m in chat.transcript.children(question)] == ids
    press(run, "panel_merge")
    assert not pane.unfolded
    run.until(lambda: not chat.answering)
    merged = chat.transcript.last("assistant")
    assert panel.kind_of(merged) == panel.MERGE
    assert "Answer A:\nyes" in run.engine.sent[-1].turns[-1]["content"]
    assert run.engine.sent[-1].params.temperature == 0.0
    run.until(lambda: pane.transcript.row(merged.id) is not None)
    row = pane.transcript.row(merged.id)
    assert row.unfolds.text() == "Show Panel: A Optimist, B Sceptic, C Engineer"
    # Its parts lead to the columns, by Tab and Enter: it repeats "[A] or [A, B]".
    run.qtbot.keyClick(pane.composer.field, Qt.Key.Key_F6)
    for _ in range(3):
        run.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    run.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert QApplication.focusWidget() is pane.panel.columns[1]
    assert [c.message_id for c in pane.panel.columns] == ids
    press(run, "panel_show")
    press(run, "panel_show")
    run.qtbot.keyClick(pane.panel.columns[0], Qt.Key.Key_Right)
    run.qtbot.keyClick(pane.panel.columns[1], Qt.Key.Key_Return)
    assert not pane.unfolded
    assert chat.transcript.leaf_id == ids[1]
    assert run.window.toast.text == "Sceptic kept"
    run.end()
    run = start()  # all of it is there in another run
    assert run.pane.chat.transcript.leaf_id == ids[1]
    press(run, "panel_show")
    assert [c.message_id for c in run.pane.panel.columns] == ids
    run.qtbot.keyClick(run.pane.panel.columns[0], Qt.Key.Key_Escape)
    assert not run.pane.unfolded


def test_a_column_from_a_file_that_answers_nothing_is_gone_on_with(start: Start):
    run = start().ready()
    run.ask("say before")
    chat, stats = run.pane.chat, {"panel": {"says": "Doubt it."}}
    half = Message(new_id(), chat.id, None, "assistant", "half", status="cancelled", stats=stats)
    chat._saved.add(half)
    chat.path_changed.emit()
    assert chat.continue_answer(half.id)
    run.until(lambda: not chat.answering)
