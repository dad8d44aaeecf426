"""Error messages of other servers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.chats.actions import ending_note, is_cut_off
from app.remote import remote_errors
from app.remote.remote_errors import RemoteError, response_error
from app.remote.stream import ReplyReader
from app.store.records import Message
from app.ui.transcript.answer_row import remedies
from app.ui.transcript.message_row import state_text
from engine import Failed, Finished, FinishReason, ToolCallFinished
from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST
from tests.app.remote.scripted import delta, events, head, says, sends


def answered(content, **more):
    return Message("answer", "chat", "question", "assistant", content, **more)


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


TOO_LONG: dict[str, tuple[int, Any]] = {
    "llama.cpp": (
        400,
        error(
            "request (9120 tokens) exceeds the available context size (4096 tokens), "
            "try increasing it",
            code=400,
            type="exceed_context_size_error",
            n_prompt_tokens=9120,
            n_ctx=4096,
        ),
    ),
    "llama.cpp by its type alone": (400, error("no", type="exceed_context_size_error")),
    "llama.cpp by its words alone": (
        500,
        error(
            "the request exceeds the available context size. try increasing the context size or "
            "enable context shift",
            type="server_error",
        ),
    ),
    "llama-cpp-python": (
        400,
        error("Requested tokens (1234) exceed context window of 512", type="invalid_request_error"),
    ),
    "vLLM, without an error around it": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 2048 tokens. However, you "
            "requested 3000 tokens (2900 in the messages, 100 in the completion).",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "vLLM, the prompt": (
        400,
        error(
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
            type="BadRequestError",
            code=400,
        ),
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "message": "The input (5000 tokens) is longer than the model's context length (4096 "
            "tokens).",
        },
    ),
    "LM Studio": (
        400,
        {
            "error": "Trying to keep the first 5000 tokens when context the overflows. However, "
            "the model is loaded with context length of only 4096 tokens, which is not enough."
        },
    ),
    "LM Studio, its parts": (
        400,
        {"error": "Cannot truncate prompt with n_keep (10000) >= n_ctx (4096)"},
    ),
    "Ollama": (400, error("prompt too long; exceeded max context length by 123 tokens")),
    "Ollama, input": (500, error("the input length exceeds the context length", type="api_error")),
    "OpenRouter": (
        400,
        error(
            "This endpoint's maximum context length is 8192 tokens. However, you requested about "
            "9000 tokens.",
            code=400,
        ),
    ),
    "OpenRouter, in the provider's words": (
        400,
        error(
            "Provider returned error",
            code=400,
            metadata={
                "provider_name": "Other",
                "raw": json.dumps(error("prompt is too long: 210000 tokens > 200000 maximum")),
            },
        ),
    ),
    "OpenAI": (
        400,
        error(
            "Your input exceeds the context window of this model. Please adjust your input.",
            code="context_length_exceeded",
            param="messages",
        ),
    ),
    "Mistral": (
        400,
        {
            "object": "error",
            "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with "
            "32768 maximum context length",
            "type": "invalid_request_error",
            "code": "3051",
        },
    ),
    "Gemini, in a list": (
        400,
        [
            error(
                "The input token count (1200000) exceeds the maximum number of tokens allowed "
                "(1048576).",
                code=400,
                status="INVALID_ARGUMENT",
            )
        ],
    ),
    "TGI": (
        422,
        {
            "error": "Input validation error: `inputs` must have less than 1024 tokens. "
            "Given: 2000",
            "error_type": "validation",
        },
    ),
    "xAI": (
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "This model's maximum prompt length is 131072 but the request contains 537812 "
            "tokens.",
        },
    ),
    "Cohere": (
        400,
        {
            "message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - "
            "received 5000."
        },
    ),
    "Bedrock": (400, {"message": "Input is too long for requested model."}),
}


@pytest.mark.parametrize("server", TOO_LONG)
def test_too_long_chats_are_recognized(server):
    status, body = TOO_LONG[server]
    found = response_error(status, {}, body, "http://example.org/v1", "big")
    assert found.code == CONTEXT_OVERFLOW
    assert "doesn’t fit in the context of big" in found.message
    assert "Provider returned error" not in found.message


@pytest.mark.parametrize("server", TOO_LONG)
def test_too_long_chats_are_recognized_in_streams(server):
    _, body = TOO_LONG[server]
    if isinstance(body, list):
        return
    told = body if "error" in body or body.get("object") == "error" else {"error": body}
    with pytest.raises(RemoteError) as raised:
        ReplyReader("example.org", "big").feed(json.dumps(told))
    assert raised.value.code == CONTEXT_OVERFLOW
    assert "big" in raised.value.message


OTHERS = {
    "a setting": (
        400,
        error("Unsupported value: 'temperature'", param="temperature"),
        INVALID_REQUEST,
        "",
    ),
    "a limit of the reply": (
        400,
        error(
            "max_tokens is too large: 100000. This model supports at most 4096 completion tokens",
            param="max_tokens",
            code="invalid_value",
        ),
        INVALID_REQUEST,
        "",
    ),
    "a long stop string": (
        400,
        error("Invalid 'stop': array too long. Expected an array with maximum length 4"),
        INVALID_REQUEST,
        "",
    ),
    "a setting that is named like it": (
        400,
        error("Unrecognized request argument supplied: num_ctx"),
        INVALID_REQUEST,
        "",
    ),
    "tools that are not there": (
        501,
        error("tools param requires --jinja flag", code=501, type="not_supported_error"),
        INVALID_REQUEST,
        "--jinja",
    ),
    "a field of FastAPI": (
        422,
        {"detail": [{"loc": ["body", "top_k"], "msg": "value is not a valid integer"}]},
        INVALID_REQUEST,
        "not a valid integer",
    ),
    "a model that is loading": (
        503,
        error("Loading model", code=503, type="unavailable_error"),
        remote_errors.BUSY,
        "isn’t ready",
    ),
    "a model that is gone, with the wrong status": (
        400,
        error("Model not found", code="model_not_found", type="invalid_request_error"),
        remote_errors.GONE,
        "has no model named",
    ),
    "no model": (
        400,
        {"error": "No models loaded. Please load a model in the developer page."},
        remote_errors.GONE,
        "developer page",
    ),
    "no credit": (
        402,
        error("Insufficient credits", code=402),
        remote_errors.REFUSED,
        "credit there",
    ),
    "no quota": (
        429,
        error("You exceeded your current quota", type="insufficient_quota"),
        remote_errors.REFUSED,
        "credit there",
    ),
    "too many tokens a minute": (
        413,
        error(
            "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested "
            "7000, please reduce your message size and try again.",
            type="tokens",
            code="rate_limit_exceeded",
        ),
        remote_errors.BUSY,
        "too many requests",
    ),
    "a provider that is down": (
        502,
        error("Provider returned error", metadata={"raw": "upstream reset"}),
        remote_errors.BUSY,
        "upstream reset",
    ),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_errors_keep_their_meaning(what):
    status, body, code, words = OTHERS[what]
    found = response_error(status, {}, body, "http://example.org/v1", "big")
    assert found.code == code
    assert words in found.message


def test_too_long_remote_chat_can_be_shortened(elsewhere):
    status, body = TOO_LONG["llama.cpp"]
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(says(status, body))))
    assert heard.last.code == CONTEXT_OVERFLOW
    message = answered("", status="error", stats={"code": heard.last.code})
    words = [remedy.words for remedy in remedies(message, lambda *_, **__: "no")]
    assert "Edit Message" in words
    assert "Choose Another Model…" in words
    assert "Try Again" not in words


def ended(elsewhere, *chunks, done=True):
    act = sends(head(), events(*chunks, done=done))
    heard, _ = elsewhere.ask(elsewhere.add(elsewhere.serve(act)))
    return heard


@pytest.mark.parametrize("chunks", [(), (delta(role="assistant"),), (delta(""),)])
def test_empty_replies_without_a_reason_are_errors(elsewhere, chunks):
    heard = ended(elsewhere, *chunks)
    assert isinstance(heard.last, Failed)
    assert heard.last.code == remote_errors.BROKEN
    assert "Try again" in heard.last.message
    failed = answered("", status="error", stats={"code": heard.last.code})
    assert remedies(failed, lambda *_: None)[0].words == "Try Again"


def test_empty_replies_with_a_reason_are_replies(elsewhere):
    assert ended(elsewhere, delta("", "stop")).last.reason is FinishReason.STOP


@pytest.mark.parametrize("kind", ["content", "reasoning_content"])
def test_replies_without_a_reason_are_kept_and_marked(elsewhere, kind):
    heard = ended(elsewhere, delta(**{kind: "Half a"}))
    assert isinstance(heard.last, Finished)
    assert heard.last.reason is FinishReason.UNSTATED
    assert heard.text() + heard.text("reasoning") == "Half a"
    message = answered("Half a", status="complete", stats={"reason": heard.last.reason.value})
    assert "didn’t say" in ending_note(message)
    assert state_text(message) == "may be incomplete"
    assert is_cut_off(message)


def test_complete_calls_without_finish_reason_run(elsewhere):
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    heard = ended(elsewhere, delta(tool_calls=[{"index": 0, "id": "a", "function": function}]))
    assert heard.last.reason is FinishReason.STOP
    assert [call.name for call in heard.of(ToolCallFinished)] == ["weather"]


def test_replies_that_break_off_are_kept_as_failed(elsewhere):
    heard = ended(elsewhere, delta("Half a"), done=False)
    assert heard.last.code == remote_errors.BROKEN
    assert heard.text() == "Half a"


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "model_length"])
def test_length_limits_are_recognized_by_every_name(elsewhere, reason):
    assert ended(elsewhere, delta("So", reason)).last.reason is FinishReason.LENGTH
