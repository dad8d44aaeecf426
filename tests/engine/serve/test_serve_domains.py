"""Requests with different API keys are isolated."""

from __future__ import annotations

from typing import Any

import pytest

from engine import Engine, Model, SamplingParams
from engine.engine import Session
from engine.messages import Message, ToolCallDelta, ToolCallFailed, ToolCallStarted
from engine.serve.auth import KeyOwner, Keys, Settings
from engine.serve.conversations import MAX_IDLE_PER_OWNER, Conversation, ConversationPool
from engine.serve.routes.base import Choice
from engine.serve.server import Server
from engine.serve.sessions import SessionConfig
from engine.text.tool_calls import CUT_OFF
from tests.engine.serving import NEVER_ENDS, ask, bearer, body, connect, raw, until_said, user

BEGINNING = "What follows is known to nobody but those who were told it by its owner. " * 5
SECRET = "The code of the door is 4471-9982, and it opens once a day. "
GUESS = "The code of the door is 1234"
PLACES = {
    "/v1/chat/completions": lambda text: {"messages": [user(text)], "max_tokens": 2},
    "/v1/responses": lambda text: {"input": text, "max_output_tokens": 2},
    "/v1/messages": lambda text: {"messages": [user(text)], "max_tokens": 2},
}


def cached(told: dict[str, Any]) -> int:
    usage = told["usage"]
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details") or {}
    return int(details.get("cached_tokens", usage.get("cache_read_input_tokens", 0)) or 0)


