"""Size limits of request bodies."""

from __future__ import annotations

import base64
import json
import random
import threading
import urllib.parse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.model import backend
from engine.serve import bodies, documents, json_input
from engine.serve.documents import PIECE_CHARACTERS
from engine.serve.json_input import JSONCounter
from engine.serve.server import Server
from engine.serve.threads import LARGE_BODY_BYTES, THREADED_BODY_BYTES
from tests.engine.serve.conftest import Serve
from tests.engine.serving import CHAT, Answer, body, connect, rest
from tests.engine.serving import status as status_of
from tests.waiting import until


@pytest.fixture
def serve(serve: Serve, model_folder: Callable[[str], Path]) -> Serve:
    return partial(serve, folders=(str(model_folder("sliding window")),))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    lengths: list[int] = []
    before = json_input.decode

    def decode(raw: bytes) -> dict[str, Any]:
        lengths.append(len(raw))
        return before(raw)

    monkeypatch.setattr(json_input, "decode", decode)
    return lengths


def post(server: Server, content: bytes, path: str = CHAT) -> Answer:
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    head += [f"Content-Length: {len(content)}", "", ""]
    with connect(server, "\r\n".join(head).encode() + content) as client:
        answer = rest(client)
    return Answer(status_of(answer), {}, answer.partition(b"\r\n\r\n")[2])


def of_lists(count: int) -> bytes:
    return b'{"model":"plain","messages":[' + b"[1]," * (count - 2) + b"1]}"


def test_body_of_small_lists_is_refused_before_it_is_read(serve: Serve, decoded: list[int]) -> None:
    server = serve()
    most = json_input.MAX_LISTS
    for path in (CHAT, "/v1/messages", "/v1/embeddings", "/v1/sessions"):
        refused = post(server, of_lists(most + 1), path)
        assert (refused.status, decoded) == (413, [])
        assert f"{most:,} lists" in refused.body.decode()
    values = post(server, b'{"messages":[' + b"0," * json_input.MAX_VALUES + b"0]}")
    assert (values.status, decoded) == (413, [])
    assert post(server, of_lists(1000)).status == 400, "as many are looked at"
    assert decoded


