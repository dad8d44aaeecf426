"""What a chat is asked with, in the fields of OpenAI's chat completions. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.language import tr
from app.remote.address import Remote
from app.remote.errors import RemoteError
from app.remote.kinds import KINDS
from engine import SamplingParams
from engine.errors import INVALID_REQUEST

Turn = Mapping[str, Any]

_ANY_JSON = {"type": ["object", "array"]}
_WANTS_COMPLETION_TOKENS = ("https://api.openai.com/",)


def body_for(
    remote: Remote, turns: Sequence[Turn], params: SamplingParams, chosen: Mapping[str, Any]
) -> dict[str, Any]:
    """The body of the request.

    Args:
        turns: as the engine takes them. One that ends with the assistant's is to be gone on with.
        params: form, tools, seed and stop of the answer.
        chosen: the settings that the person has chosen for the chat, by our names. The others are
            the server's to choose.

    Raises:
        RemoteError: `invalid_request`: the server cannot do what the chat's settings ask for.
    """
    kind = KINDS[remote.kind]
    body: dict[str, Any] = {
        "model": remote.model,
        "messages": [_message(turn, keeps_reasoning=kind.keeps_reasoning) for turn in turns],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if params.seed is not None:
        body["seed"] = params.seed
    if params.stop:
        body["stop"] = list(params.stop)
    for ours, theirs in kind.sampling.items():
        if chosen.get(ours) is not None:
            body[theirs] = chosen[ours]
    if chosen.get("max_tokens") is not None:
        newer = remote.address.startswith(_WANTS_COMPLETION_TOKENS)
        body["max_completion_tokens" if newer else "max_tokens"] = chosen["max_tokens"]
    if params.offered:
        body["tools"] = list(params.offered)
    if kind.thinking and isinstance(thinks := chosen.get("reasoning"), bool):
        body["chat_template_kwargs"] = {"enable_thinking": thinks}
    if params.constrained:
        body |= _form(remote, params)
    if turns and turns[-1].get("role") == "assistant":
        body |= _going_on(remote)
    return body


def _message(turn: Turn, *, keeps_reasoning: bool) -> dict[str, Any]:
    role, content = turn.get("role"), turn.get("content")
    if role == "tool":
        return {"role": role, "tool_call_id": turn.get("tool_call_id"), "content": content or ""}
    message: dict[str, Any] = {"role": role, "content": content or ""}
    if calls := turn.get("tool_calls"):
        message["tool_calls"] = [_call(call) for call in calls]
        message["content"] = content or None
    if keeps_reasoning and turn.get("reasoning_content"):
        message["reasoning_content"] = turn["reasoning_content"]
    return message


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call as OpenAI has it: its arguments are a text."""
    function = call["function"]
    arguments = function["arguments"]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    told = {"name": function["name"], "arguments": text or "{}"}
    return {"id": call["id"], "type": "function", "function": told}


def _form(remote: Remote, params: SamplingParams) -> dict[str, Any]:
    if params.json_schema is not None:
        schema = json.loads(params.json_schema) if isinstance(params.json_schema, str) else {}
        if schema == _ANY_JSON:
            return {"response_format": {"type": "json_object"}}
        described = {"name": "answer", "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    if remote.kind == "vllm":
        bound = {"choice": list(params.choices)} if params.choices else {"regex": params.regex}
        return {"structured_outputs": bound}
    if remote.kind == "sglang":
        return {"regex": params.regex or "|".join(f"({re.escape(c)})" for c in params.choices)}
    if remote.kind == "stretto":
        return {"choices": list(params.choices)} if params.choices else {"regex": params.regex}
    raise RemoteError(
        INVALID_REQUEST,
        tr(
            "{host} cannot bind answers to a list or a pattern. Choose another form under “Answer "
            "as” in the chat's settings: JSON is possible.",
            host=remote.host,
        ),
    )


def _going_on(remote: Remote) -> dict[str, Any]:
    """The fields by which the last message is continued."""
    if not KINDS[remote.kind].continues:
        raise RemoteError(
            INVALID_REQUEST,
            tr(
                "{host} cannot go on with an answer that was cut off. Answer again.",
                host=remote.host,
            ),
        )
    if remote.kind in ("vllm", "sglang"):
        return {"add_generation_prompt": False, "continue_final_message": True}
    return {}
