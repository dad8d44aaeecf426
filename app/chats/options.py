"""A chat's own settings: what is in ``Chat.params``, and the engine's parameters from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from engine import SamplingParams


@dataclass(frozen=True)
class ChatOptions:
    """What a person set for one chat; None leaves it to the model.

    Attributes:
        temperature: 0 to 2 in the window.
        seed: the same seed and question give the same answer.
        max_tokens: the longest reply.
        reasoning: whether the model thinks first, where it can.
        reproducible: step alone, for bit-identical answers.
    """

    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    reasoning: bool | None = None
    reproducible: bool = False

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ChatOptions:
        """Read what was stored; keys that are not options are left alone."""
        return cls(**{f.name: params[f.name] for f in fields(cls) if f.name in params})

    def to_params(self) -> dict[str, Any]:
        """Only what differs from the default, so that later defaults reach old chats."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if getattr(self, f.name) != f.default
        }


# What a model's generation_config.json may say, under the engine's names for it.
_FROM_MODEL = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def sampling(options: ChatOptions, defaults: Mapping[str, Any]) -> SamplingParams:
    """The engine's parameters: the person's choice over the model's over the engine's.

    Raises ValueError naming the field.
    """
    chosen = {key: defaults[key] for key in _FROM_MODEL if defaults.get(key) is not None}
    for key in ("temperature", "seed", "max_tokens"):
        if (value := getattr(options, key)) is not None:
            chosen[key] = value
    return SamplingParams(**chosen)
