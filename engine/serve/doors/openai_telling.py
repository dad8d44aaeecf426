"""What chat completions and completions tell in the same way."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from typing import Any

from engine.messages import ReplyStats
from engine.serve.doors.choice import Choice
from engine.serve.doors.door import Asked, Body, Telling, event


class OpenAITelling(Telling):
    """The head of every chunk, and how a stream ends.

    Args:
        prefix: of the answer's id.
        kind: what a chunk is called.
    """

    def __init__(self, asked: Asked, choices: list[Choice], prefix: str, kind: str) -> None:
        super().__init__(asked, choices)
        self._kind = kind
        self._head: Body = {
            "id": f"{prefix}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": asked.model.name,
        }

    def end(self) -> bytes:
        """The figures, if they are wanted, and the end."""
        last = b"data: [DONE]\n\n"
        return self._chunk([], usage=usage(self.choices)) + last if self.asked.figures else last

    def failed(self, told: Body) -> bytes:
        """The error as an event."""
        return event(told)

    def _chunk(self, choices: Sequence[Body], **more: Any) -> bytes:
        return event({**self._head, "object": self._kind, "choices": choices, **more})


def reason(choice: Choice) -> str:
    """Why it ended, in OpenAI's words."""
    if choice.by_length:
        return "length"
    return "tool_calls" if choice.calls else "stop"


def usage(choices: list[Choice]) -> Body:
    """The figures of a request. Each prompt is counted once, however many answers it has."""
    stats = [choice.stats for choice in choices]
    first: dict[int, ReplyStats] = {}
    for choice in choices:
        first.setdefault(choice.prompt, choice.stats)
    prompt = sum(s.prompt_tokens for s in first.values())
    made = sum(s.generated_tokens for s in stats)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": made,
        "total_tokens": prompt + made,
        "prompt_tokens_details": {"cached_tokens": sum(s.reused_tokens for s in first.values())},
        "completion_tokens_details": {"reasoning_tokens": sum(s.reasoning_tokens for s in stats)},
    }
