"""Helpers of a tool call and their questions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from msgspec import Struct, to_builtins

from app.store import Message
from app.tools.builtin import MOST_HELPERS
from app.tools.tool import LONGEST, ToolResult, clean, clean_result, shorten


class LaneState(Enum):
    """State of a helper. A helper passes through the first four in this order."""

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

_QUESTION = 400  # characters of a question that are repeated above its answer
_CUT_OFF_NOTES = {
    LaneState.STOPPED: "[The person stopped this helper. It had said:]",
    LaneState.TOKENS: "[This helper ran out of tokens. It had said:]",
    LaneState.TIME: "[This helper ran out of time. It had said:]",
}


class HelperRun(Struct):
    question: str
    state: LaneState = LaneState.WAITING
    text: str = ""
    why: str = ""
    tokens: int = 0
    rate: float = 0.0  # tokens per second, 0 if unknown

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    def to_json(self) -> dict[str, Any]:
        stored: dict[str, Any] = to_builtins(self)
        return stored

    @classmethod
    def from_json(cls, stored: object) -> HelperRun | None:
        fields = stored if isinstance(stored, dict) else {}
        texts = [fields.get(name, "") for name in ("question", "text", "why")]
        try:
            state = LaneState(fields.get("state"))
        except ValueError:
            return None
        if not all(isinstance(text, str) for text in texts):
            return None
        question, text, reason = (clean(text, LONGEST) for text in texts)
        tokens = fields.get("tokens")
        count = tokens if type(tokens) is int and 0 <= tokens < 2**31 else 0
        # Stored helpers aren't running anymore, even if their saved state says so.
        return cls(question, state if state in OVER else LaneState.STOPPED, text, reason, count)


def lanes_of(message: Message) -> list[HelperRun]:
    stored = message.stats.get("lanes")
    listed = stored[:MOST_HELPERS] if isinstance(stored, list) else []
    return [lane for value in listed if (lane := HelperRun.from_json(value)) is not None]


def format_result(lanes: Sequence[HelperRun]) -> ToolResult:
    """Return the tool result: each question and its answer, with a note if the answer was cut
    off.
    """
    answers = []
    for number, lane in enumerate(lanes, 1):
        lines = [lane.text or "(nothing)"]
        if lane.state is LaneState.FAILED:
            lines = ["[This helper failed.]", *([lane.text] if lane.text else [])]
        elif lane.state in _CUT_OFF_NOTES:
            lines.insert(0, _CUT_OFF_NOTES[lane.state])
        # the model can read the full question in its call
        question = shorten(lane.question, _QUESTION)
        answers.append("\n".join([f"Question {number}: {question}", *lines]))
    return clean_result("\n\n".join(answers), all(lane.state is LaneState.FAILED for lane in lanes))


def fork_result(question: str, number: int, of: int) -> str:
    return (
        f"You are helper {number} of {of} now, without tools. From what you have read above, "
        f"answer this question only:\n\n{question}"
    )
