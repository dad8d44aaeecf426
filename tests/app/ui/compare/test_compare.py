"""Comparisons: one prompt with several replies side by side."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions, varied
from app.settings.settings import Settings
from app.ui.compare.compare_dialog import CompareDialog, ComparisonColumn
from app.ui.pane.pane import ChatPane
from app.ui.style.theme import theme
from app.ui.transcript.answer_row import AnswerRow
from tests.app.conftest import Run, Start


def open_dialog(run: Run) -> CompareDialog:
    run.window.commands["compare"].trigger()
    dialog = run.window.findChild(CompareDialog)
    assert dialog is not None
    assert dialog.isVisible()
    return dialog


def three_columns(run: Run, width: int = 1180) -> list[ChatPane]:
    """Return the panes of a comparison of three seeds. The tests' screen is small."""
    run.window.resize(width, 700)
    dialog = open_dialog(run)
    dialog.prompt.setPlainText("say hello")
    dialog.go.click()
    return [pane for pane in run.panes if pane.chat.options.seed is not None]


def test_three_seeds_reply_in_equal_columns(start: Start):
    run = start().ready()
    run.window.resize(1180, 700)
    run.pane.composer.set_text("say hello")
    dialog = open_dialog(run)
    assert dialog.prompt.toPlainText() == "say hello"
    run.qtbot.keyClick(dialog.prompt, Qt.Key.Key_Return)
    run.until(lambda: len(run.engine.sent) == 3)
    columns = run.panes  # they replace the new chat
    assert len(run.app.library.chats()) == 3
    assert [pane.chat.options.seed for pane in columns] == [1, 2, 3]
    assert [run.answered(pane) for pane in columns] == ["hello "] * 3
    assert [reply.params.seed for reply in run.engine.sent] == [1, 2, 3]
    widths = [pane.width() for pane in columns]
    assert max(widths) - min(widths) < 0.1 * max(widths)
    title = lambda pane: run.window.workspace.dock(pane.chat.id).windowTitle()  # noqa: E731
    assert list(map(title, columns)) == ["Seed 1", "Seed 2", "Seed 3"], "by what differs"

    # Keep This One closes the others, and undo brings them back.
    assert all(pane.header.keep.isVisible() for pane in columns)
    columns[1].header.keep.click()
    assert run.pane is columns[1]
    assert columns[0] not in run.panes
    assert not columns[1].header.keep.isVisible()
    assert title(columns[1]) == "say hello – Seed 2"
    assert {pane.chat.record.title for pane in columns} == {"say hello"}
    assert run.window.toast.text == "Seed 2 kept"
    run.window.toast.button.click()
    assert {*columns} <= {*run.panes}
    run.window.workspace.activate(columns[1])
    run.say("say more", columns[1])
    assert run.answered(columns[1]) == "more "
    assert run.engine.sent[-1].params.seed == 2


@pytest.mark.parametrize(
    ("own", "defaults", "temperature", "min_p"),
    [
        (ChatOptions(), {"temperature": 0.3, "min_p": 0.3}, 0.8, 0.05),  # the Guide
        (ChatOptions(), {"temperature": 0.9}, None, None),
        (ChatOptions(), {}, None, None),
        (ChatOptions(temperature=0.0), {}, 0.8, None),
        (ChatOptions(temperature=0.2, min_p=0.4), {"temperature": 0.3, "min_p": 0.3}, 0.2, 0.4),
    ],
)
def test_seeds_differ_for_model_with_zero_temperature(
    own: ChatOptions, defaults: dict[str, float], temperature: float | None, min_p: float | None
):
    made = varied(own, defaults)
    assert (made.temperature, made.min_p) == (temperature, min_p)


def test_columns_beyond_two_rows_become_tabs(start: Start):
    run = start().ready()
    run.window.resize(960, 560)
    dialog = open_dialog(run)
    dialog.prompt.setPlainText("say hello")
    dialog.count.setValue(6)
    dialog.go.click()
    seen = [pane for pane in run.panes if pane.isVisible()]
    assert (len(run.panes), len(seen)) == (6, 4)
    for pane in run.panes:
        run.answered(pane)


