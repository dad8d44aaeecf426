"""Requests and sessions on the engine thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

import mlx.core as mx
from msgspec import Struct, field

from engine.cache import shared_prefix
from engine.cache.estimate import MemoryEstimate
from engine.cache.ledger import CacheKey, CacheOffer, Ledger, common_length
from engine.cache.offload import kv_fingerprint
from engine.cache.prefix_index import PrefillingSession
from engine.cache.session_kv import SessionKV
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
from engine.model.loaded_model import LoadedModel
from engine.model.prompt_lookup import MatchSearch
from engine.model.runner import PendingLogits
from engine.model.sampling import Odds, Sampler, nan_error, token_id
from engine.model.vision import PlacedImage
from engine.params import SamplingParams
from engine.runtime.plan import RUNNING, Status
from engine.text import contents
from engine.text.prompt import Prompt
from engine.text.repetition import RepetitionDetector
from engine.text.reply_text import ReplyText
from engine.text.splitter import Delta
from engine.text.tool_calls import ToolCallUpdate

log = logging.getLogger(__name__)


EXTENSION_TOKENS = 2048
"""Number of tokens by which the allowance of an answer without a limit is extended. If the whole
context were promised, few such answers would fit in memory together."""

EARLY_TOKENS = 256  # tokens before the end of an allowance at which an extension is requested


class CacheFile(Struct, frozen=True):
    """Match for a session's first prompt in a cache on disk."""

    name: str
    length: int  # number of prompt tokens that the file contains
    continues: bool  # the prompt continues the file's conversation


class PreparedRequest(Struct, frozen=True):
    messages: list[Message]  # the whole conversation, except messages in `omitted`
    omitted: list[Message]  # oldest messages, which the prompt omits
    prompt: Prompt
    tokens: list[int]  # prompt tokens, followed by the answer's tokens
    text: ReplyText
    longest: int  # maximum number of answer tokens
    ledger: Ledger  # text represented by the session's tokens, including this prompt
    constraint: Constraint | None = None  # grammar of the requested form
    images: Sequence[PlacedImage] = ()  # images with their positions in the prompt
    cache_file: CacheFile | None = None


class MemoryNeeds(NamedTuple):
    own: int  # bytes excluding memory that is shared with other sessions
    group: int = 0  # number of the group that shares memory, or 0 for none
    shared: int = 0  # bytes of the group
    slack: int = 0  # part of `own` that is allocated but not needed, because caches grow in steps
    growth: int | None = None  # bytes for an extension; None if it isn't due or allowed


_MAX_CHARACTER_TOKENS = 4  # maximum number of tokens per character, i.e. one per UTF-8 byte

TRANSITIONS = {
    Status.PREPARING: {Status.QUEUED},
    Status.QUEUED: {Status.QUEUED, Status.RESTORING, Status.PREFILLING},
    Status.RESTORING: {Status.PREFILLING},
    Status.PREFILLING: {Status.QUEUED, Status.DECODING},
    Status.DECODING: {Status.QUEUED},
    Status.FINISHED: set(),
}
"""Statuses that can follow each status, besides `FINISHED`."""


