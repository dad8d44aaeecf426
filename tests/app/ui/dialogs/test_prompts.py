"""Prompts, their variables, and their dialog."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QListView

from app.settings.settings import Settings
from app.ui.dialogs.name_dialogs import PromptsDialog
from app.ui.palette.pickers import PromptPicker
from tests.app.conftest import Run

KEY = Qt.Key
EXPLAIN = "say Explain {{topic}} to {{ audience }}.\nOnce more: {{topic}}."
PROMPTS = {"Explain": EXPLAIN, "Summary": "say In short.", "Test": "Write a test for {{code}}."}


@pytest.fixture
def run(run: Run) -> Run:
    run.app.settings.set(prompts=dict(PROMPTS))
    run.pane.focus_composer()
    run.until(run.pane.composer.field.hasFocus)
    return run


def picker(run: Run) -> PromptPicker:
    found = run.pane.findChild(PromptPicker)
    assert found is not None
    return found


def type_(run: Run, text: str) -> None:
    run.qtbot.keyClicks(run.pane.composer.field, text)


def press(run: Run, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    run.qtbot.keyClick(run.pane.composer.field, key, *modifiers)


def selected(run: Run) -> str:
    return run.pane.composer.field.textCursor().selectedText()


def test_slash_lists_prompts_and_typing_filters(run: Run):
    # A list created in advance costs each pane eight widgets, styled on each change of tabs.
    assert not run.pane.findChildren(QListView)
    type_(run, "/")
    assert len(run.pane.findChildren(QListView)) == 1
    assert picker(run).isVisible()
    assert picker(run).names() == [*PROMPTS, "Edit Prompts…"]
    type_(run, "su")
    assert picker(run).names() == ["Summary"]
    press(run, KEY.Key_Return)
    assert run.pane.composer.text == "say In short."
    assert not picker(run).isVisible()
    press(run, KEY.Key_Return)
    assert run.answered() == "In short. "
    type_(run, "not /")
    assert not picker(run).isVisible()


def test_tab_selects_variables_and_value_fills_equal_names(run: Run):
    type_(run, "/exp")
    press(run, KEY.Key_Tab)
    assert selected(run) == "{{topic}}"
    type_(run, "tides")
    press(run, KEY.Key_Tab)
    assert selected(run) == "{{ audience }}"
    assert run.pane.composer.text.count("tides") == 2
    press(run, KEY.Key_Return)  # not sent, because a variable is still empty
    assert "audience" in run.window.toast.text
    assert not run.pane.chat.reply.is_active
    type_(run, "children")
    press(run, KEY.Key_Return)
    run.answered()
    said = run.pane.chat.transcript.path[0].content
    assert said == "say Explain tides to children.\nOnce more: tides."
    # A second Enter sends even with an empty variable.
    type_(run, "/expl")
    press(run, KEY.Key_Return)
    press(run, KEY.Key_Tab)
    press(run, KEY.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert selected(run) == "{{topic}}"
    press(run, KEY.Key_Return)
    press(run, KEY.Key_Return)
    run.answered()
    assert "{{topic}}" in run.pane.chat.transcript.path[2].content


def test_escape_closes_prompts_and_keeps_slash(run: Run):
    type_(run, "/")
    press(run, KEY.Key_Escape)
    type_(run, "s")
    assert not picker(run).isVisible()
    assert run.pane.composer.text == "/s"
    run.pane.composer.set_text("")
    type_(run, "/usr/bin")
    assert not picker(run).isVisible()
    press(run, KEY.Key_Return)
    assert run.answered() == "You said: /usr/bin"
    type_(run, "say {{mine}}")  # typed braces are not a variable
    press(run, KEY.Key_Return)
    assert run.answered() == "{{mine}} "
    type_(run, "x")
    press(run, KEY.Key_Tab)
    assert not run.pane.composer.field.hasFocus()


def dialog_of(run: Run) -> PromptsDialog:
    dialog = run.window.findChild(PromptsDialog)
    assert dialog is not None
    run.until(lambda: QApplication.activeWindow() is dialog)
    return dialog


def test_prompts_are_written_renamed_deleted_and_brought_back(run: Run):
    type_(run, "/")
    press(run, KEY.Key_Up)
    press(run, KEY.Key_Return)
    dialog, settings = dialog_of(run), run.app.settings
    dialog.new_button.click()
    run.qtbot.keyClicks(dialog.name, "Haiku")
    run.qtbot.keyClicks(dialog.text, "A haiku on {{x}}")
    assert list(settings.prompts.items())[-1] == ("Haiku", "A haiku on {{x}}")
    dialog.name.selectAll()
    run.qtbot.keyClicks(dialog.name, "Test")
    assert dialog.hint.text()
    assert settings.prompts["Test"] == PROMPTS["Test"]
    dialog.name.selectAll()
    run.qtbot.keyClick(dialog.name, KEY.Key_Delete)
    run.qtbot.keyClicks(dialog.name, "Verse")
    assert list(settings.prompts) == ["Explain", "Summary", "Test", "Verse"]
    dialog.list.setCurrentRow(0)
    dialog.delete_button.click()
    assert list(settings.prompts) == ["Summary", "Test", "Verse"]
    dialog.undo_button.click()
    assert list(settings.prompts) == ["Explain", "Summary", "Test", "Verse"]
    assert dialog.text.toPlainText() == EXPLAIN
    dialog.close()
    assert Settings.load(settings.file).prompts == settings.prompts


def test_message_is_saved_as_prompt(run: Run):
    type_(run, "say What rhymes with {{word}} here?")
    run.window.commands["save_prompt"].trigger()
    dialog = dialog_of(run)
    name = "say What rhymes with {{word}}"
    assert run.app.settings.prompts[name] == "say What rhymes with {{word}} here?"
    assert dialog.name.text() == name
    dialog.close()
