"""Fair shares of the queue and other limits when several keys compete."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.serve import bodies
from engine.serve.auth import Keys
from engine.serve.queue import Queue, QueueEntry
from engine.serve.server import Server
from tests.engine.serve.conftest import Serve
from tests.engine.serving import CHAT, ask, bearer, body, connect, endless, raw, until_said
from tests.waiting import until


@pytest.fixture
def serve(serve: Serve, keys: Keys) -> Serve:
    return partial(serve, keys)


def stream(server: Server, key: str, **fields: Any) -> Any:
    return connect(server, raw(endless(**fields), f"Authorization: Bearer {key}"))


# ---------------------------------------------------------------- the queue


def test_idle_key_precedes_busy_key(serve: Serve, keys: Keys) -> None:
    """Key B's replies never end, and it sends more requests than there are slots."""
    a, b = keys.make("a"), keys.make("b")
    server = serve(at_once=16)
    greedy = [stream(server, b) for _ in range(24)]
    try:
        until(lambda: server.slots.queue.running == 15 and server.slots.waiting == 9)
        assert ask(server, "POST", CHAT, body(), **bearer(a)).status == 200
        assert server.slots.waiting == 9, "they wait for their own"
    finally:
        for client in greedy:
            client.close()


def test_key_alone_has_all_places(serve: Serve, keys: Keys) -> None:
    only, gone = keys.make("a"), keys.make("gone")
    assert gone
    keys.revoke("gone")
    server = serve(at_once=16)
    clients = [stream(server, only) for _ in range(16)]
    try:
        until(lambda: server.slots.queue.running == 16)
    finally:
        for client in clients:
            client.close()


def test_next_turn_goes_to_the_key_with_least(serve: Serve, keys: Keys) -> None:
    a, b = keys.make("a"), keys.make("b")
    server = serve(at_once=2)
    greedy = []
    for count in range(6):
        greedy.append(stream(server, b))
        until(lambda n=count: server.slots.queue.running + server.slots.waiting == n + 1)  # type: ignore[misc]
    with stream(server, a) as late:
        assert b"waiting for a free slot (0 ahead)" in until_said(late, b" ahead)")
        greedy[0].close()
        until_said(late, b"data: ")
        assert server.slots.waiting == 4
    for client in greedy:
        client.close()


def test_random_turns_are_fair() -> None:
    """Random arrivals: no entry overtakes a key that holds fewer slots."""

    async def run(seed: int) -> None:
        rng, line = random.Random(seed), Queue(4)
        inside: list[QueueEntry] = []
        waiting: list[QueueEntry] = []
        for _ in range(300):
            if inside and rng.random() < 0.5:
                line.leave(inside.pop(rng.randrange(len(inside))))
            elif waiting and rng.random() < 0.1:
                line.leave(waiting.pop(rng.randrange(len(waiting))))
            else:
                # One key sends far more requests than the others.
                owner_id = rng.choice("bbbbbbbbacd")
                waiting.append(line.enter(False, 1, owner_id))
            let = [turn for turn in waiting if turn.admitted.done()]
            assert [line.before(turn) for turn in line._in_order()] == [*range(len(line.waiting))]
            waiting = [turn for turn in waiting if not turn.admitted.done()]
            has = Counter(turn.owner_id for turn in inside)
            for turn in let:
                assert all(has[turn.owner_id] <= has[other.owner_id] for other in waiting)
            inside += let
            assert line.running == len(inside) <= 4
            assert not waiting or len(inside) == 4
        for key in "abcd":
            own = [turn for turn in line.waiting if turn.owner_id == key]
            assert [t for t in line._in_order() if t.owner_id == key] == own, "each key's in order"

    for seed in range(20):
        asyncio.run(run(seed))


def test_joining_a_long_queue_is_cheap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Joining a queue of 10,000 doesn't sort it again, and some slots stay free for other keys."""
    ordered: list[int] = []
    before = Queue._in_order

    def in_order(line: Queue) -> list[QueueEntry]:
        ordered.append(len(line.waiting))
        return before(line)

    monkeypatch.setattr(Queue, "_in_order", in_order)

    async def run() -> None:
        line = Queue(16, spare=lambda: 1)
        turns = [line.enter(owner_id="b") for _ in range(500)]
        line.leave(turns[0])
        line.leave(turns[400])
        assert (line.running, len(line.waiting), ordered) == (15, 483, [])
        assert line.enter(owner_id="a").admitted.done()
        assert line.before(turns[499]) == 482
        assert len(ordered) == 1

    asyncio.run(run())