def test_differences_between_answers_are_marked(start: Start):
    run = start().ready()
    columns = three_columns(run)
    for pane, text in zip(
        columns, ("a red house", "a \U0001f600 blue house", "a red"), strict=True
    ):
        run.answered(pane)
        pane.chat.turn.send(f"say {text}")
        run.answered(pane)

    def marked(pane) -> list[str]:
        row = pane.transcript.row(pane.chat.transcript.last("assistant").id)
        return [mark.cursor.selectedText() for mark in row._view.extraSelections()]

    assert [marked(pane) for pane in columns] == [[], [], []]
    columns[1].header.differs.click()
    assert all(pane.header.differs.isChecked() for pane in columns)
    assert [marked(pane) for pane in columns] == [["red"], ["\U0001f600 blue"], []]
    theme().set_appearance("dark")
    assert [marked(pane) for pane in columns] == [["red"], ["\U0001f600 blue"], []]
    run.say("say a green house", columns[2])
    run.answered(columns[2])
    run.until(lambda: marked(columns[2]) == ["green"])
    view = columns[2].transcript
    row = next(r for r in view.findChildren(AnswerRow) if r._view.extraSelections())
    place = next(p for p in view.places if p.row is row)
    view._remove_row(place)  # scrolled out of view and back
    view._create_row(view.places.index(place))
    assert marked(columns[2]) == ["green"]
    columns[0].header.differs.click()
    assert [marked(pane) for pane in columns] == [[], [], []]
    columns[0].header.keep.click()
    assert not columns[0].header.differs.isVisible()


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("Temperatures", [(0.0, None), (0.7, None), (1.2, None)]),
        ("Seeds", [(None, 1), (None, 2), (None, 3)]),
    ],
)
def test_columns_are_named_by_their_difference(look, qtbot: QtBot, kind, told):
    from PySide6.QtWidgets import QWidget

    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = CompareDialog([("guide", "Guide")], "guide", ChatOptions(), "x", Settings(), parent)
    dialog.kinds[kind].setChecked(True)
    assert [(c.options.temperature, c.options.seed) for c in dialog.columns()] == told
    dialog.kinds["Models"].setChecked(True)
    assert not dialog.go.isEnabled()


def test_dialog_explains_why_comparing_is_impossible(look, qtbot: QtBot):
    from PySide6.QtWidgets import QWidget

    parent = QWidget()
    qtbot.addWidget(parent)
    models = [(f"model-{n}", f"Model {n}") for n in range(7)]
    dialog = CompareDialog(models, "model-0", ChatOptions(), "x", Settings(), parent)
    dialog.kinds["Models"].setChecked(True)
    assert [box.isChecked() for box in dialog.models] == [True] * 6 + [False]
    assert [column.words for column in dialog.columns()] == [f"Model {n}" for n in range(6)]
    assert dialog.go.isEnabled()
    assert dialog.why.isHidden()
    dialog.models[6].setChecked(True)
    assert not dialog.go.isEnabled()
    assert not dialog.why.isHidden()
    assert dialog.why.text() == ("Choose up to 6 models. 7 are selected.")
    assert dialog.go.toolTip() == dialog.why.text()
    for box in dialog.models[1:]:
        box.setChecked(False)
    assert dialog.why.text() == "Choose at least two models."
    dialog.models[1].setChecked(True)
    assert dialog.go.isEnabled()
    dialog.prompt.setPlainText(" \n")
    assert not dialog.go.isEnabled()
    assert dialog.why.text() == "Enter a message."


def split(run: Run) -> list[str]:
    """Open three chats in a pane, at its right and below. Returns their ids; the last is active."""
    run.ready()
    for number, where in enumerate(("tab", "right", "down")):
        if number:
            run.window.chats.split(where)
        run.ask(f"say {number}")
    return [pane.chat.id for pane in run.panes]


