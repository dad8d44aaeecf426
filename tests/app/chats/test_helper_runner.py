"""Helpers of a chat: start, limits, stop, and cleanup."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from app.chats import helper_runner
from app.chats.answer import Answer
from app.chats.chat import Chat
from app.chats.lanes import OVER, HelperRun, LaneState, lanes_of
from app.chats.reply_generator import ReplyGenerator
from app.chats.tool_call import STOPPED, ParsedToolCall
from app.chats.turn import Event
from app.remote.address import Remote
from app.store import Message
from app.tools.builtin import HELPERS, parse_helper_call
from app.tools.consent import Decision
from app.tools.tool import ToolError
from engine import Engine
from engine.bench.random_models import SHAPES, write_model
from tests.app.desk import Desk as BaseDesk
from tests.app.fake_engine import FakeReply
from tests.app.remote.scripted import Asked, Scripted, Writer, delta, events, head
from tests.slices import examples


class Desk(BaseDesk):
    def chat(self, **options: object) -> Chat:
        return self.library.new("/models/a", {"tools": [HELPERS], **options})

    def ask(self, chat: Chat, *questions: str, context: str = "fresh") -> list[HelperRun]:
        arguments = json.dumps({"questions": questions, "context": context})
        chat.turn.send(f"call ask_helpers {arguments}")
        self.until(lambda: chat.tools.first_waiting or self.lanes(chat))
        if key := chat.tools.first_waiting:
            assert chat.tools.decide(key, Decision.TOOL) == ""
        self.until(lambda: self.lanes(chat))
        return self.lanes(chat)

    def lanes(self, chat: Chat) -> list[HelperRun]:
        return [lane for call in chat.tools.calls.values() for lane in call.lanes]

    def done(self, chat: Chat) -> Message:
        self.until(lambda: not chat.reply.is_active)
        return next(m for m in reversed(chat.transcript.path) if m.role == "tool")

    def helpers(self, chat: Chat) -> list[FakeReply]:
        return [reply for reply in self.engine.sent if reply.session.id != chat.id]

    def kept(self, *chats: Chat) -> set[str]:
        own = {chat.id for chat in chats}
        return {r.session.id for r in self.engine.sent if not r.session.closed} - own


@pytest.fixture
def desk(qapp: object, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "chats.db")
    yield made
    made.close()


def test_helpers_run_together_and_return_a_result(desk: Desk) -> None:
    chat = desk.chat(helper_tokens=50)
    desk.ask(chat, "say one two", "count 3", "fail")
    assert desk.library.chat(chat.id) == chat.record, "the list has it where the call puts it"
    message = desk.done(chat)
    assert message.content == (
        "Question 1: say one two\none two\n\nQuestion 2: count 3\n1 2 3\n\n"
        "Question 3: fail\n[This helper failed.]\nSo far"
    )
    states = [lane.state for lane in lanes_of(message)]
    assert states == [LaneState.DONE, LaneState.DONE, LaneState.FAILED]
    sent = desk.helpers(chat)
    assert [len(r.turns) for r in sent] == [1, 1, 1], "a fresh helper has read nothing"
    assert all(r.params.max_tokens == 50 and not r.params.tools for r in sent)
    assert all(r.session.closed and r.session.priority < 0 for r in sent)
    assert set(desk.engine.forgotten) == {r.session.id for r in sent}
    desk.ask(chat, "say again")
    assert not chat.tools.waiting, "once per chat"
    desk.done(chat)


def test_forked_helper_has_context_and_no_tools(desk: Desk) -> None:
    chat = desk.chat()
    chat.set_options(chat.options, "Be brief.")
    desk.ask(chat, "say one", "say two", context="fork")
    message = desk.done(chat)
    first, second = desk.helpers(chat)
    own = desk.engine.sent[0]
    for reply, question in ((first, "say one"), (second, "say two")):
        assert reply.turns[: len(own.turns)] == own.turns
        *_, called, told = reply.turns
        assert told["tool_call_id"] == called["tool_calls"][0]["id"]
        assert told["content"].endswith(f"answer this question only:\n\n{question}")
        assert reply.params.tools == own.params.tools, "or nothing of it would be shared"
    assert "Question 2: say two\nThe tool said: You are helper 2 of 2" in message.content
    assert len([m for m in chat.transcript.path if m.role == "tool"]) == 1


def test_helper_cannot_call_helpers(desk: Desk) -> None:
    chat = desk.chat()
    inner = json.dumps({"questions": ["say never"]})
    desk.ask(chat, f"call ask_helpers {inner}", "say one")
    (first, second) = lanes_of(desk.done(chat))
    assert first.state is LaneState.FAILED
    assert (second.state, second.text) == (LaneState.DONE, "one")
    assert len(desk.helpers(chat)) == 2
    assert not desk.kept(chat)


def test_bounds_are_the_persons(desk: Desk) -> None:
    chat = desk.chat(helpers_at_once=2, helper_seconds=600)
    lanes = desk.ask(chat, "cut", "hold 3", "say one", "hold 2", "say last")
    desk.until(lambda: "2" in lanes[3].text)
    assert [lane.state.value for lane in lanes] == [
        "tokens",
        "writing",
        "done",
        "writing",
        "waiting",
    ]
    assert len(desk.helpers(chat)) == 4
    (group,) = chat.helper_runner._groups.values()
    assert group.clock.interval() == 600_000
    group.clock.start(0)
    message = desk.done(chat)
    assert [lane.state.value for lane in lanes_of(message)] == [
        "tokens",
        "time",
        "done",
        "time",
        "time",
    ]
    assert (
        "Question 1: cut\n[This helper ran out of tokens. It had said:]\nSo far" in message.content
    )
    assert (
        "Question 5: say last\n[This helper ran out of time. It had said:]\n(nothing)"
        in message.content
    )
    assert message.status == "complete"


@pytest.mark.parametrize("way", ["lane", "call", "chat", "delete", "close", "unload"])
def test_every_end_frees_helper_sessions(desk: Desk, way: str) -> None:
    chat = desk.chat()
    lanes = desk.ask(chat, "hold 3", "hold 4", "say one")
    desk.until(lambda: "3" in lanes[0].text and "4" in lanes[1].text and lanes[2].is_over)
    assert chat.reply.models == {"/models/a"}
    key = next(iter(chat.tools.calls))
    if way == "lane":
        chat.helper_runner.stop_lane(key, 0)
        desk.until(lambda: len(desk.kept(chat)) == 1)
        assert lanes[1].state is LaneState.WRITING
        assert chat.reply.is_active
        chat.helper_runner.stop_lane(key, 1)
    elif way == "call":
        chat.tools.stop_call(key)
    elif way == "chat":
        chat.turn.handle(Event.STOP)
    elif way == "delete":
        desk.library.delete(chat.id)
    elif way == "close":
        desk.library.cancel_for_close()
    else:
        desk.loader.unload("/models/a")
        desk.engine.release()
    desk.until(lambda: not chat.reply.is_active)
    message = chat.transcript[key]
    states = [lane.state.value for lane in lanes_of(message)]
    assert states == (["done"] * 3 if way == "unload" else ["stopped", "stopped", "done"])
    assert "3" in lanes_of(message)[0].text
    told = way in {"lane", "call", "unload"}
    assert ("Question 2: hold 4" in message.content) is told
    assert message.content == STOPPED or told
    assert message.status == {
        "chat": "cancelled",
        "delete": "cancelled",
        "close": "interrupted",
    }.get(way, "complete")
    desk.until(lambda: not desk.kept(chat))
    assert not chat.helper_runner.models
    stored = [m for m in desk.store.messages(chat.id) if m.role == "tool"]
    assert way == "delete" or lanes_of(stored[0]) == lanes_of(message)


def test_invalid_helper_call_is_reported_to_model() -> None:
    wrong = ([], [""], ["a"] * 9, ["a", 3], {"a": "b"})
    contexts = ({"questions": ["a"], "context": context} for context in ("both", [1]))
    for told in ({}, *({"questions": asked} for asked in wrong), *contexts):
        with pytest.raises(ToolError):
            parse_helper_call(told)


def test_common_mistakes_in_helper_calls_are_tolerated() -> None:
    assert parse_helper_call({"questions": " why? "}) == (["why?"], False)
    assert parse_helper_call({"questions": ["a"], "context": ""}) == (["a"], False)
    assert parse_helper_call({"questions": ["a", " b"], "context": "fork"}) == (["a", "b"], True)


@pytest.mark.parametrize(
    "kept",
    [
        None,
        {"question": "a"},
        [3, None, [], {"state": "done"}],
        [{"question": ["a"], "state": "done"}],
        [{"question": "a", "state": "lost"}],
    ],
)
def test_invalid_lanes_from_files_are_empty(kept: object) -> None:
    found = lanes_of(Message("m", "c", role="tool", stats={"lanes": kept}))
    assert all(lane == HelperRun("", LaneState.DONE) for lane in found)


def test_imported_lane_has_ended() -> None:
    told = {
        "question": "a\u202e",
        "state": "writing",
        "text": "\x1b[2Jb",
        "tokens": -1,
        "rate": "\ud800",
    }
    found = lanes_of(Message("m", "c", role="tool", stats={"lanes": [told] * 9}))
    assert found == [HelperRun("a", LaneState.STOPPED, "b")] * 8


@pytest.mark.parametrize("tokens", [None, -1, 1.5, 2**31, 10**30, "x", "\ud800"])
def test_helper_with_damaged_count_keeps_its_reply(tokens: object) -> None:
    told = {"state": "done", "text": "b", "tokens": tokens}
    found = lanes_of(Message("m", "c", role="tool", stats={"lanes": [told]}))
    assert found == [HelperRun("", LaneState.DONE, "b")]


@pytest.mark.parametrize("seed", range(examples(3)))
def test_random_actions_leave_no_helper_session(desk: Desk, seed: int) -> None:
    """Compare with a simple model of which helpers were stopped and which chats still exist."""
    chance = random.Random(seed)
    chats: list[Chat] = []
    stopped: dict[tuple[str, int], Chat] = {}
    kinds = ("hold 3", "say one two", "fail", "count 30", "cut", "overflow", "think")

    def act(chat: Chat) -> None:
        calls = [c for c in chat.tools.calls.values() if not c.is_waiting and c.lanes]
        waiting = chat.tools.first_waiting
        if waiting:
            chat.tools.decide(waiting, chance.choice([Decision.ONCE, Decision.TOOL, Decision.DENY]))
        elif calls and chance.random() < 0.6:
            call = chance.choice(calls)
            number = chance.randrange(len(call.lanes))
            if not call.lanes[number].is_over:
                stopped[call.message_id, number] = chat
            chat.helper_runner.stop_lane(call.message_id, number)
        elif calls and chance.random() < 0.3:
            chat.tools.stop_call(calls[0].message_id)
        elif chat.reply.is_active and chance.random() < 0.3:
            chat.turn.handle(Event.STOP)
        elif chance.random() < 0.1:
            desk.loader.unload("/models/a")
        elif chance.random() < 0.1:
            desk.library.delete(chat.id)
            chats.remove(chat)
        elif not chat.reply.is_active:
            asked = [chance.choice(kinds) for _ in range(chance.randint(1, 8))]
            told = {"questions": asked, "context": chance.choice(["fresh", "fork"])}
            more = f" & ask_helpers {json.dumps(told)}" if chance.random() < 0.3 else ""
            chat.turn.send(f"call ask_helpers {json.dumps(told)}{more}")

    for _ in range(60):
        if len(chats) < 3:
            chats.append(desk.chat(helpers_at_once=chance.randint(1, 8)))
        act(chance.choice(chats))
        QTest.qWait(chance.choice([0, 0, 3]))
    everyone = desk.library.open_chats()
    desk.engine.release()

    def rest() -> bool:
        for chat in everyone:
            if key := chat.tools.first_waiting:
                chat.tools.decide(key, Decision.DENY)
        return not any(chat.reply.is_active for chat in everyone)

    desk.until(rest)
    # Objects of a group are deleted in the next loop iteration.
    desk.until(lambda: not any(c.helper_runner.children() for c in everyone))
    for chat in everyone:
        assert not chat.helper_runner._groups
        for message in chat.transcript.path:
            lanes = lanes_of(message)
            assert message.status != "streaming"
            assert all(lane.state in OVER for lane in lanes)
            if lanes and message.status in {"complete", "error"}:
                assert message.content.count("Question ") == len(lanes)
    for (message_id, number), chat in stopped.items():
        lane = lanes_of(chat.transcript[message_id])[number]
        assert lane.state is LaneState.STOPPED
    desk.until(lambda: not desk.kept(*everyone))


class RealDesk(Desk):
    """Library on the real engine. Tool calls are scripted, as a random model doesn't make any."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "chats.db")
        self.engine.stop()
        self.real = Engine()
        self.model = str(write_model(folder / "tiny", SHAPES["tiny"], scale=3.0))
        self.loader.attach(self.real)
        self.ended: list[dict[str, Any]] = []

    def call(self, chat: Chat, *questions: str, context: str = "fresh") -> Message:
        answer = chat.transcript.last("assistant")
        text = json.dumps({"questions": questions, "context": context})
        function = {"name": "ask_helpers", "arguments": json.loads(text)}
        asks = {"id": "c1", "type": "function", "function": function}
        turn = {"role": "assistant", "content": answer.content, "tool_calls": [asks]}
        answer = chat.transcript.update(answer.id, stats={**answer.stats, "turn": turn})
        made = Answer(answer.id, calls=[ParsedToolCall("c1", "ask_helpers", text)])
        chat._generator.begin_calls(made, 0)
        self.until(lambda: chat.tools.first_waiting or self.lanes(chat))
        if key := chat.tools.first_waiting:
            chat.tools.decide(key, Decision.TOOL)
        return next(m for m in reversed(chat.transcript.path) if m.role == "tool")

    def close(self) -> None:
        self.library.cancel_for_close()
        self.until(lambda: not self.library.replying_chats())
        self.library.close()
        self.real.stop()
        self.store.close()
        self.root.deleteLater()


