"""Comparisons in the whole window: hidden models, choosing and leaving."""

from __future__ import annotations

from unittest.mock import patch

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from app.ui.compare import compare
from app.ui.compare.compare_dialog import CompareDialog, ComparisonColumn
from app.ui.pane.pane import ChatPane
from app.ui.transcript.answer_row import AnswerRow
from tests.app.conftest import Run, Start

MODELS = ("/models/one", "/models/two")


def columns(run: Run, *, blind: bool = False) -> list[ChatPane]:
    """Return the columns of two models with their replies; in reverse order if mixed."""
    comparisons = run.window.chats.comparisons
    told = [ComparisonColumn(model, ChatOptions(), model.rpartition("/")[2]) for model in MODELS]
    with patch.object(compare, "shuffle", list.reverse):
        panes = comparisons.begin(told, "", "say hello", blind=blind)
    for pane in panes:
        run.until(lambda pane=pane: pane.chat.transcript.last("assistant"))
        run.answered(pane)
    return panes


def said_before(run: Run) -> ChatPane:
    run.ready()
    run.ask("say before")
    return run.pane


def escape(run: Run) -> None:
    run.qtbot.keyClick(run.pane.composer.field, Qt.Key.Key_Escape)


def shown(run: Run, pane: ChatPane) -> str:
    """Return all texts in a column that could reveal its model."""
    last = pane.chat.transcript.last("assistant")
    assert last is not None
    run.until(lambda: isinstance(pane.transcript.row(last.id), AnswerRow))
    row = pane.transcript.row(last.id)
    assert row is not None
    button = pane.header.model_button
    words = (button.text(), button.accessibleName(), button.toolTip(), pane.chat.title)
    return " ".join((*words, row.message.model, pane.composer.field.placeholderText()))


def test_escape_restores_panes_and_undo_the_columns(start: Start):
    run = start()
    before = said_before(run)
    escape(run)
    assert run.panes == [before], "nothing is compared: it closes nothing"
    panes = columns(run)
    ids = [pane.chat.id for pane in panes]
    run.say("hold 3", panes[0])
    run.until(lambda: run.answer(panes[0]) == "1 2 3 ")
    escape(run)  # stops the answer first
    run.until(lambda: not panes[0].chat.reply.is_active)
    assert run.panes == panes
    escape(run)
    assert run.panes == [before]
    assert {chat.id for chat in run.app.library.chats()} == {*ids, before.chat.id}
    run.window.toast.button.click()
    assert [pane.chat.id for pane in run.panes] == ids
    for pane in run.panes:
        run.window.workspace.close_pane(pane)
    assert run.panes == [before], "after the last column, too"
    kept = columns(run)[0]
    kept.header.keep.click()
    assert [pane.chat.id for pane in run.panes] == [before.chat.id, kept.chat.id]


def test_escape_restores_new_chat_and_reveals_models(start: Start):
    run = start().ready()
    comparisons = run.window.chats.comparisons
    for told in (None, [], {}, [1], [{"columns": {"a": "b"}}], [{"columns": 3}]):
        comparisons.restore(told)
        assert comparisons.to_json() == []
    ids = [pane.chat.id for pane in columns(run, blind=True)]
    escape(run)
    assert [run.app.library.chat(chat_id).variant for chat_id in ids] == ["two", "one"]
    assert len(run.panes) == 1
    assert run.pane.chat.blank
    run.ready()


def test_blind_columns_hide_labels_until_kept(start: Start):
    run = start().ready()
    panes = columns(run, blind=True)
    # in shuffled order
    assert [pane.chat.record.model for pane in panes] == ["/models/two", "/models/one"]
    for pane, name in zip(panes, ("Reply A", "Reply B"), strict=True):
        words = shown(run, pane)
        assert name in words
        assert "one" not in words
        assert "two" not in words
        assert not pane.header.model_button.isEnabled()
    ids = [pane.chat.id for pane in panes]
    panes[0].header.keep.click()
    assert "two" in shown(run, panes[0])
    assert panes[0].header.model_button.isEnabled()
    assert run.window.toast.text == "Reply A was two, Reply B one"
    assert [run.app.library.chat(chat_id).variant for chat_id in ids] == ["two", "one"]


