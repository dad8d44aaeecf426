"""What a caller may ask of one reply. Validated here, trusted everywhere else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field
from msgspec.structs import force_setattr

from engine.text.tools import Tool, ToolForm, as_schema, as_tools, check_choice, form_of, shown

MOST_LOGPROBS = 20

RANGES: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 10.0),
    "top_p": (0.0, 1.0),
    "typical_p": (0.0, 1.0),
    "xtc_probability": (0.0, 1.0),
    "xtc_threshold": (0.0, 1.0),
    "min_p": (0.0, 1.0),
    "repetition_penalty": (0.0, 10.0),
    "presence_penalty": (-2.0, 2.0),
    "frequency_penalty": (-2.0, 2.0),
}
"""The least and the most that each setting of `SamplingParams` that is a number may be."""
ABOVE_ZERO = ("top_p", "typical_p", "repetition_penalty")
"""Those among them that may not be their least."""
LEAST = {"max_tokens": 1, "top_k": 0, "penalty_window": 0}
"""The least that each setting that is a whole number may be."""


class FormLimits(Struct, frozen=True):
    """How far an answer may go where its JSON schema sets no limit of its own.

    Raises:
        ValueError: names the field and says what it may be.
    """

    digits: int = 15  # of a whole number, or before a number's point; 1 to 18
    decimals: int = 9  # digits after a number's point; at least 0
    characters: int = 4096  # of a text without a pattern or format; at least 1
    # of an array, or properties of an object that the schema does not name; at least 1
    items: int = 256
    # arrays and objects within each other where the schema admits any JSON; at least 0
    depth: int = 4

    def __post_init__(self) -> None:
        for name, low in (("digits", 1), ("decimals", 0), ("characters", 1), ("items", 1)):
            _check_whole(f"form_limits.{name}", getattr(self, name), low)
        if self.digits > 18:  # llguidance reckons in 64 bits
            raise ValueError(f"form_limits.digits must be at most 18, not {self.digits}")
        _check_whole("form_limits.depth", self.depth, 0)


class SamplingParams(Struct, frozen=True, dict=True):
    """How the next token is chosen and when a reply ends.

    Attributes:
        max_tokens: longest reply in tokens, reasoning included; at least 1. None sets no limit:
            the answer may take what the context, and the memory while others answer, can hold.
        temperature: 0 takes the most probable token; otherwise logits are divided by it. 0 to 10.
        top_p: keep the smallest set of tokens whose probabilities reach this sum. (0, 1].
        top_k: keep this many tokens; 0 keeps all.
        min_p: drop tokens less probable than this share of the most probable one. [0, 1].
        typical_p: keep the smallest set, those of the most usual surprise first, whose
            probabilities reach this sum (Meister et al. 2022, arXiv:2202.00666). (0, 1].
        xtc_probability: how often, per token, the most probable choices are excluded. [0, 1].
        xtc_threshold: they are those at least this probable, but the last of them stays. [0, 1].
        repetition_penalty: divides the positive and multiplies the negative logits of tokens seen
            among the last `penalty_window` tokens (Keskar et al. 2019, arXiv:1909.05858). 1 is off.
        presence_penalty: subtracted once from the logit of every such token. [-2, 2].
        frequency_penalty: subtracted once per occurrence among them. [-2, 2].
        penalty_window: how many of the latest tokens, prompt included, the penalties look at.
        logit_bias: token id to a number added to its logit.
        logprobs: tell how probable each token was, and so many of the most probable ones in its
            place; 0 to 20. None tells nothing and costs nothing. Never changes an answer.
        seed: same seed, same prompt, same text; None takes fresh entropy from the system.
        stop: strings that end the answer; they are not part of it.
        json_schema: the answer is JSON of this schema, given as a mapping or as text; `{}` is any.
        regex: the answer matches all of this expression (Rust's syntax: no look-around).
        choices: the answer is one of these texts.
        grammar: the answer is a sentence of this grammar (Lark's notation, as llguidance reads it).
        tools: what the model may call: functions in OpenAI's shape of chat completions, each with
            a name of its own. `strict` in one binds the arguments of its calls to their schema.
        tool_choice: "auto"; "none", as if there were no tools; "required", the answer is calls and
            nothing else but for the reasoning before them; or the name of the tool to call. The
            last two bind the arguments to their schemas, which not every model's way of calling
            admits (`engine.text.tool_grammars`).
        parallel_tool_calls: False ends the answer after its first call.
        stop_repetition: stop a reply that repeats the same prose over and over, as small models do.
            It ends with `LENGTH`, and `ReplyStats.repeated_tokens` is above 0. Code, tables, tool
            calls and bound answers may repeat themselves (`engine.text.repetition`).
        form_limits: limits for what `json_schema` leaves open, given as `FormLimits` or as a
            mapping of its fields; None sets none.

    At most one of json_schema, regex, choices, grammar and tools. They bind the answer, not the
    reasoning before it; a model may only end its turn where the answer may end. An answer that ends
    by length may be incomplete.

    Raises:
        ValueError: names the field and says what it may be.
    """

    max_tokens: int | None = 2048
    temperature: float = 0.7
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_window: int = 64
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    seed: int | None = None
    stop: tuple[str, ...] = ()
    typical_p: float = 1.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    json_schema: str | Mapping[str, Any] | None = None  # kept as text
    regex: str | None = None
    choices: tuple[str, ...] = ()
    grammar: str | None = None
    form_limits: FormLimits | None = field(default_factory=FormLimits)
    logprobs: int | None = None
    tools: Sequence[Tool] = ()  # kept as a tuple of copies
    tool_choice: str = "auto"
    parallel_tool_calls: bool = True
    stop_repetition: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "stop", _as_texts("stop", self.stop))
        for name, low in LEAST.items():
            if name != "max_tokens" or self.max_tokens is not None:
                self._whole(name, low)
        if self.logprobs is not None:
            self._whole("logprobs", 0)
            if self.logprobs > MOST_LOGPROBS:
                raise ValueError(f"logprobs must be at most {MOST_LOGPROBS}, not {self.logprobs}")
        for name, (least, most) in RANGES.items():
            self._number(name, least, most)
            if name in ABOVE_ZERO and getattr(self, name) == 0.0:
                raise ValueError(f"{name} must be above 0 (and at most {most:g}), not 0")
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if self.seed is not None and not whole:
            raise ValueError(f"seed must be a whole number or None, not {self.seed!r}")
        force_setattr(self, "logit_bias", _as_bias(self.logit_bias))
        force_setattr(self, "json_schema", as_schema(self.json_schema))
        force_setattr(self, "choices", _as_texts("choices", self.choices))
        self._text("regex")
        self._text("grammar")
        force_setattr(self, "form_limits", _as_limits(self.form_limits))
        force_setattr(self, "tools", as_tools(self.tools))
        check_choice(self.tool_choice, self.tools)
        for name in ("parallel_tool_calls", "stop_repetition"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be a bool, not {getattr(self, name)!r}")
        # The engine writes the form of bound calls as a grammar, and in it that of an answer with
        # none. So these may be together.
        last = ("tool_form",) if self.tool_form is not None else ("grammar", "offered")
        asked = [n for n in ("json_schema", "regex", "choices", *last) if getattr(self, n)]
        if len(asked) > 1 and asked != ["json_schema", "tool_form"]:
            other = "tools" if asked[1] in ("tool_form", "offered") else asked[1]
            raise ValueError(f"{asked[0]} and {other} cannot both bind one answer: choose one")

    def __hash__(self) -> int:
        # not of what may be mappings
        return hash((self.seed, self.temperature, self.max_tokens, self.stop, self.json_schema))

    @cached_property
    def offered(self) -> tuple[dict[str, Any], ...]:
        """The tools that the chat template is given."""
        return () if self.tool_choice == "none" else tuple(shown(self.tools))

    @cached_property
    def tool_form(self) -> ToolForm | None:
        """How calls are bound to their tools' schemas; None where they are free."""
        answer = None if self.json_schema is None else str(self.json_schema)
        return form_of(self.tools, self.tool_choice, self.parallel_tool_calls, answer)

    @property
    def constrained(self) -> bool:
        """Whether the answer has to have a form."""
        return bool(self.json_schema or self.regex or self.choices or self.grammar)

    @property
    def uses_history(self) -> bool:
        """Whether choosing a token needs the tokens before it."""
        return (
            self.repetition_penalty != 1.0
            or self.presence_penalty != 0.0
            or self.frequency_penalty != 0.0
        ) and self.penalty_window > 0

    def _whole(self, name: str, low: int) -> None:
        _check_whole(name, getattr(self, name), low)

    def _number(self, name: str, low: float, high: float) -> None:
        value = getattr(self, name)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not low <= value <= high  # also refuses NaN
        ):
            raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")

    def _text(self, name: str) -> None:
        value = getattr(self, name)
        if value is not None and not (isinstance(value, str) and value):
            raise ValueError(f"{name} must be a non-empty text or None, not {value!r}")


def takes(name: str, value: object) -> bool:
    """Whether the parameter of that name may have that value, by itself."""
    try:
        SamplingParams(**{name: value})  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return False
    return True


def _as_texts(name: str, given: object) -> tuple[str, ...]:
    """One string, several, or None, as callers of other programs are used to giving them."""
    if given is None:
        return ()
    texts = [given] if isinstance(given, str) else given
    if isinstance(texts, (list, tuple)):
        good = [s for s in texts if isinstance(s, str) and s]
        if len(good) == len(texts):
            return tuple(good)
    raise ValueError(f"{name} must be non-empty strings, not {given!r}")


def _as_limits(given: object) -> FormLimits | None:
    if given is None or isinstance(given, FormLimits):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(f"form_limits must be an object with limits, not {given!r}")
    try:
        return FormLimits(**given)
    except TypeError:
        known = ", ".join(FormLimits.__struct_fields__)
        raise ValueError(f"form_limits has the fields {known}, not {given!r}") from None


def _check_whole(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{name} must be a whole number of at least {low}, not {value!r}")


def _as_bias(bias: object) -> Mapping[int, float]:
    """A copy: the caller's own may change while the engine reads it."""
    if bias is None:
        return {}
    if not isinstance(bias, Mapping):
        raise ValueError(f"logit_bias must map token ids to numbers, not {bias!r}")
    for token, number in bias.items():
        if isinstance(token, bool) or not isinstance(token, int) or token < 0:
            raise ValueError(f"logit_bias must have token ids as keys, not {token!r}")
        real = isinstance(number, (int, float)) and not isinstance(number, bool)
        if not real or math.isnan(number):
            raise ValueError(f"logit_bias of token {token} must be a number, not {number!r}")
    return dict(bias)
