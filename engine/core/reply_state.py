"""One answer in the making, as the engine thread knows it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from engine.messages import (
    CallEvent,
    Failed,
    Finished,
    FinishReason,
    Message,
    PromptProgress,
    ReplyStats,
    Sink,
    TextDelta,
    TokenOdds,
    ToolCallDelta,
    ToolCallFailed,
    ToolCallFinished,
    ToolCallStarted,
)
from engine.model.constraint import Constraint
from engine.model.odds import Odds
from engine.model.sampling import Sampler
from engine.params import SamplingParams
from engine.scheduling.view import Status
from engine.text.calling import Told
from engine.text.prompt import Prompt
from engine.text.text import Delta, ReplyText

log = logging.getLogger(__name__)

PROMISED = 2048
"""Tokens for which an answer without a limit is promised memory at a time. Were it promised all of
the context, few such answers would fit beside each other."""


@dataclass(frozen=True)
class Prepared:
    """What a worker has made of a request: all that a reply needs before it may begin.

    Attributes:
        messages: the whole conversation, without the messages in `gone`.
        gone: the oldest messages, which the prompt leaves out.
        tokens: of the prompt, in a list to which the answer's are added.
        longest: the most tokens that the answer may have.
        constraint: binds the answer to the form that was asked for.
    """

    messages: list[Message]
    gone: list[Message]
    prompt: Prompt
    tokens: list[int]
    text: ReplyText
    longest: int
    constraint: Constraint | None = None


class ReplyState:
    """One answer in the making.

    It is there from the moment it is asked for; `begin` gives it its prompt.

    Attributes:
        prompt: the prompt, None until a worker has prepared it. So are `text` and `messages`.
        tokens: the prompt and everything generated and read so far.
        next: the lazy id after `tokens`, sampled but not read yet; None until there is one.
        limit: the most tokens that it may have, as far as memory is promised to it.
        longest: the most tokens that it may ever have.
        asked_for_more: version of the memory at which it was looked whether it may be longer.
        odds: how probable its tokens were; None where nobody asked.
        tells_calls: tools were offered, so its calls are told.
        reused: prompt tokens that were in the cache already.
        rebuilt: the cache had been dropped and is made anew by prefill.
        restored: its caches came from disk, and no pass over them has failed yet.
        alone: a shared pass has failed with it, so it steps in passes of its own.
        adopts: it may take over what others have read; False after that has failed once.
        dropped: messages of the conversation that the prompt leaves out.
        waiting_since: when its prompt began to wait, as of `time.perf_counter`.
        ready_at: when its prompt had been read, on the same clock.
        queue_position: what was told last of the prompts before it; -1 for nothing yet.
    """

    def __init__(
        self,
        reply_id: str,
        session_id: str,
        params: SamplingParams,
        sink: Sink,
        sent_at: float,
        tells_calls: bool = False,
    ) -> None:
        self.id = reply_id
        self.session_id = session_id
        self.params = params
        self.sampler = Sampler(params)
        self.messages: list[Message] = []
        self.prompt: Prompt | None = None
        self.text: ReplyText | None = None
        self.constraint: Constraint | None = None
        self.limit = self.longest = 0
        self.asked_for_more = -1
        self.odds = Odds(params.logprobs) if params.logprobs is not None else None
        self.tells_calls = tells_calls
        self._reasoned = 0
        self.tokens: list[int] = []
        self.next: Any = None
        self.reused = 0
        self.rebuilt = False
        self.restored = False
        self.alone = False
        self.adopts = True
        self.dropped = 0
        self.status = Status.PREPARING
        self.queue_position = -1
        self.waiting_since = sent_at
        self.ready_at = 0.0
        self._sink = sink
        self._sent_at = sent_at
        self._first_at = 0.0
        self._last_at = 0.0
        self._paused_at: float | None = None
        self._stood_still = 0.0  # seconds, since the first token

    def begin(self, prepared: Prepared) -> None:
        """Take what was prepared; from now on the reply waits for memory."""
        self.messages = prepared.messages
        self.prompt = prepared.prompt
        self.text = prepared.text
        self.longest = self.limit = prepared.longest
        if self.params.max_tokens is None:
            self.limit = min(self.longest, PROMISED)
        self.constraint = prepared.constraint
        self.dropped = len(prepared.gone)
        self.tokens = prepared.tokens
        self.status = Status.QUEUED

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt; 0 while it is being prepared."""
        return len(self.prompt.tokens) if self.prompt is not None else 0

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
        begun = self.prompt.answered if self.prompt is not None else 0
        return begun + self.generated + (self.next is not None)

    @property
    def generated(self) -> int:
        """Tokens generated and read."""
        return len(self.tokens) - self.prompt_length

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
        """Whether the answer has ended: by a stop string, its only call, or as its form wants."""
        stopped = self.text is not None and (self.text.stopped or self.text.called_enough)
        return stopped or (self.constraint is not None and self.constraint.complete)

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
                self.prompt_length,
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
        assert self.text is not None
        before, heading = self.text.kind, self.text.in_header
        deltas = self.text.add(token)  # first: a token whose text fails was never given
        if self.constraint is not None:
            self.constraint.accept(token)
        self._last_at = time.perf_counter()
        if not self.generated:
            self._first_at = self._last_at
        self.tokens.append(token)
        self._reasoned += before == "reasoning" and not heading
        odds: tuple[TokenOdds, ...] = ()
        if self.odds is not None:
            known = self.odds.take(token, self.text.detokenizer)
            # Markers and what they frame is no part of the answer.
            odds = (known,) if before == self.text.kind == "answer" else ()
        self._tell(deltas, (token,), odds)

    def flush(self, ended: bool) -> None:
        """Tell what was held back. `ended`: the model ended its turn, and was not cut off."""
        if self.text is not None:
            self._tell(self.text.finish(ended), over=True)

    def finish(self, reason: FinishReason, message: Message | None = None) -> None:
        """End as asked; the last event. `message` is what the session keeps of it."""
        if self.status == Status.FINISHED:
            return
        stop = self.text.stop if self.text is not None else None
        self._sink(Finished(self.session_id, self.id, reason, self.stats(), stop, message), ())
        self.status = Status.FINISHED  # now that it has been told

    def fail(self, code: str, message: str) -> None:
        """End with an error; the last event."""
        if self.status == Status.FINISHED:
            return
        try:
            self._tell([], over=True)  # a call that has started ends, too
        except BaseException:
            log.exception("the calls of a reply that failed could not be ended")
        self._sink(Failed(self.session_id, self.id, code, message), ())
        self.status = Status.FINISHED

    def stats(self) -> ReplyStats:
        """What the reply has cost so far."""
        decode = max(0.0, self._last_at - self._first_at - self._stood_still)
        return ReplyStats(
            prompt_tokens=self.prompt_length,
            reused_tokens=self.reused,
            generated_tokens=self.generated,
            ttft_s=self._first_at - self._sent_at if self.generated else 0.0,
            decode_s=decode,
            tokens_per_s=(self.generated - 1) / decode if decode > 0 else 0.0,
            rebuilt=self.rebuilt,
            dropped_messages=self.dropped,
            reasoning_tokens=self._reasoned,
        )

    def _tell(
        self,
        deltas: list[Delta],
        tokens: tuple[int, ...] = (),
        odds: tuple[TokenOdds, ...] = (),
        over: bool = False,
    ) -> None:
        for text, kind in deltas:
            self._sink(TextDelta(self.session_id, self.id, text, kind, odds), tokens)
            tokens, odds = (), ()
        if tokens:  # a token without text yet still counts: an empty delta carries it
            self._sink(TextDelta(self.session_id, self.id, "", "answer", odds), tokens)
        if self.tells_calls and self.text is not None:
            for told in self.text.calls_told(over):
                self._sink(self._call_event(told), ())

    def _call_event(self, told: Told) -> CallEvent:
        mine = (self.session_id, self.id, told.id)
        if told.kind == "started":
            return ToolCallStarted(*mine, told.name)
        if told.kind == "delta":
            return ToolCallDelta(*mine, told.text)
        if told.kind == "finished":
            return ToolCallFinished(*mine, told.name, told.text)
        return ToolCallFailed(*mine, told.name, told.text, told.message)