def test_string_contents_do_not_count(serve: Serve, decoded: list[int]) -> None:
    text = '[{",' * (json_input.MAX_LISTS // 2 + 1)
    answer = post(serve(), json.dumps(body(text, model="plain")).encode())
    assert (answer.status, answer.code) == (400, "context_length_exceeded")
    assert decoded


def test_body_size_limit_depends_on_model(serve: Serve) -> None:
    """The limit stays high if an unloaded model is listed, since its context may have any
    length.
    """
    server = serve()
    long = json.dumps(body("x" * bodies.MIN_LIMIT_BYTES, model="plain")).encode()
    for path in (CHAT, "/v1/messages/count_tokens"):
        refused = post(server, long, path)
        assert refused.status == 413
        assert "limit 1 MB" in refused.body.decode()


@pytest.mark.parametrize("shape", ["openai", "anthropic", "responses", "ollama", "audio"])
def test_large_media_for_a_text_model_become_a_note(serve: Serve, shape: str) -> None:
    data = base64.b64encode(bytes(bodies.MIN_LIMIT_BYTES)).decode()
    text = {"type": "text", "text": "hi"}
    address = f"data:image/png;base64,{data}"
    source = {"type": "base64", "media_type": "image/png", "data": data}
    sound = {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    openai = {"type": "image_url", "image_url": {"url": address}}
    content: dict[str, Any] = {
        "openai": (CHAT, {"content": [openai, text]}),
        "audio": (CHAT, {"content": [sound, text]}),
        "anthropic": ("/v1/messages", {"content": [{"type": "image", "source": source}, text]}),
        "ollama": ("/api/chat", {"content": "hi", "images": [data]}),
        "responses": (
            "/v1/responses",
            {"content": [{"type": "input_image", "image_url": address}]},
        ),
    }
    path, message = content[shape]
    messages = [{"role": "user", **message}]
    asked: dict[str, Any] = {"messages": messages, "max_tokens": 4}
    if shape == "responses":
        asked = {"input": messages, "max_output_tokens": 16}
    elif shape == "ollama":
        asked = {"messages": messages, "stream": False}
    answer = post(serve(), json.dumps(asked).encode(), path)
    assert answer.status == 200, answer.body


def test_parsed_body_counts_toward_the_total(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()
    assert post(server, of_lists(20_000)).status == 400
    monkeypatch.setattr(bodies, "MAX_IN_FLIGHT_BODY_BYTES", 20_000 * json_input.BYTES_PER_LIST)
    refused = post(server, of_lists(20_000))
    assert (refused.status, refused.code) == (429, "capacity_exhausted")
    until(lambda: server._answering.held.bytes == 0)


def test_large_request_returns_its_memory(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    given = threading.Event()
    monkeypatch.setattr(backend, "release_heap", given.set)
    server = serve()
    assert post(server, json.dumps(body()).encode()).status == 200
    until(lambda: server._answering.held.bytes == 0)
    assert not server._answering.held.large_ended
    monkeypatch.setattr(bodies, "RELEASE_BYTES", 1000 * json_input.BYTES_PER_LIST)
    assert post(server, of_lists(1000)).status == 400
    assert given.wait(30)


def test_json_parts_are_counted_across_chunks() -> None:
    rng = random.Random(3)
    texts = ["", "a", ",", '"', "\\", '\\"', '[{"a\\', "é,\n", "😀["]

    def tree(depth: int) -> Any:
        kind = rng.random()
        if not depth or kind < 0.3:
            return rng.choice([1, None, True, -2.5e3, *texts])
        inner = [tree(depth - 1) for _ in range(rng.randrange(4))]
        if kind < 0.6:
            return inner
        return {f"{rng.choice(texts)}{number}": value for number, value in enumerate(inner)}

    def counted(part: Any) -> tuple[int, int, int]:
        if isinstance(part, str):
            return 0, 0, 1
        if not isinstance(part, (list, dict)):
            return 0, 0, 0
        names = len(part) if isinstance(part, dict) else 0
        inner = [counted(p) for p in (part.values() if isinstance(part, dict) else part)]
        lists, commas, found = (sum(one[n] for one in inner) for n in range(3))
        return lists + 1, commas + max(0, len(part) - 1), found + names

    for _ in range(500):
        made = tree(5)
        raw = json.dumps(made, ensure_ascii=rng.random() < 0.5).encode()
        parts, at = JSONCounter(), 0
        while at < len(raw):
            size = rng.randrange(1, 9)
            parts.add(raw[at : at + size])
            at += size
        assert (parts.lists, parts.commas, parts.texts) == counted(made), raw


def test_large_bodies_do_not_hold_up_smaller_ones(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, decode = serve(), json_input.decode
    entered, release, inside = threading.Event(), threading.Event(), list[int]()
    large = json.dumps({"model": "plain", "x": "y" * LARGE_BODY_BYTES}).encode()
    small = json.dumps({"model": "plain", "x": "y" * 2 * THREADED_BODY_BYTES}).encode()

    def slow(raw: bytes) -> dict[str, Any]:
        if len(raw) > LARGE_BODY_BYTES:
            inside.append(len(raw))
            entered.set()
            assert release.wait(60)
        return decode(raw)

    monkeypatch.setattr(json_input, "decode", slow)
    with ThreadPoolExecutor(6) as senders:
        try:
            asked = [senders.submit(post, server, large) for _ in range(6)]
            assert entered.wait(60)
            until(lambda: server._answering.held.bytes > len(asked) * LARGE_BODY_BYTES)
            assert post(server, small).status == 400, "it has no messages"
            assert len(inside) == 1
        finally:
            release.set()
        assert all(one.result(60).status in (400, 413) for one in asked)


def test_base64_is_decoded_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    real, lengths = base64.b64decode, list[int]()

    def b64decode(data: str, validate: bool) -> bytes:
        lengths.append(len(data))
        return real(data, validate=validate)

    monkeypatch.setattr(base64, "b64decode", b64decode)
    data = random.Random(1).randbytes(2 * PIECE_CHARACTERS + 1)
    text = base64.b64encode(data).decode()
    assert documents.decode(f"data:image/png;base64,{text}") == (data, "image/png")
    assert max(lengths) <= PIECE_CHARACTERS + 3
    padded = "A" * (PIECE_CHARACTERS - 1) + "="
    for damaged in (padded + "AAAA", text + "é", "AAAAA", "QQ*="):
        with pytest.raises(ValueError, match="base64 is damaged"):
            documents.decode(damaged)


BYTES = bytes(range(248, 256)) + b"fugue"
PLAIN = base64.b64encode(BYTES).decode()
ADDRESS = "data:image/png;base64,"


@pytest.mark.parametrize(
    "sent",
    [
        ADDRESS + PLAIN.rstrip("="),
        f"{ADDRESS}{PLAIN}==",
        f"DATA:image/png;name=a%20b.png;BASE64,{PLAIN[:6]}%0D%0A{PLAIN[6:]}",
        f"data:image/png ; base64 ,{PLAIN[:10].replace('+', '-').replace('/', '_')}{PLAIN[10:]}",
        ADDRESS + base64.urlsafe_b64encode(BYTES).decode(),
        base64.urlsafe_b64encode(BYTES).decode().rstrip("="),
        ADDRESS + PLAIN[:6] + "\r\n" + PLAIN[6:] + "\n",
        f"  {PLAIN[:9]} \t{PLAIN[9:]} ",
        ADDRESS + urllib.parse.quote(PLAIN, safe=""),
        "DATA:Image/PNG;Base64," + PLAIN,
        "\n data: image/png ; charset=utf-8 ; base64 , " + PLAIN,
        f'data:image/png;name="a, b.png";base64,{PLAIN}',
        "data:image/png," + PLAIN,
        "data:image/png," + urllib.parse.quote(BYTES),
    ],
)
def test_base64_is_read_in_every_common_form(sent: str) -> None:
    content, kind = documents.decode(sent)
    assert content == BYTES
    assert kind.partition(";")[0].strip() in ("image/png", "")
    assert "base64" not in kind.lower()


def test_base64_in_lines_is_read_across_pieces() -> None:
    data = random.Random(2).randbytes(PIECE_CHARACTERS)
    in_lines = base64.encodebytes(data).decode()
    quoted = urllib.parse.quote(in_lines, safe="")
    for sent in (in_lines, quoted, in_lines.replace("A", "%41")):
        assert documents.decode(sent)[0] == data
    assert documents.decode("data:text/plain," + urllib.parse.quote(data))[0] == data


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("data:text/plain,a%20note%3B%20b", "a note; b"),
        ("data:,f%C3%BCr", "für"),
        ("data:text/plain;charset=iso-8859-1,f%FCr", "für"),
        ("data:text/csv;charset=gb18030;base64,1f3OxA==", "正文"),
        ("data:text/plain;charset=nonsense;base64,YWI", "ab"),
    ],
)
def test_data_address_of_text_is_read_in_its_encoding(sent: str, text: str) -> None:
    assert documents.read(sent).strip() == text
