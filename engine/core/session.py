"""What the engine thread knows of a session and of the reply it is giving."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from engine.kv.memory_estimate import MemoryEstimate
from engine.kv.session_kv import SessionKV
from engine.messages import (
    Failed,
    Finished,
    FinishReason,
    Message,
    Overflow,
    PromptProgress,
    ReplyStats,
    Sink,
    TextDelta,
)
from engine.model.constraint import Constraint
from engine.model.models import LoadedModel
from engine.model.sampling import Sampler
from engine.params import SamplingParams
from engine.text.prompt import Prompt
from engine.text.text import Delta, ReplyText


class Status(IntEnum):
    """Where a reply is. Only a fault in a shared step sends one back to reading."""

    QUEUED = 0  # waits for memory
    PREFILLING = 1
    DECODING = 2
    FINISHED = 3


class ReplyState:
    """One answer in the making.

    Attributes:
        tokens: the prompt and everything generated and read so far.
        next: the lazy id after `tokens`, sampled but not read yet; None until there is one.
        reused: prompt tokens that were in the cache already.
        dropped: messages of the conversation that the prompt leaves out.
        ready_at: when its prompt had been read, as of `time.perf_counter`.
        paused: stands still at a token's border until it is resumed.
    """

    def __init__(
        self,
        reply_id: str,
        session_id: str,
        messages: list[Message],
        prompt: Prompt,
        params: SamplingParams,
        text: ReplyText,
        sink: Sink,
        sent_at: float,
        limit: int,
        constraint: Constraint | None = None,
    ) -> None:
        self.id = reply_id
        self.session_id = session_id
        self.messages = messages
        self.prompt = prompt
        self.params = params
        self.sampler = Sampler(params)
        self.text = text
        self.limit = limit
        self.constraint = constraint
        self.tokens = list(prompt.tokens)
        self.next: Any = None
        self.reused = 0
        self.rebuilt = False
        self.alone = False
        self.dropped = 0
        self.status = Status.QUEUED
        self.queue_position = -1
        self.waiting_since = sent_at
        self.ready_at = 0.0
        self._sink = sink
        self._sent_at = sent_at
        self._first_at = 0.0
        self._last_at = 0.0
        self._paused_at: float | None = None
        self._stood_still = 0.0  # seconds, since the first token

    @property
    def paused(self) -> bool:
        return self._paused_at is not None

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""
        now = time.perf_counter()
        if paused and self._paused_at is None:
            self._paused_at = now
        elif not paused and self._paused_at is not None:
            if self.generated:
                self._stood_still += now - self._paused_at
            self._paused_at = None

    @property
    def index(self) -> int:
        """Which token of the answer is chosen next, counted from the answer's beginning."""
        return self.prompt.answered + self.generated + (self.next is not None)

    @property
    def generated(self) -> int:
        """Tokens generated and read."""
        return len(self.tokens) - len(self.prompt.tokens)

    @property
    def has_begun(self) -> bool:
        """Whether it has a token of its own, be it one that is not read yet."""
        return self.generated > 0 or self.next is not None

    @property
    def awaits_first(self) -> bool:
        """Whether its first token is chosen and not read yet."""
        return self.generated == 0 and self.next is not None

    @property
    def wants_more(self) -> bool:
        """Whether a token has to follow the one that is pending."""
        return self.generated + (self.next is not None) < self.limit

    @property
    def complete(self) -> bool:
        """Whether the answer has ended: by a stop string, or its form admits no more."""
        return self.text.stopped or (self.constraint is not None and self.constraint.complete)

    def progress(self, done: int, position: int) -> None:
        """Tell how far the prompt has been read, and how many are read before it."""
        if self.generated:
            return  # a cache being made anew in mid-answer is no news
        self.queue_position = position
        self._sink(
            PromptProgress(
                self.session_id,
                self.id,
                done,
                len(self.prompt.tokens),
                self.reused,
                position,
                self.status == Status.QUEUED,
            ),
            (),
        )

    def read(self) -> int | None:
        """Wait for the pending token and give its id; None when the prompt's last is pending."""
        if self.next is None:
            return None
        token = int(self.next.item())
        self.next = None
        return token

    def accept(self, token: int) -> None:
        """Take a token that has been read: count it, time it, tell its text."""
        deltas = self.text.add(token)  # first: a token whose text fails was never given
        if self.constraint is not None:
            self.constraint.accept(token)
        self._last_at = time.perf_counter()
        if not self.generated:
            self._first_at = self._last_at
        self.tokens.append(token)
        self._tell(deltas, (token,))

    def flush(self) -> None:
        """Tell the text that was held back, now that no more comes."""
        self._tell(self.text.finish())

    def finish(self, reason: FinishReason) -> None:
        """End as asked; the last event."""
        if self.status == Status.FINISHED:
            return
        self.status = Status.FINISHED
        self._sink(Finished(self.session_id, self.id, reason, self.stats()), ())

    def fail(self, code: str, message: str) -> None:
        """End with an error; the last event."""
        if self.status == Status.FINISHED:
            return
        self.status = Status.FINISHED
        self._sink(Failed(self.session_id, self.id, code, message), ())

    def stats(self) -> ReplyStats:
        """What the reply has cost so far."""
        decode = max(0.0, self._last_at - self._first_at - self._stood_still)
        return ReplyStats(
            prompt_tokens=len(self.prompt.tokens),
            reused_tokens=self.reused,
            generated_tokens=self.generated,
            ttft_s=self._first_at - self._sent_at if self.generated else 0.0,
            decode_s=decode,
            tokens_per_s=(self.generated - 1) / decode if decode > 0 else 0.0,
            rebuilt=self.rebuilt,
            dropped_messages=self.dropped,
        )

    def _tell(self, deltas: list[Delta], tokens: tuple[int, ...] = ()) -> None:
        for text, kind in deltas:
            self._sink(TextDelta(self.session_id, self.id, text, kind), tokens)
            tokens = ()
        if tokens:  # a token without text yet still counts: an empty delta carries it
            self._sink(TextDelta(self.session_id, self.id, "", "answer"), tokens)


