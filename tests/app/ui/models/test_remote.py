"""Tab with a remote model."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from shiboken6 import isValid

from app.chats import chat_reply
from app.chats.actions import Action
from app.models.loading import LoadState
from app.remote.address import Remote
from app.settings import keychain
from app.ui.models import remote
from app.ui.models.remote import RemoteDialog
from engine.serve.announcement import announce
from tests.app.remote.scripted import Scripted, delta, events, hang, head, says, sends

MODELS = {"data": [{"id": "org/big", "owned_by": "vllm", "max_model_len": 4096}, {"id": "small"}]}


@pytest.fixture
def secrets(monkeypatch):
    kept: dict[str, str] = {}
    monkeypatch.setattr(keychain, "is_there", lambda: True)
    monkeypatch.setattr(keychain, "read", lambda account="": kept.get(account, ""))
    monkeypatch.setattr(
        keychain, "store_secret", lambda key, account="": kept.update({account: key}) or True
    )
    monkeypatch.setattr(keychain, "delete", lambda account="": kept.pop(account, None))
    return kept


@pytest.fixture
def server(secrets):
    answered = 0

    async def act(asked, writer):
        nonlocal answered
        if asked.method == "GET":
            await says(200, MODELS)(asked, writer)
            return
        answered += 1
        usage = {"usage": {"prompt_tokens": 7, "completion_tokens": 3}, "choices": []}
        told = events(delta(reasoning="Well. "), delta(f"Answer {answered}"), delta("", "stop"))
        await sends(head(), told.replace(b"data: [DONE]\n\n", b""), events(usage))(asked, writer)

    made = Scripted(act)
    yield made
    made.close()


def bound(run, server, model="org/big", kind="vllm"):
    remote = Remote(server.address, model, kind, 4096)
    run.app.loader.add_remote(remote, "")
    run.pane.chat.model.set(remote.ref)
    return run.pane, remote


def asks(server):
    return [asked for asked in server.asked if asked.method == "POST"]


def test_remote_model_is_added_by_address(start, server, secrets):
    run = start().ready()
    dialog = RemoteDialog(run.app.loader, run.app.bridge, run.window)
    dialog.model_added.connect(run.pane.chat.model.set)
    dialog.show()
    assert not dialog.ok.isEnabled()
    dialog.address.setText("ftp://x")
    assert not dialog.ok.isEnabled()
    dialog.address.setText(server.address.removeprefix("http://"))
    dialog.key.setText("sesame")
    assert server.asked == []
    run.qtbot.mouseClick(dialog.test, Qt.MouseButton.LeftButton)
    run.until(lambda: dialog.model.count() == 2)
    assert dialog.model.currentText() == "org/big"
    run.qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
    host = server.address.removeprefix("http://").removesuffix("/v1")
    assert run.pane.header.model_button.text() == f"big · {host}"
    run.until(lambda: secrets == {f"Key for {server.address}": "sesame"})

    run.say("Hello")
    run.until(lambda: not run.pane.chat.reply.is_active)
    answer = run.pane.chat.transcript.last("assistant")
    assert (answer.content, answer.reasoning, answer.status) == ("Answer 1", "Well. ", "complete")
    assert answer.model == f"big · {host}"
    assert answer.stats["generated_tokens"] == 3
    (asked,) = asks(server)
    assert asked.headers["authorization"] == "Bearer sesame"
    assert asked.body["messages"] == [{"role": "user", "content": "Hello"}]
    assert asked.body["model"] == "org/big"
    assert run.pane.chat.model.context == (10, 0, 4096)


def test_providers_are_chosen_by_arrow_keys(start, server, monkeypatch):
    """Regression test: each arrow key moved the focus to the address."""
    providers = (("Here", server.address), ("There", "https://there.test/v1"))
    monkeypatch.setattr(remote, "_PROVIDERS", providers)
    run = start().ready()
    dialog = RemoteDialog(run.app.loader, run.app.bridge, run.window)
    dialog.open()
    dialog.provider.setFocus()
    run.qtbot.keyClick(dialog.provider, Qt.Key.Key_Down)
    run.until(lambda: dialog.model.count() == 2)  # a server on this computer is asked for its list
    assert dialog.provider.hasFocus()
    run.qtbot.keyClick(dialog.provider, Qt.Key.Key_Down)
    assert dialog.address.text() == "https://there.test/v1"
    assert dialog.provider.hasFocus()
    dialog.reject()


def test_header_and_composer_show_destination(start, server):
    run = start().ready()
    assert run.pane.composer.foot == ""
    pane, remote = bound(run, server)
    run.window.resize(1400, 800)
    run.until(lambda: pane.header.width() >= 420)
    assert remote.host in pane.composer.foot
    run.app.loader.add_remote(far := Remote("https://api.example.org/v1", "far"))
    pane.chat.model.set(far.ref)
    for text in (pane.composer.foot, pane.empty.teaching.text(), pane.header.model_button.text()):
        assert far.host in text


def test_remote_model_survives_restart(start, server):
    run = start().ready()
    pane, remote = bound(run, server)
    run.say("Hello")
    run.until(lambda: not pane.chat.reply.is_active)
    run.end()

    run = start()
    chat = run.app.library.open(run.app.library.chats()[0].id, "")
    assert chat.model.status.state is LoadState.READY
    chat.turn.send("Again")
    run.until(lambda: not chat.reply.is_active)
    assert chat.transcript.path[-1].content == "Answer 2"
    run.app.loader.remove_remote(remote.ref)
    chat.turn.send("And now?")
    assert not chat.reply.is_active
    assert chat.transcript.path[-1].status == "error"
    assert len(chat.transcript.path) == 6
    assert len(asks(server)) == 2
    run.app.loader.add_remote(remote)
    assert chat.regenerate()
    run.until(lambda: not chat.reply.is_active)
    assert chat.transcript.path[-1].content == "Answer 3"


def test_unrequested_data_is_never_sent(start, server):
    """Title generation, model lists and broadcasts never contact the server on their own."""
    run = start().ready()
    pane, _ = bound(run, server)
    titling = run.window.titling
    run.say("Hello")
    run.until(lambda: not pane.chat.reply.is_active)
    assert titling._next() is None
    assert titling._queue == {}
    run.window.chats.new()
    run.pane.chat.model.set("guide")
    run.until(lambda: len(run.panes) == 2)
    other = next(p for p in run.panes if p is not pane)
    run.window.broadcast.toggle()
    run.say("To all", other)
    run.until(lambda: not other.chat.reply.is_active)
    assert len(asks(server)) == 1
    run.window.broadcast.toggle_pane(pane)
    assert "127.0.0.1" in other.composer.foot
    run.say("To both", other)
    run.until(lambda: not other.chat.reply.is_active and not pane.chat.reply.is_active)
    assert len(asks(server)) == 2
    assert {asked.method for asked in server.asked} == {"POST"}


def test_the_models_window_lists_and_removes_remote_models(start, server, secrets):
    run = start().ready()
    remote = Remote(server.address, "org/big")
    run.app.loader.add_remote(remote, "sesame")
    secrets[f"Key for {server.address}"] = "sesame"
    run.window.models.show_models()
    window = run.window.models.window
    (row,) = window.remotes.rows
    assert server.address in row.address_label._text
    run.qtbot.mouseClick(row.remove, Qt.MouseButton.LeftButton)
    assert window.remotes.rows == []
    run.until(lambda: secrets == {})
    window.foot.undo.click()
    assert [row.remote for row in window.remotes.rows] == [remote]
    run.until(lambda: secrets == {f"Key for {server.address}": "sesame"})
    run.qtbot.mouseClick(window.remotes.rows[0].open, Qt.MouseButton.LeftButton)
    assert run.pane.chat.model.remote == Remote(server.address, "org/big")
    assert run.window.models.window is None


def test_closing_with_typed_text_asks_first(start, secrets):
    run = start().ready()
    dialog = RemoteDialog(run.app.loader, run.app.bridge, run.window)
    dialog.open()
    run.qtbot.keyClicks(dialog.address, "http://127.0.0.1:9/v1")
    for words, stays in (("Keep Editing", True), ("Discard", False)):
        run.qtbot.keyClick(dialog.address, Qt.Key.Key_Escape)
        run.until(lambda: dialog.findChild(QMessageBox, "discard-dialog") is not None)
        box = dialog.findChild(QMessageBox, "discard-dialog")
        assert dialog.isVisible()
        next(b for b in box.buttons() if b.text() == words).click()
        if stays:
            run.until(lambda: dialog.findChild(QMessageBox, "discard-dialog") is None)
            assert dialog.isVisible()
    run.until(lambda: not isValid(dialog) or not dialog.isVisible())


def test_network_search_needs_permission(start, secrets):
    run = start().ready()
    remotes = run.app.loader.remotes
    remotes.interfaces = ["127.0.0.1"]
    dialog = RemoteDialog(run.app.loader, run.app.bridge, run.window)
    dialog.show()
    assert not dialog.found.switch.isChecked()
    assert not dialog.found.status_label.isVisible()
    with announce("127.0.0.1", 8097, f"studio {os.getpid()}", remotes.interfaces) as name:
        dialog.found.switch.click()
        assert run.app.settings.find_servers
        found = dialog.found.list
        run.until(lambda: found.findItems(f"{name} ·", Qt.MatchFlag.MatchStartsWith))
        (item,) = found.findItems(f"{name} ·", Qt.MatchFlag.MatchStartsWith)
        assert item.text() == f"{name} · 127.0.0.1:8097"
        found.setCurrentItem(item)
        assert dialog.address.text() == "http://127.0.0.1:8097/v1"
        looking = dialog.found._looking
        dialog.found.switch.setChecked(False)
        assert looking.cancelled() or looking.done()
        assert found.count() == 0
    dialog.reject()


def test_silent_server_is_shown_with_waiting_time(start, secrets, monkeypatch):
    silent = Scripted(sends(b"", then=hang))
    try:
        run = start().ready()
        pane, _ = bound(run, silent)
        run.say("hello")
        run.until(lambda: asks(silent))
        run.window.resize(1400, 800)
        run.until(lambda: pane.header.width() >= 420)
        pane.header.refresh()
        sent_at = pane.chat.reply.generator.answer.sent_at
        # Change the chat's clock only, because Markdown in the future wouldn't refresh soon.
        later = SimpleNamespace(monotonic=lambda: sent_at + 72.5, time=time.time)
        monkeypatch.setattr(chat_reply, "time", later)
        pane.header.refresh()
        assert "1 min 12 s" in pane.header.state
        remote = pane.chat.record.model
        pane.chat.model.set("/models/b")  # for the next reply
        pane.header.refresh()
        assert "1 min 12 s" in pane.header.state
        assert not pane.chat.why_not(Action.RETRY)
        pane.chat.model.set(remote)
        run.until(lambda: pane.transcript.row(pane.chat.reply.message_id) is not None)
        pane.transcript._on_phase()
        row = pane.transcript.row(pane.chat.reply.message_id)
        assert "1 min 12 s" in row.silence.words.text()
        stop, retry = row.silence.buttons
        assert not pane.chat.why_not(Action.RETRY)
        retry.click()
        run.until(lambda: len(asks(silent)) == 2)
        monkeypatch.undo()
        pane.transcript._on_phase()
        assert row.silence.isHidden(), "it is waited for from the beginning"
        roles = [message.role for message in pane.chat.transcript.path]
        assert roles == ["user", "assistant"], "the reply is in its place"
        monkeypatch.setattr(chat_reply, "time", later)
        pane.transcript._on_phase()
        stop.click()
        run.until(lambda: not pane.chat.reply.is_active)
        assert "Waiting" not in pane.header.state
    finally:
        silent.close()