class Unread(str):
    """String that fails the test if it is compared or joined."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    __ne__ = __eq__

    def __radd__(self, other: str) -> str:
        raise AssertionError("joined")


def known_conversations(*said: tuple[str, list[Message]]) -> ConversationPool:
    class Idle:
        id = "x"

    known = ConversationPool(None)  # type: ignore[arg-type]
    for owner, messages in said:
        kind = (owner, "m", SessionConfig())
        one = Conversation(Idle(), kind)  # type: ignore[arg-type]
        one.messages = messages
        known.put_back(one)
    return known


def test_conversation_of_another_key_is_not_compared() -> None:
    known = known_conversations(("a", [{"role": "user", "content": Unread("x")}]))
    assert known._find(("b", "m", SessionConfig()), [{"role": "user", "content": "x"}]) is None


def test_common_head_of_conversations_is_not_compared() -> None:
    head: Message = {"role": "system", "content": Unread("long")}
    messages: list[Message] = [head, {"role": "user", "content": "one"}]
    known = known_conversations(("a", messages))
    asked: list[Message] = [{**head, "content": "long"}, {"role": "user", "content": "two"}]
    assert known._find(("a", "m", SessionConfig()), asked) is None


def test_pieces_of_a_calls_arguments_are_joined_once() -> None:
    choice = Choice(0, True)
    list(choice.handle_event(ToolCallStarted("s", "r", "c", "write")))
    for _ in range(3):
        list(choice.handle_event(ToolCallDelta("s", "r", "c", Unread('{"a": "b"'))))
    assert list(choice.handle_event(ToolCallFailed("s", "r", "c", "", "cut", CUT_OFF))) == []


@pytest.mark.parametrize("path", PLACES)
def test_keys_cannot_probe_prompts_of_other_keys(
    loaded: tuple[Engine, Model], keys: Keys, path: str
) -> None:
    """With the preceding text known, a secret could be guessed character by character."""
    engine, model = loaded
    one, two = bearer(keys.make("one")), bearer(keys.make("two"))
    with Server(engine, [model], 0, keys=keys) as server:

        def count(text: str, who: dict[str, str]) -> int:
            answer = ask(server, "POST", path, PLACES[path](text), **who)
            assert answer.status == 200
            return cached(answer.json)

        assert count(path + BEGINNING + SECRET, one) == 0
        assert count(path + BEGINNING + GUESS, two) == 0
        assert count(path + BEGINNING + SECRET, two) < count(path + BEGINNING + SECRET, one)
        own = count(path + BEGINNING + GUESS, two)
        assert own > len(BEGINNING), "a key's own prompts are read once"


def test_running_prompts_are_private_to_their_key(loaded: tuple[Engine, Model], keys: Keys) -> None:
    """Raw prompts are kept only during the request, and each of several prompts gets a session."""
    engine, model = loaded
    mine, other = keys.make("one"), bearer(keys.make("two"))
    prompts = ["a", BEGINNING + SECRET]
    asked = {"prompt": prompts, "max_tokens": 2}
    with Server(engine, [model], 0, keys=keys) as server:
        long = {"prompt": prompts, "max_tokens": 6000, "logit_bias": NEVER_ENDS, "stream": True}
        told = raw(long, f"Authorization: Bearer {mine}", path="/v1/completions")
        with connect(server, told) as client:
            until_said(client, b'"index":1')
            answer = ask(server, "POST", "/v1/completions", asked, **other)
            assert cached(answer.json) == 0
            answer = ask(server, "POST", "/v1/completions", asked, **bearer(mine))
            assert cached(answer.json) > len(BEGINNING)


def test_program_without_key_cannot_probe_window_chats(
    loaded: tuple[Engine, Model],
) -> None:
    engine, model = loaded
    chat = engine.open_session(model, "the window's")
    chat.send("Mine: " + BEGINNING + SECRET, SamplingParams(max_tokens=2)).tokens(60)
    with Server(engine, [model], 0) as server:
        answer = ask(server, "POST", "/v1/chat/completions", body("Mine: " + BEGINNING + SECRET))
        assert cached(answer.json) == 0
        asked = body("Mine: " + BEGINNING + GUESS)
        again = ask(server, "POST", "/v1/chat/completions", asked)
        assert cached(again.json) > len(BEGINNING), "programs without keys are one domain"
    chat.close(forget=True)


def test_conversations_of_one_key_do_not_close_anothers(
    loaded: tuple[Engine, Model], keys: Keys
) -> None:
    """Regression test: a full pool of one key's conversations evicted all other keys' caches."""
    engine, model = loaded
    one, two = bearer(keys.make("one")), bearer(keys.make("two"))
    said = [user(BEGINNING)]
    with Server(engine, [model], 0, keys=keys, settings=Settings(queue=64)) as server:

        def turn(messages: list[Any], who: dict[str, str]) -> Any:
            asked = {"messages": messages, "max_tokens": 2}
            answer = ask(server, "POST", "/v1/chat/completions", asked, **who)
            assert answer.status == 200
            return answer.json

        first = turn(said, one)
        said += [first["choices"][0]["message"], user("and then?")]
        for number in range(MAX_IDLE_PER_OWNER + 4):
            turn([user(f"{number} of many")], two)
        assert cached(turn(said, one)) > len(BEGINNING)


class Held:
    def __init__(self) -> None:
        self.open: list[Any] = []

    def open_session(self, model: Model, *_: Any, **__: Any) -> Any:
        held = self

        class Opened:
            id = "made up"

            def close(self, forget: bool = False) -> None:
                held.open.remove(self)

        made = Opened()
        self.open.append(made)
        return made


def test_key_with_most_conversations_loses_one(loaded: tuple[Engine, Model]) -> None:
    held: Any = Held()
    known = ConversationPool(held, keep=4, max_idle=6)
    _, model = loaded
    kept: dict[str, list[Session]] = {"a": [], "b": [], "c": []}

    def say(owner: str) -> None:
        number = f"{owner} {len(kept[owner])}"
        found = known.acquire(model, [user(number)], SessionConfig(), KeyOwner(owner))
        kept[owner].append(found.session)
        known.put_back(found)

    def held_by(owner: str) -> list[int]:
        return [n for n, s in enumerate(kept[owner]) if s in held.open]

    for _ in range(6):
        say("a")
    assert held_by("a") == [2, 3, 4, 5], "its own limit"
    say("b")
    say("b")
    assert (held_by("a"), held_by("b")) == ([2, 3, 4, 5], [0, 1])
    say("c")
    say("c")
    assert (held_by("a"), held_by("b"), held_by("c")) == ([4, 5], [0, 1], [0, 1])
