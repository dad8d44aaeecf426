"""A comparison over several messages, read as a table."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.chats.table import AnswerTable, Cell
from app.ui.compare.compare_dialog import LINES, PROMPTS, CompareDialog
from app.ui.compare.table_window import TableWindow
from tests.app.conftest import Run, Start

ASKED = ("say one", "say two", "say three")


def open_dialog(run: Run) -> CompareDialog:
    run.window.commands["compare"].trigger()
    dialog = run.window.findChild(CompareDialog)
    assert dialog is not None
    dialog.count.setValue(2)
    return dialog


def ask(run: Run, lines: str) -> TableWindow:
    """Two seeds are asked these lines; the window is open."""
    dialog = open_dialog(run)
    dialog.asked.kind.setCurrentText(LINES)
    dialog.prompt.setPlainText(lines)
    dialog.go.click()
    return window(run)


def window(run: Run) -> TableWindow:
    found = run.window.findChild(TableWindow)
    assert found is not None
    return found


def table(run: Run) -> AnswerTable:
    found = run.window.compare.table
    assert found is not None
    return found


def cell(run: Run, message: str, chat_id: str) -> Cell:
    prompt = next(p for p in table(run).trial.prompts if p.text == message)
    return table(run).cells()[prompt.id, chat_id]


def read(run: Run) -> list[list[str]]:
    grid = window(run).grid
    window(run).refresh()
    return [
        [grid.item(row, place).text() for place in range(grid.columnCount())]
        for row in range(grid.rowCount())
    ]


@pytest.fixture
def run(start: Start) -> Run:
    return start().ready()


def test_each_line_is_answered_by_each_column_and_knows_nothing_of_the_others(run: Run):
    ask(run, "\n".join([*ASKED, "", ASKED[0]]))
    run.until(lambda: not table(run).running)
    assert read(run) == [[asked, asked[4:], asked[4:]] for asked in ASKED]
    assert window(run).grid.horizontalHeaderItem(1).text() == "Seed 1"
    assert [len(reply.turns) for reply in run.engine.sent] == [1] * 6
    assert {reply.params.seed for reply in run.engine.sent} == {1, 2}
    chats = run.app.library.chats()
    assert {chat.shown_title for chat in chats} == {"say one – Seed 1", "say one – Seed 2"}
    assert len({chat.group_id for chat in chats}) == 1
    assert window(run).words.text().startswith("6 of 6 replies")
    assert not window(run).go.isEnabled()

    # Enter opens an answer in its chat.
    grid = window(run).grid
    grid.setCurrentCell(1, 2)
    run.qtbot.keyClick(grid, Qt.Key.Key_Return)
    assert run.pane.chat.id == list(table(run).columns)[1]
    assert [message.content for message in run.pane.chat.transcript.path] == ["say two", "two "]


def test_it_is_stopped_and_goes_on_with_what_is_missing(run: Run):
    ask(run, "say one\nhold 2\nsay three")
    answers = table(run)
    ids = list(answers.columns)
    run.until(lambda: all(cell(run, "hold 2", i).text == "1 2 " for i in ids))
    window(run).go.click()
    run.until(lambda: all(cell(run, "hold 2", i).note == "Stopped" for i in ids))
    assert not answers.running
    assert cell(run, "say three", ids[0]).note == "Not started"
    asked = len(run.engine.sent)
    run.engine.release()
    window(run).go.click()
    run.until(lambda: not answers.running)
    assert table(run).done() == 6
    assert len(run.engine.sent) == asked + 4  # what was complete is not asked again


def test_closing_its_window_ends_no_answer(run: Run):
    ask(run, "hold 2\nsay two")
    answers = table(run)
    window(run).close()
    run.engine.release()
    run.until(lambda: not answers.running)
    run.window.commands["compare_table"].trigger()
    assert table(run).done() == 4
    assert [row[1] for row in read(run)] == ["1 2 end", "two"]


def test_after_a_restart_it_is_there_and_goes_on(start: Start):
    run = start().ready()
    ask(run, "say one\nhold 2\nsay three")
    answers = table(run)
    run.until(lambda: all(cell(run, "hold 2", i).text == "1 2 " for i in answers.columns))
    run.end()
    run = start()
    run.until(lambda: run.engine)
    assert run.window.findChild(TableWindow) is None
    assert run.engine.sent == []  # nothing is asked by itself
    run.window.commands["compare_table"].trigger()
    assert [row[1] for row in read(run)] == ["one", "[Interrupted]\n1 2", "[Not started]"]
    run.engine.release()
    window(run).go.click()
    run.until(lambda: not table(run).running)
    assert [row[1] for row in read(run)] == ["one", "1 2 end", "three"]


def test_a_column_that_cannot_answer_is_not_asked_on(run: Run):
    ask(run, "fail\nsay two")
    run.until(lambda: not table(run).running)
    rows = read(run)
    assert rows[0][1] == "[Not enough memory.]\nSo far"
    assert rows[1][1] == "[Not started]"


def test_what_does_not_fit_is_told_and_the_rest_is_asked(run: Run):
    ask(run, "overflow\nsay two")
    run.until(lambda: not table(run).running)
    assert [row[1] for row in read(run)] == [
        "[The conversation is too long for this model.]",
        "two",
    ]


def test_kept_prompts_are_asked_but_those_with_variables(run: Run):
    prompts = {"First": "say one", "Gap": "say {{what}}", "Last": "say two"}
    run.app.settings.set(prompts=prompts)
    dialog = open_dialog(run)
    dialog.asked.kind.setCurrentText(PROMPTS)
    assert dialog.asked.messages() == ["say one", "say two"]
    assert dialog.blind.text() == "Hide names until I show them"
    assert [tick.isEnabled() for tick in dialog.asked.ticks] == [True, False, True]
    for tick in dialog.asked.ticks:
        tick.setChecked(False)
    assert dialog.why.text() == "Choose the prompts to compare."
    assert not dialog.go.isEnabled()
    dialog.asked.kind.setCurrentText(LINES)
    dialog.prompt.setPlainText("\n".join(f"say {n}" for n in range(101)))
    assert dialog.why.text() == "Compare at most 100 messages, not 101."

    # What no run has saved is no table.
    for told in (None, {}, {"columns": {}, "messages": []}, {"columns": [1]}):
        assert AnswerTable.from_json(told, run.app.library) is None


def test_it_is_exported_and_copied_and_a_deleted_column_says_so(run: Run, tmp_path: Path):
    ask(run, "say one\nsay | two")
    run.until(lambda: not table(run).running)
    window(run).write(tmp_path / "a.csv")
    run.until((tmp_path / "a.csv").exists)
    told = (tmp_path / "a.csv").read_bytes()
    head, first, *_ = told.removeprefix(b"\xef\xbb\xbf").split(b"\r\n")
    assert head == b"id,prompt,Seed 1,Seed 1 passes,Seed 2,Seed 2 passes"
    assert first == b"1,say one,one ,,one ,"
    window(run).copy.click()
    copied = QApplication.clipboard().text()
    assert "| say \\| two | \\| two | \\| two |" in copied
    window(run).write(tmp_path / "none" / "a.md")
    run.until(lambda: "could not be saved" in window(run).words.text())

    # A deleted column says so.
    first = next(iter(table(run).columns))
    run.app.library.delete(first)
    assert [row[1:] for row in read(run)] == [
        ["[This chat has been deleted]", "one"],
        ["[This chat has been deleted]", "| two"],
    ]
    run.app.library.erase(list(table(run).columns))
    assert run.app.store.layout("table") is not None  # one of them is not erased
    columns = list(table(run).columns)
    run.app.library.delete(columns[1])
    run.app.window.compare.table = None  # as in another run, which has not shown it
    run.app.store.save_layout("table", {"columns": dict.fromkeys(columns, ""), "trial": "?"})
    run.app.library.erase(columns)
    assert run.app.store.layout("table") is None  # damaged or not: it tells what was asked
