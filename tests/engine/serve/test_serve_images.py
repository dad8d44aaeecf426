"""Images in the format of each HTTP API."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine import Engine
from engine.bench.seeing import write_seeing
from engine.serve.routes.schema import decode_media
from engine.serve.server import Server
from tests.engine.model.seeing import image, tone
from tests.engine.serving import ask

DATA = base64.b64encode(image(64, 32, 1).data).decode()
OTHER = base64.b64encode(image(64, 32, 2).data).decode()
LIMIT = {"max_tokens": 4, "temperature": 0.0}


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = write_seeing(tmp_path_factory.mktemp("serve") / "qwen")
    with Engine() as engine:
        server = Server(engine, [engine.load(folder)], 0)
        server.start()
        yield server
        server.stop()


def url(data: str) -> str:
    return f"data:image/png;base64,{data}"


def chat(server: Server, *content: Any) -> Any:
    messages = [{"role": "user", "content": list(content)}]
    return ask(server, "POST", "/v1/chat/completions", {"messages": messages, **LIMIT})


def part(data: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url(data)}}


WORDS = {"type": "text", "text": "What is it?"}


def test_each_api_counts_and_reads_images_alike(seeing: Server) -> None:
    plain = chat(seeing, WORDS).json["usage"]["prompt_tokens"]
    answer = chat(seeing, part(DATA), WORDS)
    assert answer.status == 200, answer.body
    seen = answer.json["usage"]["prompt_tokens"]
    assert seen > plain + 8
    source = {"type": "base64", "media_type": "image/png", "data": DATA}
    said = [{"role": "user", "content": [{"type": "image", "source": source}, WORDS]}]
    message = ask(seeing, "POST", "/v1/messages", {"messages": said, **LIMIT}).json
    figures = message["usage"]
    assert figures["input_tokens"] + figures["cache_read_input_tokens"] == seen
    counted = ask(seeing, "POST", "/v1/messages/count_tokens", {"messages": said}).json
    assert counted["input_tokens"] == seen
    parts = [
        {"type": "input_image", "image_url": url(DATA)},
        {"type": "input_text", "text": "What is it?"},
    ]
    given = {"input": [{"role": "user", "content": parts}], "max_output_tokens": 4}
    response = ask(seeing, "POST", "/v1/responses", {**given, "temperature": 0.0}).json
    assert response["usage"]["input_tokens"] == seen
    more = {"input": "And now?", "previous_response_id": response["id"], "max_output_tokens": 4}
    assert ask(seeing, "POST", "/v1/responses", more).json["usage"]["input_tokens"] > seen
    ours = [{"role": "user", "content": "What is it?", "images": [DATA]}]
    body = {"model": "qwen", "messages": ours, "stream": False, "options": {"num_predict": 4}}
    answer = ask(seeing, "POST", "/api/chat", body)
    assert answer.json["prompt_eval_count"] == seen
    about = ask(seeing, "POST", "/api/show", {"model": "qwen"}).json
    assert "vision" in about["capabilities"]
    (listed,) = ask(seeing, "GET", "/v1/models").json["data"]
    assert "image" in listed["architecture"]["input_modalities"]


def test_another_image_is_another_prompt(seeing: Server) -> None:
    chat(seeing, part(DATA), WORDS)
    again = chat(seeing, part(DATA), WORDS).json["usage"]["prompt_tokens_details"]
    other = chat(seeing, part(OTHER), WORDS).json["usage"]["prompt_tokens_details"]
    assert other["cached_tokens"] < again["cached_tokens"]


def test_invalid_image_is_refused_with_a_message(seeing: Server) -> None:
    cut = base64.b64encode(image(64, 32, 1).data[:60]).decode()
    for data, why in ((cut, "damaged or incomplete"), ("aGk=", "is neither PNG")):
        answer = chat(seeing, part(data), WORDS)
        assert answer.status == 400, answer.body
        assert why in answer.json["error"]["message"]
    wrong = chat(seeing, {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}})
    assert wrong.status == 400
    assert "must come with the request" in wrong.json["error"]["message"]
    assert chat(seeing, part(DATA), WORDS).status == 200


# Recordings


def test_recording_is_encoded_or_replaced_with_a_note(seeing: Server, tmp_path: Path) -> None:
    sent = {"data": base64.b64encode(tone(0.5).data).decode(), "format": "wav"}
    recording = {"type": "input_audio", "input_audio": sent}
    model = seeing.served.entry("qwen").model
    assert model is not None
    assert "cannot hear" in str(decode_media([_said({"type": "audio", "given": recording})], model))
    assert chat(seeing, recording, WORDS).status == 200
    folder = write_seeing(tmp_path / "gemma4", "gemma4")
    with Engine() as engine, _serving(engine, folder) as server:
        plain = chat(server, WORDS).json["usage"]["prompt_tokens"]
        answer = chat(server, recording, WORDS)
        assert answer.status == 200, answer.body
        assert answer.json["usage"]["prompt_tokens"] > plain + 12
        given = {"input": [_said(recording, {"type": "input_text", "text": "What is it?"})]}
        response = ask(server, "POST", "/v1/responses", {**given, "max_output_tokens": 4}).json
        assert response["usage"]["input_tokens"] == answer.json["usage"]["prompt_tokens"]
        (listed,) = ask(server, "GET", "/v1/models").json["data"]
        assert "audio" in listed["architecture"]["input_modalities"]
        for wrong in ({}, {"data": "%"}, {"data": base64.b64encode(b"no sound").decode()}):
            refused = chat(server, {"type": "input_audio", "input_audio": wrong}, WORDS)
            assert refused.status == 400, refused.body
            assert "recording" in refused.json["error"]["message"]


@contextmanager
def _serving(engine: Engine, folder: Path) -> Iterator[Server]:
    server = Server(engine, [engine.load(folder)], 0)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _said(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [*parts]}