def test_comparison_survives_restart(start: Start):
    run = start()
    before = said_before(run).chat.id
    ids = [pane.chat.id for pane in columns(run, blind=True)]
    run.end()
    run = start()
    assert [pane.chat.id for pane in run.panes] == ids
    assert [pane.header.model_button.text() for pane in run.panes] == ["Reply A", "Reply B"]
    run.panes[1].header.keep.click()
    assert {pane.chat.id for pane in run.panes} == {before, ids[1]}
    assert run.app.library.chat(ids[0]).variant == "two"


def test_last_open_column_restores_panes_after_restart(start: Start):
    run = start()
    before = said_before(run).chat.id
    panes = columns(run)
    run.window.workspace.close_pane(panes[0])
    run.end()
    run = start()
    run.window.workspace.close_pane(run.pane)
    assert [pane.chat.id for pane in run.panes] == [before]


def test_compare_dialog_outlives_the_pane_it_was_opened_for(start: Start):
    run = start()
    said_before(run)
    run.window.chats.split("right")
    pane = run.pane
    run.say("say before", pane)
    run.answered(pane)
    pane.composer.set_text("say hello")
    run.window.commands["compare"].trigger()
    (dialog,) = run.window.findChildren(CompareDialog)
    run.window.workspace.close_pane(pane)
    run.window.workspace.forget(pane.chat.id)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    dialog.accept()
    assert len(run.panes) > 1
    assert all(run.window.chats.comparisons.has(pane) for pane in run.panes)


def test_dialog_shows_wins_by_model(look, qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    models = [("/a/one", "one"), ("/b/two", "two"), ("/c/two", "two")]
    kept = {"/a/one": [1, 4], "/b/two": [3, 4], "/gone/old": [0, 2]}
    dialog = CompareDialog(models, "/a/one", ChatOptions(), "x", Settings(kept=kept), parent)
    assert dialog.tally.isHidden()
    dialog.kinds["Models"].setChecked(True)
    assert not dialog.tally.isHidden()
    assert dialog.tally.text() == "Kept so far: two 3 of 4, one 1 of 4, old 0 of 2"
    # Two models with the same name are distinguished by their folders.
    assert [column.words for column in dialog.columns()] == ["one", "two (b)", "two (c)"]
    assert not dialog.blind.isChecked()


def test_columns_continue_the_chat_and_the_kept_one_lands_next_to_it(start: Start):
    run = start()
    origin = said_before(run)
    run.window.chats.split("right")
    run.ready()
    run.ask("say elsewhere")
    run.window.workspace.activate(origin)
    run.window.commands["compare"].trigger()
    dialog = run.window.findChild(CompareDialog)
    dialog.prompt.setPlainText("say hello")
    dialog.go.click()
    panes = run.panes
    assert [pane.chat.transcript.path[0].content for pane in panes] == ["say before"] * 3
    for pane in panes:
        run.answered(pane)
        assert [m.content for m in pane.chat.transcript.path[-2:]] == ["say hello", "hello "]
    panes[2].header.keep.click()
    docks = [run.window.workspace.dock(pane.chat.id) for pane in (origin, panes[2])]
    assert docks[0].dockAreaWidget() is docks[1].dockAreaWidget()
    assert len(run.panes) == 3
    assert run.window.workspace.active is panes[2]


def test_hidden_tabs_are_set_aside_and_restored(start: Start):
    run = start().ready()
    for words in ("one", "two"):
        run.ask(f"say {words}")
        run.window.chats.new()
        run.ready()
    run.until(lambda: run.pane.isVisible())
    assert len(run.panes) == 3
    columns = run.window.chats.comparisons.begin(
        [ComparisonColumn(GUIDE, ChatOptions(seed=n), f"Seed {n}") for n in (1, 2)], "", "say hello"
    )
    assert run.panes == columns
    assert run.window.toast.text == "2 chats hidden while you compare"
    run.window.chats.comparisons.leave(columns[0])
    assert [pane.chat.title for pane in run.panes] == ["say one", "say two"]


def test_columns_with_equal_name_starts_are_distinguishable(start: Start):
    run = start().ready()
    told = [
        ComparisonColumn(GUIDE, ChatOptions(temperature=t), f"Temperature {t}") for t in (0.0, 0.7)
    ]
    panes = run.window.chats.comparisons.begin(told, "", "say hello")
    for pane in panes:
        run.until(lambda pane=pane: pane.chat.short)
        tab = run.window.workspace.dock(pane.chat.id).tabWidget()
        label = tab.findChild(QLabel, "dockWidgetTabLabel")
        label.resize(70, label.height())
        written = QLabel.text(label)
        assert "…" in written
        assert written[-3:] == pane.chat.short[-3:]
        run.answered(pane)
