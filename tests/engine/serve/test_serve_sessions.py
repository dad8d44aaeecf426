"""Sessions over HTTP, isolated like the app's and with slots of their own."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from engine import Engine, Model
from engine.engine import Session
from engine.serve.auth import Settings
from engine.serve.connection import ACCEPTS_PER_ITERATION as ACCEPTED
from engine.serve.json_input import conversation_digests
from engine.serve.server import Server
from engine.serve.sessions import MAX_STORED_BYTES, SentConversation
from tests.engine.crowd import crowd
from tests.engine.serve.conftest import Serve
from tests.engine.serving import (
    CHAT,
    ask,
    body,
    chunks,
    connect,
    deltas,
    endless,
    raw,
    rest,
    running,
    status,
    until_said,
    user,
)
from tests.waiting import until


@pytest.fixture(autouse=True)
def nothing_is_left(loaded: tuple[Engine, Model]) -> Iterator[None]:
    yield
    until(lambda: not loaded[0].stats()["sessions"], 20)


def ids(server: Server, **headers: str) -> list[str]:
    return [s["id"] for s in ask(server, "GET", "/v1/sessions", **headers).json["data"]]


def test_session_is_created_on_first_use_and_continues(serve: Serve) -> None:
    server = serve()
    said = [user("a long beginning " * 20)]
    first = ask(server, "POST", CHAT, body(session_id="a", messages=said))
    assert first.status == 200
    said += [first.json["choices"][0]["message"], user("and then")]
    second = ask(server, "POST", CHAT, body(session_id="a", messages=said))
    usage = second.json["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= first.json["usage"]["prompt_tokens"]
    shown = ask(server, "GET", "/v1/sessions/a").json
    assert shown["tokens"] >= usage["prompt_tokens"]
    assert shown["bytes"] > 0
    assert shown["queue"] == 0
    assert shown["status"] == "idle"
    assert ids(server) == ["a"]
    assert ask(server, "DELETE", "/v1/sessions/a").json["deleted"] is True
    assert ids(server) == []
    assert not server.engine.stats()["sessions"]


def test_session_id_in_body_precedes_headers(serve: Serve) -> None:
    server = serve()
    headers = {
        "X-Stretto-Session-ID": "b",
        "X-ExecuTorch-Session-ID": "c",
    }
    asked: dict[str, Any] = {"session_id": "a"}
    for expected in "abc":
        lines = [f"{name}: {value}" for name, value in headers.items()]
        with connect(server, raw(body(**asked), *lines)) as client:
            assert status(rest(client)) == 200
        assert ids(server)[-1] == expected
        if not asked:
            headers.pop(next(iter(headers)))
        asked = {}
    assert ask(server, "POST", CHAT, body()).status == 200
    assert len(ids(server)) == 3


def test_invalid_name_is_refused(serve: Serve) -> None:
    server = serve()
    for name in ("", "a b", "-a", "a/b", "ä", "x" * 129, 5, ["a"], "a\n", "%0a"):
        answer = ask(server, "POST", CHAT, body(session_id=name))
        assert (answer.status, answer.code) == (400, "invalid_request"), name
        assert "session_id" in answer.json["error"]["message"]
    assert ask(server, "GET", "/v1/sessions/-a").status == 400
    assert ids(server) == []


def test_sessions_are_created_with_settings_and_read(serve: Serve) -> None:
    server = serve()
    wanted = {"session_id": "a", "system": "Be brief.", "ttl_seconds": 60}
    wanted |= {"reproducible": True, "on_overflow": "slide", "model": None}
    made = ask(server, "POST", "/v1/sessions", wanted)
    assert made.status == 201
    assert made.json["ttl_seconds"] == 60
    assert made.json["reproducible"] is True
    assert "Be brief." not in made.body.decode()
    with_system = ask(server, "POST", CHAT, body(session_id="a")).json["usage"]["prompt_tokens"]
    assert with_system > ask(server, "POST", CHAT, body()).json["usage"]["prompt_tokens"]
    assert ask(server, "POST", "/v1/sessions", wanted).code == "session_exists"
    named = ask(server, "POST", "/v1/sessions").json["id"]
    assert ids(server) == ["a", named]


def test_invalid_settings_are_named(serve: Serve) -> None:
    server = serve()
    for fields, says in (
        ({"kv_bits": 5}, "kv_bits"),
        ({"kv_bits": True}, "kv_bits"),
        ({"on_overflow": "drop"}, "on_overflow"),
        ({"system": 5}, "system"),
        ({"reasoning": "yes"}, "reasoning"),
        ({"ttl_seconds": -1}, "ttl_seconds"),
        ({"ttl_seconds": True}, "ttl_seconds"),
        ({"model": "llama-9"}, "llama-9"),
    ):
        answer = ask(server, "POST", "/v1/sessions", fields)
        assert answer.status in (400, 404)
        assert says in answer.json["error"]["message"]
    assert ids(server) == []


def test_model_without_isolation_is_refused_immediately(serve: Serve) -> None:
    server = serve()  # its model's heads are too small for 8 bits
    made = ask(server, "POST", "/v1/sessions", {"kv_bits": 8})
    assert (made.status, made.code) == (400, "unsupported_session")
    assert ids(server) == []


def test_panic_in_a_fork_ends_its_request(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(_: Session) -> Session:
        raise PanicException("lost")

    server = serve()
    monkeypatch.setattr(Session, "fork", panic)
    answer = ask(server, "POST", CHAT, body(n=2))
    assert (answer.status, answer.code) == (500, "internal_error")
    monkeypatch.undo()
    assert len(ask(server, "POST", CHAT, body(n=2)).json["choices"]) == 2


def test_fork_keeps_history_and_continues_separately(serve: Serve) -> None:
    server = serve()
    said = [user("a long beginning " * 20)]
    first = ask(server, "POST", CHAT, body(session_id="a", messages=said)).json
    twin = ask(server, "POST", "/v1/sessions/a/fork", {"session_id": "b"})
    assert (twin.status, twin.json["id"]) == (201, "b")
    said += [first["choices"][0]["message"], user("and then")]
    answers = {
        name: ask(server, "POST", CHAT, body(session_id=name, messages=said)).json for name in "ab"
    }
    for answer in answers.values():
        cached = answer["usage"]["prompt_tokens_details"]["cached_tokens"]
        assert cached >= first["usage"]["prompt_tokens"]
    assert answers["a"]["choices"] == answers["b"]["choices"]
    assert ask(server, "POST", "/v1/sessions/a/fork", {"session_id": "b"}).code == "session_exists"
    assert ask(server, "POST", "/v1/sessions/c/fork").code == "session_not_found"
    assert ask(server, "GET", "/v1/sessions/c").status == 404
    assert ask(server, "DELETE", "/v1/sessions/c").status == 404


def test_over_capacity_is_reported_before_first_byte(serve: Serve) -> None:
    server = serve(sessions=2)
    for name in "ab":
        assert ask(server, "POST", CHAT, body(session_id=name)).status == 200
    for stream in (True, False):
        with connect(server, raw(body(session_id="c", stream=stream))) as client:
            got = rest(client)
        assert status(got) == 429
        assert b"text/event-stream" not in got
        assert b'"capacity_exhausted"' in got
        assert b"retry-after: " in got
    refused = ask(server, "POST", "/v1/sessions/a/fork")
    assert (refused.status, refused.code) == (429, "capacity_exhausted")
    # Existing sessions and requests without a session are unaffected.
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 200
    assert ask(server, "POST", CHAT, body()).status == 200
    ask(server, "DELETE", "/v1/sessions/b")
    assert ask(server, "POST", CHAT, body(session_id="c")).status == 200


def test_zero_sessions_still_serve_unnamed_requests(serve: Serve) -> None:
    server = serve(sessions=0)
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 429
    assert ask(server, "POST", CHAT, body()).status == 200


def test_eviction_policy_closes_longest_idle_session(serve: Serve) -> None:
    server = serve(sessions=2, policy="evict")
    for name in "aba":
        ask(server, "POST", CHAT, body(session_id=name))
    with connect(server, raw(endless(session_id="b"))) as client:
        until_said(client, b"data: ")
        assert ask(server, "POST", CHAT, body(session_id="c")).status == 200
        assert ids(server) == ["b", "c"]
        with connect(server, raw(endless(session_id="c"))) as other:
            until_said(other, b"data: ")
            refused = ask(server, "POST", CHAT, body(session_id="d"))
            assert (refused.status, refused.code) == (429, "capacity_exhausted")


def test_named_sessions_never_take_the_last_place(serve: Serve) -> None:
    server = serve(at_once=2)
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        with connect(server, raw(endless(session_id="b"))) as two:
            assert b": waiting" in until_said(two, b" ahead)")
            assert ask(server, "POST", CHAT, body()).status == 200
            assert running(server) == 1
            one.close()
            until_said(two, b"data: ")


def test_two_requests_to_one_session_run_in_order(serve: Serve) -> None:
    server = serve()
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        waiting = [connect(server, raw(body(f"{i}", session_id="a"))) for i in range(3)]
        until(lambda: ask(server, "GET", "/v1/sessions/a").json["queue"] == 3)
        other = connect(server, raw(body(session_id="b")))
        assert status(rest(other)) == 200
        done: list[int] = []

        def read(place: int) -> None:
            assert status(rest(waiting[place])) == 200
            done.append(place)

        readers = [threading.Thread(target=read, args=(i,)) for i in range(3)]
        for reader in readers:
            reader.start()
        one.close()
        for reader in readers:
            reader.join()
    assert sorted(done) == [0, 1, 2]
    for client in (*waiting, other):
        client.close()


def test_queue_is_ordered_and_reports_position(serve: Serve) -> None:
    server = serve(at_once=2, queue=3)
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        waiting = []
        for i in range(3):
            waiting.append(connect(server, raw(endless(session_id=f"w{i}"))))
            until(lambda i=i: server.slots.waiting == i + 1)  # type: ignore[misc]
        for i, client in enumerate(waiting):
            assert f"({i} ahead)".encode() in until_said(client, b" ahead)")
        full = ask(server, "POST", CHAT, body(session_id="x"))
        assert (full.status, full.code) == (429, "capacity_exhausted")
        assert "x" not in ids(server)
        one.close()
        for i, client in enumerate(waiting):
            until_said(client, b"data: ")
            assert server.slots.waiting == 2 - i
            client.close()


def test_crowd_is_served_in_order(serve: Serve) -> None:
    server = serve(at_once=4)
    came = crowd(server, 40, tokens=4)
    assert (came.refused, came.failed) == (0, 0)
    assert came.overtaken <= 4 + ACCEPTED


def test_client_that_disconnects_leaves_the_queue(serve: Serve) -> None:
    server = serve()
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        with connect(server, raw(body(session_id="a"))):
            until(lambda: server.slots.waiting == 1)
        until(lambda: server.slots.waiting == 0)
        assert running(server) == 1
    until(lambda: running(server) == 0)
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 200


def test_client_that_disconnects_in_the_queue_leaves_no_session(serve: Serve) -> None:
    server = serve(at_once=2)
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        with connect(server, raw(body(session_id="b"))):
            until(lambda: server.slots.waiting == 1)
        until(lambda: [named.name for named in server.sessions.all()] == ["a"])


def test_freeing_session_ends_its_requests(serve: Serve) -> None:
    server = serve()
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        with connect(server, raw(body(session_id="a"))) as two:
            until(lambda: server.slots.waiting == 1)
            assert ask(server, "DELETE", "/v1/sessions/a").status == 200
            assert b'"session_closed"' in rest(one)
            got = rest(two)
            assert status(got) == 409
            assert b'"session_closed"' in got
    assert running(server) == 0
    assert ask(server, "POST", CHAT, body(session_id="a")).status == 200


def test_unused_session_expires(serve: Serve) -> None:
    server = serve(session_ttl=0.3)
    ask(server, "POST", "/v1/sessions", {"session_id": "kept", "ttl_seconds": 0})
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        ask(server, "POST", CHAT, body(session_id="b"))
        until(lambda: ids(server) == ["kept", "a"])
        assert running(server) == 1
    until(lambda: ids(server) == ["kept"])
    assert len(server.engine.stats()["sessions"]) == 1


def test_shutdown_notifies_waiting_requests(serve: Serve) -> None:
    server = serve()
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        with connect(server, raw(body(session_id="a"))) as two:
            until(lambda: server.slots.waiting == 1)
            server.stop()
            assert status(rest(two)) == 503
        assert b"The server is shutting down" in rest(one)


def test_random_sessions_answer_as_alone(serve: Serve) -> None:
    """Join, cancel, disconnect, fork, delete and evict concurrently, and compare with serial
    runs.
    """
    busy = serve(sessions=9, policy="evict", at_once=4)
    alone = serve()
    seeds = range(8)
    told: dict[int, list[str]] = {}

    def work(server: Server, seed: int, prefix: str, reckless: bool) -> list[str]:
        chosen, texts = random.Random(seed), []
        name, forks = f"{prefix}{seed}", 0
        said: list[dict[str, str]] = []
        for turn in range(3):
            said.append(user(f"{seed} {turn} " * chosen.randint(1, 30)))
            asked = body(
                messages=said,
                session_id=name,
                max_tokens=chosen.randint(3, 24),
                temperature=chosen.choice([0, 0.8]),
                seed=chosen.randrange(1000),
                stream=chosen.random() < 0.5,
            )
            act = chosen.choice(["", "", "leave", "fork", "delete"])
            if reckless and act == "leave":  # the reply is lost, so the request is repeated
                with connect(server, raw(endless(session_id=name) | {"messages": said})) as gone:
                    assert gone.recv(65536)  # the start of a reply, or an error if full
            answer = ask(server, "POST", CHAT, asked)
            while answer.status == 429:  # full until another session becomes idle
                time.sleep(0.02)
                answer = ask(server, "POST", CHAT, asked)
            assert answer.status == 200, answer.body
            texts.append(answer.text)
            # Not the real reply: bytes that aren't valid text don't encode back to the same tokens,
            # so a restored session couldn't match them.
            said.append({"role": "assistant", "content": f"answer {chosen.randrange(99)}"})
            if reckless and act == "fork":
                twin = f"{name}-{forks}"
                forks += 1
                forked = ask(server, "POST", f"/v1/sessions/{name}/fork", {"session_id": twin})
                if forked.status == 201:  # fails if it was evicted, or if all sessions are busy
                    name = twin
            elif reckless and act == "delete":
                assert ask(server, "DELETE", f"/v1/sessions/{name}").status in (200, 404)
        return texts

    def client(seed: int) -> None:
        told[seed] = work(busy, seed, "s", True)

    threads = [threading.Thread(target=client, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = {seed: work(alone, seed, "s", False) for seed in seeds}
    assert told == expected
    assert len(set(map(tuple, expected.values()))) > 4, "the answers must differ to show a mix-up"
    assert busy.sessions.evicted


def test_settings_are_validated() -> None:
    usual = Settings()
    for wrong in (
        {"host": "0.0.0.0"},
        {"host": "example.org"},
        {"sessions": -1},
        {"at_once": 1},
        {"policy": "drop"},
        {"session_ttl": -1.0},
        {"unload_after": float("nan")},
        {"origins": ("*",)},
        {"origins": ("https://a.org/path",)},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            replace(usual, **wrong)  # type: ignore[arg-type]
    assert replace(usual, host="::1").is_local
    assert not replace(usual, host="0.0.0.0", require_key=True).is_local


def test_streams_of_waiting_clients_are_whole(serve: Serve) -> None:
    server = serve(at_once=2)
    whole = ask(server, "POST", CHAT, body(session_id="b")).text
    with connect(server, raw(endless(session_id="a"))) as one:
        until_said(one, b"data: ")
        with connect(server, raw(body(session_id="b", stream=True))) as two:
            head = until_said(two, b" ahead)")
            assert status(head) == 200
            one.close()
            assert "".join(deltas(head + rest(two))) == whole


def test_request_may_send_only_new_messages(serve: Serve) -> None:
    server = serve()
    said = [user("a long beginning " * 20)]
    first = ask(server, "POST", CHAT, body(session_id="a", messages=said))
    assert first.headers["x-stretto-conversation"] == conversation_digests(said)[-1]
    new = [first.json["choices"][0]["message"], user("and then")]
    follows = conversation_digests(said)[-1]
    second = ask(server, "POST", CHAT, body(session_id="a", messages=new, follows=follows))
    ask(server, "POST", CHAT, body(session_id="b", messages=said))
    whole = ask(server, "POST", CHAT, body(session_id="b", messages=said + new))
    assert second.text == whole.text
    assert second.headers["x-stretto-conversation"] == conversation_digests(said + new)[-1]
    assert "x-stretto-conversation" not in ask(server, "POST", CHAT, body()).headers
    read = second.json["usage"]["prompt_tokens"]
    assert read == whole.json["usage"]["prompt_tokens"]
    cached = second.json["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert cached >= first.json["usage"]["prompt_tokens"]
    # Continue from an earlier message, streamed, without a new message.
    other = body(
        session_id="a",
        messages=[user("or else")],
        follows=conversation_digests(said)[0],
        stream=True,
    )
    assert ask(server, "POST", CHAT, other).status == 200
    again = body(
        session_id="a", messages=[], follows=conversation_digests([*said, user("or else")])[-1]
    )
    assert ask(server, "POST", CHAT, again).text == ask(server, "POST", CHAT, other).text
    # The second conversation differs from the session's last request.
    lost = body(session_id="a", messages=new, follows=conversation_digests(said + new)[-1])
    assert ask(server, "POST", CHAT, lost).code == "conversation_unknown"


def test_fork_has_the_same_history(serve: Serve) -> None:
    server = serve()
    said = [user("a long beginning " * 20)]
    first = ask(server, "POST", CHAT, body(session_id="a", messages=said)).json
    ask(server, "POST", "/v1/sessions/a/fork", {"session_id": "b"})
    assert ask(server, "DELETE", "/v1/sessions/a").status == 200
    new = [first["choices"][0]["message"], user("and then")]
    asked = body(session_id="b", messages=new, follows=conversation_digests(said)[-1])
    usage = ask(server, "POST", CHAT, asked).json["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] >= first["usage"]["prompt_tokens"]
    asked["session_id"] = "a"
    assert ask(server, "POST", CHAT, asked).code == "session_not_found"
    assert ids(server) == ["b"]  # no session was created with a partial conversation


def test_follows_is_refused_where_meaningless(serve: Serve) -> None:
    server = serve()
    digest = conversation_digests([user("hello")])[-1]
    for fields, code in (
        ({"follows": digest}, 400),
        ({"follows": "abc", "session_id": "a"}, 400),
        ({"follows": 5, "session_id": "a"}, 400),
        ({"follows": digest, "session_id": "a"}, 404),
    ):
        answer = ask(server, "POST", CHAT, body(**fields))
        assert answer.status == code, fields
        assert answer.code in ("invalid_request", "session_not_found")
    assert ids(server) == []
    long = user("long " * (MAX_STORED_BYTES // 5))  # too long for the model, so not kept
    assert (
        SentConversation().continued_by(None, [long], MAX_STORED_BYTES + 1).storable
        == SentConversation()
    )
    assert ask(server, "GET", "/v1/models").json["stretto"] == {"sessions": 1}


def test_session_reports_its_reply(serve: Serve) -> None:
    server = serve()
    with connect(server, raw(endless(session_id="a"))) as client:
        until_said(client, b'"content"')
        shown = ask(server, "GET", "/v1/sessions/a").json
        assert (shown["status"], shown["waiting"], shown["paused"]) == ("decoding", False, False)
        assert shown["reply"]["generated_tokens"] > 0
        assert shown["reply"]["prompt_tokens"] > 0
    until(lambda: ask(server, "GET", "/v1/sessions/a").json["status"] == "idle")
    assert ask(server, "GET", "/v1/sessions/a").json["reply"] is None


def test_steered_answer_keeps_its_cache(
    serve: Serve,
) -> None:
    server = serve()
    said = [user("a long beginning " * 20)]
    wanted = {"stream_options": {"include_usage": True}, "session_id": "a"}
    with connect(server, raw(endless(messages=said, **wanted))) as client:
        stream = until_said(client, b'"content"')
        steered = ask(server, "POST", "/v1/sessions/a/steer")
        assert (steered.status, steered.json["id"]) == (200, "a")
        stream += rest(client)
    text = "".join(deltas(stream))
    assert "\ufffd" not in text[-1:]
    usage = next(c["usage"] for c in chunks(stream) if c.get("usage"))
    answer = {"role": "assistant", "content": text}
    asked = body(session_id="a", messages=[*said, answer, user("and then")])
    second = ask(server, "POST", CHAT, asked)
    known = second.json["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert known >= usage["prompt_tokens"] + usage["completion_tokens"] - 1
    # Steering an idle session does nothing. A missing session is an error.
    assert ask(server, "POST", "/v1/sessions/a/steer").status == 200
    assert ask(server, "POST", "/v1/sessions/b/steer").code == "session_not_found"


def test_waiting_request_continues_after_steering(serve: Serve) -> None:
    server = serve()
    with connect(server, raw(endless(session_id="a"))) as first:
        until_said(first, b'"content"')
        with connect(server, raw(body(session_id="a", max_tokens=3, stream=True))) as second:
            until(lambda: ask(server, "GET", "/v1/sessions/a").json["queue"] == 1)
            ask(server, "POST", "/v1/sessions/a/steer")
            assert b"[DONE]" in rest(first)
            assert deltas(rest(second))
