"""Answer that is being generated: its text, its times, and the progress of its prompt."""

from __future__ import annotations

from enum import Enum
from time import monotonic
from typing import Any

from msgspec import Struct, field

from app.chats.options import ChatOptions
from app.chats.tool_call import ParsedToolCall
from app.chats.transcript import Transcript
from app.chats.tree import branch_name, with_branch_name
from engine import PromptProgress, TextDelta, ToolCallFailed, ToolCallFinished


def kept_stats(
    answer: Answer, status: str, figures: dict[str, Any], transcript: Transcript
) -> dict[str, Any]:
    """Return the stats to store: the engine's figures, and what is needed to repeat the answer."""
    stats = dict(figures)
    if of_panel := transcript[answer.message_id].stats.get("panel"):
        stats["panel"] = of_panel
    if form := transcript[answer.message_id].stats.get("options"):
        stats["options"] = form
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
    return with_branch_name(stats, branch_name(transcript[answer.message_id].stats))


class Phase(Enum):
    """Activities of a chat, in the order in which a reply passes through them."""

    IDLE = "idle"
    LOADING = "loading"
    QUEUED = "queued"
    READING = "reading"
    THINKING = "thinking"
    WRITING = "writing"
    ASKING = "asking"
    CALLING = "calling"
    PAUSED = "paused"


class Answer(Struct):
    """Answer that is being generated, and the settings it was requested with."""

    message_id: str  # the assistant message that it fills
    channel: int | None = None  # number of its channel at the bridge
    phase: Phase = Phase.LOADING  # progress in the engine
    progress: PromptProgress | None = None  # latest progress of the prompt
    seed: int | None = None  # seed of its random choices
    # None for the chat's own
    options: ChatOptions | None = None
    like: str | None = None  # id of the answer that it repeats
    # reference of its model, None for the chat's own
    model: str | None = None
    continues: bool = False  # it continues an answer that was cut off
    # `monotonic` time of the request, None while the model loads
    asked_at: float | None = None
    calls: list[ParsedToolCall] = field(default_factory=list)  # its tool calls
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _tool: list[str] = field(default_factory=list)
    _thinking_since: float | None = None
    _thought_s: float | None = None

    @classmethod
    def going_on(cls, message_id: str, content: str, reasoning: str) -> Answer:
        """Return an answer that continues one that was cut off."""
        answer = cls(message_id, continues=True)
        answer._text = [content] if content else []
        answer._reasoning = [reasoning] if reasoning else []
        return answer

    @classmethod
    def after(cls, message_id: str, content: str, options: ChatOptions) -> Answer:
        """Return an answer that begins with text that no model has written."""
        answer = cls(message_id, options=options)
        answer._text = [content]
        return answer

    def read(self, progress: PromptProgress) -> None:
        self.progress = progress
        self.phase = Phase.QUEUED if progress.queue_position > 0 else Phase.READING

    def write(self, delta: TextDelta) -> bool:
        """Add text. Return True if it is shown; the text of a tool call is not."""
        if delta.kind == "reasoning":
            if self._thinking_since is None:
                self._thinking_since = monotonic()
            self.phase = Phase.THINKING
            self._reasoning.append(delta.text)
            return True
        self.end_of_thought()
        self.phase = Phase.WRITING
        if delta.kind == "tool":
            self._tool.append(delta.text)
            return False
        self._text.append(delta.text)
        return True

    def take_call(self, event: ToolCallFinished | ToolCallFailed) -> None:
        """Add a tool call that is complete, or that could not be parsed."""
        if isinstance(event, ToolCallFinished):
            self.calls.append(ParsedToolCall(event.id, event.name, event.arguments))
        else:
            self.calls.append(ParsedToolCall(event.id, event.name, event.text, event.message))

    def end_of_thought(self) -> None:
        if self._thinking_since is not None and self._thought_s is None:
            self._thought_s = monotonic() - self._thinking_since

    @property
    def content(self) -> str:
        return _one(self._text)

    @property
    def reasoning(self) -> str:
        return _one(self._reasoning)

    @property
    def tool(self) -> str:
        """Return the text of its tool calls."""
        return _one(self._tool)

    @property
    def thought_s(self) -> float | None:
        """Return how long it thought, or None until that is over."""
        return self._thought_s


def _one(pieces: list[str]) -> str:
    """Join the pieces in place: a long answer is requested every 0.4 s."""
    if len(pieces) > 1:
        pieces[:] = ["".join(pieces)]
    return pieces[0] if pieces else ""
