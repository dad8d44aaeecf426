"""A request in our own shape, checked field by field: lines of a batch, and bodies of `serve`."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from engine.messages import Message
from engine.params import SamplingParams

_BY_SHAPE = ("logprobs", "tools", "tool_choice", "parallel_tool_calls")
SAMPLING = tuple(f.name for f in fields(SamplingParams) if f.name not in _BY_SHAPE)
"""The settings that a body may name by themselves. How probable tokens were, and how tools are
called, is asked for by each shape in its own way, and not at all in files of requests."""
_KNOWN = ("prompt", "messages", "id", "system", "reasoning", *SAMPLING)


@dataclass(frozen=True)
class Defaults:
    """The values for lines that do not give their own.

    Attributes:
        sampling: fields of `SamplingParams`. A seed among them is used for every line.
        seed: the seed of a line that names none is made from this and the line's number.
    """

    sampling: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    system: str | None = None
    reasoning: bool | None = None


@dataclass(frozen=True)
class Request:
    """One line to be answered. Lines are counted from 1, empty ones too, as editors do."""

    line: int
    id: str | int | None
    prompt: str | list[Message]
    params: SamplingParams
    system: str | None = None
    reasoning: bool | None = None
    openai: bool = False


def line_seed(seed: int, line: int) -> int:
    """The seed of a line, always the same. It is below 2**48, so any JSON reader keeps it exact."""
    return int.from_bytes(hashlib.sha256(f"{seed} {line}".encode()).digest()[:6], "big")


def parsed(
    entry: dict[str, Any],
    defaults: Defaults,
    line: int = 0,
    name: str | int | None = None,
    of_openai: bool = False,
) -> Request:
    """An entry in our own shape as a request.

    Raises:
        ValueError: says what is wrong with it.
    """
    for key in entry:
        if key not in _KNOWN:
            near = difflib.get_close_matches(key, _KNOWN, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"there is no field {key!r}{hint}")
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


def sampling_params(given: Mapping[str, Any], base: Mapping[str, Any]) -> SamplingParams:
    """The settings `given` in JSON, upon those of `base`.

    Raises:
        ValueError: says what is wrong with them.
    """
    sampling = {**base, **given}
    if isinstance(sampling.get("logit_bias"), dict):
        sampling["logit_bias"] = _token_ids(sampling["logit_bias"])
    try:
        return SamplingParams(**sampling)
    except (OverflowError, RecursionError):
        raise ValueError("a number in it is too large, or it is nested too deeply") from None


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


def _token_ids(bias: dict[Any, Any]) -> dict[Any, Any]:
    """JSON's keys are texts."""
    return {int(k) if isinstance(k, str) and k.isdecimal() else k: v for k, v in bias.items()}
