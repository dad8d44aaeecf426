"""A body's fields. Each is taken once; what nobody has taken is refused by name."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from engine.messages import Message
from engine.model.info import Model
from engine.openai.parsing import SAMPLING, sampling_params
from engine.params import MOST_LOGPROBS, SamplingParams
from engine.serve.doors.door import MOST_CHOICES, Body
from engine.serve.sessions import Manner

HARMLESS = (
    *("user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_options"),
    *("prompt_cache_retention", "prediction"),
)
"""These change nothing in an answer."""

_RESERVED = (
    *("messages", "conversation", "tools", "documents", "add_generation_prompt", "tokenize"),
    *("continue_final_message", "chat_template", "return_dict", "return_tensors", "padding"),
    *("truncation", "max_length", "tokenizer_kwargs", "return_assistant_tokens_mask"),
)
"""These are no names of a template's own, or are given in another way."""

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


class Fields:
    """The fields of one body, which loses those that are taken."""

    def __init__(self, body: Body) -> None:
        # A null is as good as nothing, as with OpenAI.
        self._left = {name: value for name, value in body.items() if value is not None}

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, default: Any = None) -> Any:
        """A field's value, whatever it is."""
        return self._left.pop(name, default)

    def put(self, name: str, value: Any) -> None:
        """Give a field back."""
        self._left[name] = value

    def ignore(self, names: Iterable[str]) -> None:
        """Take fields that ask for nothing."""
        for name in names:
            self._left.pop(name, None)

    def only(self, name: str, *allowed: Any) -> None:
        """Take a field that can only have these values, which ask for what is done anyway."""
        value = self._left.pop(name, allowed[0])
        if value not in allowed:
            raise ValueError(f"{name} can only be {json.dumps(allowed[0])} here, not {said(value)}")

    def refuse(self, *names: str) -> None:
        """Refuse fields that ask for what is not done here."""
        for name in names:
            if name in self._left:
                raise ValueError(f"{name!r} is not done here")

    def flag(self, name: str, default: bool | None = None) -> bool | None:
        """A field that is true or false."""
        value = self._left.pop(name, default)
        if not isinstance(value, (bool, type(None))):
            raise ValueError(f"{name} must be true or false, not {said(value)}")
        return value

    def whole(self, name: str, low: int, high: int | None = None) -> int | None:
        """A field that is a whole number."""
        value = self._left.pop(name, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"{name} must be a whole number of at least {low}, not {said(value)}")
        if high is not None and value > high:
            raise ValueError(f"{name} must be at most {high}, not {said(value)}")
        return value

    def text(self, name: str) -> str | None:
        """A field that is a text."""
        value = self._left.pop(name, None)
        if not isinstance(value, (str, type(None))):
            raise ValueError(f"{name} must be a text, not {said(value)}")
        return value

    def one_of(self, name: str, *allowed: str) -> str | None:
        """A field that is one of these texts."""
        value = self._left.pop(name, None)
        if value is not None and value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {said(value)}")
        return value  # type: ignore[no-any-return]

    def entries(self, name: str) -> dict[str, Any]:
        """A field that is an object; empty where it is not given."""
        value = self._left.pop(name, {})
        if not isinstance(value, dict):
            raise ValueError(f"{name} must be an object, not {said(value)}")
        return value

    def inner(self, name: str) -> Fields:
        """A field that is an object, to be taken apart in its turn. Finish it by `end`."""
        return Fields(self.entries(name))

    def end(self, where: str) -> None:
        """Refuse what is left of an object inside of the body."""
        for name in self._left:
            raise ValueError(f"there is no field {name!r} in {where}")

    # -- what several doors have ------------------------------------------------------------

    def streaming(self) -> tuple[bool, bool]:
        """Whether the answer is to come in pieces, and with figures at its end."""
        stream = self.flag("stream")
        if "stream_options" not in self:
            return stream is True, False
        if not stream:
            raise ValueError("stream_options go with stream only")
        options = self.inner("stream_options")
        figures = options.flag("include_usage")
        options.only("include_obfuscation", False)
        options.end("stream_options")
        return True, figures is True

    def manner(self, reasoning: bool | None, on_overflow: str | None = None) -> Manner:
        """How the session is to work."""
        kv_bits = self.whole("kv_bits", 1)
        if kv_bits not in (None, 4, 8):
            raise ValueError(f"kv_bits must be 8 or 4, not {kv_bits}")
        overflow = self.one_of("on_overflow", "refuse", "slide") or on_overflow
        return Manner(
            reasoning=reasoning,
            reproducible=self.flag("reproducible"),
            on_overflow="slide" if overflow == "slide" else "refuse" if overflow else None,
            kv_bits=kv_bits,
        )

    def template(
        self, model: Model, effort: Any = None, named: str = "reasoning_effort"
    ) -> tuple[bool | None, dict[str, Any]]:
        """Whether to reason, and what the chat template is given beside the messages.

        `effort` is how much to reason, in OpenAI's words, from the field of that name.
        """
        reasoning = self.flag("reasoning")
        given = self.entries("chat_template_kwargs")
        for name in given:
            if name in _RESERVED or name.startswith("_"):
                raise ValueError(f"chat_template_kwargs cannot have {name!r}")
        if "enable_thinking" in given:
            if not isinstance(given["enable_thinking"], bool):
                raise ValueError("enable_thinking must be true or false")
            reasoning = given.pop("enable_thinking")
        if effort is None:
            return reasoning, given
        if effort not in _EFFORTS:
            raise ValueError(f"{named} must be one of {', '.join(_EFFORTS)}, not {said(effort)}")
        if effort == "none":
            return False, given
        if not model.thinking:
            raise ValueError(f"{named} can only be none: {model.name} does not reason")
        return True, {"reasoning_effort": effort, **given}

    def choices(self) -> int:
        """How many answers are wanted."""
        return self.whole("n", 1, MOST_CHOICES) or 1

    def limit(self, *names: str) -> int | None:
        """The most tokens, by any of these names; None where nobody asks for a limit."""
        asked = {name: self.whole(name, 1) for name in names}
        given = [value for value in asked.values() if value is not None]
        if len(set(given)) > 1:
            raise ValueError(f"{' and '.join(asked)} differ")
        return given[0] if given else None

    def top_logprobs(self, name: str, asked: bool, by: str) -> int | None:
        """How many probable tokens are told of each; None where no odds are told at all."""
        most = self.whole(name, 0, MOST_LOGPROBS)
        if most and not asked:
            raise ValueError(f"{name} goes with {by} only")
        return (most or 0) if asked else None

    def params(self, model: Model, known: Iterable[str], **own: Any) -> SamplingParams:
        """The sampling settings. All fields that are left are of them, or refused by name.

        Args:
            known: names of the door's own, for a hint.
            own: settings that the door has read itself.
        """
        for name in self._left:
            if name not in SAMPLING or name in own:
                near = difflib.get_close_matches(name, [*known, *SAMPLING], 1)
                hint = f"; did you mean {near[0]!r}?" if near and near[0] != name else ""
                raise ValueError(f"there is no field {name!r} here{hint}")
        given = {**self._left, **{k: v for k, v in own.items() if v is not None}}
        self._left = {}
        # A request without a seed of its own takes a fresh one.
        base = {**model.defaults, "seed": None, "max_tokens": None}
        return sampling_params(given, base)


