"""One exchange of a conversation, as every module of the corpus writes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """A user message, its answer, and what a reasoning model may think in between."""

    user: str
    answer: str
    thought: str = ""
    kind: str = ""
