"""State of the reply being generated."""

from __future__ import annotations

from enum import Enum
from time import monotonic
from typing import Any

from msgspec import Struct, field

from app.chats.options import ChatOptions
from app.chats.tool_call import ParsedToolCall
from app.chats.transcript import Transcript
from app.chats.tree import branch_name, set_branch_name
from engine import PromptProgress, TextDelta, ToolCallFailed, ToolCallFinished


def stats_to_store(
    answer: Answer, status: str, figures: dict[str, Any], transcript: Transcript
) -> dict[str, Any]:
    """Build the stats to store: the engine's stats plus everything needed to repeat the reply."""
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
        earlier = transcript[answer.like]
        if earlier.status == "complete" and earlier.stats.get("reason") == stats.get("reason"):
            texts = (answer.content, answer.reasoning)
            stats["same"] = (earlier.content, earlier.reasoning) == texts
    if answer.thought_s is not None:
        stats["thought_s"] = round(answer.thought_s, 2)
    if answer.tool and "turn" not in stats:
        stats["tool"] = answer.tool
    return set_branch_name(stats, branch_name(transcript[answer.message_id].stats))


class Phase(Enum):
    """Activity of a reply, for display. `Stage` decides which actions are possible.

    A chat without a reply has the phase LOADING while its model loads.
    """

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
    """Reply being generated: its request and the text received so far."""

    message_id: str
    channel: int | None = None  # channel number at the bridge
    phase: Phase = Phase.LOADING
    progress: PromptProgress | None = None
    seed: int | None = None
    # None to use the chat's options
    options: ChatOptions | None = None
    like: str | None = None  # ID of the reply being repeated
    # Model reference, or None to use the chat's model.
    model: str | None = None
    continues: bool = False
    # `monotonic` time of the request, None while the model is loading
    sent_at: float | None = None
    calls: list[ParsedToolCall] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _tool: list[str] = field(default_factory=list)
    _thinking_since: float | None = None
    thought_s: float | None = None

    def start_with(self, content: str, reasoning: str = "") -> Answer:
        self._text, self._reasoning = [content], [reasoning]
        return self

    def read(self, progress: PromptProgress) -> None:
        self.progress = progress
        self.phase = Phase.QUEUED if progress.queue_position > 0 else Phase.READING

    def write(self, delta: TextDelta) -> bool:
        """Append text. Return True if the text is visible, that is, not part of a tool call."""
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

    def add_call(self, event: ToolCallFinished | ToolCallFailed) -> None:
        if isinstance(event, ToolCallFinished):
            self.calls.append(ParsedToolCall(event.id, event.name, event.arguments))
        else:
            self.calls.append(ParsedToolCall(event.id, event.name, event.text, event.message))

    def end_of_thought(self) -> None:
        if self._thinking_since is not None and self.thought_s is None:
            self.thought_s = monotonic() - self._thinking_since

    @property
    def content(self) -> str:
        return _join_in_place(self._text)

    @property
    def reasoning(self) -> str:
        return _join_in_place(self._reasoning)

    @property
    def tool(self) -> str:
        return _join_in_place(self._tool)


def _join_in_place(pieces: list[str]) -> str:
    """Join in place, because a long reply's text is read every 0.4 s."""
    if len(pieces) > 1:
        pieces[:] = ["".join(pieces)]
    return pieces[0] if pieces else ""
