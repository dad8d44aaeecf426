"""A body's fields. What its table does not know is refused by name, and so is a wrong value."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from engine.messages import Message
from engine.model.info import Model
from engine.openai.parsing import SAMPLING, sampling_params
from engine.openai.schemas import SETTINGS as SCHEMAS
from engine.params import MOST_LOGPROBS, SamplingParams
from engine.serve.doors.door import Body
from engine.serve.doors.kinds import STREAM_OPTIONS, Kind, Table, whole
from engine.serve.sessions import Manner

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

    def __init__(self, body: Body, table: Table, where: str = "") -> None:
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
