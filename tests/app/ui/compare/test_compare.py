"""Comparisons of several replies to one message."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.chats import panel
from app.chats.options import ChatOptions, vary_options
from app.chats.panel import Member
from app.settings.paths import GUIDE
from app.settings.settings import Settings
from app.ui.compare import compare_dialog
from app.ui.compare.compare_dialog import CompareDialog
from app.ui.pane.comparison_view import ComparisonColumn
from app.ui.style.theme import theme
from tests.app.conftest import Run, Start, turn_wheel

MODELS = ("/models/one", "/models/two")


def open_dialog(run: Run, text: str) -> CompareDialog:
    run.pane.composer.set_text(text)
    run.window.commands["compare"].trigger()
    dialog = run.window.findChild(CompareDialog)
    assert dialog is not None
    assert dialog.isVisible()
    return dialog


def ended(run: Run) -> list[ComparisonColumn]:
    run.until(lambda: run.pane.is_comparison_shown and not run.pane.chat.reply.is_active)
    return run.pane.comparison.columns


def compared(run: Run, text: str, *members: Member) -> list[ComparisonColumn]:
    run.pane.composer.set_text(text)
    run.pane.show_comparison(run.pane.chat.comparison.ask(members))
    return ended(run)


def test_three_seeds_reply_in_columns(run: Run):
    run.window.resize(1180, 700)
    run.ask("say before")
    dialog = open_dialog(run, "say hello")
    dialog.kinds["Seeds"].click()
    dialog.ok.click()
    columns = ended(run)
    assert [each.params.seed for each in run.engine.sent[1:]] == [1, 2, 3]
    assert all(each.turns[0]["content"] == "say before" for each in run.engine.sent)
    widths = [column.width() for column in columns]
    assert max(widths) - min(widths) <= 1


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
    made = vary_options(own, defaults)
    assert (made.temperature, made.min_p) == (temperature, min_p)


def test_dialog_fills_in_what_to_compare(look, qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    models = {"/a/one": "one", "/b/two": "two", "/c/two": "two"}
    kept = {"/a/one": [1, 4], "/b/two": [3, 4], "/gone/old": [0, 2]}
    dialog = CompareDialog(Settings(kept=kept), models, "x", parent)
    assert dialog.tally.isHidden()
    dialog.kinds["Models"].click()
    # Two models with the same name are distinguished by their folders.
    assert [(m.name, m.model) for m in dialog.selected_members()] == [
        ("", "/a/one"),
        ("b", "/b/two"),
        ("c", "/c/two"),
    ]
    assert not dialog.tally.isHidden()
    names = ("two 3", "one 1", "old 0")
    assert sorted(names, key=dialog.tally.text().index) == [*names]
    dialog.kinds["Temperatures"].click()
    assert [m.temperature for m in dialog.selected_members()] == [0.0, 0.7, 1.2]
    assert dialog.tally.isHidden()
    for row in dialog.members[:2]:
        row.remove.click()
    assert not dialog.ok.isEnabled()
    assert dialog.ok.toolTip() == dialog.why.text() != ""


def test_models_are_compared_with_the_guide_if_there_is_only_one(look, qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    models = {"/a/one": "one", GUIDE: "Guide"}
    dialog = CompareDialog(Settings(), models, "x", parent)
    dialog.kinds["Models"].click()
    assert [m.model for m in dialog.selected_members()] == ["/a/one", GUIDE]
    assert dialog.ok.isEnabled()
    assert [m.model for m in panel.members_by_model({**models, "/b/two": "two"})] == [
        "/a/one",
        "/b/two",
    ]


def test_dialog_offers_models_if_there_is_only_the_guide(look, qtbot: QtBot):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = CompareDialog(Settings(), {GUIDE: "Guide"}, "x", parent)
    assert dialog.get.isHidden()
    dialog.kinds["Models"].click()
    assert not dialog.get.isHidden()
    with qtbot.waitSignal(dialog.get_model_requested):
        dialog.get.click()


def test_dialog_names_what_it_shows(run: Run):
    dialog = open_dialog(run, "say hello")
    assert "Message: say hello" in [label.text() for label in dialog.findChildren(QLabel)]
    assert dialog.saved.currentIndex() != -1
    dialog.kinds["Seeds"].click()
    assert dialog.saved.currentIndex() == -1
    dialog.reject()
    run.pane.composer.set_text("")
    run.pane.four_replies_requested.emit(run.pane.chat.record.model, "say hello")
    ended(run)
    dialog = open_dialog(run, "say hello")
    assert [m.name for m in dialog.selected_members()] == [f"Reply {n}" for n in "ABCD"]


def test_dialog_shows_that_there_are_more_members(run: Run):
    dialog = open_dialog(run, "say hello")
    bar = dialog._list.verticalScrollBar()
    assert not bar.isVisible()
    dialog.show_members(panel.members_by_seed(5))
    run.until(bar.isVisible)


def test_differences_between_replies_are_marked(run: Run):
    columns = compared(run, "say hello", *panel.members_by_seed(3))

    def say(*texts: str) -> None:
        for column, text in zip(columns, texts, strict=True):
            run.pane.chat.transcript.update(column.message_id, content=text)
        run.pane.comparison.show_columns(columns[0].message_id)

    say("a red house", "a \U0001f600 blue house", "a red")

    def marked() -> list[list[str]]:
        views = [column.row._view for column in run.pane.comparison.columns]
        return [[mark.cursor.selectedText() for mark in view.extraSelections()] for view in views]

    assert marked() == [[], [], []]
    run.pane.comparison.diff.click()
    assert marked() == [["red"], ["\U0001f600 blue"], []]
    theme().set_appearance("dark")
    assert marked() == [["red"], ["\U0001f600 blue"], []]
    say("a red house", "a \U0001f600 blue house", "a green house")
    assert marked()[2] == ["green"]
    run.pane.comparison.diff.click()
    assert marked() == [[], [], []]


def test_columns_scroll_together_on_request(run: Run):
    columns = compared(run, "paste " + "a line\n\n" * 80, *panel.members_by_seed(3))
    bars = [column.bar for column in columns]
    run.until(lambda: all(bar.maximum() > 500 for bar in bars))
    for bar in bars:
        bar.setValue(300)
    turn_wheel(columns[0].area.viewport(), -120)
    moved = bars[0].value()
    assert moved > 300
    assert [bar.value() for bar in bars[1:]] == [300, 300]
    run.window.commands["tie_scrolling"].trigger()
    assert run.pane.comparison.sync.isChecked()
    turn_wheel(columns[1].area.viewport(), -120)
    assert bars[1].value() == bars[2].value() == moved
    assert bars[0].value() - moved == moved - 300
    run.qtbot.keyClick(columns[1], Qt.Key.Key_Up)
    assert bars[1].value() == bars[2].value() < moved


def test_blind_columns_hide_names_until_one_is_kept(start: Start):
    run = start().ready()
    run.app.settings.set(models=MODELS)
    dialog = open_dialog(run, "say hello")
    dialog.show_members([Member(model=ref) for ref in MODELS])
    dialog.blind.setChecked(True)
    with patch.object(compare_dialog, "shuffle", list.reverse):
        dialog.ok.click()
    ids = [column.message_id for column in ended(run)]
    assert [panel.data_of(run.pane.chat.transcript[i])["model"] for i in ids] == [*reversed(MODELS)]
    run.end()
    run = start()  # opens as columns again, still hidden
    pane = run.pane
    assert pane.is_comparison_shown
    assert [column.accessibleName() for column in pane.comparison.columns] == ["Reply A", "Reply B"]
    for column in pane.comparison.columns:
        assert column.row.message.model == column.accessibleName()
        assert "model" not in column.row.message.stats
    pane.comparison.columns[0].keep.click()
    assert not pane.is_comparison_shown
    assert [pane.chat.message_to_display(i).model for i in ids] == ["two", "one"]
    run.end()
    assert not start().pane.is_comparison_shown


def test_results_end_a_blind_comparison(run: Run):
    columns = compared(run, "say 7", *(Member(model=ref, hidden=True) for ref in MODELS))
    run.window.commands["panel_vote"].trigger()
    vote = run.pane.chat.transcript.last("assistant")
    assert panel.sources(vote) == {"A": "one", "B": "two"}
    assert [run.pane.chat.message_to_display(c.message_id).model for c in columns] == ["one", "two"]


def test_columns_open_as_chats(run: Run):
    run.window.resize(1600, 800)
    before, chat = run.pane, run.pane.chat
    run.ask("say before")
    compared(run, "say hello", Member("Doubter", system="Doubt it.", temperature=0.3), Member())
    before.comparison.as_chats.click()
    made = [pane for pane in run.panes if pane is not before]
    assert [pane.chat.title for pane in made] == ["A Doubter", "B Guide"]
    assert all(pane.isVisible() and not pane.is_comparison_shown for pane in made)
    for pane in made:
        texts = [message.content for message in pane.chat.transcript.path]
        assert texts[:3] == ["say before", "before ", "say hello"]
        assert texts[3].startswith("hello")
    assert made[0].chat.options.temperature == 0.3
    assert made[0].chat.record.system == "Doubt it."
    assert made[1].chat.options == chat.options
    groups = {pane.chat.record.group_id for pane in made}
    assert len(groups) == 1
    assert None not in groups


def test_keeping_one_of_several_models_is_counted(run: Run):
    for kept in (1, 1, 0):
        columns = compared(run, "say hello", *(Member(model=ref) for ref in MODELS))
        columns[kept].keep.click()
    assert run.app.settings.kept == {"/models/one": [1, 3], "/models/two": [2, 3]}
    compared(run, "say hello", *panel.members_by_seed(2))[0].keep.click()
    # Seeds of the same model don't count as votes.
    assert run.app.settings.kept == {"/models/one": [1, 3], "/models/two": [2, 3]}
    # The model of a column that is still streaming counts, too.
    run.pane.composer.set_text("hold 2")
    run.pane.show_comparison(run.pane.chat.comparison.ask([Member(model=ref) for ref in MODELS]))
    run.pane.comparison.columns[0].keep.click()
    assert run.app.settings.kept == {"/models/one": [2, 4], "/models/two": [2, 4]}
