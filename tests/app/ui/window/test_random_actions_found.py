"""Regression tests for bugs found by random actions (`tests.torture.person`)."""

from __future__ import annotations

import shiboken6
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import flows
from app.chats.actions import Action
from app.store import Store
from app.ui.pane.options_popover import OptionsPopover
from app.ui.transcript.answer_row import AnswerRow
from app.ui.widgets.toast import Toast
from tests.app.conftest import Run, Start


def answer_row(run: Run, number: int) -> AnswerRow:
    message = run.pane.chat.transcript.path[number]
    run.until(lambda: run.pane.transcript.row(message.id))
    row = run.pane.transcript.row(message.id)
    assert isinstance(row, AnswerRow)
    return row


def test_stopped_answer_can_be_painted_during_change(run: Run):
    """Regression test: painting between a stop and the next layout raised KeyError."""
    run.say("hold 2")
    run.until(lambda: "2" in run.answer(run.pane))
    run.pane.act(Action.STOP)
    run.answered()
    row = answer_row(run, 1)
    run.until(lambda: not row._mark_area.isEmpty())
    row.set_message(replace(row.message, status="streaming"))
    row.grab()  # an error in painting fails the test


def test_reuse_seed_handles_missing_seed(run: Run):
    """The popover is open when the chat switches to a branch without a seed."""
    run.ask("say one")
    popover = OptionsPopover(run.pane.chat, run.window)
    popover.show()
    assert popover.same.isVisible()
    run.pane.act(Action.DELETE, run.pane.chat.transcript.path[0].id)
    popover.same.click()
    assert popover.seed.text() == ""
    popover.close()
    assert run.pane.chat.options.seed is None


def test_single_queries_leave_no_channel(run: Run):
    """Regression test: five times per second, a query of the score left an object behind."""
    run.until(lambda: not flows._awaited)
    before = len(run.app.bridge._handlers)
    for _ in range(20):
        asking = flows.start(run.window, run.app.library.loader.figures.now())
        run.until(asking.done)
        assert asking.result() is not None
    run.until(lambda: not flows._awaited)
    assert len(run.app.bridge._handlers) == before


def test_chat_deleted_before_kill_is_not_recreated(start: Start):
    """Regression test: the layout still listed the chat, so an empty chat with its id replaced
    it.
    """
    run = start().ready()
    run.ask("say one")
    deleted = run.pane.chat.id
    layout = run.window.workspace.arrangement().to_json()
    run.window.chats.delete(deleted)
    run.end()
    with Store.open(run.app.paths.chats) as store:
        store.save_layout("main", layout)
    again = start()
    assert again.panes == []
    assert [(chat.id, chat.title) for chat in again.app.library.trash()] == [(deleted, "say one")]
    again.window.chats.open_at(deleted, "")  # a search hit
    assert again.panes == []


def test_moved_panes_are_not_native_windows(start: Start):
    """Regression test: they became native when a neighbor floated, and the exit crashed."""
    run = start()
    run.window.layouts.save("L")
    run.window.commands["float"].trigger()
    run.window.chats.new()
    run.window.layouts.open("L")
    run.window.commands["float"].trigger()
    native = [w for w in QApplication.allWidgets() if w.internalWinId() and not w.isWindow()]
    assert native == []


def test_toast_of_deleted_window_can_be_hidden(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(toast := Toast(window))
    window.show()
    toast.show_text("one")
    toast.setParent(None)
    toast.show()
    shiboken6.delete(window)
    toast.dismiss()
    assert not toast.isVisible()
