"""JSON lines with requests, in Stretto's or OpenAI's format, and the records of their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from engine.messages import Event, Message
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.json_input import SAMPLING, line_seed, sampling_params
from engine.serve.routes.base import Choice, Generation
from engine.serve.routes.chat import ChatBody, ChatCompletions, ChatWriter
from engine.serve.routes.schema import ignore, validate
from engine.serve.sessions import SessionConfig

_KNOWN_FIELDS = ("prompt", "messages", "id", "system", "reasoning", *SAMPLING)


class RequestDefaults(Struct, frozen=True):
    """Default values for lines that don't set their own.

    Attributes:
        sampling: fields of `SamplingParams`. A seed given here is used for every line.
        seed: used with the line number to derive a seed for lines without one.
    """

    sampling: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    system: str | None = None
    reasoning: bool | None = None


class BatchRequest(Struct, frozen=True):
    """Line to be answered.

    Line numbers include empty lines and start at 1, as in an editor.

    Attributes:
        generation: the request in OpenAI's format, or None if the line has our own format.
    """

    line: int
    id: str | int | None
    prompt: str | list[Message]
    params: SamplingParams
    config: SessionConfig = field(default_factory=SessionConfig)
    generation: Generation | None = None

    @property
    def is_openai(self) -> bool:
        return self.generation is not None


def parse_request(
    entry: dict[str, Any],
    defaults: RequestDefaults,
    line: int = 0,
    name: str | int | None = None,
) -> BatchRequest:
    """Parse an entry in Stretto's format.

    Accepts field names of other servers and ignores unknown fields, as over HTTP.

    Raises:
        ValueError: if the entry is invalid.
    """
    entry = ChatBody.renamed(dict(entry))
    if "max_completion_tokens" in entry:
        entry.setdefault("max_tokens", entry.pop("max_completion_tokens"))
    for key in entry:
        if key not in _KNOWN_FIELDS:
            ignore(key)
    system = entry.get("system", defaults.system)
    if not isinstance(system, (str, type(None))):
        raise ValueError(f"system must be a string, not {system!r}")
    reasoning = entry.get("reasoning", defaults.reasoning)
    if not isinstance(reasoning, (bool, type(None))):
        raise ValueError(f"reasoning must be true or false, not {reasoning!r}")
    sampling = {"seed": line_seed(defaults.seed, line), **defaults.sampling}
    # As in OpenAI's API, null means unset.
    settings = {k: v for k, v in entry.items() if k in SAMPLING and v is not None}
    params = sampling_params(settings, sampling)
    return BatchRequest(line, name, _parse_prompt(entry), params, SessionConfig(system, reasoning))


def _parse_prompt(entry: dict[str, Any]) -> str | list[Message]:
    prompt, messages = entry.get("prompt"), entry.get("messages")
    if (prompt is None) == (messages is None):
        raise ValueError('give either "prompt" or "messages"')
    if prompt is not None:
        if not isinstance(prompt, str) or not prompt:
            raise ValueError(f"prompt must be a non-empty string, not {prompt!r}")
        return prompt
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a non-empty list")
    return messages  # the engine checks the messages


_ENVELOPE = ("custom_id", "method", "url", "body")
_LEFT_OUT = ("model", "stream", "stream_options")  # fields that don't affect the answer
_HTTP_ONLY = ("follows", "session_id")


def is_openai(entry: dict[str, Any]) -> bool:
    return "body" in entry


def parse_openai_request(
    entry: dict[str, Any],
    defaults: RequestDefaults,
    model: Model,
    line: int = 0,
    name: str | int | None = None,
) -> BatchRequest:
    """Parse a line in OpenAI's format. Its body has the same fields as over HTTP.

    Raises:
        ValueError: if it's invalid or not supported.
    """
    for key in entry:
        if key not in _ENVELOPE:
            ignore(key)
    url = ChatCompletions.path
    if entry.get("method", "POST") != "POST" or entry.get("url", url) != url:
        target = f"{entry.get('method', 'POST')} {entry.get('url', url)}"
        raise ValueError(f"only POST {url} is supported, not {target}")
    body = entry["body"]
    if not isinstance(body, dict):
        raise ValueError(f"body must be an object, not {body!r}")
    body = ChatBody.renamed({k: v for k, v in body.items() if v is not None and k not in _LEFT_OUT})
    for key in _HTTP_ONLY:
        if body.pop(key, None) is not None:
            ignore(key)
    sampling = {"seed": line_seed(defaults.seed, line), **defaults.sampling}
    body.setdefault("seed", sampling["seed"])
    if "max_completion_tokens" not in body:
        body.setdefault("max_tokens", sampling.get("max_tokens", SamplingParams().max_tokens))
    generation = validate(ChatBody, body).asks(replace(model, defaults=sampling))
    if generation.n != 1:
        raise ValueError(f"n must be 1, not {generation.n}")
    config = SessionConfig(defaults.system, defaults.reasoning).with_(generation.config)
    return BatchRequest(line, name, generation.messages, generation.params, config, generation)


def build_completion(generation: Generation, events: Iterable[Event]) -> dict[str, Any]:
    """Return the response body as over HTTP, except for the parts that differ between runs."""
    choice = Choice(
        0, bool(generation.params.offered), returns_reasoning=generation.returns_reasoning
    )
    for event in events:
        for _ in choice.handle_event(event):
            pass
    body = ChatWriter(generation, [choice]).whole()
    del body["usage"]["prompt_tokens_details"]
    return {**body, "created": 0}


def completion_record(request: str, custom_id: Any, body: dict[str, Any]) -> dict[str, Any]:
    body = {**body, "id": f"chatcmpl-{request}"}
    response = {"status_code": 200, "request_id": f"req-{request}", "body": body}
    return {"id": f"batch-{request}", "custom_id": custom_id, "response": response, "error": None}


def failure_record(request: str, custom_id: Any, error: dict[str, str]) -> dict[str, Any]:
    return {"id": f"batch-{request}", "custom_id": custom_id, "response": None, "error": error}
