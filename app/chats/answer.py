"""One answer while it is being written: its text so far, its times, how far the prompt is."""

from __future__ import annotations

from enum import Enum
from time import monotonic
from typing import Any

from msgspec import Struct, field

from app.chats.options import ChatOptions
from app.chats.tool_call import Made
from app.chats.transcript import Transcript
from app.chats.tree import branch_name, with_branch_name
from engine import PromptProgress, TextDelta, ToolCallFailed, ToolCallFinished


def kept_stats(
    answer: Answer, status: str, told: dict[str, Any], transcript: Transcript
) -> dict[str, Any]:
    """The engine's figures, what it takes to have the same answer again, and how it differs."""
    stats = dict(told)
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
    """What a chat is doing. In the order in which a reply goes through them."""

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
    """What has come of a reply so far, and what it was asked with."""

    message_id: str  # the assistant message that it fills
    channel: int | None = None  # its number at the bridge
    phase: Phase = Phase.LOADING  # how far the engine is with it
    progress: PromptProgress | None = None  # the last word about the prompt
    seed: int | None = None  # what its random choices started from
    # what it is asked with, where that is not left to the chat's own
    options: ChatOptions | None = None
    like: str | None = None  # the answer that it is to give once more, if it is
    # the reference of the model it is asked of, where that is not the chat's own
    model: str | None = None
    continues: bool = False  # it goes on with an answer that was cut off
    # when it was asked for, by `monotonic`; None while its model is loaded
    asked_at: float | None = None
    calls: list[Made] = field(default_factory=list)  # the tools that it calls
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _tool: list[str] = field(default_factory=list)
    _thinking_since: float | None = None
    _thought_s: float | None = None

    @classmethod
    def going_on(cls, message_id: str, content: str, reasoning: str) -> Answer:
        """The rest of an answer that was cut off."""
        answer = cls(message_id, continues=True)
        answer._text = [content] if content else []
        answer._reasoning = [reasoning] if reasoning else []
        return answer

    @classmethod
    def after(cls, message_id: str, content: str, options: ChatOptions) -> Answer:
        """One that begins with words that no model has written."""
        answer = cls(message_id, options=options)
        answer._text = [content]
        return answer

    def read(self, progress: PromptProgress) -> None:
        self.progress = progress
        self.phase = Phase.QUEUED if progress.queue_position > 0 else Phase.READING

    def write(self, delta: TextDelta) -> bool:
        """Take more text; whether it is shown. A call of a tool is no part of what is read."""
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
        """A call has been written to its end, or has turned out to be none."""
        if isinstance(event, ToolCallFinished):
            self.calls.append(Made(event.id, event.name, event.arguments))
        else:
            self.calls.append(Made(event.id, event.name, event.text, event.message))

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
        """What was written to call a tool."""
        return _one(self._tool)

    @property
    def thought_s(self) -> float | None:
        """How long it thought, once that is over."""
        return self._thought_s


def _one(pieces: list[str]) -> str:
    """The pieces as one string, kept joined: a long answer is asked for every 0.4 s."""
    if len(pieces) > 1:
        pieces[:] = ["".join(pieces)]
    return pieces[0] if pieces else ""
