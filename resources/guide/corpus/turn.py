"""One exchange of a conversation, as every module of the corpus writes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """A user message, its answer, and what a reasoning model may think in between.

    Attributes:
        call: the name of a tool that is called before the answer; "" for none.
        result: what the tool gave back.
    """

    user: str
    answer: str
    thought: str = ""
    kind: str = ""
    call: str = ""
    result: str = ""
