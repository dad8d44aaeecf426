"""Saved data, read immediately, after a flush, and after a restart."""

import sqlite3
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.store import ChatRecord, Message, Store, StoreError, new_id, records
from app.store.operations import Operation
from app.store.writer import Transactions


def chat_with(store: Store, *texts: str) -> tuple[ChatRecord, list[Message]]:
    chat = ChatRecord(new_id(), title="A chat")
    store.save_chat(chat)
    messages: list[Message] = []
    for number, text in enumerate(texts):
        parent = messages[-1].id if messages else None
        role = "assistant" if number % 2 else "user"
        messages.append(Message(new_id(), chat.id, parent, role, text))
        store.save_message(messages[-1], as_leaf=True)
    return chat, messages


def test_every_field_survives_a_restart(file: Path) -> None:
    chat = ChatRecord(
        new_id(), "Título 🎼", "/models/x", "Be brief.", {"temperature": 0.5, "stop": ["a"]},
        "unsent", 1.5, 2.5, None, None,
    )  # fmt: skip
    message = Message(
        new_id(), chat.id, None, "assistant", "text\0with nul", "thoughts", "error",
        "It broke.", "guide", {"tokens_per_s": 48.5}, 2.25,
    )  # fmt: skip
    with Store.open(file) as store:
        store.save_chat(chat)
        store.save_message(message)
        store.save_layout("main", {"panes": [1, 2]})
    with Store.open(file) as store:
        assert store.chats() == [chat]
        assert store.messages(chat.id) == [message]
        assert store.layout("main") == {"panes": [1, 2]}
        assert store.layout("other") is None
        assert store.chat("unknown") is None
        assert store.path("unknown") == []
    assert [p.name for p in file.parent.iterdir()] == [file.name], "the WAL was not emptied"


def test_layouts_are_listed_deleted_and_left_out_when_damaged(file: Path) -> None:
    with Store.open(file) as store:
        for name in ("one", "two", "three"):
            store.save_layout(name, {"of": name})
        store.delete_layout("two")
        assert store.layouts() == {"one": {"of": "one"}, "three": {"of": "three"}}  # not on disk
        store.flush()
        store.delete_layout("three")
        store.delete_layout("unknown")
        assert list(store.layouts()) == ["one"]
    with sqlite3.connect(file) as db:
        put = "INSERT INTO layouts (name, data) VALUES (?, CAST(? AS TEXT))"
        db.executemany(put, [("cut", '{"a'), ("list", "[]"), ("bytes", b"\xff\x00\xfe")])
    db.close()
    with Store.open(file) as store:
        assert store.layouts() == {"one": {"of": "one"}}
        assert store.layout("bytes") is None


def test_queued_writes_are_visible_to_reads(store: Store) -> None:
    chat, _ = chat_with(store)
    for number in range(300):
        message = Message(new_id(), chat.id, None, content=str(number))
        store.save_message(message, as_leaf=True)
        store.set_draft(chat.id, f"draft {number}")
        assert store.path(chat.id) == [message]
        read = store.chat(chat.id)
        assert read.draft == f"draft {number}"
    store.flush()
    assert len(store.messages(chat.id)) == 300


