"""Queued messages, which are stored with the chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict
from PySide6.QtCore import QCoreApplication

from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.transcript import branch
from app.chats.turn import Draft, Event, MessageEdit, QueueState
from app.models.loading import LoadState
from app.store import (
    AttachedText,
    Attachment,
    ChatRecord,
    Queued,
    Store,
    StoreError,
    chat_from_json,
    new_id,
)
from app.store.database import copy
from app.store.portable import chat_to_json, to_text
from engine import Failed, FinishReason
from engine.messages import text_of
from tests.app.chats.test_chat import A, Desk, desk
from tests.waiting import wait_until

__all__ = ["desk"]  # a fixture


def queued(chat: Chat) -> list[str]:
    return [each.text for each in chat.queue.messages]


def asked(desk: Desk) -> list[Any]:
    return [reply.turns[-1]["content"] for reply in desk.engine.sent]


def enter(chat: Chat, text: str) -> None:
    chat.turn.write(text)
    assert chat.turn.handle(Event.ENTER)


@pytest.fixture
def chat(desk: Desk) -> Chat:
    chat = desk.library.new(A)
    chat.turn.send("one")
    desk.say("One")
    enter(chat, "two")
    enter(chat, "three")
    assert (queued(chat), chat.compose, asked(desk)) == (["two", "three"], Draft(), ["one"])
    return chat


def test_queue_sends_one_message_per_reply(desk: Desk, chat: Chat) -> None:
    desk.end()
    wait_until(lambda: asked(desk) == ["one", "two"])
    assert queued(chat) == ["three"]
    enter(chat, "four")
    desk.answer("2")
    wait_until(lambda: asked(desk) == ["one", "two", "three"])
    desk.answer("3")
    wait_until(lambda: asked(desk)[3:] == ["four"])
    desk.answer("4")
    QCoreApplication.processEvents()
    assert (queued(chat), chat.turn.is_at_work) == ([], False)
    assert [m.content for m in chat.transcript.path][2:6] == ["two", "2", "three", "3"]


@pytest.mark.parametrize("how", ["stop", "fail", "quit"])
def test_queue_is_held_after_interrupted_reply(desk: Desk, chat: Chat, how: str) -> None:
    reply = desk.engine.sent[-1]
    if how == "stop":
        assert chat.turn.handle(Event.STOP)
        desk.end(FinishReason.CANCELLED)
    elif how == "fail":
        reply.post(Failed(reply.session.id, "", "internal_error", "It broke."))
        desk.bridge.drain()
    else:
        desk.store.flush()
        saved = desk.store.file.with_name("copy.db")
        copy(desk.store.file, saved)
        after = Desk(saved)  # as after a crash
        chat = after.library.open(chat.id, A)
    QCoreApplication.processEvents()
    assert (queued(chat), chat.turn.is_at_work) == (["two", "three"], False)
    assert chat.queue.hold_reason
    if how == "quit":
        after.close()
        return
    # A message sent directly skips the queue, which still waits.
    enter(chat, "first this")
    assert asked(desk)[-1] == "first this"
    desk.answer("yes")
    QCoreApplication.processEvents()
    assert queued(chat) == ["two", "three"]
    assert chat.turn.handle(Event.SEND_QUEUE)
    assert (asked(desk)[-1], queued(chat), chat.queue.hold_reason) == ("two", ["three"], "")
    desk.answer("2")
    wait_until(lambda: asked(desk)[-1] == "three")


def test_steering_message_goes_first(desk: Desk, chat: Chat) -> None:
    chat.turn.write("no")
    assert chat.turn.handle(Event.STEER)
    assert desk.engine.sent[-1].told == ["steer"]
    desk.end(FinishReason.CANCELLED)
    wait_until(lambda: asked(desk)[-1] == "no")
    assert (queued(chat), chat.queue.state) == (["two", "three"], QueueState.MOVING)
    desk.answer("yes")
    wait_until(lambda: asked(desk)[-1] == "two")

    # With an empty composer, steering sends the first queued message.
    desk.say("1, 2")
    chat.turn.write("  ")
    assert chat.turn.handle(Event.STEER)
    assert desk.engine.sent[-1].told == ["steer"]
    desk.end(FinishReason.CANCELLED)
    wait_until(lambda: asked(desk)[-1] == "three")
    assert (queued(chat), chat.queue.state) == ([], QueueState.MOVING)
    assert not chat.turn.handle(Event.STEER), "there is nothing to be said"


def test_removing_steering_message_stops_reply(desk: Desk, chat: Chat) -> None:
    assert chat.turn.handle(Event.STEER)
    for message in chat.queue.messages:
        chat.turn.remove_queued(message.id)
    desk.end(FinishReason.CANCELLED)
    QCoreApplication.processEvents()
    assert (chat.turn.is_at_work, asked(desk)) == (False, ["one"])
    chat.turn.send("more")
    desk.say("1")
    assert not chat.turn.handle(Event.STEER)


def test_stop_after_steering_holds_queue(desk: Desk, chat: Chat) -> None:
    chat.turn.write("no")
    assert chat.turn.handle(Event.STEER)
    assert chat.turn.handle(Event.STOP)
    assert desk.engine.sent[-1].told == ["steer", "cancel"]
    desk.end(FinishReason.CANCELLED)
    QCoreApplication.processEvents()
    assert (queued(chat), asked(desk)) == (["no", "two", "three"], ["one"])


def test_ask_of_panel_ignores_images_in_its_reason(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = desk.library.new(A)
    chat.turn.write("what is it?")
    monkeypatch.setattr(chat.model, "model_without_vision", lambda _files: "A")
    monkeypatch.setattr(chat.attacher.counter, "largest_unfit_file", lambda _files: "long.txt")
    assert chat.comparison.why_not_ask().startswith("“long.txt” is too long")


def test_edited_queue_message_keeps_its_place(desk: Desk, chat: Chat) -> None:
    chat.turn.write("a draft")
    assert chat.turn.edit_queued(chat.queue.messages[0].id)
    assert isinstance(chat.compose, MessageEdit)
    chat.turn.write("zwei")
    desk.end()
    QCoreApplication.processEvents()
    assert (asked(desk), chat.why_not(Action.SEND), chat.turn.is_at_work) == (
        ["one"],
        "",
        False,
    )
    assert chat.turn.handle(Event.ENTER)
    assert (chat.compose, queued(chat)) == (Draft("a draft"), ["zwei", "three"])
    wait_until(lambda: asked(desk) == ["one", "zwei"])

    # Removing the message being edited restores the draft. Esc leaves the message as it was, and
    # then it's sent.
    third = chat.queue.messages[0].id
    chat.turn.edit_queued(third)
    chat.turn.remove_queued(third)
    assert (chat.compose, queued(chat)) == (Draft("a draft"), [])
    assert not chat.turn.edit_queued(third)
    chat.queue.add("three", ())
    chat.turn.edit_queued(chat.queue.messages[0].id)
    chat.turn.write("drei")
    desk.answer("2")
    QCoreApplication.processEvents()
    assert asked(desk) == ["one", "zwei"]
    assert chat.turn.handle(Event.CANCEL_EDIT)
    wait_until(lambda: asked(desk) == ["one", "zwei", "three"])


def test_removed_ones_come_back_in_their_place(desk: Desk, chat: Chat) -> None:
    first = chat.queue.messages[0]
    chat.turn.remove_queued(first.id)
    assert queued(chat) == ["three"]
    chat.queue.restore(first, 0)
    assert queued(chat) == ["two", "three"]
    # A message that is restored after the end of the reply isn't sent.
    for message in chat.queue.messages:
        chat.turn.remove_queued(message.id)
    desk.end()
    QCoreApplication.processEvents()
    chat.queue.restore(first, 0)
    QCoreApplication.processEvents()
    assert (asked(desk), queued(chat), chat.queue.hold_reason) == (
        ["one"],
        ["two"],
        "Not sent yet.",
    )


def test_queued_message_directly_follows_its_reply(desk: Desk, chat: Chat) -> None:
    desk.end()
    assert not chat.reply.is_active
    assert chat.turn.is_at_work
    assert chat.why_not(Action.REGENERATE)
    assert chat.why_not(Action.SEND)
    enter(chat, "four")
    wait_until(lambda: asked(desk) == ["one", "two"])
    assert queued(chat) == ["three", "four"]


def test_unsendable_message_holds_the_queue(
    desk: Desk, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk.loader, "has_vision", lambda ref: False)
    picture = Attachment("a.png", "PNG", "0" * 64, width=4, height=4)
    chat.queue.edit(chat.queue.messages[0].id, "look", (picture,))
    desk.end()
    wait_until(lambda: chat.queue.hold_reason)
    assert chat.queue.hold_reason.startswith("Not sent. A can’t see images.")
    assert (asked(desk), queued(chat), chat.turn.is_at_work) == (
        ["one"],
        ["look", "three"],
        False,
    )
    chat.queue.edit(chat.queue.messages[0].id, "look", ())
    assert chat.turn.handle(Event.SEND_QUEUE)
    assert asked(desk) == ["one", "look"]


@pytest.mark.parametrize("event", [Event.SETTLE, Event.SEND_QUEUE])
def test_exception_while_sending_holds_queue(
    desk: Desk, chat: Chat, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("io", "The disk is gone.")

    if event is Event.SEND_QUEUE:
        chat.stop()
    desk.end(FinishReason.CANCELLED if event is Event.SEND_QUEUE else FinishReason.STOP)
    changed: list[QueueState] = []
    chat.turn_changed.connect(lambda: changed.append(chat.queue.state))
    with monkeypatch.context() as patch:
        patch.setattr(chat.attacher, "resolve", fail)
        with pytest.raises(StoreError):
            chat.turn.handle(event)
    assert (queued(chat), chat.turn.is_at_work) == (["two", "three"], False)
    assert changed[-1] is QueueState.HELD
    assert chat.turn.handle(Event.SEND_QUEUE)
    assert asked(desk) == ["one", "two"]


def test_failed_load_holds_queue(desk: Desk) -> None:
    chat = desk.library.new("/models/broken")
    chat.turn.send("one")
    enter(chat, "two")
    desk.load("/models/broken")
    QCoreApplication.processEvents()
    assert desk.loader.get("/models/broken").state is LoadState.FAILED
    assert chat.queue.hold_reason == "Not sent. The reply failed."
    assert queued(chat) == ["two"]


def test_hidden_chat_processes_its_queue(desk: Desk, chat: Chat) -> None:
    desk.library.release(chat.id)
    desk.end()
    wait_until(lambda: asked(desk)[-1] == "two")
    desk.answer("2")
    wait_until(lambda: asked(desk)[-1] == "three")
    assert desk.library.find(chat.id) is chat
    desk.answer("3")
    wait_until(lambda: desk.library.find(chat.id) is None)


def test_deleted_chat_keeps_its_queue_without_sending(desk: Desk, chat: Chat) -> None:
    desk.library.delete(chat.id)
    desk.end(FinishReason.CANCELLED)
    QCoreApplication.processEvents()
    desk.library.restore(chat.id)
    QCoreApplication.processEvents()
    assert (asked(desk), queued(chat)) == (["one"], ["two", "three"])
    assert chat.queue.hold_reason == "Not sent. You stopped the reply."


def test_branch_does_not_repeat_the_queue(desk: Desk, chat: Chat) -> None:
    desk.end()
    wait_until(lambda: asked(desk)[-1] == "two")
    made = branch(desk.store, chat.record, chat.transcript, chat.transcript.path[1].id)
    assert made.queued == ()
    assert queued(chat) == ["three"]


def test_queue_continues_shown_branch(desk: Desk, chat: Chat) -> None:
    chat.turn.handle(Event.STOP)
    desk.end(FinishReason.CANCELLED)
    chat.regenerate()
    desk.answer("uno")
    QCoreApplication.processEvents()
    assert chat.show_version(-1)
    QCoreApplication.processEvents()
    assert queued(chat) == ["two", "three"]
    chat.turn.handle(Event.SEND_QUEUE)
    assert [turn["content"] for turn in desk.engine.sent[-1].turns] == ["one", "One", "two"]


def test_queued_files_are_kept_and_sent(desk: Desk, chat: Chat) -> None:
    text = AttachedText("", ("what the file says",))
    desk.store.texts.save(text)
    file = Attachment("a.txt", "text", text.hash, characters=18)
    chat.queue.add("read this", (file,))
    desk.store.flush()
    desk.store.texts.forget_unused()
    desk.store.flush()
    assert desk.store.texts.get(text.hash) == text
    for count in (2, 3, 4):
        desk.answer("yes")
        wait_until(lambda: len(desk.engine.sent) == count)  # noqa: B023
    assert "what the file says" in text_of(asked(desk)[-1])
    assert chat.transcript.path[-2].attachments == (file,)


def test_json_round_trip_keeps_queue(tmp_path: Path) -> None:
    text = AttachedText("", ("x",))
    file = Attachment("a.txt", "text", text.hash, characters=1)
    record = ChatRecord(new_id(), "Trees", queued=(Queued("q1", "hi", (file,)), Queued("q2", "ho")))
    record = ChatRecord(**{**asdict(record), "edited_id": "q2", "edited_text": "hop"})
    given = json.loads(to_text(chat_to_json(record, [])))
    back, _ = chat_from_json(given)
    assert (back.queued, back.edited_id, back.edited_text) == (record.queued, "q2", "hop")
    for wrong in (5, [5], [{"id": "a"}], [{"id": "a", "text": ""}] * 2):
        with pytest.raises((TypeError, ValueError)):
            chat_from_json({**given, "queued": wrong})
    with Store.open(tmp_path / "chats.db") as store:
        store.save_chat(record)
        store.flush()
        assert store.chat(record.id) == record
