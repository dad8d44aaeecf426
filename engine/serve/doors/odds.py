"""How probable tokens were, in OpenAI's shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.messages import TokenOdds

LEAST = -9999.0
"""What stands for a probability of 0, as with OpenAI: JSON has no infinity."""


def _one(odds: TokenOdds) -> dict[str, Any]:
    return {
        "token": _text(odds),
        "logprob": max(odds.logprob, LEAST),
        "bytes": list(odds.data),
    }


def listed(odds: Iterable[TokenOdds]) -> list[dict[str, Any]]:
    """As chat completions and responses have it."""
    return [{**_one(o), "top_logprobs": [_one(t) for t in o.top]} for o in odds]


def columns(odds: Iterable[TokenOdds], offset: int) -> dict[str, Any]:
    """As completions have it. `offset` is where the text of these tokens begins."""
    names = ("tokens", "token_logprobs", "top_logprobs", "text_offset")
    out: dict[str, list[Any]] = {name: [] for name in names}
    for token in odds:
        out["tokens"].append(_text(token))
        out["token_logprobs"].append(max(token.logprob, LEAST))
        tops = {_text(t): max(t.logprob, LEAST) for t in reversed(token.top)}
        out["top_logprobs"].append(tops)
        out["text_offset"].append(offset)
        offset += len(_text(token))
    return out


def _text(odds: TokenOdds) -> str:
    try:
        return odds.data.decode()
    except UnicodeDecodeError:
        return "bytes:" + "".join(f"\\x{b:02x}" for b in odds.data)
