"""The message tree, titles, and what the engine is asked."""

from __future__ import annotations

from app.chats.transcript import Transcript, conversation
from app.store import Message, title_from


def message(name, parent=None, role="user", **more):
    return Message(name, "chat", parent, role, more.pop("content", name), **more)


def names(messages):
    return [m.id for m in messages]


def test_the_path_runs_from_the_root_to_the_leaf():
    tree = Transcript([message("q"), message("a", "q", "assistant"), message("q2", "a")], "q2")
    assert names(tree.path) == ["q", "a", "q2"]


def test_a_sibling_changes_the_path_and_drops_nothing():
    tree = Transcript([message("q"), message("a", "q", "assistant")], "a")
    tree.add(message("b", "q", "assistant"))
    assert names(tree.path) == ["q", "b"]
    assert tree.alternatives("b") == ["a", "b"]
    tree.show("a")
    assert names(tree.path) == ["q", "a"]


def test_showing_an_alternative_goes_on_to_its_newest_end():
    tree = Transcript([message("q"), message("a", "q", "assistant"), message("q2", "a")], "q2")
    tree.add(message("b", "q", "assistant"))
    tree.show("a")
    assert names(tree.path) == ["q", "a", "q2"]


def test_an_unknown_leaf_falls_back_to_the_newest_branch():
    tree = Transcript([message("q"), message("a", "q", "assistant")], "gone")
    assert names(tree.path) == ["q", "a"]
    assert Transcript().path == []


def test_the_engine_gets_roles_in_turn_with_the_system_prompt_first():
    path = [message("q"), message("a", "q", "assistant"), message("q2", "a")]
    assert conversation(path, "Be brief.") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "q2"},
    ]


def test_an_answer_that_never_began_is_left_out_and_the_questions_join():
    path = [message("q"), message("a", "q", "assistant", content=""), message("q2", "a")]
    assert conversation(path, "") == [{"role": "user", "content": "q\n\nq2"}]


def test_titles_are_one_line_without_markup_and_cut_between_words():
    assert title_from("\n\n  ## Hello   there\nmore") == "Hello there"
    long = title_from("word " * 40)
    assert len(long) <= 49
    assert long.endswith("word…")
    assert title_from("x" * 100) == "x" * 48 + "…"
