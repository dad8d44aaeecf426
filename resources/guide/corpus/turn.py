"""Exchange of a conversation, used by all modules of the corpus."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """A user message, its answer, and the reasoning of a reasoning model.

    Attributes:
        call: name of the tool called before the answer; "" for none.
        result: result of the tool.
    """

    user: str
    answer: str
    thought: str = ""
    kind: str = ""
    call: str = ""
    result: str = ""
