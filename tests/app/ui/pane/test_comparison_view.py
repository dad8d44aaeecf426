"""Panels by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication

from app.chats import panel
from app.chats.actions import Action
from app.chats.panel import Member
from app.chats.turn import Event, QueueState
from app.models import residency
from app.store import Message, new_id
from app.ui.compare.compare_dialog import CompareDialog
from app.ui.dialogs.name_dialogs import NameDialog
from app.ui.pane import comparison_view
from app.ui.pane.comparison_view import ComparisonColumn
from app.ui.transcript.answer_row import AnswerRow
from tests.app.conftest import Run, Start

SMALL = "/models/Small-3B"


def press(run: Run, name: str) -> None:
    run.window.commands[name].trigger()


def asked(run: Run, text: str) -> list[str]:
    run.pane.composer.set_text(text)
    press(run, "panel_again")
    run.until(lambda: not run.pane.chat.reply.is_active)
    return [column.message_id for column in run.pane.comparison.columns]


def edited(run: Run, row: AnswerRow) -> None:
    run.pane.chat.start_edit()
    assert not row._panel.isEnabled()
    run.pane.chat.turn.handle(Event.CANCEL_EDIT)
    assert row._panel.isEnabled()


def test_panel_is_asked_and_merged(run: Run):
    run.ask("say before")
    pane, chat = run.pane, run.pane.chat
    edited(run, pane.transcript.places[-1].row)
    ids = asked(run, "say yes")
    sent = run.engine.sent[-3:]
    assert [s.turns[-1]["content"].partition("\n\n")[0] for s in sent] == ["say yes"] * 3
    assert len({s.session.id for s in sent}) == 3
    assert pane.is_comparison_shown
    assert [c.letter for c in pane.comparison.columns] == ["A", "B", "C"]
    assert QApplication.focusWidget() is pane.comparison.columns[0]
    question = chat.transcript[ids[0]].parent_id
    assert [m.id for m in chat.transcript.children(question)] == ids
    edited(run, pane.comparison.columns[0].row)
    press(run, "panel_merge")
    assert not pane.is_comparison_shown
    run.until(lambda: not chat.reply.is_active)
    merged = chat.transcript.last("assistant")
    assert panel.kind_of(merged) == panel.MERGE
    assert "Answer A:\nyes" in run.engine.sent[-1].turns[-1]["content"]
    assert run.engine.sent[-1].params.temperature == 0.0
    run.until(lambda: pane.transcript.row(merged.id) is not None)
    # The letters in the reply ("[A] or [A, B]") are links to the columns, for Tab and Enter.
    run.qtbot.keyClick(pane.composer.field, Qt.Key.Key_F6)
    for _ in range(3):
        run.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    run.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert QApplication.focusWidget() is pane.comparison.columns[1]
    assert [c.message_id for c in pane.comparison.columns] == ids


def test_kept_column_survives_restart(start: Start):
    run = start().ready()
    ids, pane, chat = asked(run, "say yes"), run.pane, run.pane.chat
    press(run, "panel_show")
    assert not pane.is_comparison_shown
    press(run, "panel_show")
    run.qtbot.keyClick(pane.comparison.columns[0], Qt.Key.Key_Right)
    run.qtbot.keyClick(pane.comparison.columns[1], Qt.Key.Key_Return)
    assert not pane.is_comparison_shown
    assert chat.transcript.leaf_id == ids[1]
    run.end()
    run = start()  # everything survives a restart
    assert run.pane.chat.transcript.leaf_id == ids[1]
    press(run, "panel_show")
    assert [c.message_id for c in run.pane.comparison.columns] == ids
    run.qtbot.keyClick(run.pane.comparison.columns[0], Qt.Key.Key_Escape)
    assert not run.pane.is_comparison_shown


def test_imported_column_continues_as_its_member(run: Run):
    run.ask("say before")
    told = {"letter": "A", "system": "Doubt it.", "model": SMALL, "temperature": 0.3}
    chat, stats = run.pane.chat, {"panel": told}
    half = Message(new_id(), chat.id, None, "assistant", "half", status="cancelled", stats=stats)
    chat._saved.add(half)
    chat.path_changed.emit()
    assert chat.continue_answer(half.id)
    run.until(lambda: not chat.reply.is_active)
    asked = run.engine.sent[-1]
    assert (asked.session.model.name, asked.params.temperature) == ("Small-3B", 0.3)


def ask(run: Run, text: str, *members: Member) -> list[str]:
    run.pane.composer.set_text(text)
    first = run.pane.chat.comparison.ask(members)
    run.pane.show_comparison(first)
    return [column.message_id for column in run.pane.comparison.columns]


def test_queue_continues_after_column_is_kept(run: Run):
    pane, chat, library = run.pane, run.pane.chat, run.app.library
    run.window.toggle_score()
    ids = ask(run, "hold 2", Member("One"), Member("Two", model=SMALL), Member("Three"))
    run.until(lambda: all(chat.reply.message(each).content for each in ids))
    # All columns use their models and appear in the score.
    assert chat.reply.models == {chat.record.model, SMALL}
    assert all(residency.why_not_unload(library, ref) for ref in (SMALL, chat.record.model))
    assert [chat_id for chat_id, _ in library.sessions().values()] == [chat.id] * 3
    rows = run.window.score.rows
    run.until(lambda: rows() and rows()[0].lane.kv_bytes == 3_000_000)
    assert [row.lane.state for row in rows()] == ["writing"]
    # If one column is kept while it streams, the others end, and the queue follows.
    run.say("say next")
    pane.show_comparison(ids[0])
    run.qtbot.keyClick(pane.comparison.columns[1], Qt.Key.Key_Return)
    assert not pane.is_comparison_shown
    ended = {each: chat.transcript[each].status for each in ids}
    assert list(ended.values()) == ["cancelled", "streaming", "cancelled"]
    assert chat.queue.state is QueueState.MOVING
    run.engine.release()
    run.until(lambda: not chat.turn.is_at_work)
    assert [m.content for m in chat.transcript.path] == ["hold 2", "1 2 end", "say next", "next "]
    assert chat.transcript.path[1].id == ids[1]
    assert not chat.panel_runner.generators


def test_ended_comparison_leaves_focus_in_other_pane(run: Run):
    left = run.pane
    ids = ask(run, "hold 2", Member("One"), Member("Two"))
    run.until(lambda: all(left.chat.reply.message(each).content for each in ids))
    run.say("say next")
    assert left.is_comparison_shown
    run.window.chats.split("right")
    right = run.pane
    right.composer.set_text("still typing")
    run.engine.release()
    run.until(lambda: run.answer(left) == "next ")
    assert not left.is_comparison_shown
    assert run.pane is right
    assert QApplication.focusWidget() is right.composer.field


def test_comparison_is_shown_again_in_a_new_pane(run: Run):
    pane, workspace = run.pane, run.window.workspace
    ids = ask(run, "say yes", Member("One"), Member("Two"))
    run.until(lambda: not pane.chat.reply.is_active)
    run.qtbot.keyClick(pane.comparison.columns[1], Qt.Key.Key_Return)
    chat_id = pane.chat.id
    run.window.chats.split("right")
    workspace.close_pane(pane, announce=False)
    workspace.delete_closed(chat_id)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    run.window.toast.button.click()
    assert run.pane.chat.id == chat_id
    assert [column.message_id for column in run.pane.comparison.columns] == ids


def test_regenerated_column_is_sampled_like_the_others(run: Run, monkeypatch: pytest.MonkeyPatch):
    said, thought = [], []
    monkeypatch.setattr(comparison_view, "announce", lambda _widget, words: said.append(words))
    monkeypatch.setattr(AnswerRow, "set_thought", lambda _row, seconds: thought.append(seconds))
    pane, chat = run.pane, run.pane.chat
    ids = ask(run, "think", *panel.members_by_seed(2))
    run.until(lambda: not chat.reply.is_active)
    assert any(seconds is not None for seconds in thought)
    sampled = run.engine.sent[-1].params
    assert (sampled.temperature, sampled.seed) == (0.8, 2)
    assert chat.regenerate(ids[1])
    run.until(lambda: not chat.reply.is_active)
    assert run.engine.sent[-1].params == sampled
    assert len(said) == 1
    press(run, "open_as_chats")
    made = [each.chat for each in run.panes if each is not pane]
    assert [(c.options.seed, c.options.temperature) for c in made] == [(1, 0.8), (2, 0.8)]

    # Deleting a question removes its columns.
    run.window.workspace.activate(pane)
    pane.hide_comparison()
    assert chat.delete_message(chat.transcript[ids[0]].parent_id)
    ids = ask(run, "say no", Member("Three"), Member("Four"))
    shown = [each for each in pane.comparison.findChildren(ComparisonColumn) if not each.isHidden()]
    assert [column.message_id for column in shown] == ids


def test_narrow_column_shows_how_it_differs(run: Run):
    run.window.resize(700, 600)
    ask(run, "say yes", *(Member(temperature=t, seed=4) for t in (0.1, 0.9)))
    names = [column._name for column in run.pane.comparison.columns]
    run.until(lambda: all("…" in name.text() for name in names))
    assert [name.text()[-3:] for name in names] == ["0.1", "0.9"]


def test_failed_column_is_retried_as_its_member(run: Run):
    pane, chat = run.pane, run.pane.chat
    first = ask(
        run, "fail now", Member("A", system="Doubt it."), Member("B", temperature=0.3, seed=3)
    )
    run.until(lambda: not chat.reply.is_active)
    for number in (0, 1):
        pane.comparison.columns[number].row.error.buttons[0].click()
        assert [c.letter for c in pane.comparison.columns] == ["A", "B"]
        run.until(lambda: not chat.reply.is_active)
    asked = run.engine.sent[-2:]
    assert [each.turns[-1]["content"] for each in asked] == ["fail now\n\nDoubt it.", "fail now"]
    assert (asked[1].params.temperature, asked[1].params.seed) == (0.3, 3)
    shown = [c.message_id for c in pane.comparison.columns]
    assert not set(shown) & set(first)
    question = chat.transcript[first[0]].parent_id
    assert [m.id for m in chat.transcript.children(question)] == [*first, *shown]


def test_saved_panel_is_judged_and_counted(run: Run):
    pane, chat = run.pane, run.pane.chat
    pane.composer.set_text("say 7")
    press(run, "compare")
    dialog = run.window.findChild(CompareDialog)
    assert [row.member.name for row in dialog.members] == ["Optimist", "Skeptic", "Engineer"]
    for row in dialog.members:
        row.system.clear()
    for button, name in ((dialog.save_as, "Three"), (dialog.rename, "  Three   of us ")):
        button.click()
        asks = dialog.findChild(NameDialog)
        asks.field.setText(name)
        asks.ok.click()
        run.until(lambda: dialog.findChild(NameDialog) is None)
    dialog.save_as.click()  # asks before replacing another preset of that name
    asks = dialog.findChild(NameDialog)
    assert asks.field.text() == "Three of us"
    asks.ok.click()
    run.until(lambda: dialog.findChild(NameDialog) is None)
    settings = run.app.settings
    names = [{"name": name} for name in ("Optimist", "Skeptic", "Engineer")]
    assert (settings.panels, settings.panel) == ({"Three of us": names}, "Three of us")
    dialog.delete.click()
    assert (settings.panels, settings.panel) == ({}, "")
    dialog.ok.click()
    run.until(lambda: pane.is_comparison_shown and not chat.reply.is_active)
    # Three equal members get different seeds.
    assert {each.params.temperature for each in run.engine.sent[-3:]} == {0.8}
    press(run, "panel_vote")
    assert "`7`" in chat.transcript.last("assistant").content
    press(run, "panel_judge")
    run.until(
        lambda: not chat.reply.is_active and "best" in chat.transcript.last("assistant").stats
    )
    judged = chat.transcript.last("assistant")
    assert panel.kind_of(judged) == panel.JUDGE
    # A result is regenerated in the same way, while its columns are there.
    assert chat.regenerate(judged.id)
    run.until(
        lambda: not chat.reply.is_active and "best" in chat.transcript.last("assistant").stats
    )
    assert chat.transcript.last("assistant").id != judged.id
    for column in chat.panel_runner.columns(judged.id)[1:]:
        assert chat.delete_message(column.id)
    assert chat.why_not(Action.REGENERATE, judged.id)
    assert not chat.regenerate(judged.id)
