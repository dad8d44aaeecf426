"""What answers at an address, by what it says of itself, and what each kind can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.remote.address import LONGEST
from app.tools.tool import clean

MOST_MODELS = 2_000  # of one server that are listed
_MOST_CONTEXT = 2**31
_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length")
_OWNERS = {"vllm": "vllm", "sglang": "sglang", "llamacpp": "llama.cpp"}


@dataclass(frozen=True)
class Kind:
    """What a kind of server takes beside the fields of OpenAI's own.

    Attributes:
        sampling: its names for settings, by ours.
        thinking: whether it can be told to reason or not.
        binds: whether answers can be bound to choices and patterns.
        continues: whether it goes on with an answer that was cut off.
        keeps_reasoning: whether it takes the reasoning of earlier turns.
    """

    sampling: Mapping[str, str]
    thinking: bool = False
    binds: bool = False
    continues: bool = False
    keeps_reasoning: bool = False


_SAME = {name: name for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty")}
_COMMON = {**_SAME, "top_k": "top_k", "min_p": "min_p"}
_XTC = {name: name for name in ("typical_p", "xtc_probability", "xtc_threshold")}
_REPETITION = {"repetition_penalty": "repetition_penalty"}

KINDS: Mapping[str, Kind] = {
    "": Kind(_SAME),
    "vllm": Kind({**_COMMON, **_REPETITION}, True, True, True),
    "sglang": Kind({**_COMMON, **_REPETITION}, True, True, True),
    "llama.cpp": Kind(
        {**_COMMON, **_XTC, "repetition_penalty": "repeat_penalty"}, True, False, True
    ),
    "stretto": Kind({**_COMMON, **_XTC, **_REPETITION}, True, True, True, True),
}
"""By `Remote.kind`; "" is any other server."""


@dataclass(frozen=True)
class Listed:
    """One model of a server's list.

    Attributes:
        context: tokens, 0 where it is not told.
    """

    model: str
    kind: str = ""
    context: int = 0


def listed(body: object) -> list[Listed] | None:
    """The models of an answer to ``GET /models``; None where it is no such answer.

    Names that cannot be shown or are far too long are left out.
    """
    if isinstance(body, Mapping):
        body = body.get("data", body.get("models"))
    if not isinstance(body, list):
        return None
    found: dict[str, Listed] = {}
    for entry in body[:MOST_MODELS]:
        model = entry.get("id") if isinstance(entry, Mapping) else entry
        if isinstance(model, str) and 0 < len(model) <= LONGEST and clean(model) == model.strip():
            told = entry if isinstance(entry, Mapping) else {}
            found[model] = Listed(model, _kind(told), _context(told))
    return [one for one in found.values() if one.model.isprintable()]


def has_sessions(body: object) -> bool:
    """Whether an answer to ``GET /models`` is a Stretto's that says that it has sessions."""
    told = body.get("stretto") if isinstance(body, Mapping) else None
    version = told.get("sessions") if isinstance(told, Mapping) else None
    return type(version) is int and version >= 1


def _kind(entry: Mapping[str, Any]) -> str:
    owner = entry.get("owned_by")
    if owner == "local" and entry.get("type") == "model" and "display_name" in entry:
        return "stretto"
    return _OWNERS.get(owner, "") if isinstance(owner, str) else ""


def _context(entry: Mapping[str, Any]) -> int:
    meta = entry.get("meta")
    told = [entry.get(name) for name in _CONTEXTS]
    told += [meta.get("n_ctx"), meta.get("n_ctx_train")] if isinstance(meta, Mapping) else []
    return next((n for n in told if type(n) is int and 0 < n < _MOST_CONTEXT), 0)
