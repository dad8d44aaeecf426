"""Available actions and refusals in each state of a chat's turn."""

from __future__ import annotations

import itertools
import subprocess
import sys

from app.chats.actions import BUSY, EVENTS, Action, ActionContext, why_not
from app.chats.transcript import Transcript
from app.chats.turn import ComposerContent, Draft, MessageEdit, Stage
from app.store import Message

COMPOSED: dict[str, ComposerContent] = {
    "nothing written": Draft(),
    "written": Draft("hello"),
    "editing": MessageEdit("q2", "in other words", Draft("a draft")),
    "edited to nothing": MessageEdit("q2", " \n", Draft("a draft")),
}


def message(name, parent=None, role="user", **more):
    return Message(name, "chat", parent, role, more.pop("content", name), **more)


OVERFLOW = {"code": "context_overflow"}


def history() -> Transcript:
    return Transcript(
        [
            message("q1"),
            message("a1", "q1", "assistant", stats={"seed": 3}),
            message("q2", "a1"),
            message("q3", "a1"),
            message("a3", "q3", "assistant", status="cancelled", stats={"seed": 4}),
            message("a4", "q3", "assistant", status="error", content="", stats=OVERFLOW),
            message("p1", "q3", "assistant", stats={"panel": {"id": "p", "letter": "A"}}),
            message("a2", "q2", "assistant", status="cancelled", stats={"seed": 5}),
        ],
        "a2",
    )


def view(stage=Stage.IDLE, composed="written", tree=None, **more) -> ActionContext:
    return ActionContext(COMPOSED[composed], stage, tree or history(), **more)


QUIET = {Stage.IDLE}
ANY = set(Stage)
ALLOWED = {
    (Action.GO_ON, ""): set(),
    (Action.RENAME, ""): ANY,
    (Action.EDIT, "q2"): QUIET,
    (Action.EDIT, ""): QUIET,
    (Action.REGENERATE, "a2"): QUIET,
    (Action.REGENERATE, ""): QUIET,
    (Action.SAME_AGAIN, "a1"): QUIET,
    (Action.SAME_AGAIN, ""): QUIET,
    (Action.COMPARE, "a1"): QUIET,
    (Action.COMPARE, ""): QUIET,
    (Action.SHOW_COMPARISON, "p1"): ANY,
    (Action.CONTINUE, "a2"): QUIET,
    (Action.FORGET_OLDEST, "a4"): QUIET,
    (Action.COPY, "a1"): ANY,
    (Action.COPY, ""): ANY,
    (Action.BRANCH, "q2"): ANY,
    (Action.GO_TO, "a3"): QUIET,
    (Action.DELETE, "q1"): QUIET,
    (Action.RESTORE, "a1"): QUIET,
    (Action.RESTORE, ""): QUIET,
    (Action.LATER, "q2"): QUIET,
    (Action.LATER, ""): QUIET,
    (Action.EARLIER, "q3"): QUIET,
}
"""The reply states in which each action is available, with a suitable message."""


def test_actions_by_state_of_the_reply():
    allowed = {
        (action, message_id): {r for r in Stage if not why_not(action, view(r), message_id)}
        for action, message_id in ALLOWED
    }
    assert allowed == ALLOWED


def test_chat_continues_after_results_without_an_answer():
    tree = history()
    tree.add(message("t1", "a2", "tool"))
    assert {r for r in Stage if not why_not(Action.GO_ON, view(r, tree=tree))} == QUIET


def test_message_actions_are_all_in_the_table():
    assert {action for action, _ in ALLOWED} == set(Action) - set(EVENTS)


TREES = {
    "a history": history,
    "an empty chat": Transcript,
    "an answer without a question": lambda: Transcript([message("q2", role="assistant")]),
    "a deleted question": lambda: Transcript([message("q1"), message("a1", "q1", "assistant")]),
}


def test_each_refused_action_has_a_short_reason():
    ids = ("", "q1", "q2", "a1", "a2", "a4", "gone")
    actions = sorted({action for action, _ in ALLOWED}, key=str)
    states = itertools.product(TREES, actions, Stage, COMPOSED, ids, (True, False), (None, "a2"))
    for tree, action, reply, composed, message_id, stored, generating in states:
        now = view(reply, composed, TREES[tree](), stored=stored, generating=generating)
        reason = why_not(action, now, message_id)
        if reason:
            assert 10 < len(reason) <= 80, reason
            assert reason[0].isupper(), reason
            assert "None" not in reason


def test_refusal_names_the_unsuitable_message():
    words = {
        (Action.DELETE, "gone"): "This message is no longer in the chat.",
        (Action.EDIT, "a1"): "Only your own messages can be edited.",
        (Action.CONTINUE, "q2"): "This isn’t a reply.",
        (Action.CONTINUE, "a1"): "Only the last reply can be continued.",
        (Action.SAME_AGAIN, "q1"): "This isn’t a reply.",
        (Action.EARLIER, "q2"): "This is the first version.",
        (Action.LATER, "q3"): "This is the last version.",
        (Action.RESTORE, "gone"): "The message before it is deleted too. Restore that one first.",
    }
    assert {key: why_not(key[0], view(), key[1]) for key in words} == words


def test_only_truncated_answer_can_be_continued():
    def last(**more):
        tree = Transcript([message("q"), message("a", "q", "assistant", **more)])
        return why_not(Action.CONTINUE, view(tree=tree), "a")

    assert not last(status="cancelled")
    assert not last(status="interrupted")
    assert not last(stats={"reason": "length"})
    assert last()
    assert last(status="cancelled", content="") != last()


def test_dropping_old_turns_is_offered_only_if_it_may_help():
    def reason(*before, **stats):
        failed = message("a", "q", "assistant", status="error", content="", stats=stats)
        tree = Transcript([*before, message("q", before[-1].id if before else None), failed])
        return why_not(Action.FORGET_OLDEST, view(tree=tree), "a")

    turns = (message("b"), message("c", "b", "assistant"))
    unanswered = (message("b"), message("c", "b", "assistant", content=""))
    assert not reason(*turns, **OVERFLOW)
    assert reason(**OVERFLOW) == reason(*unanswered, **OVERFLOW) != ""
    assert reason(*turns, **OVERFLOW, options={"slide": True})
    assert reason(*turns, code="out_of_memory")


def test_running_reply_can_be_copied_not_branched():
    now = view(Stage.RUNNING, generating="a2")
    assert not why_not(Action.COPY, now, "a2")
    assert why_not(Action.BRANCH, now, "a2")
    assert not why_not(Action.BRANCH, now, "q2")
    assert why_not(Action.DELETE, now, "q1") == BUSY


def test_editing_keeps_earlier_draft():
    editing = COMPOSED["editing"]
    assert editing.with_text("again") == MessageEdit("q2", "again", Draft("a draft"))
    assert Draft("a").with_text("b") == Draft("b")
    assert (editing.text, Draft("a").text) == ("in other words", "a")


def test_action_rules_import_no_qt():
    code = (
        "import sys; sys.modules['PySide6'] = None\n"
        "import app.chats.actions, app.chats.turn, app.chats.transcript, app.chats.saved_chat"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
