"""What is kept of an answer beside its text."""

from __future__ import annotations

from typing import Any

from app.chats.reply import Answer
from app.chats.transcript import Transcript


def kept_stats(
    answer: Answer, status: str, told: dict[str, Any], transcript: Transcript
) -> dict[str, Any]:
    """The engine's figures, what it takes to have the same answer again, and how it differs."""
    stats = dict(told)
    if answer.seed is not None and answer.options is not None:
        options = answer.options.to_params()
        options.pop("seed", None)
        stats.update(seed=answer.seed, options=options, model=answer.model)
    if status == "complete" and answer.like is not None:
        other = transcript[answer.like]
        if other.status == "complete" and other.stats.get("reason") == stats.get("reason"):
            texts = (answer.content, answer.reasoning)
            stats["same"] = (other.content, other.reasoning) == texts
    if answer.thought_s is not None:
        stats["thought_s"] = round(answer.thought_s, 2)
    if answer.tool and "turn" not in stats:
        stats["tool"] = answer.tool
    return stats
