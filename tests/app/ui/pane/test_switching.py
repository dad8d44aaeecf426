"""Changing and loading models in several panes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.chats.turn import Event
from app.models.loading import LoadState
from app.ui.pane.pane import ChatPane
from tests.app.conftest import Run, Start

LEFT = Qt.MouseButton.LeftButton
SMALL, LARGE = "/models/Small-3B", "/models/Large-70B"


def add_panes(run: Run, count: int) -> list[ChatPane]:
    for _ in range(count):
        run.window.chats.split("right")
        run.ready()
    return run.panes


@pytest.fixture
def slow(start: Start) -> Run:
    run = start().ready()
    run.engine.loading.clear()
    return run


def test_chat_keeps_history_with_new_model(run: Run):
    mine, *others = add_panes(run, 3)
    run.say("say one", mine)
    run.answered(mine)
    for pane in others:
        run.say("hold 3", pane)
    run.until(lambda: all(run.answer(pane) == "1 2 3 " for pane in others))
    mine.chat.model.set(SMALL)
    run.until(lambda: mine.header.state == "Ready")
    run.say("say two", mine)
    assert run.answered(mine) == "two "
    asked = run.engine.sent[-1]
    assert asked.session.model.name == "Small-3B"
    assert [turn["content"] for turn in asked.turns] == ["say one", "one ", "say two"]
    names = [m.model for m in mine.chat.transcript.path if m.role == "assistant"]
    assert names == ["Guide", "Small-3B"]
    assert all(pane.chat.reply.is_active for pane in others)
    run.engine.release()
    assert [run.answered(pane) for pane in others] == ["1 2 3 end"] * 3
    mine.chat.model.set("guide")
    run.say("say three", mine)
    run.answered(mine)
    contents = [turn["content"] for turn in run.engine.sent[-1].turns]
    assert contents == ["say one", "one ", "say two", "two ", "say three"]


def test_two_models_load_for_two_chats(slow: Run):
    first, second, third = add_panes(slow, 2)
    first.chat.model.set(SMALL)
    second.chat.model.set(LARGE)
    slow.say("say small", first)
    slow.say("say large", second)
    assert (first.header.state, second.header.state) == ("Loading…", "Loading…")
    assert third.header.state == "Ready"
    slow.engine.loading.set()
    assert slow.answered(first) == "small "
    assert slow.answered(second) == "large "
    assert slow.engine.loads == 3


def test_pane_shows_load_progress(slow: Run):
    first, second = add_panes(slow, 1)
    first.chat.model.set(SMALL)
    assert first.header.state == "Loading…"
    slow.until(lambda: SMALL in slow.engine.progress)
    for share, words in ((0.004, "Loading…"), (0.42, "Loading 42%"), (1.0, "Loading 99%")):
        slow.engine.progress[SMALL](share)
        if words != "Loading…":
            slow.until(lambda words=words: first.header.state == words)
    assert second.header.state == "Ready"
    late = slow.engine.progress[SMALL]
    slow.engine.loading.set()
    slow.until(lambda: first.header.state == "Ready")
    late(0.5)  # progress may be reported after the model is ready
    slow.say("say hello", first)
    assert slow.answered(first) == "hello "
    assert first.header.state == "Ready"


def test_pane_cancels_and_restarts_loading(slow: Run):
    first, second = add_panes(slow, 1)
    assert not first.header.cancel.isVisible()
    first.chat.model.set(SMALL)
    slow.say("say hello", first)
    assert first.header.cancel.accessibleName() == "Cancel loading"
    slow.qtbot.mouseClick(first.header.cancel, LEFT)
    assert first.header.state.startswith("Unloaded")
    assert first.chat.transcript.last("assistant").status == "cancelled"
    assert not first.header.cancel.isVisible()
    assert second.header.state == "Ready"
    slow.engine.loading.set()
    slow.say("say again", first)
    assert slow.answered(first).endswith("again ")


def test_load_needed_by_another_chat_continues(slow: Run):
    first, second = add_panes(slow, 1)
    for pane in (first, second):
        pane.chat.model.set(SMALL)
        slow.say("say hello", pane)
    slow.qtbot.mouseClick(first.header.cancel, LEFT)
    assert not first.chat.reply.is_active
    assert second.chat.reply.is_active
    slow.engine.loading.set()
    assert slow.answered(second) == "hello "


def test_model_loaded_before_cancel_arrived_stays(slow: Run):
    first = slow.panes[0]
    first.chat.model.set(SMALL)
    loads = slow.app.loader._loads
    slow.until(lambda: SMALL in slow.engine.progress)
    future = loads[SMALL]._future
    slow.engine.loading.set()
    future.result(timeout=5)  # loaded, but not delivered yet
    slow.app.loader.cancel(SMALL)
    assert slow.app.loader.get(SMALL).state is LoadState.UNLOADED
    slow.until(lambda: first.header.state == "Ready")


def test_unchosen_model_is_not_loaded(slow: Run):
    first, second = add_panes(slow, 1)
    loader = slow.app.loader
    for pane in (first, second):
        pane.chat.model.set(SMALL)
    slow.until(lambda: SMALL in slow.engine.progress)
    asked = loader._loads[SMALL]._future
    first.chat.model.set(LARGE)
    assert second.header.state == "Loading…"
    slow.say("say hello", second)
    second.chat.model.set(LARGE)
    assert loader.get(SMALL).state is LoadState.UNASKED
    assert asked.cancelled()
    slow.engine.loading.set()
    assert slow.answered(second) == "hello "
    assert [status.ref for status in loader.loaded_statuses()] == ["guide", LARGE]
    first.chat.model.set(SMALL)
    slow.until(lambda: first.header.state == "Ready")


def test_model_of_closed_pane_is_not_loaded(slow: Run):
    first, second, third = add_panes(slow, 2)
    loader = slow.app.loader
    for pane in (first, second, third):
        pane.chat.model.set(SMALL)
    slow.say("say hello", third)  # its reply waits for the model
    slow.until(lambda: SMALL in slow.engine.progress)
    workspace = slow.window.workspace
    for pane in (first, third):
        workspace.close_pane(pane)
        slow.qtbot.wait(10)
        assert loader.get(SMALL).state is LoadState.LOADING
    third.chat.turn.handle(Event.STOP)
    workspace.reopen(third.chat.id)
    workspace.close_pane(third)
    workspace.close_pane(second)
    slow.until(lambda: loader.get(SMALL).state is LoadState.UNASKED)
    workspace.reopen(second.chat.id)
    assert loader.get(SMALL).state is LoadState.LOADING
    slow.engine.loading.set()
    slow.until(lambda: loader.get(SMALL).state is LoadState.READY)
