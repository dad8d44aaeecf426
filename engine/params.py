"""Sampling parameters and their validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field
from msgspec.structs import force_setattr

from engine.text.tools import (
    Tool,
    ToolForm,
    as_schema,
    as_tools,
    check_choice,
    for_template,
    form_of,
)

MAX_LOGPROBS = 20

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
ABOVE_ZERO = ("top_p", "typical_p", "repetition_penalty")
MINIMUMS = {"max_tokens": 1, "top_k": 0, "penalty_window": 0}


def _check_whole(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{name} must be a whole number of at least {low}, not {value!r}")


class FormLimits(Struct, frozen=True):
    """Size limits for structured answers, used where the JSON schema sets none.

    Raises:
        ValueError: if a field is out of range. The message names the field and its valid values.
    """

    digits: int = 15  # digits before the decimal point, 1 to 18
    decimals: int = 9  # digits after the decimal point, at least 0
    characters: int = 4096  # length of strings without a pattern or format, at least 1
    # Length of arrays, and number of object properties that aren't in the schema. At least 1.
    items: int = 256
    # Nesting depth where the schema allows any JSON. At least 0.
    depth: int = 4

    def __post_init__(self) -> None:
        for name, low in (("digits", 1), ("decimals", 0), ("characters", 1), ("items", 1)):
            _check_whole(f"form_limits.{name}", getattr(self, name), low)
        if self.digits > 18:  # llguidance uses 64-bit integers
            raise ValueError(f"form_limits.digits must be at most 18, not {self.digits}")
        _check_whole("form_limits.depth", self.depth, 0)


class SamplingParams(Struct, frozen=True, dict=True):
    """Parameters for sampling, stop conditions and structured output.

    At most one of json_schema, regex, choices, grammar and tools may be set. They constrain the
    answer but not the reasoning before it. The model can't end its turn until the answer is
    complete, but an answer that hits its length limit may still be cut off.

    Attributes:
        max_tokens: maximum length in tokens, including reasoning; at least 1. None means no limit
            other than the context and the available memory.
        temperature: sampling temperature from 0 to 10; 0 is greedy.
        top_p: nucleus sampling: keep the most probable tokens until their probabilities add up to
            this value. (0, 1].
        top_k: keep only the k most probable tokens; 0 to disable.
        min_p: drop tokens less probable than `min_p` times the top token's probability. [0, 1].
        typical_p: keep the tokens whose surprisal is closest to the entropy until their
            probabilities add up to this value (Meister et al. 2022, arXiv:2202.00666). (0, 1].
        xtc_probability: probability of applying XTC ("exclude top choices") to a token. [0, 1].
        xtc_threshold: XTC removes all tokens at least this probable, except for the least probable
            one among them. [0, 1].
        repetition_penalty: divides positive and multiplies negative logits of tokens that occur in
            the last `penalty_window` tokens (Keskar et al. 2019, arXiv:1909.05858). 1 is off.
        presence_penalty: subtracted once from the logit of each token in the window. [-2, 2].
        frequency_penalty: like `presence_penalty`, but once per occurrence. [-2, 2].
        penalty_window: number of most recent tokens, including the prompt, that penalties consider.
        logit_bias: maps token ids to numbers that are added to their logits.
        logprobs: report the log probability of each sampled token and of the `logprobs` most
            probable tokens at its position; 0 to 20. None turns this off. Doesn't affect sampling.
        seed: the same seed and prompt give the same text; None picks a random seed.
        stop: stop strings. They end the answer and aren't included in it.
        json_schema: JSON schema of the answer, as a mapping or text; `{}` allows any JSON.
        regex: regular expression that the whole answer must match (Rust syntax, no look-around).
        choices: the answer must be one of these strings.
        grammar: Lark grammar for the answer, as supported by llguidance.
        tools: functions the model may call, in OpenAI's chat completions format, with unique names.
            A tool with `strict` constrains the arguments of its calls to its schema.
        tool_choice: "auto"; "none" to offer no tools; "required" to force at least one call, with
            no text other than reasoning; or the name of a tool that must be called. "required" and
            a name constrain arguments to the tools' schemas, which isn't supported for every
            model's tool call format (`engine.text.tool_grammars`).
        parallel_tool_calls: if False, the answer ends after its first tool call.
        stop_repetition: stop when the model gets stuck repeating the same prose, as small models
            do. The reply ends with `LENGTH`, and `ReplyStats.repeated_tokens` is above 0. Code,
            tables, tool calls and constrained answers may repeat (`engine.text.repetition`).
        form_limits: size limits where `json_schema` sets none, as `FormLimits` or a mapping of its
            fields; None for no limits.

    Raises:
        ValueError: if a field is invalid. The message names the field and its valid values.
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
    json_schema: str | Mapping[str, Any] | None = None  # stored as text
    regex: str | None = None
    choices: tuple[str, ...] = ()
    grammar: str | None = None
    form_limits: FormLimits | None = FormLimits()
    logprobs: int | None = None
    tools: Sequence[Tool] = ()  # stored as a tuple of copies
    tool_choice: str = "auto"
    parallel_tool_calls: bool = True
    stop_repetition: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "stop", _as_texts("stop", self.stop))
        for name, low in MINIMUMS.items():
            if name != "max_tokens" or self.max_tokens is not None:
                _check_whole(name, getattr(self, name), low)
        if self.logprobs is not None:
            _check_whole("logprobs", self.logprobs, 0)
            if self.logprobs > MAX_LOGPROBS:
                raise ValueError(f"logprobs must be at most {MAX_LOGPROBS}, not {self.logprobs}")
        for name, (minimum, maximum) in RANGES.items():
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not minimum <= value <= maximum:  # also rejects NaN
                raise ValueError(
                    f"{name} must be a number from {minimum:g} to {maximum:g}, not {value!r}"
                )
            if name in ABOVE_ZERO and value == 0.0:
                raise ValueError(f"{name} must be above 0 (and at most {maximum:g}), not 0")
        is_integer = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if self.seed is not None and not is_integer:
            raise ValueError(f"seed must be a whole number or None, not {self.seed!r}")
        force_setattr(self, "logit_bias", _as_bias(self.logit_bias))
        if self.json_schema is not None:
            force_setattr(self, "json_schema", as_schema(self.json_schema))
        force_setattr(self, "choices", _as_texts("choices", self.choices))
        for name, text in (("regex", self.regex), ("grammar", self.grammar)):
            if text is not None and not (isinstance(text, str) and text):
                raise ValueError(f"{name} must be a non-empty text or None, not {text!r}")
        if not isinstance(self.form_limits, FormLimits):
            force_setattr(self, "form_limits", _as_limits(self.form_limits))
        if self.tools != () or self.tool_choice != "auto":
            force_setattr(self, "tools", as_tools(self.tools))
            check_choice(self.tool_choice, self.tools)
        for name in ("parallel_tool_calls", "stop_repetition"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be a bool, not {getattr(self, name)!r}")
        # The engine merges the grammars of json_schema and constrained tool calls, so both may be
        # set.
        last = ("tool_form",) if self.tool_form is not None else ("grammar", "offered")
        forms = [n for n in ("json_schema", "regex", "choices", *last) if getattr(self, n)]
        if len(forms) > 1 and forms != ["json_schema", "tool_form"]:
            other_form = "tools" if forms[1] in ("tool_form", "offered") else forms[1]
            raise ValueError(f"{forms[0]} and {other_form} cannot be combined: choose one")

    def __hash__(self) -> int:
        # Omit fields that may be mappings, which aren't hashable.
        return hash((self.seed, self.temperature, self.max_tokens, self.stop, self.json_schema))

    @cached_property
    def offered(self) -> tuple[dict[str, Any], ...]:
        """Tools to pass to the chat template."""
        if not self.tools or self.tool_choice == "none":
            return ()
        return tuple(for_template(self.tools))

    @cached_property
    def tool_form(self) -> ToolForm | None:
        """Constraint for tool calls, or None if they are unconstrained."""
        if not self.tools:
            return None
        answer = None if self.json_schema is None else str(self.json_schema)
        return form_of(self.tools, self.tool_choice, self.parallel_tool_calls, answer)

    @property
    def is_constrained(self) -> bool:
        """True if a schema, regex, grammar or list of choices constrains the answer."""
        return bool(self.json_schema or self.regex or self.choices or self.grammar)


def is_valid(name: str, value: object) -> bool:
    """Return True if a value is valid for one parameter, ignoring the other parameters."""
    try:
        SamplingParams(**{name: value})  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return False
    return True


def _as_texts(name: str, value: object) -> tuple[str, ...]:
    """Convert None, a string or a list of strings to a tuple. Clients send any of the three."""
    if value is None:
        return ()
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, (list, tuple)):
        good = [s for s in texts if isinstance(s, str) and s]
        if len(good) == len(texts):
            return tuple(good)
    raise ValueError(f"{name} must be non-empty strings, not {value!r}")


def _as_limits(value: object) -> FormLimits | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError(f"form_limits must be an object with limits, not {value!r}")
    try:
        return FormLimits(**value)
    except TypeError:
        field_names = ", ".join(FormLimits.__struct_fields__)
        raise ValueError(f"form_limits has the fields {field_names}, not {value!r}") from None


def _as_bias(bias: object) -> Mapping[int, float]:
    """Validate and copy a bias. The caller may change its mapping while the engine reads it."""
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
