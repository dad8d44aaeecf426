"""TODO"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.messages import Message
from engine.model.info import Model
from engine.openai.requests import SAMPLING, sampling_params
from engine.openai.schemas import SETTINGS as SCHEMAS
from engine.params import MOST_LOGPROBS, SamplingParams
from engine.serve.sessions import DIGEST, Manner, check_digest

MOST_CHOICES = 128
"""Answers to one request."""

Check = Callable[[str, Any], None]
"""Is given a field's name and value. Raises `ValueError`, which names the field."""


def _anything(name: str, value: Any) -> None:
    """No check: the door itself reads the value."""


@dataclass(frozen=True)
class Kind:
    """What one field can have.

    Attributes:
        schema: a JSON schema of it.
        check: refuses what it cannot have.
    """

    schema: Mapping[str, Any]
    check: Check = _anything


@dataclass(frozen=True)
class Table:
    """The fields of a body, or of an object within one.

    Attributes:
        kinds: by name. A null is as good as nothing for each of them, as with OpenAI.
        required: those that must be there.
        refused: names of fields that ask for what is not done here.
    """

    kinds: Mapping[str, Kind]
    required: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """A JSON schema of such an object."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                name: dict(kind.schema) if name in self.required else _or_null(kind.schema)
                for name, kind in self.kinds.items()
            },
            # Clients write null for what they do not ask; that asks for nothing, known or not.
            "additionalProperties": {"type": "null"},
        }
        return {**schema, "required": list(self.required)} if self.required else schema


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(schema), {"type": "null"}]} if schema else {}


def said(value: Any) -> str:
    """A value as a sentence quotes it."""
    try:
        return json.dumps(value, ensure_ascii=False)[:100]
    except (TypeError, ValueError, RecursionError):
        return repr(type(value).__name__)


def _must(name: str, be: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be {be}, not {said(value)}")


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise _must(name, "true or false", value)


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _must(name, "a text", value)


def _entries(name: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise _must(name, "an object", value)


FLAG = Kind({"type": "boolean"}, _flag)
TEXT = Kind({"type": "string"}, _text)
ENTRIES = Kind({"type": "object"}, _entries)
HARMLESS = Kind({})
"""A field that changes nothing in an answer."""


def whole(low: int, high: int | None = None) -> Kind:
    """A whole number from `low` to `high`."""

    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise _must(name, f"a whole number of at least {low}", value)
        if high is not None and value > high:
            raise ValueError(f"{name} must be at most {high}, not {said(value)}")

    most = {} if high is None else {"maximum": high}
    return Kind({"type": "integer", "minimum": low, **most}, check)


def number(low: float, high: float) -> Kind:
    """A number from `low` to `high`."""

    def check(name: str, value: Any) -> None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise _must(name, f"{low:g} to {high:g}", value)

    return Kind({"type": "number", "minimum": low, "maximum": high}, check)


def one_of(*allowed: str) -> Kind:
    """One of these texts."""

    def check(name: str, value: Any) -> None:
        if value not in allowed:
            raise _must(name, f"one of {', '.join(allowed)}", value)

    return Kind({"enum": list(allowed)}, check)


def only(*allowed: Any) -> Kind:
    """Values that ask for what is done anyway; the first one stands for them."""

    def check(name: str, value: Any) -> None:
        if not any(value == one and type(value) is type(one) for one in allowed):
            only = json.dumps(allowed[0])
            raise ValueError(f"{name} can only be {only} here, not {said(value)}")

    return Kind({"enum": list(allowed)}, check)


def _kv_bits(name: str, value: Any) -> None:
    if isinstance(value, bool) or value not in (4, 8):
        raise _must(name, "8 or 4", value)


def inner(table: Table) -> Kind:
    """An object whose fields are read with a table of their own."""
    return Kind(table.schema, _entries)


MANNER: dict[str, Kind] = {
    "kv_bits": Kind({"type": "integer", "enum": [4, 8]}, _kv_bits),
    "on_overflow": one_of("refuse", "slide"),
    "reproducible": FLAG,
}
"""How a session works."""

STREAM_OPTIONS = Table({"include_usage": FLAG, "include_obfuscation": only(False)})
STREAMING: dict[str, Kind] = {"stream": FLAG, "stream_options": inner(STREAM_OPTIONS)}

TEMPLATE: dict[str, Kind] = {"reasoning": FLAG, "chat_template_kwargs": ENTRIES}
"""What a chat template is given beside the messages."""

CHOICES = whole(1, MOST_CHOICES)

MODEL: dict[str, Kind] = {"model": TEXT}
USER: dict[str, Kind] = dict.fromkeys(
    [
        *("user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_options"),
        *("prompt_cache_retention", "prediction"),
    ],
    HARMLESS,
)
"""What OpenAI's clients may send that changes nothing in an answer."""


SETTINGS: dict[str, Kind] = {name: Kind(schema) for name, schema in SCHEMAS.items()}
"""The sampling settings, which `SamplingParams` checks."""
LIMIT = whole(1)
TOP_LOGPROBS = whole(0, MOST_LOGPROBS)

_RESERVED = (
    *("messages", "conversation", "tools", "documents", "add_generation_prompt", "tokenize"),
    *("continue_final_message", "chat_template", "return_dict", "return_tensors", "padding"),
    *("truncation", "max_length", "tokenizer_kwargs", "return_assistant_tokens_mask"),
)
"""These are no names of a template's own, or are given in another way."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How much to reason, in OpenAI's words."""


