"""JSON lines with requests, in our own or OpenAI's format, and the records of their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from engine.messages import Message
from engine.params import SamplingParams
from engine.serve.json_input import SAMPLING, answer_form, line_seed, sampling_params
from engine.serve.routes.chat import ChatBody
from engine.serve.routes.schema import ignore

_KNOWN_FIELDS = ("prompt", "messages", "id", "system", "reasoning", *SAMPLING)


class RequestDefaults(Struct, frozen=True):
    """Defaults for lines that don't set their own values.

    Attributes:
        sampling: fields of `SamplingParams`. A seed given here is used for every line.
        seed: used with the line number to derive a seed for lines that have none.
    """

    sampling: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    system: str | None = None
    reasoning: bool | None = None


class BatchRequest(Struct, frozen=True):
    """A line to be answered.

    Lines are numbered from 1 like in an editor, i.e. including empty lines.
    """

    line: int
    id: str | int | None
    prompt: str | list[Message]
    params: SamplingParams
    system: str | None = None
    reasoning: bool | None = None
    openai: bool = False


def parse_request(
    entry: dict[str, Any],
    defaults: RequestDefaults,
    line: int = 0,
    name: str | int | None = None,
    of_openai: bool = False,
) -> BatchRequest:
    """Parse an entry in our own format.

    Field names from other servers work as well. Unknown fields are ignored, just like over HTTP.

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
    given = {k: v for k, v in entry.items() if k in SAMPLING and v is not None}
    params = sampling_params(given, sampling)
    return BatchRequest(line, name, _prompt(entry), params, system, reasoning, of_openai)


def _prompt(entry: dict[str, Any]) -> str | list[Message]:
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


URL = "/v1/chat/completions"

_ENVELOPE = ("custom_id", "method", "url", "body")
# Fields that don't affect the answer.
_IGNORED_FIELDS = (
    *("model", "stream", "stream_options"),
    *("user", "metadata", "safety_identifier", "prompt_cache_key"),
)
# Fields that are accepted only with these values, which change nothing.
_ALLOWED_VALUES: dict[str, tuple[Any, ...]] = {
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
_OWN_FIELDS = ("id", "prompt", "system")  # fields that exist only in our own format


def is_openai(entry: dict[str, Any]) -> bool:
    return "body" in entry


def to_own_fields(entry: dict[str, Any]) -> dict[str, Any]:
    """Convert a line from OpenAI's format to our fields.

    Raises:
        ValueError: if it needs something we don't support.
    """
    for key in entry:
        if key not in _ENVELOPE:
            ignore(key)
    if entry.get("method", "POST") != "POST" or entry.get("url", URL) != URL:
        asked = f"{entry.get('method', 'POST')} {entry.get('url', URL)}"
        raise ValueError(f"only POST {URL} is supported, not {asked}")
    body = entry["body"]
    if not isinstance(body, dict):
        raise ValueError(f"body must be an object, not {body!r}")
    out: dict[str, Any] = {}
    for key, value in body.items():
        if value is None or key in _IGNORED_FIELDS:
            continue
        if key in _OWN_FIELDS:
            ignore(key)
            continue
        if key in _ALLOWED_VALUES:
            if value not in _ALLOWED_VALUES[key]:
                only = json.dumps(_ALLOWED_VALUES[key][0])
                raise ValueError(f"{key} must be {only}, not {json.dumps(value)}")
        elif key == "response_format":
            out.update(answer_form(value, key))
        elif key == "messages":
            out[key] = [join_text_parts(m) for m in value] if isinstance(value, list) else value
        else:
            out[key] = value
    return out


def join_text_parts(message: Any) -> Any:
    for key in ("audio", "function_call"):
        if isinstance(message, dict) and message.get(key) is not None:
            raise ValueError(f"a message's {key} is not supported")
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    texts = []
    for part in message["content"]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in ("text", "input_text") or not isinstance(part.get("text"), str):
            raise ValueError(f"only text parts are supported, not {kind!r}")
        texts.append(part["text"])
    return {**message, "content": "".join(texts)}


def completion_record(
    request: str, custom_id: Any, model: str, answer: dict[str, Any]
) -> dict[str, Any]:
    """Build an answer's record in OpenAI's format. It has no timestamps, so runs can be compared.

    Args:
        request: digest of the line. Ids are derived from it.
        answer: the answer with the fields of our own format.
    """
    message = {"role": "assistant", "content": answer["text"]}
    if answer.get("reasoning"):
        message["reasoning_content"] = answer["reasoning"]
    why = answer["finish_reason"]
    why = "length" if why == "memory" else why  # OpenAI has no equivalent
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


def failure_record(request: str, custom_id: Any, error: dict[str, str]) -> dict[str, Any]:
    return {"id": f"batch-{request}", "custom_id": custom_id, "response": None, "error": error}
