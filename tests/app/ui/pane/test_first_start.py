"""The first minute of a new user."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from app import flows
from app.models import suggestions
from app.settings.language import tr
from app.store import Store
from app.tools.builtin import DATE
from app.ui.pane.empty import ABOUT_THE_DATE, GUIDE_THINGS
from app.ui.style.theme import theme
from tests.app.conftest import Start
from tests.app.ui.measuring import speaking


def test_first_start_opens_a_chat_with_the_guide(start: Start):
    run = start()
    assert len(run.panes) == 1
    assert run.pane.composer.field.hasFocus()
    assert run.pane.header.model_button.text() == "Guide"
    run.ready()
    assert run.pane.empty.isVisible()

    introduction = run.pane.empty.findChildren(QLabel)[2].text()
    assert "Stretto" in introduction
    assert "English only" not in introduction
    assert run.window_came_first
    assert ABOUT_THE_DATE not in [button.text() for button in run.pane.empty.buttons]
    options = replace(run.pane.chat.options, tools=(DATE,))
    run.pane.chat.set_options(options, "")
    assert run.pane.empty.buttons[2].text() == ABOUT_THE_DATE
    # One click sends a suggestion.
    run.qtbot.mouseClick(run.pane.empty.buttons[0], Qt.MouseButton.LeftButton)
    assert run.answered() == f"You said: {GUIDE_THINGS[0]}"
    assert run.pane.composer.field.hasFocus()
    assert not run.pane.empty.isVisible()


def test_guide_introduction_is_honest(start: Start):
    """In other languages, the Guide points out that it only speaks English."""
    with speaking("de"):
        run = start()
        run.until(lambda: run.engine is not None)
        words = run.pane.empty.findChildren(QLabel)[2].text()
        assert "Stretto" in words
        assert tr("It speaks English only.") in words
        assert [button.text() for button in run.pane.empty.buttons] == list(GUIDE_THINGS)
        run.end()


def test_get_model_button_fits_smallest_pane(start: Start):
    run = start().ready()
    for width, height in ((1200, 900), (640, 480), (520, 360), (420, 330)):
        run.window.resize(width, height)
        run.qtbot.wait(20)
        shown = run.pane.empty
        assert shown.get.isVisible(), (width, height)
        parts = [shown.get, *(part for part in shown.buttons if part.isVisible())]
        for part in parts:
            top = part.mapTo(shown, part.rect().topLeft()).y()
            assert top >= 0
            assert top + part.height() <= shown.height(), (width, height)
            assert part.width() >= part.sizeHint().width()

    run.window.resize(1200, 900)
    run.until(lambda: not flows.running_tasks())
    assert not run.pane.empty.small.isVisible()
    assert run.pane.empty.get.isVisible()
    run.pane.chat.model.set("/models/one")
    assert not run.pane.empty.get.isVisible()  # only next to the Guide


def test_small_model_is_offered_if_installed(
    start: Start, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    """Offer two models on the first start: the Guide for help with Stretto, and a general one."""
    monkeypatch.setattr(suggestions, "find_small_folder", lambda: "/models/small")
    run = start().ready()
    offered = run.pane.empty.small
    run.until(lambda: offered.isVisible() or run.pane.empty.height() <= 440)
    run.window.resize(1200, 900)
    run.until(offered.isVisible)
    run.pane.header.model_button.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.toolTip() for action in menu.actions()][1] == "/models/small"
    menu.close()
    qtbot.mouseClick(offered, Qt.MouseButton.LeftButton)
    assert run.pane.chat.record.model == "/models/small"
    run.until(lambda: not offered.isVisible())
    assert run.pane.composer.field.hasFocus()  # not the button next to it


def test_chat_is_stored_from_first_key_press(start: Start, qtbot: QtBot, profile):
    run = start()
    chat_id = run.pane.chat.id
    assert run.app.store.chat(chat_id) is None
    qtbot.keyClicks(run.pane.composer.field, "H")
    assert run.app.store.chat(chat_id).draft == "H"
    run.end()
    with Store.open(profile / "chats.db") as store:
        assert [chat.draft for chat in store.chats()] == ["H"]


def test_message_sent_during_load_gets_reply(start: Start):
    run = start()
    run.until(lambda: run.engine is not None)
    run.engine.loading.clear()
    run.window.chats.new()
    pane = run.pane
    pane.chat.model.set("/models/slow")
    run.say("say patience")
    assert pane.header.state == "Loading…"
    assert pane.chat.reply.is_active
    run.engine.loading.set()
    assert run.answered(pane) == "patience "


def test_suggestions_are_created_when_first_shown(start: Start):
    run = start().ready()
    run.ask("say one")
    run.end()
    run = start().ready()
    assert "empty" not in vars(run.pane)
    run.pane.chat.delete_message(run.pane.chat.transcript.path[0].id)
    run.until(run.pane.empty.isVisible)
    assert run.pane.empty.buttons[0].text() == GUIDE_THINGS[0]
    follows, between = run.pane.transcript.nextInFocusChain(), []  # Tab reaches it
    while follows is not run.pane.empty.buttons[0]:
        between.append(follows)
        follows = follows.nextInFocusChain()
    assert run.pane.composer.field not in between


def test_narrow_pane_wraps_suggestions(start: Start):
    run = start().ready()
    run.window.chats.use_model("/models/A-Model-With-A-Very-Long-Name-8bit")
    run.window.resize(1300, 700)
    field, long = run.pane.composer.field, "Message A-Model-With-A-Very-Long-Name-8bit…"
    run.until(lambda: field.placeholderText() == long)
    button = run.pane.empty.buttons[0]
    whole = button.text()
    theme().set_zoom(150)
    run.window.resize(560, 700)
    run.until(lambda: field.placeholderText().endswith("…") and field.placeholderText() != long)
    assert button.text().split("\n") == ["Explain recursion with a short", "example"]
    assert button.toolTip() == ""
    qtbot, sent = run.qtbot, []
    run.pane.empty.suggestion_chosen.connect(sent.append)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert sent == [whole]
    run.answered()