def settings(*left_out: str) -> dict[str, Kind]:
    """The sampling settings that a door takes by their own names."""
    return {name: kind for name, kind in SETTINGS.items() if name not in left_out}


class Fields:
    """The fields of one body.

    Args:
        where: what the fields are of, for what is said of an unknown one.

    Raises:
        ValueError: names a field that is unknown, or has a wrong value.
    """

    def __init__(self, body: dict[str, Any], table: Table, where: str = "") -> None:
        # A null is as good as nothing, as with OpenAI.
        self._given = {name: value for name, value in body.items() if value is not None}
        self._table = table
        self._unread = set(table.kinds)
        place = f"in {where}" if where else "here"
        for name, value in self._given.items():
            if name in table.refused:
                raise ValueError(f"{name!r} is not done here")
            if name not in table.kinds:
                near = difflib.get_close_matches(name, table.kinds, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"there is no field {name!r} {place}{hint}")
            table.kinds[name].check(f"{where}.{name}" if where else name, value)

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def take(self, name: str, default: Any = None) -> Any:
        """A field's value. It must be in the table."""
        self._unread.remove(name)
        return self._given.get(name, default)

    def ignore(self, names: Iterable[str]) -> None:
        """Pass over fields whose value changes nothing, or is the only one that is taken."""
        for name in names:
            self.take(name)

    def flag(self, name: str, default: bool = False) -> bool:
        """A field that is true or false."""
        return self.take(name, default) is True

    def inner(self, name: str, table: Table) -> Fields:
        """A field that is an object, to be taken apart in its turn. Finish it by `end`."""
        return Fields(self.take(name, {}), table, name)

    def end(self) -> None:
        """All fields have been taken.

        Raises:
            AssertionError: clients are told of one that the door does not read.
        """
        assert not self._unread, f"nobody reads {sorted(self._unread)}"

    # -- what several doors have ------------------------------------------------------------

    def streaming(self) -> tuple[bool, bool]:
        """Whether the answer is to come in pieces, and with figures at its end."""
        stream = self.flag("stream")
        if "stream_options" in self and not stream:
            raise ValueError("stream_options go with stream only")
        options = self.inner("stream_options", STREAM_OPTIONS)
        figures = options.flag("include_usage")
        options.ignore(["include_obfuscation"])
        options.end()
        return stream, figures

    def manner(self, reasoning: bool | None, on_overflow: str | None = None) -> Manner:
        """How the session is to work."""
        overflow = self.take("on_overflow") or on_overflow
        return Manner(
            reasoning=reasoning,
            reproducible=self.take("reproducible"),
            on_overflow="slide" if overflow == "slide" else "refuse" if overflow else None,
            kv_bits=self.take("kv_bits"),
        )

    def template(
        self, model: Model, effort: Any = None, named: str = "reasoning_effort"
    ) -> tuple[bool | None, dict[str, Any]]:
        """Whether to reason, and what the chat template is given beside the messages.

        `effort` is how much to reason, in OpenAI's words, from the field of that name. A door
        whose `reasoning` is no flag has taken it before.
        """
        given = dict(self.take("chat_template_kwargs", {}))
        reasoning: bool | None = self.take("reasoning") if "reasoning" in self._unread else None
        for name in given:
            if name in _RESERVED or name.startswith("_"):
                raise ValueError(f"chat_template_kwargs cannot have {name!r}")
        if "enable_thinking" in given:
            if not isinstance(given["enable_thinking"], bool):
                raise ValueError("enable_thinking must be true or false")
            reasoning = given.pop("enable_thinking")
        if effort is None:
            return reasoning, given
        if effort == "none":
            return False, given
        if not model.thinking:
            raise ValueError(f"{named} can only be none: {model.name} does not reason")
        return True, {"reasoning_effort": effort, **given}

    def choices(self) -> int:
        """How many answers are wanted."""
        return int(self.take("n", 1))

    def limit(self, *names: str) -> int | None:
        """The most tokens, by any of these names; None where nobody asks for a limit."""
        given = [value for name in names if (value := self.take(name)) is not None]
        if len(set(given)) > 1:
            raise ValueError(f"{' and '.join(names)} differ")
        return given[0] if given else None

    def top_logprobs(self, asked: bool, by: str) -> int | None:
        """How many probable tokens are told of each; None where no odds are told at all."""
        most = self.take("top_logprobs", 0)
        if most and not asked:
            raise ValueError(f"top_logprobs goes with {by} only")
        return int(most) if asked else None

    def params(self, model: Model, **own: Any) -> SamplingParams:
        """The sampling settings. All other fields must have been taken.

        Args:
            own: settings that the door has read itself.
        """
        given = {name: self.take(name) for name in SAMPLING if name in self._unread}
        self.end()
        given = {name: value for name, value in given.items() if value is not None}
        own = {name: value for name, value in own.items() if value is not None}
        for name in own:
            if name in given:
                raise ValueError(f"{name} is asked for in two ways: choose one")
        # A request without a seed of its own takes a fresh one.
        base = {**model.defaults, "seed": None, "max_tokens": None}
        return sampling_params({**given, **own}, base)


FOLLOWS = Kind({"type": "string", "pattern": f"^{DIGEST}$"}, check_digest)
"""The field that names the beginning."""


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