class Request:
    """Request to a session, from sending until its final event.

    The session keeps the history and the caches, which outlive the request.
    """

    def __init__(
        self,
        reply_id: str,
        session: SessionState,
        params: SamplingParams,
        sink: Sink,
        sent_at: float,
        reports_calls: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.id = reply_id
        self.session = session
        self.kv = session.kv
        self.status = Status.PREPARING
        # Requires separate passes, because the session is reproducible or a shared pass has failed.
        self.apart = session.reproducible
        self.params = params
        self.sampler = Sampler(params)
        self.odds = Odds(params.logprobs) if params.logprobs is not None else None
        self.reports_calls = reports_calls  # tools were offered, so tool calls are reported

        # Set by `enqueue`, see `PreparedRequest`.
        self.messages: list[Message] = []
        self.prompt: Prompt | None = None
        self.text: ReplyText | None = None
        self.constraint: Constraint | None = None
        self.tokens: list[int] = []
        self.images: Sequence[PlacedImage] = ()
        self.prefilling: PrefillingSession  # description of this request for the prefix index
        self.cache_file: CacheFile | None = None
        self.prompt_length = 0
        self.dropped = 0  # number of messages of the conversation that the prompt leaves out
        self.limit = 0  # maximum number of answer tokens for which memory is promised
        self.longest = 0
        self._detector: RepetitionDetector | None = None

        # Prefill.
        # Digests of images to encode before the prompt is read.
        self.awaited_images: set[str] = set()
        self.reused = 0  # prompt tokens that were already in the caches
        self.rebuilt = False  # the caches were dropped, and are rebuilt by prefill
        self.restored = False  # the caches came from disk, and no pass with them has failed
        self.can_adopt = True  # may copy caches of other sessions; False after a failure
        # Latest offer of caches to copy, and the state for which it was found.
        self.latest_offer: tuple[object, CacheOffer | None] = (None, None)
        self.prefix_to_keep = 0  # see `Row`; reset by each pass
        self.queue_position = -1  # last reported number of prompts ahead; -1 if not reported yet

        # Decoding.
        self.generated = 0  # number of tokens generated and processed
        self.pending: mx.array | None = None  # id of the next token, which MLX may still compute
        # Logits to sample from once a worker has computed the mask of the grammar.
        self.unsampled: PendingLogits | None = None
        self.next_is_nan: mx.array | None = None  # see `DecodeRequest`
        self._pending_is_nan: mx.array | None = None
        self.repeated = 0  # length in tokens of a repetition in the answer; 0 if there is none
        self.paused = False
        self.cancels_when_whole = False  # cancel the reply as soon as the answer can be cut
        self.ended = threading.Event()  # set after the final event; workers may check it

        # Times on the clock of the mailbox, in seconds.
        self.waiting_since = sent_at  # start of the wait for prefill or memory
        self.ready_at = 0.0  # time at which the prompt was completely read
        self._sink = sink
        self._clock = clock
        self._sent_at = sent_at
        self._first_at = self._last_at = 0.0
        self._paused_at = 0.0
        self._paused_s = 0.0  # seconds paused since the first token
        self._reasoned = 0

    def enqueue(self, prepared: PreparedRequest) -> None:
        self.messages = prepared.messages
        self.prompt = prepared.prompt
        self.prompt_length = len(prepared.prompt.tokens)
        self.text = prepared.text
        self.longest = self.limit = prepared.longest
        if self.params.max_tokens is None:
            self.limit = min(self.longest, EXTENSION_TOKENS)
        self.constraint = prepared.constraint
        self.dropped = len(prepared.omitted)
        self.tokens = prepared.tokens
        self.images, self.cache_file = prepared.images, prepared.cache_file
        session, prompt = self.session, prepared.prompt
        self.prefilling = PrefillingSession(
            session.kind,
            self.kv,
            self.tokens,
            prompt.boundary,
            prompt.system,
            session.reproducible,
        )
        if self.params.stop_repetition and not self.params.is_constrained:
            decode = session.model.text.tokenizer.decode
            self._detector = RepetitionDetector(decode, _question(self.messages))
        self.move(Status.QUEUED)

    def move(self, status: Status) -> None:
        if status not in TRANSITIONS[self.status]:
            raise RuntimeError(f"a request that is {self.status.name} cannot be {status.name}")
        self.status = status

    @property
    def unread(self) -> int:
        """Number of prompt tokens to read before the last one, which the first step feeds."""
        return max(0, len(self.tokens) - self.kv.length - 1)

    @cached_property
    def match_search(self) -> MatchSearch:
        return MatchSearch(self.tokens)

    def pause(self, paused: bool) -> None:
        now = self._clock()
        if paused and not self.paused:
            self._paused_at = now
        elif self.paused and not paused and self.generated:
            self._paused_s += now - self._paused_at
        self.paused = paused

    @property
    def index(self) -> int:
        answered = self.prompt.answered if self.prompt is not None else 0
        return answered + self.generated + (self.pending is not None)

    @property
    def is_whole(self) -> bool:
        """True if the answer can be cut here, not inside a character, marker or tool call."""
        if self.text is None or not self.generated:
            return True
        last = self.tokens[-min(self.generated, _MAX_CHARACTER_TOKENS) :]
        last_text = self.session.model.text.tokenizer.decode(last)
        return self.text.can_end and not last_text.endswith("\ufffd")

    def progress(self, tokens_read: int, position: int) -> None:
        if self.generated:
            return  # don't report rebuilding a cache in the middle of an answer
        self.queue_position = position
        self._sink(
            PromptProgress(
                self.session.id,
                self.id,
                tokens_read,
                self.prompt_length,
                self.reused,
                position,
                self.status == Status.QUEUED,
            ),
            (),
        )

    def take_token(self) -> int | None:
        if self.pending is None:
            return None
        token, self.pending = token_id(self.pending), None
        return token

    def await_token(self, pending: mx.array | None) -> None:
        self.pending = pending
        self._pending_is_nan, self.next_is_nan = self.next_is_nan, None

    def check_not_nan(self) -> None:
        """Check that the logits of the last pending token weren't NaN."""
        flag, self._pending_is_nan = self._pending_is_nan, None
        if flag is not None and bool(flag.item()):
            raise nan_error()

    def accept(self, token: int) -> FinishReason | None:
        """Add a token to the answer, and return the finish reason if the answer ends."""
        if token in self.session.model.text.eos:
            return FinishReason.STOP
        text, constraint = self.text, self.constraint
        assert text is not None  # generation starts after the prompt is prepared
        before, heading = text.splitter.kind, text.splitter.in_header
        # Do this first, so that a token isn't counted if its text cannot be decoded.
        deltas = text.add(token)
        if constraint is not None:
            constraint.accept(token)
        self._last_at = self._clock()
        if not self.generated:
            self._first_at = self._last_at
        self.tokens.append(token)
        self.generated += 1
        self._reasoned += before == "reasoning" and not heading
        odds: tuple[TokenOdds, ...] = ()
        if self.odds is not None:
            token_odds = self.odds.pop_odds(token, text.detokenizer)
            # Markers and the text between them aren't part of the answer.
            odds = (token_odds,) if before == text.splitter.kind == "answer" else ()
        self._send_deltas(deltas, (token,), odds)
        if self._detector is not None and text.can_end:
            self.repeated = self._detector.repeated_tokens(
                self.tokens, self.prompt_length, lambda: text.parts["answer"]
            )
        formed = constraint is not None and constraint.complete
        if formed or text.splitter.stop is not None or text.tracker.has_enough:
            return FinishReason.STOP
        if self.cancels_when_whole and self.is_whole:
            return FinishReason.CANCELLED
        if self.generated < self.limit and not self.repeated:
            return None
        extendable = self.limit < self.longest and not self.repeated
        return FinishReason.MEMORY if extendable else FinishReason.LENGTH

    def finish(self, reason: FinishReason, message: Message | None = None) -> None:
        if self.status == Status.FINISHED:
            return
        stop = self.text.splitter.stop if self.text is not None else None
        self._sink(Finished(self.session.id, self.id, reason, self.stats(), stop, message), ())
        self.status = Status.FINISHED  # must follow the final event
        self.ended.set()

    def fail(self, code: str, message: str, reason: str = "") -> None:
        if self.status == Status.FINISHED:
            return
        try:
            self._send_deltas([], is_over=True)  # also end a call that has started
        except BaseException:
            log.exception("cannot end the tool calls of a failed reply")
        self._sink(Failed(self.session.id, self.id, code, message, reason), ())
        self.status = Status.FINISHED
        self.ended.set()

    def stats(self) -> ReplyStats:
        decode = max(0.0, self._last_at - self._first_at - self._paused_s)
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
            repeated_tokens=self.repeated,
        )

    def extend(self, full: bool) -> None:
        self.limit = min(self.longest, self.limit + (EXTENSION_TOKENS if full else EARLY_TOKENS))

    @property
    def _image_bytes(self) -> int:
        vision, length = self.session.model.vision, self.kv.length
        if vision is None:
            return 0
        unread = {s.digest: s for at, s in self.images if at + len(s.ids) > length}
        return sum(vision.expected_bytes(s) for d, s in unread.items() if d not in vision.cached)

    def memory_needs(self) -> MemoryNeeds:
        kv, estimate = self.kv, self.session.estimate
        allocated = (
            kv.slot_buffer.nbytes_each
            if kv.slot_buffer is not None
            else estimate.bytes(kv.capacity)
        )
        needed_bytes = estimate.bytes(self.prompt_length + self.limit)
        nbytes, growth = max(allocated, needed_bytes), None
        slack = nbytes - needed_bytes
        needs_growth = self.status == Status.DECODING and self.generated + EARLY_TOKENS > self.limit
        if needs_growth and self.limit < self.longest:
            longer = min(self.longest, self.limit + EXTENSION_TOKENS)
            growth = max(allocated, estimate.bytes(self.prompt_length + longer)) - nbytes
        if self.images:
            nbytes += self._image_bytes
        alone, shared = MemoryNeeds(nbytes, slack=slack, growth=growth), kv.shared_prefix
        if shared is None:
            return alone
        base = kv.shared_prefix_length
        if self.status not in RUNNING:  # the prompt may reuse just a part of the prefix, or nothing
            base = min(base, common_length(kv.tokens[:base], self.tokens))
            if base < shared_prefix.MIN_TOKENS:
                return alone
        own_bytes = max(0, nbytes - shared.bytes_per_token * base)
        return MemoryNeeds(own_bytes, shared.number, shared.nbytes, slack, growth)

    def conclude(self, reason: FinishReason) -> Message | None:
        """Report held-back text, add the turn to the session, and return the answer."""
        session, prompt, text = self.session, self.prompt, self.text
        if prompt is None or text is None:
            return None  # canceled while the prompt was being prepared
        self._send_deltas(text.finish(reason == FinishReason.STOP), is_over=True)
        if reason == FinishReason.CANCELLED and not self.generated:
            return None  # treat the message as if it hadn't been sent
        messages = self.messages
        if not messages:
            return None  # a raw prompt isn't part of a conversation
        if prompt.continues:
            messages = messages[:-1]  # the answer contains the whole message, including its start
        if session.system and messages[0] == {"role": "system", "content": session.system}:
            messages = messages[1:]
        message = text.as_message()
        if text.splitter.stop is not None:
            # The stop string was removed from the text, but not from the tokens, so these don't
            # match.
            ledger = prompt.ledger("", [])
        else:
            generated = self.tokens[self.prompt_length :]
            raw = contents.of(session.model.text.tokenizer).insert_in_reply(text.raw, message)
            ledger = prompt.ledger(raw, generated)
        session.history, session.kv.ledger = [*messages, message], ledger
        return message

    def _send_deltas(
        self,
        deltas: list[Delta],
        tokens: tuple[int, ...] = (),
        odds: tuple[TokenOdds, ...] = (),
        is_over: bool = False,
    ) -> None:
        for text, kind in deltas:
            self._sink(TextDelta(self.session.id, self.id, text, kind, odds), tokens)
            tokens, odds = (), ()
        if tokens:  # report a token without text with an empty delta
            self._sink(TextDelta(self.session.id, self.id, "", "answer", odds), tokens)
        if self.reports_calls and self.text is not None:
            for update in self.text.call_updates(is_over):
                self._sink(self._call_event(update), ())

    def _call_event(self, update: ToolCallUpdate) -> CallEvent:
        ids = (self.session.id, self.id, update.id)
        if update.kind == "started":
            return ToolCallStarted(*ids, update.name)
        if update.kind == "delta":
            return ToolCallDelta(*ids, update.text)
        if update.kind == "finished":
            return ToolCallFinished(*ids, update.name, update.text)
        return ToolCallFailed(*ids, update.name, update.text, update.message, update.arguments)


