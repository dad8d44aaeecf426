"""`python -m engine serve`: chats over loopback sockets, and the command's own errors."""

from __future__ import annotations

import gc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from tests.engine.serve.conftest import Serve
from tests.engine.serving import CHAT, ask, body, connect, endless, raw, until_said, user


def test_second_turn_prefills_only_new_text(serve: Serve) -> None:
    server = serve()

    def usage(messages: list[Any]) -> tuple[Any, Any]:
        answer = ask(server, "POST", CHAT, body(messages=messages)).json
        return answer["choices"][0]["message"], answer["usage"]

    said = [user("a long beginning " * 20)]
    message, first = usage(said)
    _, second = usage([*said, message, user("and then")])
    assert second["prompt_tokens_details"]["cached_tokens"] >= first["prompt_tokens"]
    assert len(server.engine.stats()["sessions"]) == 1
    _, fresh = usage([user("something else entirely")])
    assert fresh["prompt_tokens_details"]["cached_tokens"] < 20
    assert len(server.engine.stats()["sessions"]) == 2


def test_concurrent_clients_get_independent_answers(serve: Serve) -> None:
    server = serve()
    bodies = [body(f"question {i} " * (i + 1)) for i in range(6)]

    def choices(asked: dict[str, Any]) -> Any:
        return ask(server, "POST", CHAT, asked).json["choices"]

    alone = list(map(choices, bodies))
    with ThreadPoolExecutor(6) as clients:
        assert list(clients.map(choices, bodies)) == alone


def test_server_listens_on_loopback_only(serve: Serve) -> None:
    assert serve().address[0] == "127.0.0.1"


def test_port_in_use_is_reported(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    options = ["--port", str(server.port), "--cache-gb", "0", "--keys", str(tmp_path / "keys.json")]
    assert main(["serve", server.served.models[0].path, *options]) == 2
    assert "--port" in capsys.readouterr().err


def test_model_without_a_name_is_the_first(serve: Serve) -> None:
    served = serve().served
    (model,) = served.models
    assert served.entry(model.id) is served.entry(None) is served.entries[0]


def test_streamed_request_has_few_objects(serve: Serve) -> None:
    def objects() -> dict[int, Any]:
        held = gc.get_objects()
        return {id(o): o for o in held if type(o).__module__.startswith("engine.serve")}

    server = serve()
    ask(server, "POST", CHAT, body())  # the key's metrics stay
    before = objects()
    with connect(server, raw(endless())) as client:
        until_said(client, b"data: ")
        made = Counter(type(o).__name__ for name, o in objects().items() if name not in before)
    del made["Text"]  # may exist for a moment while the server formats one
    lasting = {"Connection": 1, "Agent": 1, "Conversation": 1}
    asked = {"Generation": 1, "QueueEntry": 1}
    replies = {"ModelRequest": 1, "Choice": 1}
    assert made == lasting | asked | replies | {"ClientResponse": 1, "ChatWriter": 1}
