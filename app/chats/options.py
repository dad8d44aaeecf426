"""A chat's own settings: what is in ``Chat.params``, and the engine's parameters from it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from app.chats.forms import FORMS, bound_to
from engine import SamplingParams
from engine.params import takes

CONTEXT = (256, 16_777_216)
"""The fewest and the most tokens that a chat's context can be limited to."""


@dataclass(frozen=True)
class ChatOptions:
    """What a person set for one chat; None leaves it to the model.

    Attributes:
        temperature to frequency_penalty: as in `engine.SamplingParams`.
        seed: the same seed and question give the same answer.
        max_tokens: the longest reply.
        stop: texts that end the answer.
        reasoning: whether the model thinks first, where it can.
        reproducible: step alone, for bit-identical answers.
        slide: leave out the oldest turns once the chat has outgrown the model's context.
        kv_bits: keep the KV cache in 8 or 4 bits.
        context: tokens that the chat may have, where that is to be fewer than the model takes.
        answer_as: the form of answers, one of `app.chats.forms.FORMS`; None is free text.
        schema: for "schema", a JSON schema as text; kept as typed, also while it is wrong.
        choices: for "choices", the texts of which the answer is one.
        pattern: for "pattern", a regular expression of which the answer is all.
        tools: the keys of the tools that are offered, see `app.tools.tool.Tool.key`.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    typical_p: float | None = None
    xtc_probability: float | None = None
    xtc_threshold: float | None = None
    repetition_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    reasoning: bool | None = None
    reproducible: bool = False
    slide: bool = False
    kv_bits: int | None = None
    context: int | None = None
    answer_as: str | None = None
    schema: str = ""
    choices: tuple[str, ...] = ()
    pattern: str = ""
    tools: tuple[str, ...] = ()

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ChatOptions:
        """Read what was stored; what is no option, or no good value of one, is left alone."""
        known: dict[str, Any] = {}
        for option in fields(cls):
            value = params.get(option.name)
            if option.name in ("stop", "choices", "tools"):  # JSON knows lists only
                if isinstance(value, (list, tuple)):
                    known[option.name] = tuple(s for s in value if isinstance(s, str) and s)
            elif option.name in ("schema", "pattern"):
                if isinstance(value, str):
                    known[option.name] = value
            elif option.name == "answer_as":
                if value in FORMS:
                    known["answer_as"] = value
            elif option.name in ("reasoning", "reproducible", "slide"):
                if isinstance(value, bool):
                    known[option.name] = value
            elif option.name == "kv_bits":
                if value in (4, 8):
                    known["kv_bits"] = int(value)
            elif option.name == "context":
                if type(value) is int and CONTEXT[0] <= value <= CONTEXT[1]:
                    known["context"] = value
            elif value is not None and _is_good(option.name, value):
                known[option.name] = value
        return cls(**known)

    def context_of(self, most: int) -> int:
        """The tokens that fit, with a model that takes ``most``."""
        return min(most, self.context) if self.context is not None else most

    def to_params(self) -> dict[str, Any]:
        """Only what differs from the default, so that later defaults reach old chats."""
        changed = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if getattr(self, f.name) != f.default
        }
        return {n: list(v) if isinstance(v, tuple) else v for n, v in changed.items()}


def _is_good(name: str, value: Any) -> bool:
    """Whether the engine takes a value for one of its parameters, and the window can show it."""
    return takes(name, value) and (name != "seed" or 0 <= value < 2**31)


def of_answer(stats: Mapping[str, Any], now: ChatOptions) -> ChatOptions | None:
    """The options, seed included, that an answer was given with; None when its seed is unknown.

    Answers of older versions keep their seed only: the rest is as ``now``.
    """
    seed, options = stats.get("seed"), stats.get("options")
    own = ChatOptions.from_params(options) if isinstance(options, dict) else now
    return replace(own, seed=seed) if takes("seed", seed) and seed is not None else None


def model_of_answer(stats: Mapping[str, Any]) -> str | None:
    """The reference of the model that gave an answer; older versions did not keep it."""
    model = stats.get("model")
    return model if isinstance(model, str) and model else None


_BOUNDS = ("max_tokens", "stop", "reasoning", "reproducible", "slide", "kv_bits", "context")


def going_on(own: ChatOptions, now: ChatOptions) -> ChatOptions:
    """For the rest of an answer: the choices it began with, the bounds and the memory of now."""
    bounds = {
        name: getattr(now, name)
        for name in (
            "max_tokens",
            "stop",
            "reasoning",
            "reproducible",
            "slide",
            "kv_bits",
            "context",
        )
    }
    return replace(own, **bounds)


# What a model's generation_config.json may say, under the engine's names for it.
_FROM_MODEL = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")

NUMBERS = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "typical_p",
    "xtc_probability",
    "xtc_threshold",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
    "max_tokens",
)
"""The options that go to the engine under their own names."""


def sampling(
    options: ChatOptions, defaults: Mapping[str, Any], tools: Sequence[dict[str, Any]] = ()
) -> SamplingParams:
    """The engine's parameters: the person's choice over the model's over the engine's.

    Without a seed of the person's one is drawn here, so that an answer can be had again.

    Raises ValueError naming the field, or saying what is wrong with the answer's form.
    """
    chosen = {key: defaults[key] for key in _FROM_MODEL if defaults.get(key) is not None}
    for key in NUMBERS:
        if (value := getattr(options, key)) is not None:
            chosen[key] = value
    seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
    if tools:
        chosen["tools"] = list(tools)
    return SamplingParams(seed=seed, stop=options.stop, **chosen, **bound_to(options))