def test_queued_writes_are_visible_to_other_threads(store: Store) -> None:
    chat, messages = chat_with(store, "one", "two", "three")
    seen: list[list[Message]] = []
    threads = [threading.Thread(target=lambda: seen.append(store.path(chat.id))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [messages] * 8


def test_concurrent_writes_are_all_saved(store: Store) -> None:
    chats = [chat_with(store)[0] for _ in range(4)]

    def stream(chat: ChatRecord) -> None:
        parent = None
        for number in range(50):
            message = Message(new_id(), chat.id, parent, content=f"{number}", status="streaming")
            store.save_message(message, as_leaf=True)
            store.save_message(replace(message, status="complete"))
            parent = message.id

    threads = [threading.Thread(target=stream, args=(chat,)) for chat in chats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.flush()
    for chat in chats:
        path = store.path(chat.id)
        assert [message.content for message in path] == [str(n) for n in range(50)]
        assert {message.status for message in path} == {"complete"}


def test_branches_keep_each_other(store: Store) -> None:
    chat, (question, answer, follow_up) = chat_with(store, "q", "a", "f")
    again = Message(new_id(), chat.id, question.id, "assistant", "a, better")
    store.save_message(again, as_leaf=True)
    assert store.path(chat.id) == [question, again]
    edited = Message(new_id(), chat.id, None, "user", "q, edited")
    store.save_message(edited, as_leaf=True)
    assert store.path(chat.id) == [edited]
    store.set_leaf(chat.id, follow_up.id)
    assert store.path(chat.id) == [question, answer, follow_up]
    assert len(store.messages(chat.id)) == 5
    store.set_leaf(chat.id, None)
    assert store.path(chat.id) == []


def test_deleted_chat_is_restored_completely(store: Store) -> None:
    chat, messages = chat_with(store, "find me", "yes")
    store.trash.delete(chat.id)
    assert store.chats() == []
    assert [c.id for c in store.chats(include_deleted=True)] == [chat.id]
    assert store.search("find") == []
    store.trash.restore(chat.id)
    assert [c.id for c in store.chats()] == [chat.id]
    assert store.path(chat.id) == messages
    assert [hit.message_id for hit in store.search("find")] == [messages[0].id]


def test_draft_is_not_overwritten_by_older_writes(store: Store) -> None:
    chat = ChatRecord(new_id(), draft="0")
    expected = []
    for change in (
        lambda: store.set_draft(chat.id, "1"),
        lambda: store.save_chat(replace(chat, draft="2")),
        lambda: store.set_draft(chat.id, "3"),
        lambda: store.update_chat(chat.id, draft="4", title="t"),
        lambda: store.set_draft(chat.id, "5"),
    ):
        store.save_chat(chat)
        change()
        queued = store.chat(chat.id)
        store.flush()
        written = store.chat(chat.id)
        assert queued == written
        expected.append(written.draft if written else None)
    assert expected == ["1", "2", "3", "4", "5"]


def test_queued_writes_do_not_overwrite_edit(store: Store) -> None:
    chat = ChatRecord(new_id(), draft="a draft")
    store.save_chat(chat)
    store.set_edited(chat.id, "m", "o")
    store.set_edited(chat.id, "m", "one")
    store.set_draft(chat.id, "another")
    store.save_chat(replace(chat, edited_id="m", edited_text="saved"))
    store.set_edited(chat.id, "m", "two")
    for _ in ("queued", "written"):
        read = store.chat(chat.id)
        assert read is not None
        assert (read.draft, read.edited_id, read.edited_text) == ("a draft", "m", "two")
        store.flush()
    store.set_edited(chat.id, None, "")
    assert store.chat(chat.id) == chat


def test_update_chat_changes_only_named_fields(store: Store) -> None:
    chat, _ = chat_with(store, "one")
    store.set_draft(chat.id, "unsent")
    store.update_chat(chat.id, title="Renamed", params={"seed": 7})
    read = store.chat(chat.id)
    assert (read.title, read.params, read.draft) == ("Renamed", {"seed": 7}, "unsent")
    with pytest.raises(ValueError, match="created_at"):
        store.update_chat(chat.id, created_at=1.0)


def test_streaming_message_is_interrupted_at_next_start(file: Path) -> None:
    with Store.open(file) as store:
        chat, (question,) = chat_with(store, "q")
        answer = Message(new_id(), chat.id, question.id, "assistant", "half", status="streaming")
        store.save_message(answer, as_leaf=True)
    with Store.open(file) as store:
        assert store.path(chat.id)[1] == replace(answer, status="interrupted")
        assert [hit.message_id for hit in store.search("half")] == [answer.id]


def test_contradictory_write_is_skipped_alone(store: Store) -> None:
    errors: list[StoreError] = []
    store.writer.on_error = errors.append
    chat, (first,) = chat_with(store, "one")
    store.save_message(Message(new_id(), "no such chat"))
    store.save_message(Message(new_id(), chat.id, "no such parent"))
    last = Message(new_id(), chat.id, first.id, "assistant", "kept")
    store.save_message(last, as_leaf=True)
    store.flush()
    assert [error.code for error in errors] == ["invalid", "invalid"]
    assert store.path(chat.id) == [first, last]
    assert store.messages("no such chat") == []


def test_text_that_utf8_cannot_encode_is_repaired(store: Store) -> None:
    chat, (message,) = chat_with(store, "half a pair \ud83d, a whole one \U0001f3bc")
    store.flush()
    assert store.path(chat.id)[0].content == "half a pair \ufffd, a whole one \U0001f3bc"
    assert message.id == store.path(chat.id)[0].id


def test_unserializable_value_is_refused_immediately(store: Store) -> None:
    with pytest.raises(TypeError):
        store.save_chat(ChatRecord(new_id(), params={"bad": object()}))
    with pytest.raises(ValueError, match="status"):
        Message(new_id(), "c", status="done")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="role"):
        Message(new_id(), "c", role="robot")  # type: ignore[arg-type]


def test_closed_store_raises_and_closes_twice(file: Path) -> None:
    store = Store.open(file)
    store.close()
    store.close()
    with pytest.raises(StoreError) as write:
        store.save_chat(ChatRecord(new_id()))
    with pytest.raises(StoreError) as read:
        store.chats()
    assert (write.value.code, read.value.code) == ("closed", "closed")


def test_ids_sort_by_time_and_differ() -> None:
    ids = [new_id() for _ in range(10_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    now = time.time_ns() // 1_000_000
    assert 0 <= now - int(ids[0][:12], 16) < 60_000, "milliseconds lead"


def test_ids_of_two_processes_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = set()
    for _ in range(2):
        monkeypatch.setattr(records, "_last_id", 0)  # as in a new process
        ends.add(new_id()[12:])
    assert len(ends) == 2


def test_writing_never_waits_for_the_disk(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    chat, _ = chat_with(store)
    message = Message(new_id(), chat.id, content="x" * 60_000, status="streaming")
    store.save_message(message)
    store.flush()
    began, go_on = threading.Event(), threading.Event()
    gave_up: list[bool] = []
    write = Transactions.write

    def stuck(kept: Transactions, operations: list[Operation]) -> StoreError | None:
        began.set()
        gave_up.append(not go_on.wait(0 if any(gave_up) else 10))
        return write(kept, operations)

    monkeypatch.setattr(Transactions, "write", stuck)
    for _ in range(200):
        store.save_message(message)
        store.set_draft(chat.id, "text")
    assert began.wait(30)
    store.set_draft(chat.id, "more")
    go_on.set()
    store.flush()
    assert not any(gave_up), "it waited for the disk"
