"""Delete with undo, versions, and branches as new chats."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from app.chats.actions import Action
from app.ui.workspace.docks import Docks
from tests.app.conftest import Run, Start


def shown(pane):
    return [message.content for message in pane.chat.transcript.path]


def test_deleting_message_and_undo_include_replies(start: Start):
    run = start().ready()
    run.ask("say one")
    run.ask("say two")
    pane, before = run.pane, shown(run.pane)
    second = pane.chat.transcript.path[2].id
    pane.transcript.action_requested.emit(Action.DELETE, second)
    assert shown(pane) == before[:2]
    run.window.commands["undo_close"].trigger()
    assert shown(pane) == before
    pane.transcript.action_requested.emit(Action.DELETE, second)
    assert run.app.store.search("two") == []
    run.end()
    assert shown(start().pane) == before[:2]


def test_deleted_version_is_restored_in_place(run: Run):
    run.ask("say one")
    run.window.commands["regenerate"].trigger()
    run.answered()
    chat = run.pane.chat
    question = chat.transcript.path[0].id
    first, second = chat.transcript.alternatives(chat.transcript.leaf_id)
    chat.show_version(-1, second)
    run.pane.transcript.action_requested.emit(Action.DELETE, first)
    assert chat.transcript.leaf_id == second
    assert chat.transcript.alternatives(second) == [second]
    run.window.commands["undo_close"].trigger()
    assert chat.transcript.leaf_id == first
    assert chat.transcript.alternatives(first) == [first, second]
    run.pane.transcript.action_requested.emit(Action.DELETE, question)
    assert chat.transcript.path == []
    assert run.pane.empty.isVisible()
    run.window.commands["undo_close"].trigger()
    assert chat.transcript.alternatives(first) == [first, second]


def test_branch_from_answer_continues_separately(start: Start):
    run = start().ready()
    run.ask("say one")
    run.ask("say two")
    old = run.pane
    old.transcript.action_requested.emit(Action.BRANCH, old.chat.transcript.path[1].id)
    new = run.pane
    assert new is not old
    assert shown(new) == ["say one", "one "]
    run.ask("say three")
    assert shown(new) == ["say one", "one ", "say three", "three "]
    assert shown(old) == ["say one", "one ", "say two", "two "]
    assert run.engine.sent[-1].session is not run.engine.sent[0].session
    run.end()
    run = start()
    assert sorted(shown(p)[-1] for p in run.panes) == ["three ", "two "]
    run.window.commands["branch"].trigger()  # branches at the end
    assert shown(run.pane) == ["say one", "one ", "say three", "three "]
    first = run.pane.chat.transcript.path[0].id
    run.pane.transcript.action_requested.emit(Action.BRANCH, first)
    assert shown(run.pane) == []
    assert run.pane.composer.text == "say one"


def test_chat_closed_long_ago_reopens(run: Run, monkeypatch: pytest.MonkeyPatch):
    kept = 3
    monkeypatch.setattr(Docks, "KEPT_CLOSED", kept)
    run.say("hold 2")
    first = run.pane
    chat_id = first.chat.id
    run.until(lambda: run.answer(first))
    run.window.commands["close"].trigger()
    for _ in range(kept):
        run.window.chats.new()
        run.window.commands["close"].trigger()
    library = run.app.library
    assert library.find(chat_id) is not None  # it still replies
    run.engine.release()
    run.until(lambda: library.find(chat_id) is None)
    assert run.engine.sent[0].session.closed
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for _ in range(kept + 1):
        run.window.commands["undo_close"].trigger()
    assert run.pane.chat.id == chat_id
    assert shown(run.pane) == ["hold 2", "1 2 end"]


def test_deleted_chat_leaves_no_disk_cache(run: Run) -> None:
    pane = run.say("say one")
    run.answered()
    chat_id = pane.chat.id
    assert run.engine.sent[0].session.id == chat_id  # finds its cache on disk after a restart
    run.window.chats.delete(chat_id)
    assert run.engine.forgotten == [chat_id]
    run.window.commands["undo_close"].trigger()
    run.say("say two")
    assert run.answered() == "two "
