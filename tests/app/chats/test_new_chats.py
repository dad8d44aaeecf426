"""Defaults of new chats."""

from __future__ import annotations

import threading

import pytest

from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.settings.paths import GUIDE
from app.store import ChatRecord, Message, Store, new_id
from tests.app.conftest import Run, Start

CHOSEN = {"temperature": 0.3, "slide": True}


@pytest.fixture
def begun(start: Start):
    run = start().ready()
    run.ask("say one")
    run.app.settings.set(new_chat=CHOSEN, system="Be kind.")
    return run


def begins_as_chosen(chat) -> bool:
    options = ChatOptions(temperature=0.3, slide=True)
    return (chat.options, chat.record.system) == (options, "Be kind.")


def test_new_chats_have_chosen_settings(begun, tmp_path):
    begun.window.chats.use_model(str(tmp_path))
    assert begun.pane.chat.record.model == str(tmp_path)
    assert begins_as_chosen(begun.pane.chat)
    begun.ask("say two")
    begun.window.downloads_in_window.chat_requested.emit("somebody/model")
    assert begun.pane.chat.record.model == "somebody/model"
    assert begins_as_chosen(begun.pane.chat)
    chat = begun.window.chats.chat("an-id-of-nobody", {"model": 3, "params": [], "system": None})
    assert chat.record.model == GUIDE
    assert begins_as_chosen(chat)


def test_empty_chat_keeps_its_settings(begun, start: Start, tmp_path):
    run = begun
    run.window.chats.new()
    chat = run.pane.chat
    chat.model.set(str(tmp_path))
    chat.set_options(ChatOptions(temperature=1.1), "Rhyme.")
    assert not chat.is_stored
    run.end()
    again = start()
    back = again.window.workspace.pane(chat.id).chat
    assert back.record.model == str(tmp_path)
    assert (back.options, back.record.system) == (ChatOptions(temperature=1.1), "Rhyme.")
    assert not back.is_stored


def test_new_chat_uses_configured_model(begun):
    run, settings = begun, begun.app.settings
    run.pane.chat.model.set("somebody/large")
    run.window.commands["settings"].trigger()
    window = run.settings
    assert window.model.currentText() == "Same as Current Chat"
    for opens in ("new", "split_right", "quick_ask"):
        run.window.commands[opens].trigger()
        assert run.pane.chat.record.model == "somebody/large"
    guide = window.model.findData(GUIDE)
    window.model.setCurrentIndex(guide)
    window.model.activated.emit(guide)
    assert (settings.model, settings.same_model) == (GUIDE, False)
    run.pane.chat.model.set("somebody/large")
    for opens in ("new", "split_right"):
        run.window.commands[opens].trigger()
        assert run.pane.chat.record.model == GUIDE
        run.pane.chat.model.set("somebody/large")
    window.model.setCurrentIndex(0)
    window.model.activated.emit(0)
    run.window.chats.new()
    assert run.pane.chat.record.model == "somebody/large"
    window.close()


def test_long_chat_is_read_in_a_worker_and_then_shown(run: Run, monkeypatch: pytest.MonkeyPatch):
    store = run.app.store
    chat, parent = ChatRecord(new_id(), title="long", model="guide"), None
    store.save_chat(chat)
    monkeypatch.setattr(ChatLibrary, "LONG", 20)
    with store.transaction():
        for number in range(20):
            message = Message(new_id(), chat.id, parent, content=f"message {number}")
            store.save_message(message, as_leaf=True)
            parent = message.id
    store.flush()
    run.app.library.add_imported(store.chats())
    threads: list[threading.Thread] = []
    messages = Store.messages
    monkeypatch.setattr(
        Store,
        "messages",
        lambda *what: threads.append(threading.current_thread()) or messages(*what),
    )
    run.window.chats.open_at(chat.id, parent)
    run.until(lambda: run.window.workspace.pane(chat.id) is not None)
    pane = run.window.workspace.pane(chat.id)
    assert [m.content for m in pane.chat.transcript.path][-1] == "message 19"
    assert threads
    assert threading.main_thread() not in threads
    run.window.chats.open(chat.id)
    assert len(threads) == 1, "a chat in use is not read again"