# ---------------------------------------------------------------- the queue, bytes, sessions


def test_key_cannot_have_the_whole_queue(serve: Serve, keys: Keys) -> None:
    a, b = keys.make("a"), keys.make("b")
    server = serve(at_once=2, queue=8)
    crowd = [stream(server, b) for _ in range(2)]
    until(lambda: server.slots.queue.running == 2)
    for count in range(4):
        crowd.append(stream(server, b))
        until(lambda n=count: server.slots.waiting == n + 1)  # type: ignore[misc]
    refused = ask(server, "POST", CHAT, body(), **bearer(b))
    assert (refused.status, refused.code) == (429, "capacity_exhausted")
    assert "This key already uses its share" in refused.body.decode()
    with stream(server, a) as late:
        assert b"(0 ahead)" in until_said(late, b" ahead)")
    for client in crowd:
        client.close()


def test_key_cannot_use_the_whole_body_limit(
    serve: Serve, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bodies that stop before their last byte, as from slow clients."""
    a, b = keys.make("a"), keys.make("b")
    monkeypatch.setattr(bodies, "MAX_IN_FLIGHT_BODY_BYTES", 400_000)
    server = serve()
    held = server._answering.held
    halves = []
    for count in range(2):
        whole = raw(body("x" * 90_000), f"Authorization: Bearer {b}")
        halves.append(connect(server, whole[:-1]))
        until(lambda n=count: held.bytes > 90_000 * (n + 1))  # type: ignore[misc]
    refused = ask(server, "POST", CHAT, body("x" * 90_000), **bearer(b))
    assert (refused.status, refused.code) == (429, "capacity_exhausted")
    told = ask(server, "POST", CHAT, body("x" * 90_000), **bearer(a))
    assert told.status == 400, "read, and longer than the context"
    for client in halves:
        client.close()
    until(lambda: held.bytes == 0)


@pytest.mark.parametrize("policy", ["refuse", "evict"])
def test_key_cannot_have_all_sessions(serve: Serve, keys: Keys, policy: str) -> None:
    a, b = keys.make("a"), keys.make("b")
    server = serve(sessions=8, policy=policy)
    asked = [ask(server, "POST", "/v1/sessions", {"session_id": "own"}, **bearer(a)).status]
    made = [
        ask(server, "POST", "/v1/sessions", {"session_id": f"s{n}"}, **bearer(b)).status
        for n in range(20)
    ]
    assert set(made) == ({201, 429} if policy == "refuse" else {201})
    asked.append(ask(server, "GET", "/v1/sessions/own", **bearer(a)).status)
    asked.append(ask(server, "POST", "/v1/sessions", {"session_id": "two"}, **bearer(a)).status)
    assert asked == [201, 200, 201], "its own stays, and there is room for another"


# ---------------------------------------------------------------- models


def test_key_cannot_unload_models_of_others(
    serve: Serve, keys: Keys, model_folder: Callable[[str], Path]
) -> None:
    a, b = keys.make("a"), keys.make("b")
    folder = model_folder("sliding window")
    server = serve((str(folder),))
    one, two = bearer(a), bearer(b)
    unload = "/v1/models/sliding-window/unload"
    assert ask(server, "POST", CHAT, body(model="sliding-window"), **one).status == 200
    until(lambda: server.connections == 0)
    refused = ask(server, "POST", unload, **two)
    assert (refused.status, refused.code) == (409, "model_kept")
    given = ask(server, "POST", "/v1/models/plain/unload", **two)
    assert (given.status, given.code) == (409, "model_kept"), "the server's owner has loaded it"
    assert ask(server, "POST", unload, **one).status == 200, "nobody else has used it"
    assert ask(server, "POST", "/v1/models/sliding-window/load", **two).status == 200
    assert ask(server, "POST", unload, **two).status == 200
    keys.revoke("b")
    until(lambda: ask(server, "POST", "/v1/models/plain/unload", **one).status == 200)
    assert ask(server, "POST", CHAT, body(), **one).status == 200