def _question(messages: Sequence[Message]) -> str:
    question = next((m for m in reversed(messages) if m["role"] == "user"), {})
    content = question.get("content")
    if isinstance(content, (list, tuple)):
        texts = [part.get("text") for part in content]
        return " ".join(text for text in texts if isinstance(text, str))
    return str(content or "")


class SessionState(Struct, eq=False, dict=True):  # compared by identity
    """Session on the engine thread. See `OpenSession` for its options."""

    id: str
    model: LoadedModel
    system: str | None
    reproducible: bool
    reasoning: bool | None
    kv: SessionKV
    estimate: MemoryEstimate  # estimated size of the caches
    kv_bits: int | None = None
    on_overflow: Overflow = "refuse"
    context: int | None = None
    one_shot: bool = False
    named: bool = False
    # Messages so far, without the session's system message.
    history: list[Message] = field(default_factory=list)
    # See `Session.prioritise`.
    priority: int = 0
    program: str = ""
    share: float = 0.0
    # Oldest messages, which didn't fit into the latest prompt.
    omitted: list[Message] = field(default_factory=list)
    request: Request | None = None
    domain: str = ""
    # Id of the session's file. Differs from `id` if the session continues a closed session.
    file: str = ""
    # Id of the file to start from if the session's own file is missing.
    fallback_cache_id: str = ""
    # Date and time for the template, in seconds since 1970. Changes once per day, so that prompts
    # that contain the time keep the same prefix.
    moment: float = 0.0
    used_at: float = field(default_factory=time.monotonic)  # for choosing caches to evict

    def __post_init__(self) -> None:
        self.file = self.file or self.id

    @cached_property
    def key(self) -> CacheKey:
        return CacheKey("session", self.id)

    @cached_property
    def context_length(self) -> int:
        limit = self.model.info.context_length
        return min(limit, self.context) if self.context is not None else limit

    def template_time(self) -> float:
        now = time.time()
        if date.fromtimestamp(self.moment) != date.fromtimestamp(now):
            self.moment = now
        return self.moment

    @cached_property
    def image_lane(self) -> str:
        return f"images {self.domain or self.id}"

    @property
    def is_running(self) -> bool:
        """Return True if the session's request was admitted and hasn't ended."""
        return self.request is not None and self.request.status in RUNNING

    @property
    def fingerprint(self) -> str:
        base = kv_fingerprint(self.model.info.id, self.kv_bits)
        if not self.named or not self.domain:
            return base
        # Sessions in a domain start from each other's files. Reproducible sessions only use files
        # of other reproducible sessions, which have the same chunk boundaries.
        return f"{base}{'r' if self.reproducible else ''} {self.domain}"

    @cached_property
    def kind(self) -> tuple[object, ...]:
        """Key of sessions that can reuse each other's caches."""
        return (self.model.info.id, self.kv_bits, self.domain)
