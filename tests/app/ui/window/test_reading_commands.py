"""Reading another chat."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.ui.palette.palette import Palette
from app.ui.pane.pane import ChatPane
from app.ui.transcript.user_row import UserRow
from app.ui.window.prompt_commands import PaneOffers
from app.ui.window.reading_commands import ReadSheet
from engine.messages import text_of
from tests.app.conftest import Run, Start

KEY = Qt.Key


def told(run: Run) -> str:
    return text_of(run.engine.sent[-1].turns[-1]["content"])


def picker(pane: ChatPane) -> Any:
    (offers,) = pane.findChildren(PaneOffers)
    return offers.picker


def chips(pane: ChatPane) -> list[str]:
    return [f"{chip.words.name} | {chip.words.about}" for chip in pane.composer.chips.chips]


def sheet(run: Run) -> ReadSheet:
    run.until(lambda: run.window.findChildren(ReadSheet))
    (made,) = run.window.findChildren(ReadSheet)
    return made


@pytest.fixture
def trees(start: Start) -> tuple[Run, ChatPane, ChatPane]:
    run = start()
    run.ready()
    first = run.pane
    run.ask("Name a tree", first)
    run.window.commands["split_right"].trigger()
    run.ready()
    pane = run.pane
    pane.focus_composer()
    run.until(pane.composer.field.hasFocus)
    return run, first, pane


def test_at_reads_another_chat_and_follows_it(trees: tuple[Run, ChatPane, ChatPane]) -> None:
    run, first, pane = trees
    answer = run.answer(first)
    field = pane.composer.field
    run.qtbot.keyClicks(field, "Sum up @")
    assert picker(pane).names()[0] == "Name a tree"
    run.qtbot.keyClicks(field, "tree")
    run.qtbot.keyClick(field, KEY.Key_Return)
    asked = sheet(run)
    assert asked.whole_chat.isChecked()
    assert asked.follow.isChecked()
    assert pane.composer.text == "Sum up @tree"
    run.qtbot.keyClick(asked, KEY.Key_Return)
    run.until(lambda: pane.chat.attacher.files)
    assert pane.composer.text == "Sum up "
    assert chips(pane)[0].startswith("Name a tree | whole, 2 messages")
    assert run.window.focusWidget() is field
    run.ask("it", pane)
    whole = (
        '<chat title="Name a tree">\n<message number="1" name="user">\nName a tree\n</message>\n'
        f'<message number="2" name="assistant">\n{answer}\n</message>\n</chat>\n\nSum up it'
    )
    assert told(run) == whole
    run.until(lambda: chips(pane) == ["Following Name a tree | up to date"])


def test_read_chat_chip_opens_chat(
    trees: tuple[Run, ChatPane, ChatPane],
) -> None:
    run, first, pane = trees
    pane.chat.attacher.read_chat(first.chat.id, 1, follow=False)
    run.until(lambda: pane.chat.attacher.files)
    assert chips(pane)[0].startswith("Name a tree | last message")
    run.ask("so", pane)
    assert 'shows="its last messages, 2 to 2"' in told(run)
    assert chips(pane) == []
    row = pane.transcript.row(pane.chat.transcript.path[0].id)
    assert isinstance(row, UserRow)
    (line,) = row.files.lines
    line.setFocus()
    run.qtbot.keyClick(line, KEY.Key_Right)
    assert line.isChecked()
    views = row.files._views
    run.until(lambda: line in views and "Message 2: Model" in views[line].toPlainText())
    run.qtbot.keyClick(line, KEY.Key_Return)
    run.until(lambda: run.window.workspace.active is first)
    assert line.isChecked()

    # A deleted chat is reported, and no empty chat replaces it.
    run.window.chats.delete(first.chat.id)
    said: list[str] = []
    run.window.toast.show_text = lambda text, **_: said.append(text)  # type: ignore[method-assign]
    line.click()
    assert len(said) == 1
    pane.transcript.chat_requested.emit("0" * 32)
    assert len({*said}) == 2


def test_missing_followed_chat_is_reported(
    trees: tuple[Run, ChatPane, ChatPane],
) -> None:
    run, first, pane = trees
    pane.chat.attacher.read_chat(first.chat.id, 0, follow=True)
    run.until(lambda: pane.chat.attacher.files)
    run.ask("so", pane)
    run.until(lambda: chips(pane) == ["Following Name a tree | up to date"])
    run.window.chats.delete(first.chat.id)
    run.until(lambda: chips(pane) == ["Following Name a tree | in the Trash"])
    run.ask("on", pane)
    assert told(run) == "on"
    (chip,) = pane.composer.chips.chips
    chip.setFocus()
    run.qtbot.keyClick(chip, KEY.Key_Delete)
    assert chips(pane) == []
    assert pane.composer.field.hasFocus()
    assert pane.chat.attacher.referenced_chats.followed_chats == {}
    run.window._undos.undo()
    run.until(lambda: chips(pane) == ["Following Name a tree | in the Trash"])
    run.window._undos.undo()  # restores the chat, too
    run.until(lambda: chips(pane) == ["Following Name a tree | up to date"])


def test_read_chat_lists_others_with_reasons(
    trees: tuple[Run, ChatPane, ChatPane],
) -> None:
    run, _first, pane = trees
    run.window.commands["split_right"].trigger()
    empty = run.pane
    run.qtbot.keyClicks(empty.composer.field, "```")  # an unsent draft
    run.window.workspace.activate(pane)
    run.window.commands["read_chat"].trigger()
    palette = run.window.findChild(Palette)
    listed = {entry.text: entry.why_not for entry in palette.finder.best_entries()}
    assert {text: bool(why) for text, why in listed.items()} == {"Name a tree": False, "```": True}
    run.qtbot.keyClicks(palette.field, "name")
    run.qtbot.keyClick(palette.field, KEY.Key_Return)
    run.qtbot.keyClick(sheet(run), KEY.Key_Escape)
    run.until(lambda: not run.window.findChildren(ReadSheet))
    assert pane.chat.attacher.files == ()
    # "@" opens no list inside code, but does after it.
    field = pane.composer.field
    run.window.activateWindow()
    run.until(field.hasFocus)
    for text, offered in (("```\n@", False), ("\n```\n@", True), (" `@", False)):
        field.insertPlainText(text)
        assert picker(pane).isVisible() is offered, text
    assert QApplication.focusWidget() is field
