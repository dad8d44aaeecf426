"""Chat with a real store and an engine that the test drives."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app import flows
from app.chats.actions import EVENTS, Action
from app.chats.chat import Chat
from app.chats.panel import Member
from app.chats.turn import Draft, Event, Stage
from app.models.loading import LoadState
from engine import (
    EngineError,
    Finished,
    FinishReason,
    Fit,
    ReplyStats,
    TextDelta,
    ToolCallFinished,
)
from tests.app.desk import Desk as BaseDesk
from tests.app.desk import edit
from tests.app.fake_engine import FakeEngine
from tests.waiting import wait_until

A, B, C = "/models/A", "/models/B", "/models/C"


class Desk(BaseDesk):
    def load(self, ref: str) -> None:
        self.loader.request(ref)
        wait_until(lambda: self.engine.load_now(ref))
        wait_until(lambda: self.loader.get(ref).state is not LoadState.LOADING)

    def say(self, text: str, kind: Any = "answer") -> None:
        reply = self.engine.sent[-1]
        reply.post(TextDelta(reply.session.id, "", text, kind))
        self.bridge.drain()

    def end(self, reason: FinishReason = FinishReason.STOP) -> None:
        reply = self.engine.sent[-1]
        reply.post(Finished(reply.session.id, "", reason, ReplyStats(4, 2, 3, 0.2, 1.0, 48.0)))
        self.bridge.drain()

    def answer(self, text: str, reason: FinishReason = FinishReason.STOP) -> None:
        self.say(text)
        self.end(reason)

    def chat(self) -> Chat:
        chat = self.library.new(A)
        chat.turn.send("one")
        self.answer("First.")
        chat.turn.send("two")
        self.answer("Second.")
        edit(chat, chat.transcript.path[2].id, "two, in other words")
        self.answer("Third, cut", FinishReason.LENGTH)
        return chat


@pytest.fixture
def desk(qapp, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "chats.db", FakeEngine(turn_s=None))
    made.load(A)
    yield made
    made.close()


REPLIES = ("no reply", "waiting", "running", "stopping", "paused")
COMPOSED = ("nothing written", "written", "editing")


def in_state(desk: Desk, reply: str, composed: str) -> Chat:
    chat = desk.chat()
    if composed != "nothing written":
        chat.turn.write("a draft")
    if composed == "editing":
        assert chat.start_edit(chat.transcript.path[0].id)
        chat.turn.write("one, in other words")
    if reply == "waiting":
        chat.model.set(f"/models/slow-{chat.id}")
    if reply != "no reply":
        assert chat.regenerate()
    if reply == "stopping":
        chat.turn.handle(Event.STOP)
    elif reply == "paused":
        chat.turn.handle(Event.PAUSE)
    return chat


def look(chat: Chat) -> object:
    path = [(m.id, m.status) for m in chat.transcript.path]
    return chat.compose, chat.reply.stage, chat.tools.paused, path, chat.queue.messages


def act(chat: Chat, action: Action) -> object:
    path = chat.transcript.path
    question, leaf = path[0].id, path[-1].id
    if action in EVENTS:
        return chat.turn.handle(EVENTS[action])
    return {
        Action.EDIT: chat.start_edit,
        Action.REGENERATE: chat.regenerate,
        Action.SAME_AGAIN: chat.repeat_answer,
        Action.COMPARE: lambda: chat.comparison.ask([Member("one"), Member("two")], question),
        Action.CONTINUE: lambda: chat.continue_answer(leaf),
        Action.FORGET_OLDEST: lambda: chat.forget_oldest(leaf),
        Action.DELETE: lambda: chat.delete_message(question),
        Action.EARLIER: lambda: chat.show_version(-1),
        Action.LATER: lambda: chat.show_version(1),
        Action.GO_ON: chat.continue_turn,
    }[action]()


ELSEWHERE = {
    Action.COPY,
    Action.BRANCH,
    Action.SHOW_COMPARISON,
    Action.RENAME,
    Action.RESTORE,
    Action.GO_TO,
}
ACTIONS = [action for action in Action if action not in ELSEWHERE]
"""Actions handled by the chat alone."""


@pytest.mark.parametrize(
    ("reply", "composed"),
    [*((reply, "written") for reply in REPLIES), ("no reply", "editing"), ("running", "editing")],
)
def test_each_action_succeeds_or_gives_a_reason(desk: Desk, reply, composed):
    for action in ACTIONS:
        chat = in_state(desk, reply, composed)
        subject = {Action.CONTINUE: -1, Action.DELETE: 0, Action.COMPARE: 0}.get(action)
        message_id = "" if subject is None else chat.transcript.path[subject].id
        reason, before = chat.why_not(action, message_id), look(chat)
        done = act(chat, action)
        assert bool(done) is (not reason), (action, reason)
        assert (look(chat) != before) is (not reason), (action, reason)
        chat.close()


def test_restore_needs_idle_chat_and_parent(desk: Desk):
    chat = desk.chat()
    last = chat.delete_message(chat.transcript.path[3].id)
    first = chat.delete_message(chat.transcript.path[1].id)
    assert not chat.restore_messages(last)
    assert chat.why_not(Action.RESTORE, last.parent_id)
    assert chat.restore_messages(first)
    chat.regenerate()
    assert not chat.restore_messages(last)
    desk.answer("Again.")
    assert chat.restore_messages(last)


# Regression tests


def test_waiting_reply_goes_to_newly_chosen_model(desk: Desk):
    desk.load(B)
    slow = "/models/slow"
    chat = desk.library.new(slow)
    chat.turn.send("hello")
    assert (chat.reply.stage, chat._generator.model) == (Stage.LOADING, slow)
    chat.model.set(B)
    assert chat.reply.stage is Stage.RUNNING
    assert desk.engine.sent[-1].session.model.id == B
    desk.load(slow)
    assert len(desk.engine.sent) == 1
    desk.answer("Hi.")
    last = chat.transcript.last("assistant")
    assert (last.status, last.content, last.model) == ("complete", "Hi.", "B")


def test_last_chosen_of_two_loading_models_replies(desk: Desk):
    broken = "/models/broken"
    chat, other = desk.library.new(broken), desk.library.new(broken)
    chat.turn.send("hello")
    other.model.load()  # so that the load isn't canceled when `chat` chooses B
    chat.model.set(B)
    assert (chat.reply.stage, chat._generator.model) == (Stage.LOADING, B)
    desk.load(broken)
    assert desk.loader.get(broken).state is LoadState.FAILED
    assert (chat.reply.stage, chat._generator.model) == (Stage.LOADING, B)
    desk.load(B)
    assert chat.reply.stage is Stage.RUNNING


def test_waiting_repetition_keeps_its_model(desk: Desk):
    chat = desk.chat()
    desk.loader.mark_all_unloaded()
    assert chat.repeat_answer()
    assert (chat.reply.stage, chat._generator.model) == (Stage.LOADING, A)
    chat.model.set(B)
    assert (chat.reply.stage, chat._generator.model) == (Stage.LOADING, A)
    desk.load(A)
    assert chat.reply.stage is Stage.RUNNING


def test_tool_call_is_not_part_of_the_reply(desk: Desk):
    chat = desk.library.new(A)
    shown: list[str] = []
    chat.text_added.connect(lambda _id, text, _kind: shown.append(text))
    chat.turn.send("what is the weather?")
    desk.say("Let me look. ")
    desk.say('{"name": "weather"}', "tool")
    desk.end()
    last = chat.transcript.last("assistant")
    assert (last.content, last.status) == ("Let me look. ", "complete")
    assert last.stats["tool"] == '{"name": "weather"}'
    assert shown == ["Let me look. "]


def test_reply_with_only_a_call_says_so(desk: Desk):
    chat = desk.library.new(A)
    chat.turn.send("what is the weather?")
    desk.say('{"name": "weather"}', "tool")
    desk.end()
    last = chat.transcript.last("assistant")
    assert (last.content, last.status) == ("", "error")
    assert last.error


def test_regenerating_keeps_list_position(desk: Desk):
    older, newer = desk.chat(), desk.chat()
    older.regenerate()
    desk.answer("Again.")
    older.rename("Another title")  # regression test: this restored the time from before the answer
    older.turn.write("a draft")
    for chats in (desk.library.chats(), desk.store.chats()):
        assert [chat.id for chat in chats] == [older.id, newer.id]
    assert desk.store.chat(older.id).updated_at == older.record.updated_at


def test_shown_version_is_shown_after_reopening(desk: Desk):
    chat = desk.chat()
    shown = chat.transcript.leaf_id
    assert chat.show_version(-1)
    earlier = chat.transcript.leaf_id
    assert earlier != shown
    desk.library.release(chat.id)
    assert desk.library.open(chat.id, A).transcript.leaf_id == earlier


def test_saved_part_of_a_reply_counts_as_text_of_the_chat(desk: Desk):
    chat = desk.library.new(A)
    assert chat.turn.send("one")
    desk.engine.sent[-1].post(TextDelta("", "", "Half a", "answer"))
    desk.bridge.drain()
    chat.reply.generator._save_progress()
    assert desk.store.messages(chat.id)[-1].content == "Half a"
    assert chat.transcript.path[-1].content == "Half a"


def test_keeping_a_column_reports_one_end(desk: Desk):
    chat = desk.library.new(A)
    ended: list[str] = []
    chat.reply_ended.connect(ended.append)
    chat.turn.write("one")
    assert chat.comparison.ask([Member("A"), Member("B"), Member("C")])
    kept = chat.transcript.leaf_id
    first = desk.engine.sent[-3]
    first.post(
        Finished(first.session.id, "", FinishReason.STOP, ReplyStats(4, 2, 3, 0.2, 1.0, 48.0))
    )
    desk.bridge.drain()
    assert ended == []
    assert chat.panel_runner.keep_column(kept)
    assert ended == [kept]
    assert not chat.reply.is_active


def test_paused_column_is_resumed_while_another_loads(desk: Desk):
    chat = desk.library.new(A)
    chat.turn.write("one")
    assert chat.comparison.ask([Member("A"), Member("B", model=B)])
    assert chat.reply.stage is Stage.RUNNING
    for stage in (Stage.PAUSED, Stage.RUNNING):
        assert chat.turn.handle(Event.PAUSE)
        assert chat.reply.stage is stage
    assert desk.engine.sent[-1].told == ["pause", "resume"]


def test_thinking_time_belongs_to_one_message(desk: Desk):
    chat = desk.chat()
    chat.turn.write("one")
    first = chat.comparison.ask([Member("A"), Member("B")])
    desk.say("Hm.", "reasoning")
    desk.say("Yes.")
    thought = {each: chat.reply.thought_s(each) for each in chat.panel_runner.generators}
    assert thought.pop(first) is chat.reply.thought_s(chat.transcript.path[1].id) is None
    assert [seconds is not None for seconds in thought.values()] == [True]


def test_panel_ends_after_tool_calls_it_did_not_offer(desk: Desk):
    chat = desk.library.new(A)
    ended: list[str] = []
    chat.reply_ended.connect(ended.append)
    chat.turn.write("one")
    assert chat.comparison.ask([Member("A"), Member("B")])
    made = {"name": "gone/tool", "arguments": "{}"}
    turn = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": made}]}
    for sent in desk.engine.sent[-2:]:
        key = sent.session.id
        sent.post(ToolCallFinished(key, "", "1", made["name"], made["arguments"]))
        sent.post(
            Finished(key, "", FinishReason.STOP, ReplyStats(4, 2, 3, 0.2, 1.0, 48.0), None, turn)
        )
    desk.bridge.drain()
    wait_until(lambda: not chat.reply.is_active)
    assert len(ended) == 1


def test_sending_clears_draft_in_same_transaction(desk: Desk):
    chat = desk.library.new(A)
    chat.turn.write("hello")
    seen: list[SimpleNamespace] = []
    chat.message_added.connect(lambda _id: seen.append(desk.store.chat(chat.id)))
    assert chat.turn.handle(Event.ENTER)
    assert [kept.draft for kept in seen] == ["", ""]


def test_late_estimate_loads_with_next_engine(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    estimate: Future[Fit] = Future()
    monkeypatch.setattr(desk.engine, "estimate_later", lambda *_, **__: estimate)
    desk.loader.request(C)
    desk.loader.detach()
    estimate.set_exception(EngineError("engine_stopped", "It was stopped."))
    wait_until(lambda: not flows.running_tasks())
    assert not desk.engine.pending
    monkeypatch.undo()
    desk.loader.attach(desk.engine)  # type: ignore[arg-type]
    wait_until(lambda: desk.engine.load_now(C))


def test_immediate_engine_refusal_is_a_failed_load(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> Future[Any]:
        raise EngineError("engine_stopped", "The engine has failed and is shutting down.")

    monkeypatch.setattr(desk.engine, "load_later", refuse)
    desk.loader.request(C)
    wait_until(lambda: not flows.running_tasks())
    assert desk.loader.get(C).error == "The engine has failed and is shutting down."
    monkeypatch.undo()
    desk.load(C)
    assert desk.loader.get(C).model is not None


def test_steering_ends_the_reply_and_is_answered_next(desk: Desk) -> None:
    chat = desk.chat()
    chat.turn.send("count 3")
    desk.say("One, two")
    chat.turn.write("in French")
    assert chat.turn.handle(Event.STEER)
    assert desk.engine.sent[-1].told == ["steer"]
    desk.say(", three")  # the reply stops after a complete word
    desk.end(FinishReason.CANCELLED)
    wait_until(lambda: desk.engine.sent[-1].turns[-1]["content"] == "in French")
    assert desk.engine.sent[-1].turns[-2]["content"] == "One, two, three"
    assert [m.status for m in chat.transcript.path[-4:]] == [
        "complete",
        "cancelled",
        "complete",
        "streaming",
    ]
    assert (chat.compose, chat.turn.draft_state.is_waiting) == (Draft(), False)


def test_steering_waits_for_first_text(desk: Desk) -> None:
    """Regression test: a loading model was discarded together with the question."""
    chat = desk.chat()
    chat.model.set("/models/slow")
    chat.turn.send("count 3")
    chat.turn.write("in French")
    chat.queue.add("later", ())
    assert chat.turn.handle(Event.STEER)
    assert [each.text for each in chat.queue.messages] == ["in French", "later"]
    assert (chat.compose, chat.turn.stage) == (Draft(), Stage.LOADING)


def test_steering_ends_paused_reply_in_place(desk: Desk) -> None:
    chat = desk.chat()
    chat.turn.send("count 3")
    desk.say("One")
    chat.turn.handle(Event.PAUSE)
    chat.turn.write("in French")
    assert chat.turn.handle(Event.STEER)
    assert desk.engine.sent[-1].told == ["pause", "cancel"]
