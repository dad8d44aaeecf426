"""Requests, i.e. the life of a reply on the engine thread, and sessions."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property

import mlx.core as mx
from msgspec import Struct, field

from engine.cache import shared_prefix
from engine.cache.estimate import MemoryEstimate
from engine.cache.ledger import (
    TOKEN_BYTES,
    CacheKey,
    CacheOffer,
    Ledger,
    common_length,
    pack_tokens,
)
from engine.cache.offload import kv_fingerprint
from engine.cache.prefix_index import PrefillingSession
from engine.cache.session_kv import CacheBytes, SessionKV
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
"""Number of tokens by which the allowance of an answer without a limit is extended.

If the allowance were the whole context, few such answers would fit in memory together.
"""

EARLY_TOKENS = 256
"""Number of tokens before the end of its allowance at which an answer requests an extension."""


class PreparedRequest(Struct, frozen=True):
    """Results of preparing a request in a worker: everything a reply needs to start."""

    messages: list[Message]  # the whole conversation, except messages in `omitted`
    omitted: list[Message]  # oldest messages, which the prompt omits
    prompt: Prompt
    tokens: list[int]  # prompt tokens, followed by the answer's tokens
    text: ReplyText
    longest: int  # maximum number of answer tokens
    ledger: Ledger  # text represented by the session's tokens, including this prompt
    constraint: Constraint | None = None  # grammar of the requested form
    images: Sequence[PlacedImage] = ()  # images with their positions in the prompt


_MAX_CHARACTER_TOKENS = 4  # maximum number of tokens per character, i.e. one per UTF-8 byte

TRANSITIONS = {
    Status.PREPARING: {Status.QUEUED},
    Status.QUEUED: {Status.QUEUED, Status.RESTORING, Status.PREFILLING},
    Status.RESTORING: {Status.QUEUED, Status.PREFILLING},
    Status.PREFILLING: {Status.QUEUED, Status.DECODING},
    Status.DECODING: {Status.QUEUED},
    Status.FINISHED: set(),
}
"""Statuses that can follow each status, besides `FINISHED`. Only faults and a lack of memory return
a request to the queue."""


class Request:
    """Request to a session, from sending until its final event.

    The session keeps the history and the caches, which outlive the request. Its progress is the
    number of its tokens in the caches, which grows by chunks while the prompt is read and by one
    token per step while it is answered.

    Attributes:
        session: the session of the request.
        kv: the session's caches.
        apart: needs separate passes, because it is reproducible or a shared pass with it failed.
        prompt: None until a worker has prepared it, like `text` and `messages`.
        tokens: the prompt, and everything generated and read so far.
        images: images with their positions in the prompt's tokens.
        awaits: digests of images that are still being encoded. Nothing is read until then.
        pending: lazy id of the next token, which MLX is still computing; None if there is none.
        unsampled: logits from which the pending token is sampled once a worker has computed the
            mask of its grammar; None if no worker is computing one.
        prompt_length: tokens of the prompt; 0 while it is being prepared.
        limit: maximum number of answer tokens for which memory is promised.
        longest: maximum number of answer tokens.
        keeps: length of a prefix of its prompt that others can use, until the next pass; or 0.
        odds: log probabilities of its tokens; None if not requested.
        tells_calls: tools were offered, so its calls are reported.
        reused: prompt tokens that were already in the caches.
        rebuilt: the caches were dropped, and are rebuilt by prefill.
        restored: its caches came from disk, and no pass with them has failed.
        adopts: may copy caches of others; False after one failure.
        ended: set after the final event; workers may check it.
        offered: latest offer of caches to copy, and the state for which it was found.
        dropped: messages of the conversation that the prompt leaves out.
        ending: cancel it as soon as its answer may be cut.
        waiting_since: time at which its prompt started to wait, by `time.perf_counter`.
        ready_at: time at which its prompt was completely read, on the same clock.
        queue_position: last reported number of prompts before it; -1 if not reported yet.
        repeated: length in tokens of a repetition in its answer; 0 if there is none.
    """

    def __init__(
        self,
        reply_id: str,
        session: SessionState,
        params: SamplingParams,
        sink: Sink,
        sent_at: float,
        tells_calls: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.id = reply_id
        self.session = session
        self.kv = session.kv
        self.apart = session.reproducible
        self.params = params
        self.sampler = Sampler(params)
        self.messages: list[Message] = []
        self.prompt: Prompt | None = None
        self.text: ReplyText | None = None
        self.constraint: Constraint | None = None
        self.prompt_length = self.limit = self.longest = 0
        self.prefix_to_keep = 0
        self.odds = Odds(params.logprobs) if params.logprobs is not None else None
        self.tells_calls = tells_calls
        self.repeated = 0
        self._detector: RepetitionDetector | None = None
        self._reasoned = 0
        self.tokens: list[int] = []
        self.images: Sequence[PlacedImage] = ()
        self.awaits: set[str] = set()
        self.pending: mx.array | None = None
        self.unsampled: PendingLogits | None = None
        self.next_is_nan: mx.array | None = None
        self._pending_is_nan: mx.array | None = None
        self.reused = 0
        self.rebuilt = False
        self.restored = False
        self.adopts = True
        self.offered: tuple[object, CacheOffer | None] = (None, None)
        self._packed = b""
        self.dropped = 0
        self.ending = False
        self.status = Status.PREPARING
        self.ended = threading.Event()
        self.queue_position = -1
        self.waiting_since = sent_at
        self.ready_at = 0.0
        self._sink = sink
        self._clock = clock
        self._sent_at = sent_at
        self._first_at = 0.0
        self._last_at = 0.0
        self.paused = False
        self._paused_at = 0.0
        self._paused_s = 0.0  # seconds paused since the first token

    def enqueue(self, prepared: PreparedRequest) -> None:
        """Store the prepared prompt and start waiting for memory."""
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
        self.images = prepared.images
        if self.params.stop_repetition and not self.params.is_constrained:
            decode = self.session.model.text.tokenizer.decode
            self._detector = RepetitionDetector(decode, _question(self.messages))
        self.move(Status.QUEUED)

    def move(self, status: Status) -> None:
        """Change to one of the statuses allowed by `TRANSITIONS`."""
        if status not in TRANSITIONS[self.status]:
            raise RuntimeError(f"a request that is {self.status.name} cannot be {status.name}")
        self.status = status

    @property
    def uncomputed(self) -> int:
        """Number of tokens that haven't been computed. The last one gives the next token."""
        return len(self.tokens) - self.kv.length

    @property
    def unread(self) -> int:
        """Number of prompt tokens to read before the last one."""
        return max(0, self.uncomputed - 1)

    @property
    def lost_tokens(self) -> int:
        """Number of tokens lost to a rejected draft, which the next step has to feed again."""
        if self.status != Status.DECODING:
            return 0
        return self.uncomputed if self.pending is not None else self.unread

    @property
    def is_running(self) -> bool:
        """True if the request was admitted and hasn't ended. It may be paused."""
        return self.status in RUNNING

    @property
    def is_suspended(self) -> bool:
        """True while the request is paused, or waits for a worker or an image. It isn't part of any
        pass then."""
        return self.paused or bool(self.awaits) or self.unsampled is not None

    @cached_property
    def places(self) -> MatchSearch:
        """Search for earlier occurrences of the latest tokens."""
        return MatchSearch(self.tokens)

    @property
    def packed(self) -> bytes:
        known = len(self._packed) // TOKEN_BYTES
        if known < len(self.tokens):
            self._packed += pack_tokens(self.tokens[known:])
        return self._packed

    def pause(self, paused: bool) -> None:
        now = self._clock()
        if paused and not self.paused:
            self._paused_at = now
        elif self.paused and not paused and self.generated:
            self._paused_s += now - self._paused_at
        self.paused = paused

    @property
    def index(self) -> int:
        """Index of the next token to sample in the answer."""
        answered = self.prompt.answered if self.prompt is not None else 0
        return answered + self.generated + (self.pending is not None)

    @property
    def generated(self) -> int:
        """Number of tokens generated and processed."""
        return len(self.tokens) - self.prompt_length

    @property
    def complete(self) -> bool:
        """True if a stop string, its only call, or its grammar has ended the answer."""
        text, constraint = self.text, self.constraint
        stopped = text is not None and (text.stop is not None or text.has_enough_calls)
        return stopped or (constraint is not None and constraint.complete)

    @property
    def is_whole(self) -> bool:
        """True if the answer can be cut here, i.e. not inside a character, marker, or tool call."""
        if self.text is None or not self.generated:
            return True
        last = self.tokens[-min(self.generated, _MAX_CHARACTER_TOKENS) :]
        shown = self.session.model.text.tokenizer.decode(last)
        return self.text.can_end and not shown.endswith("\ufffd")

    def progress(self, done: int, position: int) -> None:
        """Report the number of prompt tokens read, and the number of prompts ahead in the queue."""
        if self.generated:
            return  # don't report rebuilding a cache in the middle of an answer
        self.queue_position = position
        self._sink(
            PromptProgress(
                self.session.id,
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
        """Wait for the pending token and return its id, or None if there is none."""
        if self.pending is None:
            return None
        token, self.pending = token_id(self.pending), None
        return token

    def await_token(self, pending: mx.array | None) -> None:
        self.pending = pending
        self._pending_is_nan, self.next_is_nan = self.next_is_nan, None

    def check_numbers(self) -> None:
        """Check that the last pending token was sampled from valid numbers.

        Raises:
            EngineError: `model_load_failed` if they are NaN.
        """
        flag, self._pending_is_nan = self._pending_is_nan, None
        if flag is not None and bool(flag.item()):
            raise nan_error()

    def accept(self, token: int) -> None:
        """Count and time a processed token, and report its text."""
        assert self.text is not None  # generation starts after the prompt is prepared
        before, heading = self.text.kind, self.text.in_header
        # Do this first, so that a token isn't counted if its text can't be decoded.
        deltas = self.text.add(token)
        if self.constraint is not None:
            self.constraint.accept(token)
        self._last_at = self._clock()
        if not self.generated:
            self._first_at = self._last_at
        self.tokens.append(token)
        self._reasoned += before == "reasoning" and not heading
        odds: tuple[TokenOdds, ...] = ()
        if self.odds is not None:
            known = self.odds.pop_odds(token, self.text.detokenizer)
            # Markers and the text between them aren't part of the answer.
            odds = (known,) if before == self.text.kind == "answer" else ()
        self._send_deltas(deltas, (token,), odds)
        if self._detector is not None and self.text.can_end:
            text = self.text
            self.repeated = self._detector.repeated_tokens(
                self.tokens, self.prompt_length, lambda: text.parts["answer"]
            )

    def flush(self, ended: bool) -> None:
        """Report text that was held back. `ended` is True if the model ended its turn."""
        if self.text is not None:
            self._send_deltas(self.text.finish(ended), over=True)

    def finish(self, reason: FinishReason, message: Message | None = None) -> None:
        """Send the final event of a normal end. `message` is stored in the session."""
        if self.status == Status.FINISHED:
            return
        stop = self.text.stop if self.text is not None else None
        self._sink(Finished(self.session.id, self.id, reason, self.stats(), stop, message), ())
        self._end()  # must follow the final event

    def fail(self, code: str, message: str, reason: str = "") -> None:
        """Send an error as the final event."""
        if self.status == Status.FINISHED:
            return
        try:
            self._send_deltas([], over=True)  # also end a call that has started
        except BaseException:
            log.exception("cannot end the tool calls of a failed reply")
        self._sink(Failed(self.session.id, self.id, code, message, reason), ())
        self._end()

    def _end(self) -> None:
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

    @property
    def slack(self) -> int:
        """Allocated bytes that won't be needed, because caches grow in steps."""
        needed = self.session.estimate.bytes(self.prompt_length + self.limit)
        return self._cache_bytes(self.limit) - needed

    @property
    def growth(self) -> int | None:
        """Bytes needed to extend the limit, or None if an extension isn't due or allowed."""
        if self.limit >= self.longest or self.generated + EARLY_TOKENS <= self.limit:
            return None
        longer = min(self.longest, self.limit + EXTENSION_TOKENS)
        return self._cache_bytes(longer) - self._cache_bytes(self.limit)

    @property
    def at_limit(self) -> bool:
        """True if the pending token is the last token within the limit."""
        return self.generated + 2 > self.limit

    def extend(self, full: bool) -> None:
        """Raise the limit by `EXTENSION_TOKENS` if `full` is set, else by `EARLY_TOKENS`."""
        self.limit = min(self.longest, self.limit + (EXTENSION_TOKENS if full else EARLY_TOKENS))

    def _cache_bytes(self, limit: int) -> int:
        """Return the bytes of the caches at a limit, or the allocated bytes if that's more."""
        kv, longest, estimate = self.kv, self.prompt_length + limit, self.session.estimate
        if kv.slots is not None:
            return max(kv.slots.nbytes_each, estimate.bytes(longest))
        return estimate.bytes(max(kv.capacity, longest))

    @property
    def _image_bytes(self) -> int:
        """Bytes of image embeddings that haven't been computed yet."""
        vision, length = self.session.model.vision, self.kv.length
        if vision is None:
            return 0
        unread = {s.digest: s for at, s in self.images if at + len(s.ids) > length}
        return sum(vision.expected_bytes(s) for d, s in unread.items() if d not in vision.cached)

    @property
    def promise(self) -> CacheBytes:
        """Bytes of the caches at the reply's maximum length."""
        kv = self.kv
        nbytes = self._cache_bytes(self.limit) + (self._image_bytes if self.images else 0)
        shared = kv.shared_prefix
        if shared is None:
            return CacheBytes(nbytes)
        base = kv.shared_prefix_length
        if not self.is_running:  # the prompt may reuse just a part of the prefix, or nothing
            base = min(base, common_length(kv.tokens[:base], self.tokens))
            if base < shared_prefix.MIN_TOKENS:
                return CacheBytes(nbytes)
        others = shared.bytes_per_token * base
        return CacheBytes(max(0, nbytes - others), shared.number, shared.nbytes)

    @property
    def reader(self) -> PrefillingSession:
        """Description of this request for the prefix index."""
        session, prompt = self.session, self.prompt
        if prompt is None:
            raise RuntimeError("a prompt that is still being prepared cannot be read")
        return PrefillingSession(
            session.kind,
            session.kv,
            self.tokens,
            self.packed,
            prompt.boundary,
            prompt.system,
            session.reproducible,
        )

    def conclude(self, reason: FinishReason) -> Message | None:
        """Add the turn's messages to the session, and return the answer's message."""
        session, prompt, text = self.session, self.prompt, self.text
        if prompt is None or text is None:
            return None  # canceled while the prompt was being prepared
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
        if text.stop is not None:
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
        over: bool = False,
    ) -> None:
        for text, kind in deltas:
            self._sink(TextDelta(self.session.id, self.id, text, kind, odds), tokens)
            tokens, odds = (), ()
        if tokens:  # report a token without text with an empty delta
            self._sink(TextDelta(self.session.id, self.id, "", "answer", odds), tokens)
        if self.tells_calls and self.text is not None:
            for update in self.text.call_updates(over):
                self._sink(self._call_event(update), ())

    def _call_event(self, update: ToolCallUpdate) -> CallEvent:
        mine = (self.session.id, self.id, update.id)
        if update.kind == "started":
            return ToolCallStarted(*mine, update.name)
        if update.kind == "delta":
            return ToolCallDelta(*mine, update.text)
        if update.kind == "finished":
            return ToolCallFinished(*mine, update.name, update.text)
        return ToolCallFailed(*mine, update.name, update.text, update.message, update.arguments)


def _question(messages: Sequence[Message]) -> str:
    """Return the text of the user's last message, without attached files."""
    question = next((m for m in reversed(messages) if m["role"] == "user"), {})
    content = question.get("content")
    if isinstance(content, (list, tuple)):
        texts = [part.get("text") for part in content]
        return " ".join(text for text in texts if isinstance(text, str))
    return str(content or "")


class SessionState(Struct, eq=False, dict=True):  # compared by identity
    """State of a conversation."""

    id: str
    model: LoadedModel
    system: str | None
    reproducible: bool
    reasoning: bool | None
    kv: SessionKV
    estimate: MemoryEstimate  # estimated size of the caches
    # Precision of keys and values in the caches, or None for the model's own dtype.
    kv_bits: int | None = None
    on_overflow: Overflow = "refuse"  # reaction if the conversation exceeds the context
    context: int | None = None  # limit set by the caller, or None for the model's limit
    scratch: bool = False  # the session is for a single question and ends after its reply
    named: bool = False  # the caller chose the id, and may reopen the session after a restart
    # Messages so far, without the session's system message.
    history: list[Message] = field(default_factory=list)
    priority: int = 0  # requests with a higher priority are first; 0 is the default
    # See `Session.prioritise`.
    program: str = ""
    share: float = 0.0
    # Oldest messages, which didn't fit into the latest prompt.
    omitted: list[Message] = field(default_factory=list)
    request: Request | None = None
    # Sessions only share caches within a domain. Otherwise, cache hits would reveal prompts from
    # other domains.
    domain: str = ""
    begins_as: str = ""  # id of a session whose file is used if this session has no file
    # Date and time for the template, in seconds since 1970. Changes once per day, so that prompts
    # with the time keep the same prefix.
    moment: float = 0.0
    # Time of the last use, for choosing caches to evict.
    used_at: float = field(default_factory=time.monotonic)

    @cached_property
    def key(self) -> CacheKey:
        return CacheKey("session", self.id)

    @property
    def context_length(self) -> int:
        """Maximum number of tokens of a prompt and its answer together."""
        most = self.model.info.context_length
        return min(most, self.context) if self.context is not None else most

    def present(self) -> float:
        """Return the current time for a new prompt."""
        now = time.time()
        if date.fromtimestamp(self.moment) != date.fromtimestamp(now):
            self.moment = now
        return self.moment

    @property
    def image_lane(self) -> str:
        """Lane of the workers that read images. Each client or chat has its own lane."""
        return f"images {self.domain or self.id}"

    @property
    def is_running(self) -> bool:
        """True if the session's request was admitted and hasn't ended. It may be paused."""
        return self.request is not None and self.request.is_running

    @property
    def fingerprint(self) -> str:
        """Fingerprint of files with this session's caches."""
        base = kv_fingerprint(self.model.info.id, self.kv_bits)
        # Engine-generated ids are unique, but two domains may choose the same name.
        return f"{base} {self.domain}" if self.named and self.domain else base

    @property
    def kind(self) -> tuple[object, ...]:
        """Key that is equal for sessions that can reuse each other's caches."""
        return (self.model.info.id, self.kv_bits, self.domain)
