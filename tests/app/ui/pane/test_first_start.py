from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import flows
from app.models import suggestions
from app.settings import language
from app.settings.translation import ENVIRONMENT, TRANSLATIONS
from app.store import Store
from app.tools.builtin import DATE
from app.ui.pane.empty import ABOUT_THE_DATE, FOUR_THING, GUIDE_THINGS, OTHER_THINGS
from tests.app.conftest import Run, Start


def test_first_start_opens_a_chat_with_the_guide(start: Start):
    run = start()
    assert len(run.panes) == 1
    assert run.pane.composer.field.hasFocus()
    assert run.pane.header.model_button.text() == "Guide"
    run.ready()
    assert run.pane.empty.isVisible()
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


def test_get_model_button_is_only_next_to_the_guide(run: Run):
    run.window.resize(1200, 900)
    run.until(lambda: not flows.running_tasks())
    assert not run.pane.empty.small.isVisible()
    assert run.pane.empty.get.isVisible()
    run.pane.chat.model.set("/models/one")
    assert not run.pane.empty.get.isVisible()  # only next to the Guide and SmolLM2


def test_small_model_is_offered_if_installed(
    start: Start, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    """Offer two models on the first start: the Guide for help with Stretto, and a general one."""
    monkeypatch.setattr(suggestions, "find_small_folder", lambda: "/models/small")
    run = start().ready()
    offered = run.pane.empty.small
    run.until(lambda: offered.isVisible() or run.pane.empty.height() <= 440)
    run.window.resize(640, 900)
    run.until(lambda: not offered.isVisible())  # there is no room for three buttons
    assert run.pane.empty.demo.isVisible()
    run.window.resize(1200, 900)
    run.until(offered.isVisible)
    run.pane.header.model_button.click()
    menu = QApplication.activePopupWidget()
    assert [action.toolTip() for action in menu.actions()][1] == "/models/small"
    menu.close()
    qtbot.mouseClick(offered, Qt.MouseButton.LeftButton)
    assert run.pane.chat.record.model == "/models/small"
    run.until(lambda: not offered.isVisible())
    assert run.pane.composer.field.hasFocus()  # not the button next to it
    assert "often wrong" in run.pane.empty.teaching.text()
    assert run.pane.empty.get.isVisible()


@pytest.fixture
def translated_things(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def translate(text: str, comment: str, n: int) -> str:
        return f"«{text}»" if text in {FOUR_THING, *OTHER_THINGS} else ""

    monkeypatch.setitem(TRANSLATIONS, "made-up", translate)
    monkeypatch.setenv(ENVIRONMENT, "made-up")
    yield
    language.install(None)


@pytest.mark.usefixtures("translated_things")
def test_small_model_gets_english_suggestions(start: Start, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(suggestions, "find_small_folder", lambda: "/models/small")
    run = start().ready()
    asked: list[str] = []
    run.pane.empty.four_replies_requested.disconnect()
    run.pane.empty.four_replies_requested.connect(lambda _ref, text: asked.append(text))
    for ref, things, four in (
        ("/models/small", OTHER_THINGS, FOUR_THING),
        ("/models/one", [f"«{thing}»" for thing in OTHER_THINGS], f"«{FOUR_THING}»"),
    ):
        run.pane.chat.model.set(ref)
        run.until(lambda: not flows.running_tasks())
        shown = [str(button.property("whole")) for button in run.pane.empty.buttons]
        assert shown == list(things)
        run.pane.empty.demo.click()
        assert asked.pop() == four


def test_chat_is_stored_from_first_key_press(start: Start, qtbot: QtBot, profile):
    run = start()
    chat_id = run.pane.chat.id
    assert run.app.store.chat(chat_id) is None
    qtbot.keyClicks(run.pane.composer.field, "H")
    assert run.app.store.chat(chat_id).draft == "H"
    run.end()
    with Store.open(profile / "chats.db") as store:
        assert [chat.draft for chat in store.chats()] == ["H"]
