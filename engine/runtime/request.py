"""One answer in the making and its session, as the engine thread knows them."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from engine.kv import shared_prefix
from engine.kv.config_estimate import MemoryEstimate
from engine.kv.held_caches import Part
from engine.kv.ledger import TOKEN_BYTES, CacheKey, Offer, common_prefix, packed
from engine.kv.offload import kv_fingerprint
from engine.kv.prefix_index import Reader
from engine.kv.session_kv import SessionKV
from engine.messages import (
    CallEvent,
    Failed,
    Finished,
    FinishReason,
    Message,
    Overflow,
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
from engine.model.loaded import LoadedModel
from engine.model.sampling import Odds, Sampler
from engine.params import SamplingParams
from engine.runtime.plan import Status
from engine.text import contents
from engine.text.prompt import Prompt
from engine.text.splitter import Delta, ReplyText
from engine.text.tool_calls import Told

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
        offered: what was found last that it may take over, and when: another is found only where
            who holds what has changed since.
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
        self.offered: tuple[object, Offer | None] = (None, None)
        self._packed = b""
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
    def packed(self) -> bytes:
        """All tokens, `packed`."""
        known = len(self._packed) // TOKEN_BYTES
        if known < len(self.tokens):
            self._packed += packed(self.tokens[known:])
        return self._packed

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


@dataclass(eq=False)  # the same only as itself
class SessionState:
    """One isolated conversation.

    Attributes:
        history: the messages so far, the session's system message not among them.
        estimate: what its caches cost in bytes.
        kv_bits: the bits that keys and values are kept in; None for the model's own type.
        on_overflow: what happens to a conversation that has outgrown the context.
        context: tokens that the caller allows; None for as many as the model takes.
        named: its id is the caller's, who may open it again after a restart.
        domain: what it reads is shared with sessions of the same domain alone, and neither how
            much of a prompt was reused nor how fast it was read tells of any other's.
        scratch: it is for one reply only, and ends with it.
        priority: whose prompts and whose waiting come first; 0 is usual.
        gone: the oldest messages, which did not fit any more when they were last sent.
        reply: the one being given, if any.
        moment: the present of its prompts, in seconds since 1970. It stands for the rest of the
            day, so that a template that tells the time begins every prompt with the same text.
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
    context: int | None = None
    scratch: bool = False
    named: bool = False
    history: list[Message] = field(default_factory=list)
    priority: int = 0
    gone: list[Message] = field(default_factory=list)
    reply: ReplyState | None = None
    domain: str = ""
    moment: float = 0.0
    used_at: float = field(default_factory=time.monotonic)

    @cached_property
    def key(self) -> CacheKey:
        """Names its caches among all that there are."""
        return CacheKey("session", self.id)

    @property
    def context_length(self) -> int:
        """The most tokens that a prompt and its answer may have together."""
        most = self.model.info.context_length
        return min(most, self.context) if self.context is not None else most

    def present(self) -> float:
        """The present of a prompt that is made now."""
        now = time.time()
        if date.fromtimestamp(self.moment) != date.fromtimestamp(now):
            self.moment = now
        return self.moment

    @property
    def reply_status(self) -> Status:
        """Where its reply is; `FINISHED` also when there is none."""
        return self.reply.status if self.reply is not None else Status.FINISHED

    @property
    def is_running(self) -> bool:
        """Whether its reply has been admitted and has not ended, be it paused."""
        return self.reply_status in (Status.RESTORING, Status.PREFILLING, Status.DECODING)

    @property
    def remaining(self) -> int:
        """Tokens of the prompt to read before the last one; -1 once that has been fed as well."""
        assert self.reply is not None
        return len(self.reply.tokens) - 1 - self.kv.length

    @property
    def slack(self) -> int:
        """Bytes of its caches that it will not need: they grow in steps, slots for all in them."""
        reply, kv = self.reply, self.kv
        assert reply is not None
        longest, room = reply.prompt_length + reply.limit, kv.capacity
        if kv.slots is None and room <= longest:
            return 0
        held = self.estimate.bytes(room) if kv.slots is None else kv.slots.nbytes_each
        return max(0, held - self.estimate.bytes(longest))

    @property
    def promise(self) -> Part:
        """Bytes of the caches when the reply has become as long as it may."""
        reply, kv = self.reply, self.kv
        assert reply is not None
        whole = self.estimate.bytes(reply.prompt_length + reply.limit) + self.slack
        shared = kv.shared_prefix
        if shared is None:
            return Part(whole)
        base: int = kv.layers[0].base
        if not self.is_running:  # its prompt may go on from less of it, or from nothing
            base = min(base, common_prefix(kv.tokens[:base], reply.tokens))
            if base < shared_prefix.MIN_TOKENS:
                return Part(whole)
        others = shared.nbytes * base // shared.length
        return Part(max(0, whole - others), shared.number, shared.nbytes)

    @property
    def fingerprint(self) -> str:
        """What a cache on disk must be of to be this session's."""
        made = kv_fingerprint(self.model.info.id, self.kv_bits)
        # Ids that the engine makes are nobody else's, but two domains may choose the same name.
        return f"{made} {self.domain}" if self.named and self.domain else made

    @property
    def reader(self) -> Reader:
        """What the prefix cache must know of it while its prompt is read."""
        reply = self.reply
        assert reply is not None
        assert reply.prompt is not None
        return Reader(
            self.kind,
            self.kv,
            reply.tokens,
            reply.packed,
            reply.prompt.boundary,
            reply.prompt.system,
            self.reproducible,
        )

    @property
    def paused(self) -> bool:
        """Whether its reply stands still."""
        return self.reply is not None and self.reply.paused

    @property
    def kind(self) -> tuple[object, ...]:
        """Sessions of the same kind can go on from each other's caches."""
        return (self.model.info.id, self.kv_bits, self.domain)

    def conclude(self, reply: ReplyState, reason: FinishReason) -> Message | None:
        """Keep what a reply that ended as asked adds to the conversation; gives its message."""
        if reason == FinishReason.CANCELLED and not reply.generated:
            return None  # as if it had not been asked
        assert reply.text is not None
        assert reply.prompt is not None
        messages = reply.messages
        if not messages:
            return None  # a prompt that was continued as it stood is no conversation
        if reply.prompt.continues:
            messages = messages[:-1]  # the answer holds all of it
        if self.system and messages[0] == {"role": "system", "content": self.system}:
            messages = messages[1:]
        said = reply.text.said()
        self.history = [*messages, said]
        if reply.text.stopped:
            # The stop string is cut from the text but not from the tokens: they do not match.
            self.kv.ledger = reply.prompt.ledger("", [])
        else:
            generated = reply.tokens[reply.prompt_length :]
            raw = contents.of(self.model.text.tokenizer).written(reply.text.raw, said)
            self.kv.ledger = reply.prompt.ledger(raw, generated)
        return said
