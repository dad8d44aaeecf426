"""Tool calls in chats: consent, execution and results."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from app.chats.actions import Action
from app.chats.answer import Phase
from app.chats.chat import Chat
from app.chats.panel import members_by_seed
from app.chats.tool_call import (
    DENIED,
    NO_RESULT,
    STOPPED,
    Call,
    CallState,
    ParsedToolCall,
)
from app.chats.tool_call_runner import ToolCallRunner
from app.chats.transcript import conversation
from app.chats.turn import Draft, DraftState, Event, QueueState
from app.store import Message
from app.tools.builtin import STANDARD, BuiltinTool, CallContext, builtin_tool
from app.tools.consent import Consents, Decision
from app.tools.granted_folders import Difference
from app.tools.tool import Tool, ToolError
from app.tools.toolbox import BuiltinTools
from tests.app.desk import Desk as BaseDesk
from tests.torture.tools import play


class Desk(BaseDesk):
    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.ran: list[dict[str, Any]] = []
        self.gate = threading.Event()
        self.gate.set()
        more = [
            builtin_tool(
                "echo",
                "Says what it is given.",
                self._echo,
                asks_each_time=False,
                text={"type": "string"},
            ),
            builtin_tool(
                "secret",
                "Says the secret of a key.",
                self._secret,
                asks_each_time=False,
                key={"type": "string"},
            ),
            builtin_tool("wait", "Waits.", self._wait, asks_each_time=False),
            builtin_tool("write_file", "Pretends to write.", self._echo, text={"type": "string"}),
        ]
        self.library.toolbox.builtin = BuiltinTools([*STANDARD[:2], *more])

    def _echo(self, arguments: dict[str, Any], context: CallContext) -> str:
        self.ran.append(arguments)
        return str(arguments.get("text", "")) * int(arguments.get("times", 1))

    def _secret(self, arguments: dict[str, Any], context: CallContext) -> str:
        self.ran.append(arguments)
        return f"secret-of-{arguments['key']}"

    def _wait(self, arguments: dict[str, Any], context: CallContext) -> str:
        self.ran.append(arguments)
        self.gate.wait(30)
        return "waited"

    def chat(self, *tools: str) -> Chat:
        names = tools or ("echo", "secret", "wait", "date", "write_file")
        params = {"tools": [f"Stretto/{name}" for name in names]}
        return self.library.new("/models/a", params)

    def ask(self, chat: Chat, text: str) -> str:
        chat.turn.send(text)
        self.until(lambda: asked(chat))
        return asked(chat)[0]

    def close(self) -> None:
        self.gate.set()
        super().close()


@pytest.fixture
def desk(qapp: object, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "chats.db")
    yield made
    made.close()


def asked(chat: Chat) -> list[str]:
    return [key for key, call in chat.tools.calls.items() if call.state is CallState.ASKING]


def last(chat: Chat) -> Message:
    return chat.transcript.path[-1]


def roles(chat: Chat) -> list[tuple[str, str]]:
    return [(m.role, m.status) for m in chat.transcript.path]


def test_tool_needs_consent_before_it_runs(desk: Desk) -> None:
    chat = desk.chat()
    desk.ask(chat, 'call echo {"text": "hello"}')
    assert chat.reply.phase is Phase.ASKING
    assert chat.reply.is_active
    assert chat.tools.waiting == 1
    assert desk.ran == []
    assert roles(chat)[-2:] == [("assistant", "complete"), ("tool", "streaming")]
    assert chat.tools.decide(asked(chat)[0], Decision.ONCE) == ""
    desk.until(lambda: not chat.reply.is_active)
    assert last(chat).content == "The tool said: hello"
    result = chat.transcript.path[-2]
    assert (result.role, result.content, result.status) == ("tool", "hello", "complete")
    assert result.stats["decision"] == "once"
    assert result.stats["size"] == 5
    sent = desk.engine.sent[-1]
    assert [t["function"]["name"] for t in sent.params.tools][:2] == ["date", "echo"]
    assert [turn["role"] for turn in sent.turns] == ["user", "assistant", "tool"]
    (call,) = sent.turns[1]["tool_calls"]
    assert sent.turns[2]["tool_call_id"] == call["id"]
    desk.ask(chat, 'call echo {"text": "again"}')
    assert len(desk.ran) == 1, "once is not always"


def test_disabled_tools_are_not_offered(desk: Desk) -> None:
    chat = desk.library.new("/models/a")
    chat.turn.send("hello")
    desk.until(lambda: not chat.reply.is_active)
    assert desk.engine.sent[-1].params.tools in (None, (), [])


def test_comparison_column_cannot_run_tools_of_the_chat(desk: Desk) -> None:
    chat = desk.chat()
    chat.turn.set_compose(Draft('call echo {"text": "hello"}'))
    assert chat.comparison.ask(members_by_seed(2))
    desk.until(lambda: not chat.reply.is_active)
    assert desk.ran == []
    assert not chat.tools.waiting


def test_denied_call_is_reported_to_model(desk: Desk) -> None:
    chat = desk.chat()
    chat.tools.decide(desk.ask(chat, 'call echo {"text": "hello"}'), Decision.DENY)
    desk.until(lambda: not chat.reply.is_active)
    assert desk.ran == []
    assert last(chat).content == f"The tool said: {DENIED}"
    assert desk.library.toolbox.consents.consents() == []


def test_always_applies_to_this_chat_until_revoked(desk: Desk) -> None:
    one, other = desk.chat(), desk.chat()
    one.turn.send('call echo {"text": "first"}')
    desk.until(lambda: asked(one))
    one.tools.decide(asked(one)[0], Decision.TOOL)
    desk.until(lambda: not one.reply.is_active)
    one.turn.send('call echo {"text": "second"}')
    desk.until(lambda: not one.reply.is_active)
    assert last(one).content == "The tool said: second"
    one.turn.send('call secret {"key": "k"}')
    desk.until(lambda: asked(one))
    one.turn.handle(Event.STOP)
    other.turn.send('call echo {"text": "third"}')
    desk.until(lambda: asked(other))
    assert [run["text"] for run in desk.ran] == ["first", "second"]
    desk.store.flush()
    consents = Consents(desk.store.tool_rows)
    (consent,) = consents.consents()
    assert (consent.chat_id, consent.tool) == (one.id, "echo"), "it outlives the program"
    desk.library.toolbox.consents.revoke(consent)
    one.turn.send('call echo {"text": "fourth"}')
    desk.until(lambda: asked(one))
    desk.store.flush()
    assert Consents(desk.store.tool_rows).consents() == []


def test_consent_is_deleted_with_its_chat(desk: Desk) -> None:
    chat = desk.chat()
    chat.tools.decide(desk.ask(chat, 'call echo {"text": "x"}'), Decision.TOOL)
    desk.until(lambda: not chat.reply.is_active)
    desk.library.toolbox.consents.grant(chat.id, Path("/tmp"), False)
    desk.library.delete(chat.id)
    desk.library.erase([chat.id])
    desk.store.flush()
    rows = desk.store.tool_rows
    assert rows.read("tool_consents") == rows.read("tool_folders") == []


def test_writing_tool_always_asks(desk: Desk) -> None:
    chat = desk.chat()
    for _ in range(2):
        chat.tools.decide(desk.ask(chat, 'call write_file {"text": "x"}'), Decision.TOOL)
        desk.until(lambda: not chat.reply.is_active)
    assert desk.library.toolbox.consents.consents() == []


def test_shown_diff_belongs_to_running_call(desk: Desk) -> None:
    """Arguments change while their diff is computed, so the first diff must never appear.

    Arguments that weren't valid JSON at first get a diff before the call runs, too.
    """
    gates = {"first": threading.Event(), "second": threading.Event()}
    seen: list[tuple[str, str]] = []

    def preview(arguments: dict[str, Any], context: CallContext) -> Difference:
        text = str(arguments["text"])
        gates.get(text, desk.gate).wait(30)
        return Difference(f"difference of {text}", f"digest of {text}")

    def work(arguments: dict[str, Any], context: CallContext) -> str:
        seen.append((str(arguments["text"]), context.seen))
        return "written"

    tool = builtin_tool("write_file", "Writes.", work, text={"type": "string"}).tool
    desk.library.toolbox.builtin = BuiltinTools([BuiltinTool(tool, work, preview)])
    chat = desk.chat("write_file")
    desk.ask(chat, 'call write_file {"text": "first"}')
    (key,) = asked(chat)
    call = chat.tools.calls[key]
    second = '{ "text" : "second" }'
    assert "Check the changes" in chat.tools.decide(key, Decision.ONCE, second)
    gates["first"].set()
    gates["second"].set()
    desk.until(lambda: call.preview is not None)
    desk.library.toolbox.builtin.shut_down(20)
    desk.bridge.drain()
    assert isinstance(call.preview, Difference)
    assert call.preview.text == "difference of second"
    assert chat.tools.decide(key, Decision.ONCE, '{"text": "second"}') == "", (
        "only laid out otherwise"
    )
    desk.until(lambda: not chat.reply.is_active)
    assert seen == [("second", "digest of second")]
    call = Call("message", ParsedToolCall("call", "write_file", "{"), tool, "{", needs_preview=True)
    chat.tools.calls[call.message_id] = call
    chat.tools._preview(call)
    assert "Check the changes" in chat.tools.decide(
        call.message_id, Decision.ONCE, '{"text": "third"}'
    )
    assert call.state is CallState.ASKING
    assert len(seen) == 1
    desk.until(lambda: call.preview is not None)
    chat.tools.calls.clear()


def test_arguments_are_changed_before_they_are_used(desk: Desk) -> None:
    chat = desk.chat()
    key = desk.ask(chat, 'call echo {"text": "hello"}')
    for wrong in ("{", "[1]"):
        assert chat.tools.decide(key, Decision.ONCE, wrong)
    assert desk.ran == []
    assert chat.tools.decide(key, Decision.ONCE, '{"text": "mine"}') == ""
    desk.until(lambda: not chat.reply.is_active)
    assert desk.ran == [{"text": "mine"}]
    assert chat.transcript[key].stats["changed"]


def test_calls_of_one_answer_run_independently(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    chat.turn.send('call wait {} & echo {"text": "quick"} & nothing {}')
    desk.until(lambda: len(asked(chat)) == 2)
    slow, quick = asked(chat)
    chat.tools.decide(slow, Decision.ONCE)
    chat.tools.decide(quick, Decision.ONCE)
    desk.until(lambda: chat.transcript[quick].status == "complete")
    assert chat.transcript[slow].status == "streaming"
    assert chat.reply.phase is Phase.CALLING
    desk.gate.set()
    desk.until(lambda: not chat.reply.is_active)
    results = [m for m in chat.transcript.path if m.role == "tool"]
    assert [m.content for m in results][:2] == ["waited", "quick"]
    assert results[2].status == "error"


def test_stop_keeps_finished_calls(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    chat.turn.send('call echo {"text": "done"} & wait {}')
    desk.until(lambda: len(asked(chat)) == 2)
    for key in asked(chat):
        chat.tools.decide(key, Decision.ONCE)
    desk.until(lambda: "done" in [m.content for m in chat.transcript.path])
    assert not chat.why_not(Action.STOP)
    chat.turn.handle(Event.STOP)
    assert not chat.reply.is_active
    assert [m.content for m in chat.transcript.path[-2:]] == ["done", STOPPED]
    assert last(chat).status == "cancelled"
    assert not chat.why_not(Action.GO_ON)
    chat.continue_turn()
    desk.until(lambda: not chat.reply.is_active)
    assert last(chat).content == f"The tool said: {STOPPED}"


def test_stopped_call_lets_model_continue(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    key = desk.ask(chat, "call wait {}")
    chat.tools.decide(key, Decision.ONCE)
    chat.tools.stop_call(key)
    desk.until(lambda: not chat.reply.is_active)
    assert last(chat).content == f"The tool said: {STOPPED}"


def test_retry_after_allow_once_asks_again(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    key = desk.ask(chat, "call wait {}")
    chat.tools.decide(key, Decision.ONCE)
    desk.until(lambda: len(desk.ran) == 1)
    chat.tools.retry_call(key)
    assert asked(chat) == [key]
    assert chat.reply.phase is Phase.ASKING
    desk.gate.set()
    assert len(desk.ran) == 1
    assert chat.tools.decide(key, Decision.TOOL) == ""
    desk.until(lambda: not chat.reply.is_active)
    assert len(desk.ran) == 2
    assert last(chat).content == "The tool said: waited"


def test_retry_after_always_allow_runs(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    key = desk.ask(chat, "call wait {}")
    chat.tools.decide(key, Decision.TOOL)
    desk.until(lambda: len(desk.ran) == 1)
    chat.tools.retry_call(key)
    desk.until(lambda: len(desk.ran) == 2)
    assert asked(chat) == []


def test_discarded_reply_ends_its_calls(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    key = desk.ask(chat, "call wait {}")
    chat.tools.decide(key, Decision.ONCE)
    chat.reply.generator.discard()
    assert chat.tools.calls == {}
    assert chat.transcript[key].content == STOPPED


class Panic(BaseException):
    pass


@pytest.mark.parametrize("error", [ToolError("It is bad."), Panic()])
def test_tool_failure_is_a_result(desk: Desk, error: BaseException) -> None:
    def fails(arguments: dict[str, Any], context: CallContext) -> str:
        raise error

    desk.library.toolbox.builtin = BuiltinTools([builtin_tool("echo", "Fails.", fails)])
    chat = desk.chat("echo")
    chat.tools.decide(desk.ask(chat, "call echo {}"), Decision.ONCE)
    desk.until(lambda: not chat.reply.is_active)
    result = chat.transcript.path[-2]
    assert (result.status, str(error) in result.content) == ("error", True)
    assert last(chat).content == f"The tool said: {result.content}"


def test_long_tool_loop_stops_at_limit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToolCallRunner, "MOST_STEPS", 3)
    chat = desk.chat()
    key = desk.ask(chat, 'loop 5 echo {"text": "x"}')
    chat.turn.handle(Event.BROADCAST, Draft("then"))
    chat.tools.decide(key, Decision.TOOL)
    desk.until(lambda: not chat.turn.is_at_work)
    assert len(desk.ran) == 3
    assert chat.tools.is_at_limit
    assert last(chat).role == "tool"
    assert chat.queue.hold_reason
    chat.continue_turn()
    desk.until(lambda: not chat.reply.is_active)
    assert len(desk.ran) == 5
    assert last(chat).content == "The tool said: x"


def test_pause_finishes_calls_without_asking_model(desk: Desk) -> None:
    chat = desk.chat()
    desk.ask(chat, 'call echo {"text": "x"}')
    chat.turn.handle(Event.PAUSE)
    assert chat.tools.paused
    chat.tools.decide(asked(chat)[0], Decision.ONCE)
    desk.until(lambda: last(chat).status == "complete")
    QTest.qWait(20)
    assert len(desk.engine.sent) == 1
    assert chat.reply.phase is Phase.PAUSED
    chat.turn.handle(Event.PAUSE)
    desk.until(lambda: not chat.reply.is_active)
    assert last(chat).content == "The tool said: x"


def test_steering_ends_a_turn_that_is_paused_after_its_calls(desk: Desk) -> None:
    chat = desk.chat()
    key = desk.ask(chat, 'call echo {"text": "x"}')
    chat.turn.handle(Event.PAUSE)
    chat.tools.decide(key, Decision.ONCE)
    desk.until(lambda: chat.reply.phase is Phase.PAUSED)
    chat.turn.write("say two")
    assert chat.turn.handle(Event.STEER)
    desk.until(lambda: last(chat).content == "two ")


def test_steering_during_calls_follows_their_results(desk: Desk) -> None:
    chat = desk.chat()
    desk.gate.clear()
    chat.tools.decide(desk.ask(chat, "call wait {}"), Decision.ONCE)
    chat.turn.write("say instead")
    assert chat.turn.handle(Event.STEER)
    assert chat.reply.is_active
    desk.gate.set()
    desk.until(lambda: len(desk.engine.sent) == 2 and not chat.reply.is_active)
    assert [m.content for m in chat.transcript.path[-3:-1]] == ["waited", "say instead"]


def test_file_read_while_call_asks_still_interrupts(desk: Desk, tmp_path: Path) -> None:
    chat = desk.chat()
    desk.gate.clear()
    key = desk.ask(chat, "call wait {}")
    chat.turn.write("say instead")
    (path := tmp_path / "notes.txt").write_text("Bring bread.")
    chat.attacher.add([path])
    chat.turn.draft_state = DraftState.STEERS  # Ctrl+Enter before the call
    assert chat.turn.hint
    desk.until(lambda: not chat.attacher.reading)
    chat.tools.decide(key, Decision.ONCE)
    desk.until(lambda: chat.queue.state is QueueState.STEERING)
    desk.gate.set()
    desk.until(lambda: len(desk.engine.sent) == 2 and not chat.turn.is_at_work)
    assert [m.content for m in chat.transcript.path[-3:-1]] == ["waited", "say instead"]


def test_too_long_result_is_shortened(desk: Desk) -> None:
    chat = desk.chat()
    key = desk.ask(chat, 'call echo {"text": "0123456789", "times": 5000}')
    chat.tools.decide(key, Decision.ONCE)
    desk.until(lambda: not chat.reply.is_active)
    kept = chat.transcript[key]
    assert kept.stats["size"] == 50_000
    assert "left out …]" in kept.content
    assert len(kept.content) < 5000


def test_calls_survive_a_restart(desk: Desk) -> None:
    chat = desk.chat()
    chat.tools.decide(desk.ask(chat, 'call echo {"text": "hello"}'), Decision.ONCE)
    desk.until(lambda: not chat.reply.is_active)
    desk.store.flush()
    stored = desk.store.messages(chat.id)
    assert stored == chat.transcript.path
    assert conversation(stored, "")[:3] == desk.engine.sent[-1].turns


def test_waiting_call_is_interrupted_by_exit(desk: Desk) -> None:
    chat = desk.chat()
    desk.ask(chat, 'call echo {"text": "hello"}')
    chat.cancel_for_close()
    assert last(chat).status == "interrupted"
    assert not chat.reply.is_active


def tool_message(key: str, parent: str, **stats: Any) -> Message:
    return Message(key, "c", parent, "tool", content="r", stats=stats)


def test_every_call_gets_one_result() -> None:
    calls = [
        {"id": key, "type": "function", "function": {"name": "f", "arguments": {}}}
        for key in ("a", "b")
    ]
    turn = {"role": "assistant", "content": "", "tool_calls": calls}
    path = [
        Message("1", "c", None, content="q"),
        Message("2", "c", "1", "assistant", stats={"turn": turn}),
        tool_message("3", "2", call="b"),
        tool_message("4", "3", call="b"),
        tool_message("5", "4", call="strange"),
        Message("6", "c", "5", content="next"),
        tool_message("7", "6", call="a"),
    ]
    turns = conversation(path, "")
    assert [t["role"] for t in turns] == ["user", "assistant", "tool", "tool", "user"]
    results = {t["tool_call_id"]: t["content"] for t in turns if t["role"] == "tool"}
    assert results == {"b": "r", "a": NO_RESULT}
    forged = Message("2", "c", "1", "assistant", stats={"turn": {"tool_calls": "x"}})
    assert conversation([path[0], forged], "") == [{"role": "user", "content": "q"}]


def test_concurrent_chats_do_not_mix(desk: Desk) -> None:
    chats = [desk.chat("secret") for _ in range(8)]
    for chat in chats:
        key = json.dumps({"key": chat.id})
        chat.turn.send(f"loop 3 secret {key}")
    desk.until(lambda: all(asked(chat) for chat in chats))
    assert sum(chat.tools.waiting for chat in chats) == 8
    for number, chat in enumerate(chats):
        if number % 2:
            chat.tools.decide(asked(chat)[0], Decision.TOOL)
    odd = chats[1::2]
    desk.until(lambda: not any(chat.reply.is_active for chat in odd))
    assert all(asked(chat) for chat in chats[::2]), "the others wait still"
    for chat in chats:
        results = [m.content for m in chat.transcript.path if m.role == "tool"]
        expected = [f"secret-of-{chat.id}"] * 3 if chat in odd else [""]
        assert results == expected
        for turn in (t for r in desk.engine.sent if r.session.id == chat.id for t in r.turns):
            assert not any(other.id in str(turn) for other in chats if other is not chat)
    allowed = desk.library.toolbox.consents
    tool = desk.library.toolbox.tool("Stretto/secret")
    assert isinstance(tool, Tool)
    assert [allowed.is_allowed(chat.id, tool) for chat in chats] == [False, True] * 4


def test_random_schedules_of_eight_chats(qapp: object, tmp_path: Path) -> None:
    """Short version of `python -m tests.torture tools`."""
    play(tmp_path, 300, seed=7)
