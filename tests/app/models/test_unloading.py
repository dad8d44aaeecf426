"""Unloading a model from the window, and loading it again."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu

from app.chats.turn import Event
from app.models.loading import LoadState
from tests.app.conftest import Run

LEFT = Qt.MouseButton.LeftButton
SMALL = "/models/Small-3B"


def open_menu(run: Run) -> QMenu:
    run.qtbot.mouseClick(run.pane.header.model_button, LEFT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def entry(menu: QMenu, words: str) -> QAction:
    return next(action for action in menu.actions() if action.text().startswith(words))


def to_unload(run: Run, name: str) -> QAction:
    menu = open_menu(run)
    inner = entry(menu, "Unload").menu()
    assert isinstance(inner, QMenu)
    assert inner.toolTipsVisible()
    action = entry(inner, name)
    menu.close()
    return action


def test_unloaded_model_loads_again_on_send(run: Run):
    run.ask("say one")
    to_unload(run, "Guide").trigger()
    assert run.engine.unloaded == ["Guide"]
    menu = open_menu(run)
    assert not entry(menu, "Unload").isEnabled()
    menu.close()
    run.say("say two")
    assert run.answered() == "two "  # a new session, because the old session ended with the model
    assert run.engine.loads == 2
    assert run.pane.header.state == "Ready"


def test_opening_a_chat_does_not_reload_its_model(run: Run):
    to_unload(run, "Guide").trigger()
    run.window.chats.new()
    assert run.pane.header.state.startswith("Unloaded")
    run.window.chats.split("right")
    run.window.resize(700, 600)
    run.until(lambda: run.pane.header.state == "Unloaded")
    assert run.engine.loads == 1
    run.pane.chat.model.set("guide")  # choosing a model by name requests it
    run.until(lambda: run.pane.header.state == "Ready")


def test_replying_model_cannot_be_unloaded(run: Run):
    busy = run.say("hold 2")
    run.until(lambda: run.answer(busy))
    run.window.chats.use_model(SMALL)
    run.until(lambda: run.pane.header.state == "Ready")
    action = to_unload(run, "Guide")
    assert not action.isEnabled()
    assert to_unload(run, "Small-3B").isEnabled()
    busy.chat.turn.handle(Event.PAUSE)
    assert not to_unload(run, "Guide").isEnabled()
    busy.chat.turn.handle(Event.STOP)
    run.answered(busy)
    assert to_unload(run, "Guide").isEnabled()


def test_out_of_memory_notice_offers_unloading(run: Run):
    run.window.chats.use_model("/models/broken")
    run.until(lambda: run.pane.notice.isVisible())
    assert not run.pane.notice.unload.isVisible()
    run.window.chats.use_model("/models/huge")
    run.until(lambda: run.pane.notice.isVisible() and "90 GB" in run.pane.notice.text)
    offer = run.pane.notice.unload
    assert offer.isVisible()
    run.qtbot.mouseClick(offer, LEFT)
    menu = QApplication.activePopupWidget()
    entry(menu, "Guide").trigger()
    menu.close()
    assert run.engine.unloaded == ["Guide"]
    run.qtbot.mouseClick(offer, LEFT)
    assert QApplication.activePopupWidget() is None


def test_out_of_memory_reply_offers_to_unload(run: Run):
    run.window.chats.use_model("/models/huge")
    run.until(lambda: run.pane.header.state == "Not loaded")
    run.say("hello")
    run.until(lambda: run.pane.chat.transcript.last("assistant").status == "error")
    row = run.pane.transcript.row(run.pane.chat.transcript.last("assistant").id)
    run.until(lambda: row.isVisible())
    run.qtbot.mouseClick(row.error.buttons[1], LEFT)
    menu = QApplication.activePopupWidget()
    entry(menu, "Guide").trigger()
    menu.close()
    assert run.engine.unloaded == ["Guide"]


def test_two_names_of_the_same_weights_are_unloaded_together(run: Run):
    loader = run.app.loader
    twin = loader.get("the/twin")
    twin.state, twin.model = LoadState.READY, loader.get("guide").model
    assert [m.ref for m in loader.loaded_statuses()] == ["guide"]
    assert loader.unload("the/twin")
    assert loader.get("guide").state is LoadState.UNLOADED
    assert not loader.unload("guide")
