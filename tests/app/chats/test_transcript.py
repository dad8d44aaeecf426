"""Message tree, titles, and requests to the engine."""

from __future__ import annotations

import contextlib
from pathlib import Path

from app.chats.saved_chat import SavedChat
from app.chats.transcript import Transcript, conversation
from app.store import ChatRecord, Message, Store, new_id, title_from


def message(name, parent=None, role="user", **more):
    return Message(name, "chat", parent, role, more.pop("content", name), **more)


def names(messages):
    return [m.id for m in messages]


def test_path_runs_from_root_to_leaf():
    tree = Transcript([message("q"), message("a", "q", "assistant"), message("q2", "a")], "q2")
    assert names(tree.path) == ["q", "a", "q2"]


def test_sibling_changes_path_without_losses():
    tree = Transcript([message("q"), message("a", "q", "assistant")], "a")
    tree.add(message("b", "q", "assistant"))
    assert names(tree.path) == ["q", "b"]
    assert tree.alternatives("b") == ["a", "b"]
    tree.show("a")
    assert names(tree.path) == ["q", "a"]


def test_shown_alternative_continues_to_newest_leaf():
    tree = Transcript([message("q"), message("a", "q", "assistant"), message("q2", "a")], "q2")
    tree.add(message("b", "q", "assistant"))
    tree.show("a")
    assert names(tree.path) == ["q", "a", "q2"]


def test_unknown_leaf_falls_back_to_newest_branch():
    tree = Transcript([message("q"), message("a", "q", "assistant")], "gone")
    assert names(tree.path) == ["q", "a"]
    assert Transcript().path == []


def test_prompt_alternates_roles_after_system_prompt():
    path = [message("q"), message("a", "q", "assistant"), message("q2", "a")]
    assert conversation(path, "Be brief.") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "q2"},
    ]


def test_missing_reply_joins_the_questions():
    path = [message("q"), message("a", "q", "assistant", content=""), message("q2", "a")]
    assert conversation(path, "") == [{"role": "user", "content": "q\n\nq2"}]


def test_titles_are_one_plain_line():
    assert title_from("\n\n  ## Hello   there\nmore") == "Hello there"
    long = title_from("word " * 40)
    assert len(long) <= 49
    assert long.endswith("word…")
    assert title_from("x" * 100) == "x" * 48 + "…"


def test_saved_chat_is_as_stored_after_a_failed_change(tmp_path: Path) -> None:
    with Store.open(tmp_path / "chats.db") as store:
        chat = ChatRecord(new_id())
        store.save_chat(chat)
        saved = SavedChat(chat, store, stored=True)
        question = Message(new_id(), chat.id, content="question")
        saved.add(question)
        with contextlib.suppress(ValueError), saved.transaction():
            saved.add(Message(new_id(), chat.id, question.id, content="edited"))
            saved.change_record(title="other")
            raise ValueError("the answer cannot be stored")
        assert [m.content for m in saved.transcript.path] == ["question"]
        assert saved.record.leaf_id == question.id
        assert saved.record.title == chat.title
        saved.add(Message(new_id(), chat.id, question.id, "assistant", "answer"))
        store.flush()
        assert [m.content for m in store.path(chat.id)] == ["question", "answer"]
