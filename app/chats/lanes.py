"""The lanes of one call that asks helpers: a question each, and what is said to it. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from msgspec import Struct, to_builtins

from app.store import Message
from app.tools.builtin import MOST_HELPERS
from app.tools.tool import LONGEST, ToolResult, clean, harmless, shortened


class LaneState(Enum):
    """Where a helper is. In the order in which it goes through the first four."""

    WAITING = "waiting"
    READING = "reading"
    THINKING = "thinking"
    WRITING = "writing"
    DONE = "done"
    STOPPED = "stopped"
    TOKENS = "tokens"
    TIME = "time"
    FAILED = "failed"


OVER = frozenset(list(LaneState)[4:])

_QUESTION = 400  # characters of a question that stand above its answer
_TOLD = {
    LaneState.STOPPED: "[The person stopped this helper. It had said:]",
    LaneState.TOKENS: "[This helper ran out of tokens. It had said:]",
    LaneState.TIME: "[This helper ran out of time. It had said:]",
}


class Lane(Struct):
    """One helper."""

    question: str
    state: LaneState = LaneState.WAITING
    text: str = ""  # its answer so far
    why: str = ""  # it has failed for this reason, a sentence for a person
    tokens: int = 0  # that it has written, as far as is known
    rate: float = 0.0  # tokens a second, 0 while that is not known

    @property
    def over(self) -> bool:
        return self.state in OVER

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = to_builtins(self)
        return told

    @classmethod
    def from_json(cls, told: object) -> Lane | None:
        """What was kept; None for what is none."""
        known = told if isinstance(told, dict) else {}
        texts = [known.get(name, "") for name in ("question", "text", "why")]
        try:
            state = LaneState(known.get("state"))
        except ValueError:
            return None
        if not all(isinstance(text, str) for text in texts):
            return None
        question, text, why = (clean(text, most=LONGEST) for text in texts)
        tokens = known.get("tokens")
        count = tokens if type(tokens) is int and 0 <= tokens < 2**31 else 0
        # What is kept has come to its end, whatever it says.
        return cls(question, state if state in OVER else LaneState.STOPPED, text, why, count)


def lanes_of(message: Message) -> list[Lane]:
    """Those that are kept with a call."""
    kept = message.stats.get("lanes")
    listed = kept[:MOST_HELPERS] if isinstance(kept, list) else []
    return [lane for each in listed if (lane := Lane.from_json(each)) is not None]


def result(lanes: Sequence[Lane]) -> ToolResult:
    """What the model gets: each question with its answer, marked where that was cut off."""
    told = []
    for number, lane in enumerate(lanes, 1):
        said = [lane.text or "(nothing)"]
        if lane.state is LaneState.FAILED:
            said = ["[This helper failed.]", *([lane.text] if lane.text else [])]
        elif lane.state in _TOLD:
            said.insert(0, _TOLD[lane.state])
        question = shortened(lane.question, _QUESTION)  # the model has it in its call
        told.append("\n".join([f"Question {number}: {question}", *said]))
    return harmless("\n\n".join(told), all(lane.state is LaneState.FAILED for lane in lanes))


def for_fork(question: str, number: int, of: int) -> str:
    """The result of the call as a helper reads it that goes on from what the chat has read."""
    return (
        f"You are helper {number} of {of} now, without tools. From what you have read above, "
        f"answer this question only:\n\n{question}"
    )