def test_engine_fork_reuses_prompt_and_is_closed(
    qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, ended = RealDesk(tmp_path), []
    dropped = helper_runner._drop

    def drop(helper: ReplyGenerator) -> None:
        last = helper._saved.transcript.leaf
        ended.append(last.stats if last is not None else {})
        dropped(helper)

    monkeypatch.setattr(helper_runner, "_drop", drop)
    options = {"max_tokens": 8, "temperature": 0.0, "helper_tokens": 16, "context": 2048}
    chat = desk.library.new(desk.model, {"tools": [HELPERS], **options})
    chat.turn.send("word " * 60)
    desk.until(lambda: not chat.reply.is_active)
    read = chat.model.context[0]
    key = desk.call(chat, "why?", "who?", "where?", context="fork").id
    desk.until(lambda: not chat.reply.is_active)
    lanes = lanes_of(chat.transcript[key])
    assert [lane.state for lane in lanes] == [LaneState.TOKENS] * 3
    assert [lane.tokens for lane in lanes] == [16] * 3
    assert all(stats["reused_tokens"] >= read - 8 for stats in ended), (read, ended)
    key = desk.call(chat, "why?", "long " * 500, "who?").id
    desk.until(lambda: not chat.reply.is_active)
    first, second, third = lanes_of(chat.transcript[key])
    assert (first.state, third.state) == (LaneState.TOKENS, LaneState.TOKENS)
    assert second.state is LaneState.FAILED
    assert second.why
    assert list(desk.real.stats()["sessions"]) == [chat.id]
    desk.call(chat, *["why?"] * 8)
    desk.until(lambda: any(lane.text for lane in desk.lanes(chat)))
    desk.library.delete(chat.id)
    desk.until(lambda: not chat.reply.is_active)
    assert desk.real.stats()["sessions"] == {}
    desk.close()


def test_remote_helpers_get_context_and_no_tools(desk: Desk) -> None:
    """The server answers each helper with a call for more helpers."""
    call = {"name": "ask_helpers", "arguments": '{"questions": ["a", "b"], "context": "fork"}'}
    called = delta(None, None, tool_calls=[{"index": 0, "id": "c", "function": call}])

    async def act(asked: Asked, writer: Writer) -> None:
        last = asked.body["messages"][-1]
        done = last["role"] == "tool" and last["content"].startswith("Question 1")
        said = [delta("fine", "stop")] if done else [called, delta(None, "tool_calls")]
        writer.write(head() + events(*said))
        await writer.drain()

    server = Scripted(act)
    try:
        remote = Remote(server.address, "big", "")
        desk.loader.add_remote(remote)
        chat = desk.library.new(remote.ref, {"tools": [HELPERS], "helper_tokens": 77})
        chat.turn.send("go")
        desk.until(lambda: chat.tools.first_waiting)
        chat.tools.decide(chat.tools.first_waiting, Decision.ONCE)
        lanes = lanes_of(desk.done(chat))
    finally:
        server.close()
    assert [lane.state for lane in lanes] == [LaneState.FAILED] * 2
    bodies = [asked.body for asked in server.asked if asked.body]
    assert len(bodies) == 4
    assert [body.get("max_tokens") for body in bodies] == [None, 77, 77, None]
    assert [len(body["messages"]) for body in bodies] == [1, 3, 3, 3]
    assert chat.transcript.path[-1].content == "fine"