def form(wanted: Any, where: str) -> dict[str, Any]:
    """The form of an answer, from OpenAI's `response_format` or what is shaped like it."""
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "text":
        return {}
    if kind == "json_object":
        return {"json_schema": {"type": "object"}}
    if kind == "json_schema":
        described = wanted.get("json_schema", wanted)
        schema = described.get("schema") if isinstance(described, dict) else None
        if not isinstance(schema, dict):
            raise ValueError(f"{where}.json_schema must have a schema that is an object")
        return {"json_schema": schema}
    raise ValueError(f"{where} must be text, json_object or json_schema, not {said(wanted)}")


def functions(given: Any, model: Model) -> tuple[dict[str, Any], ...]:
    """Tools in OpenAI's shape of chat completions.

    Raises:
        ValueError: they cannot be offered.
    """
    if not isinstance(given, list):
        raise ValueError("tools must be a list")
    tools = tuple(_function(number, tool) for number, tool in enumerate(given, 1))
    if tools and not model.tool_format:
        raise ValueError(f"tools cannot be offered to {model.name}: it knows no tool calls")
    return tools


def _function(number: int, tool: Any) -> dict[str, Any]:
    kind = tool.get("type") if isinstance(tool, dict) else None
    if kind != "function":
        raise ValueError(f"tools: number {number} must be a function, not of the type {said(kind)}")
    inside = tool.get("function")
    if not isinstance(inside, dict) or not isinstance(inside.get("name"), str):
        raise ValueError(f"tools: number {number} must have a function with a name")
    if inside.get("strict"):
        raise ValueError(f"strict can only be false here, for the tool {inside['name']!r}")
    if not isinstance(inside.get("parameters", {}), (dict, type(None))):
        raise ValueError(f"the parameters of the tool {inside['name']!r} must be a schema")
    names = ("name", "description", "parameters")
    kept = {name: inside[name] for name in names if inside.get(name) is not None}
    kept.setdefault("parameters", {"type": "object", "properties": {}})
    return {"type": "function", "function": kept}


def conversation(messages: Any) -> list[Message]:
    """Messages that are objects with a role, at least one.

    Raises:
        ValueError: they are not.
    """
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list that is not empty")
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict):
            raise ValueError(f"messages must be a list of objects, and message {number} is none")
        if not isinstance(message.get("role"), str):
            raise ValueError(f"message {number} must have a role")
    return messages


def arguments(given: Any, name: Any) -> Mapping[str, Any]:
    """A tool call's arguments as templates want them.

    Raises:
        ValueError: they are no JSON object.
    """
    try:
        found = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
    except (ValueError, RecursionError):
        raise ValueError(f"the arguments of the call of {said(name)} are no JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"the arguments of the call of {said(name)} must be an object")
    return found


def said(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:100]
    except (TypeError, ValueError, RecursionError):
        return repr(type(value).__name__)
