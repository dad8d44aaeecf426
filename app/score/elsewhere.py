"""The figures of chats that a Stretto elsewhere answers, beside those of the engine. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NO_ENGINE: Mapping[str, Any] = {
    "queue": [],
    "sessions": {},
    "tokens_per_s": 0.0,
    "kv_bytes": 0,
    "prefix_bytes": 0,
    "weights_bytes": 0,
    "memory_budget": 0,
    "process_bytes": 0,
    "children_bytes": 0,
    "buffer_bytes": 0,
}
"""The figures of an engine that is not there: nothing here takes memory."""
_ELSEWHERE = "elsewhere:"


def beside(
    stats: Mapping[str, Any],
    shown: Mapping[str, tuple[str, str]],
    figures: Mapping[str, Mapping[str, Any]],
    titles: Mapping[str, str],
) -> tuple[dict[str, Any], dict[str, tuple[str, str]]]:
    """The engine's figures and its sessions' chats, with those that are answered elsewhere.

    Args:
        stats, shown: as `Lanes.take` gets them.
        figures: of sessions elsewhere, by the chats' ids.
        titles: of chats. Of others nothing is shown.
    """
    there = {f"{_ELSEWHERE}{chat}": each for chat, each in figures.items() if chat in titles}
    chats = {name: name.removeprefix(_ELSEWHERE) for name in there}
    named = {name: (chat, titles[chat]) for name, chat in chats.items()}
    return {**stats, "sessions": {**stats["sessions"], **there}}, {**shown, **named}
