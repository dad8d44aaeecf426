"""Lines of a file of requests, in our own shape and OpenAI's, and the records of their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from engine.messages import Message
from engine.params import SamplingParams
from engine.serve.json_input import SAMPLING, form, line_seed, sampling_params
from engine.serve.routes.chat import ChatBody
from engine.serve.routes.schema import ignore

_KNOWN = ("prompt", "messages", "id", "system", "reasoning", *SAMPLING)


class Defaults(Struct, frozen=True):
    """The values for lines that do not give their own."""

    # fields of `SamplingParams`. A seed among them is used for every line.
    sampling: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0  # the seed of a line that names none is made from this and the line's number
    system: str | None = None
    reasoning: bool | None = None


class Request(Struct, frozen=True):
    """One line to be answered. Lines are counted from 1, empty ones too, as editors do."""

    line: int
    id: str | int | None
    prompt: str | list[Message]
    params: SamplingParams
    system: str | None = None
    reasoning: bool | None = None
    openai: bool = False


def parsed(
    entry: dict[str, Any],
    defaults: Defaults,
    line: int = 0,
    name: str | int | None = None,
    of_openai: bool = False,
) -> Request:
    """An entry in our own shape as a request.

    Fields have the names of other servers, too. Unknown ones are ignored, as over HTTP.

    Raises:
        ValueError: says what is wrong with it.
    """
    entry = ChatBody.renamed(dict(entry))
    if "max_completion_tokens" in entry:
        entry.setdefault("max_tokens", entry.pop("max_completion_tokens"))
    for key in entry:
        if key not in _KNOWN:
            ignore(key)
    system = entry.get("system", defaults.system)
    if not isinstance(system, (str, type(None))):
        raise ValueError(f"system must be a text, not {system!r}")
    reasoning = entry.get("reasoning", defaults.reasoning)
    if not isinstance(reasoning, (bool, type(None))):
        raise ValueError(f"reasoning must be true or false, not {reasoning!r}")
    sampling = {"seed": line_seed(defaults.seed, line), **defaults.sampling}
    # A null is as good as nothing, as with OpenAI.
    given = {k: v for k, v in entry.items() if k in SAMPLING and v is not None}
    params = sampling_params(given, sampling)
    return Request(line, name, _prompt(entry), params, system, reasoning, of_openai)


def _prompt(entry: dict[str, Any]) -> str | list[Message]:
    prompt, messages = entry.get("prompt"), entry.get("messages")
    if (prompt is None) == (messages is None):
        raise ValueError('give either "prompt" or "messages"')
    if prompt is not None:
        if not isinstance(prompt, str) or not prompt:
            raise ValueError(f"prompt must be a text that is not empty, not {prompt!r}")
        return prompt
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list that is not empty")
    return messages  # their form is checked where they are answered


URL = "/v1/chat/completions"

_ENVELOPE = ("custom_id", "method", "url", "body")
# These change nothing in the answer of a file's line.
_IGNORED = (
    *("model", "stream", "stream_options"),
    *("user", "metadata", "safety_identifier", "prompt_cache_key"),
)
# These are taken with the values that ask for nothing more than what is done anyway.
_ONLY: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "parallel_tool_calls": (True, False),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "store": (False,),
    "service_tier": ("auto", "default"),
}
_OWN = ("id", "prompt", "system")  # fields of our own shape, which OpenAI's does not have


def is_openai(entry: dict[str, Any]) -> bool:
    """Whether a line has this shape, and not our own."""
    return "body" in entry


def plain(entry: dict[str, Any]) -> dict[str, Any]:
    """The line's body in the fields of our own shape.

    Raises:
        ValueError: says what cannot be done.
    """
    for key in entry:
        if key not in _ENVELOPE:
            ignore(key)
    if entry.get("method", "POST") != "POST" or entry.get("url", URL) != URL:
        asked = f"{entry.get('method', 'POST')} {entry.get('url', URL)}"
        raise ValueError(f"only POST {URL} is answered, not {asked}")
    body = entry["body"]
    if not isinstance(body, dict):
        raise ValueError(f"body must be an object, not {body!r}")
    out: dict[str, Any] = {}
    for key, value in body.items():
        if value is None or key in _IGNORED:
            continue
        if key in _OWN:
            ignore(key)
            continue
        if key in _ONLY:
            if value not in _ONLY[key]:
                only = json.dumps(_ONLY[key][0])
                raise ValueError(f"{key} can only be {only} here, not {json.dumps(value)}")
        elif key == "response_format":
            out.update(form(value, key))
        elif key == "messages":
            out[key] = [with_text(m) for m in value] if isinstance(value, list) else value
        else:
            out[key] = value
    return out


def with_text(message: Any) -> Any:
    """The message. Where its content is a list of parts, their texts are joined into one."""
    for key in ("audio", "function_call"):
        if isinstance(message, dict) and message.get(key) is not None:
            raise ValueError(f"a message's {key} cannot be read here")
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    texts = []
    for part in message["content"]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in ("text", "input_text") or not isinstance(part.get("text"), str):
            raise ValueError(f"only text can be read, not a part of the type {kind!r}")
        texts.append(part["text"])
    return {**message, "content": "".join(texts)}


def completion(request: str, custom_id: Any, model: str, answer: dict[str, Any]) -> dict[str, Any]:
    """An answered line. Nothing in it says when: two runs can be compared byte for byte.

    Args:
        request: the line's digest, from which ids are made.
        answer: the answer in the fields of our own shape.
    """
    message = {"role": "assistant", "content": answer["text"]}
    if answer.get("reasoning"):
        message["reasoning_content"] = answer["reasoning"]
    why = answer["finish_reason"]
    why = "length" if why == "memory" else why  # OpenAI has no word for it
    body = {
        "id": f"chatcmpl-{request}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": why}],
        "usage": {
            "prompt_tokens": answer["prompt_tokens"],
            "completion_tokens": answer["generated_tokens"],
            "total_tokens": answer["prompt_tokens"] + answer["generated_tokens"],
        },
    }
    response = {"status_code": 200, "request_id": f"req-{request}", "body": body}
    return {"id": f"batch-{request}", "custom_id": custom_id, "response": response, "error": None}


def failure(request: str, custom_id: Any, error: dict[str, str]) -> dict[str, Any]:
    """A line that could not be answered."""
    return {"id": f"batch-{request}", "custom_id": custom_id, "response": None, "error": error}