@dataclass(eq=False)  # the same only as itself
class SessionState:
    """One isolated conversation.

    Attributes:
        history: the messages so far, the session's system message not among them.
        estimate: what its caches cost in bytes.
        kv_bits: the bits that keys and values are kept in; None for the model's own type.
        on_overflow: what happens to a conversation that has outgrown the model's context.
        named: its id is the caller's, who may open it again after a restart.
        scratch: it is for one reply only, and ends with it.
        priority: whose prompts and whose waiting come first; 0 is usual.
        gone: the oldest messages, which did not fit any more when they were last sent.
        reply: the one being given, if any.
        used_at: when it last worked, for deciding whose cache goes first under memory pressure.
    """

    id: str
    model: LoadedModel
    system: str | None
    reproducible: bool
    reasoning: bool | None
    kv: SessionKV
    estimate: MemoryEstimate
    kv_bits: int | None = None
    on_overflow: Overflow = "refuse"
    scratch: bool = False
    named: bool = False
    history: list[Message] = field(default_factory=list)
    priority: int = 0
    gone: list[Message] = field(default_factory=list)
    reply: ReplyState | None = None
    used_at: float = field(default_factory=time.monotonic)

    @property
    def reply_status(self) -> Status:
        """Where its reply is; `FINISHED` also when there is none."""
        return self.reply.status if self.reply is not None else Status.FINISHED

    @property
    def is_running(self) -> bool:
        """Whether its reply has been admitted and not ended, be it paused."""
        return self.reply_status in (Status.PREFILLING, Status.DECODING)

    @property
    def paused(self) -> bool:
        """Whether its reply stands still."""
        return self.reply is not None and self.reply.paused

    @property
    def kind(self) -> tuple[object, ...]:
        """Sessions of the same kind can go on from each other's caches."""
        return (self.model.info.id, self.kv_bits)

    def conversation(self, prompt: list[Message] | str) -> list[Message]:
        """The messages of the next turn: a text goes after the history, a list replaces it."""
        if isinstance(prompt, str):
            messages = [*self.history, {"role": "user", "content": prompt}]
        else:
            messages = prompt
        if self.system and messages[0]["role"] != "system":
            messages = [{"role": "system", "content": self.system}, *messages]
        return messages

    def conclude(self, reply: ReplyState, reason: FinishReason) -> None:
        """Keep what a reply that ended as asked adds to the conversation."""
        if reason == FinishReason.CANCELLED and not reply.generated:
            return  # as if it had not been asked
        parts = reply.text.parts
        answer: Message = {"role": "assistant", "content": parts["answer"]}
        if parts["tool"]:
            # The model must find its own call again, in its place and framed as it wrote it.
            answer["content"] = reply.text.without_reasoning
        if parts["reasoning"]:
            answer["reasoning_content"] = parts["reasoning"]
        messages = reply.messages
        if reply.prompt.continues:
            messages = messages[:-1]  # the answer holds all of it
        if self.system and messages[0] == {"role": "system", "content": self.system}:
            messages = messages[1:]
        self.history = [*messages, answer]
        if reply.text.stopped:
            # The stop string is cut from the text but not from the tokens: they do not match.
            self.kv.ledger = reply.prompt.ledger("", [])
        else:
            generated = reply.tokens[len(reply.prompt.tokens) :]
            self.kv.ledger = reply.prompt.ledger(reply.text.raw, generated)