def places(run: Run, ids: list[str]) -> list[tuple[int, int, int, int]]:
    panes = [run.window.workspace.pane(chat_id) for chat_id in ids]
    return [
        (*pane.mapTo(run.window, pane.pos()).toTuple(), *pane.size().toTuple()) for pane in panes
    ]


def test_columns_replace_all_panes_of_split_window(start: Start):
    run = start()
    run.window.resize(1180, 700)
    ids = split(run)
    before = places(run, ids)
    columns = three_columns(run)
    assert run.panes == columns
    assert all(pane.isVisible() for pane in columns)
    widths = [pane.width() for pane in columns]
    assert max(widths) - min(widths) < 0.1 * max(widths)
    assert run.window.toast.text == "3 chats hidden while you compare"
    for pane in columns:
        run.answered(pane)
    columns[1].header.keep.click()
    assert run.pane is columns[1]
    assert {pane.chat.id for pane in run.panes} == {*ids, columns[1].chat.id}
    run.until(lambda: places(run, ids[:2]) == before[:2])

    # Replaced panes can be restored together, and panes opened meanwhile stay.
    run.window.workspace.close_pane(columns[1])
    columns = three_columns(run)
    for pane in columns:
        run.answered(pane)
    run.window.toast.button.click()
    assert {pane.chat.id for pane in run.panes} == {*ids, *(pane.chat.id for pane in columns)}
    run.window.chats.new()
    ids.append(run.pane.chat.id)
    columns[0].header.keep.click()
    assert {pane.chat.id for pane in run.panes} == {*ids, columns[0].chat.id}


def turn_wheel(pane: ChatPane, by: int) -> None:
    """Send a wheel event as the system does, over the middle of the conversation."""
    view = pane.transcript.viewport()
    at = QPointF(view.rect().center())
    event = QWheelEvent(
        *(at, QPointF(view.mapToGlobal(view.rect().center())), QPoint(0, 0), QPoint(0, by)),
        *(Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier),
        *(Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(view, event)


def test_on_request_the_wheel_moves_all_columns_of_a_comparison(start: Start):
    run = start().ready()
    dialog = open_dialog(run)
    dialog.prompt.setPlainText("paste " + "a line\n\n" * 80)
    dialog.go.click()
    columns = [pane for pane in run.panes if pane.chat.options.seed is not None]
    for pane in columns:
        run.answered(pane)
    bars = [pane.transcript.verticalScrollBar() for pane in columns]
    run.until(lambda: all(bar.maximum() > 500 for bar in bars))
    for bar in bars:
        bar.setValue(300)
    turn_wheel(columns[0], -120)
    run.until(lambda: bars[0].value() > 300)
    assert [bar.value() for bar in bars[1:]] == [300, 300]
    moved = bars[0].value()
    run.window.commands["tie_scrolling"].trigger()
    assert run.window.commands["tie_scrolling"].isChecked()
    turn_wheel(columns[1], -120)
    run.until(lambda: bars[0].value() > moved)
    assert bars[1].value() == bars[2].value() == moved
    assert bars[0].value() - moved == moved - 300


def test_keeping_one_of_several_models_is_counted(start: Start):
    run = start().ready()
    run.app.settings.set(models=("/models/one", "/models/two"))
    for kept in (1, 1, 0):
        columns = [
            ComparisonColumn(model, ChatOptions(), model)
            for model in ("/models/one", "/models/two")
        ]
        panes = run.window.chats.comparisons.begin(columns, "", "say hello")
        for pane in panes:
            run.until(lambda pane=pane: pane.chat.transcript.last("assistant"))
            run.answered(pane)
        panes[kept].header.keep.click()
    assert run.app.settings.kept == {"/models/one": [1, 3], "/models/two": [2, 3]}
    assert run.window.toast.text == "one kept, 1 of 3 times so far"
    for pane in three_columns(run):
        run.answered(pane)
    run.pane.header.keep.click()  # seeds of the same model don't count as votes
    assert run.app.settings.kept == {"/models/one": [1, 3], "/models/two": [2, 3]}
