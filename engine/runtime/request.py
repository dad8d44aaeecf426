"""A request: one reply's whole life on the engine thread. And the session that it belongs to."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from datetime import date
from functools import cached_property

import mlx.core as mx
from msgspec import Struct, field

from engine.cache import shared_prefix
from engine.cache.estimate import MemoryEstimate
from engine.cache.ledger import TOKEN_BYTES, CacheKey, Ledger, Offer, common_prefix, packed
from engine.cache.offload import kv_fingerprint
from engine.cache.prefix_index import Reader
from engine.cache.session_kv import Part, SessionKV
from engine.errors import MODEL_LOAD_FAILED, EngineError
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
from engine.model.eyes import Placed
from engine.model.loaded import LoadedModel
from engine.model.lookup import Places
from engine.model.runner import Unsampled
from engine.model.sampling import Odds, Sampler
from engine.params import SamplingParams
from engine.runtime.plan import RUNNING, Status
from engine.text import contents
from engine.text.prompt import Prompt
from engine.text.repetition import RepetitionDetector
from engine.text.reply_text import ReplyText
from engine.text.splitter import Delta
from engine.text.tool_calls import Told

log = logging.getLogger(__name__)


PROMISED = 2048
"""Tokens for which an answer without a limit is promised memory at a time. Were it promised all of
the context, few such answers would fit beside each other."""


class Prepared(Struct, frozen=True):
    """What a worker has made of a request: all that a reply needs before it may begin."""

    messages: list[Message]  # the whole conversation, without the messages in `gone`
    gone: list[Message]  # the oldest messages, which the prompt leaves out
    prompt: Prompt
    tokens: list[int]  # of the prompt, in a list to which the answer's are added
    text: ReplyText
    longest: int  # the most tokens that the answer may have
    ledger: Ledger  # which text the session's tokens stand for, as it goes on with it
    constraint: Constraint | None = None  # binds the answer to the form that was asked for
    images: Sequence[Placed] = ()  # where they stand among the prompt's tokens


_LONGEST_CHARACTER = 4  # tokens of which a character is made at most: one for each of its bytes

TRANSITIONS = {
    Status.PREPARING: {Status.QUEUED},
    Status.QUEUED: {Status.QUEUED, Status.RESTORING, Status.PREFILLING},
    Status.RESTORING: {Status.QUEUED, Status.PREFILLING},
    Status.PREFILLING: {Status.QUEUED, Status.DECODING},
    Status.DECODING: {Status.QUEUED},
    Status.FINISHED: set(),
}
"""What may follow a status; `FINISHED` follows each. Only a fault, or the want of memory, sends a
request back into the queue."""


class Request:
    """What was asked of a session, from the moment it was sent until its last event.

    Its session keeps what outlives it: the history and the caches. How far it has come is what the
    caches hold of its tokens: `computed` catches up with `total`, in chunks while its prompt is
    read and by a token a step while it is answered.

    Attributes:
        session: whose request it is.
        kv: its session's caches.
        apart: it has passes of its own: it is reproducible, or a shared pass has failed with it.
        prompt: the prompt, None until a worker has prepared it. So are `text` and `messages`.
        tokens: the prompt and everything generated and read so far.
        images: where they stand among the prompt's tokens.
        awaits: digests of those that are being looked at: so long nothing of it is read.
        pending: the lazy id after `tokens`, sampled but not read yet; None until there is one.
        unsampled: the logits from which the pending token is chosen once a worker has computed the
            mask of its form; None if no worker is computing one.
        prompt_length: tokens of the prompt; 0 while it is being prepared.
        limit: the most tokens that it may have, as far as memory is promised to it.
        longest: the most tokens that it may ever have.
        asked_for_more: version of the memory at which it was looked whether it may be longer.
        odds: how probable its tokens were; None where nobody asked.
        tells_calls: tools were offered, so its calls are reported.
        reused: prompt tokens that were in the cache already.
        rebuilt: the cache had been dropped and is made anew by prefill.
        restored: its caches came from disk, and no pass over them has failed yet.
        adopts: it may take over what others have read; False after that has failed once.
        ended: it has had its last event; a worker may ask.
        offered: what was found last that it may take over, and when: another is found only where
            who holds what has changed since.
        dropped: messages of the conversation that the prompt leaves out.
        ending: it is to be cancelled as soon as its answer is whole.
        waiting_since: when its prompt began to wait, as of `time.perf_counter`.
        ready_at: when its prompt had been read, on the same clock.
        queue_position: what was reported last of the prompts before it; -1 for nothing yet.
        repeated: tokens of the repetition that its answer has run into; 0 if there is none.
    """

    def __init__(
        self,
        reply_id: str,
        session: SessionState,
        params: SamplingParams,
        sink: Sink,
        sent_at: float,
        tells_calls: bool = False,
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
        self.asked_for_more = -1
        self.odds = Odds(params.logprobs) if params.logprobs is not None else None
        self.tells_calls = tells_calls
        self.repeated = 0
        self._detector: RepetitionDetector | None = None
        self._reasoned = 0
        self.tokens: list[int] = []
        self.images: Sequence[Placed] = ()
        self.awaits: set[str] = set()
        self.pending: mx.array | None = None
        self.unsampled: Unsampled | None = None
        self.next_is_nan: mx.array | None = None
        self._pending_is_nan: mx.array | None = None
        self.reused = 0
        self.rebuilt = False
        self.restored = False
        self.adopts = True
        self.offered: tuple[object, Offer | None] = (None, None)
        self._packed = b""
        self.dropped = 0
        self.ending = False
        self.status = Status.PREPARING
        self.ended = threading.Event()
        self.queue_position = -1
        self.waiting_since = sent_at
        self.ready_at = 0.0
        self._sink = sink
        self._sent_at = sent_at
        self._first_at = 0.0
        self._last_at = 0.0
        self.paused = False
        self._paused_at = 0.0
        self._stood_still = 0.0  # seconds, since the first token

    def begin(self, prepared: Prepared) -> None:
        """Take what was prepared; from now on the reply waits for memory."""
        self.messages = prepared.messages
        self.prompt = prepared.prompt
        self.prompt_length = len(prepared.prompt.tokens)
        self.text = prepared.text
        self.longest = self.limit = prepared.longest
        if self.params.max_tokens is None:
            self.limit = min(self.longest, PROMISED)
        self.constraint = prepared.constraint
        self.dropped = len(prepared.gone)
        self.tokens = prepared.tokens
        self.images = prepared.images
        if self.params.stop_repetition and not self.params.constrained:
            decode = self.session.model.text.tokenizer.decode
            self._detector = RepetitionDetector(decode, _question(self.messages))
        self.move(Status.QUEUED)

    def move(self, status: Status) -> None:
        """Go on to a status that may follow (`TRANSITIONS`)."""
        if status not in TRANSITIONS[self.status]:
            raise RuntimeError(f"a request that is {self.status.name} cannot be {status.name}")
        self.status = status

    @property
    def computed(self) -> int:
        """Tokens that the caches hold."""
        return self.kv.length

    @property
    def left(self) -> int:
        """Tokens that are to be computed. The last one is, in the step that gives the next."""
        return len(self.tokens) - self.kv.length

    @property
    def unread(self) -> int:
        """Tokens to be read before the last one."""
        return max(0, self.left - 1)

    @property
    def lost(self) -> int:
        """Tokens that its caches have lost to a draft: the next step reads them again."""
        return self.left if self.pending is not None else 0

    @property
    def is_running(self) -> bool:
        """Whether it has been admitted and has not ended, be it paused."""
        return self.status in RUNNING

    @property
    def sits_out(self) -> bool:
        """True while it takes part in no pass: it is paused, or waits for a worker or an image."""
        return self.paused or bool(self.awaits) or self.unsampled is not None

    @cached_property
    def places(self) -> Places:
        """Where its latest tokens stood before."""
        return Places(self.tokens)

    @property
    def packed(self) -> bytes:
        """All tokens, `packed`."""
        known = len(self._packed) // TOKEN_BYTES
        if known < len(self.tokens):
            self._packed += packed(self.tokens[known:])
        return self._packed

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""
        now = time.perf_counter()
        if paused and not self.paused:
            self._paused_at = now
        elif self.paused and not paused and self.generated:
            self._stood_still += now - self._paused_at
        self.paused = paused

    @property
    def index(self) -> int:
        """Which token of the answer is chosen next, counted from the answer's first."""
        begun = self.prompt.answered if self.prompt is not None else 0
        return begun + self.generated + (self.pending is not None)

    @property
    def generated(self) -> int:
        """Tokens generated and read."""
        return len(self.tokens) - self.prompt_length

    @property
    def complete(self) -> bool:
        """Whether the answer has ended: by a stop string, its only call, or as its form wants."""
        stopped = self.text is not None and (self.text.stopped or self.text.called_enough)
        return stopped or (self.constraint is not None and self.constraint.complete)

    @property
    def is_whole(self) -> bool:
        """Whether its answer may be cut here: not within a character, a marker or a tool call."""
        if self.text is None or not self.generated:
            return True
        last = self.tokens[-min(self.generated, _LONGEST_CHARACTER) :]
        shown = self.session.model.text.tokenizer.decode(last)
        return self.text.may_end and not shown.endswith("\ufffd")

    def progress(self, done: int, position: int) -> None:
        """Report how far the prompt has been read, and how many are read before it."""
        if self.generated:
            return  # a cache being made anew in mid-answer is no news
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
        """Wait for the pending token and give its id; None when the prompt's last is pending."""
        if self.pending is None:
            return None
        token = int(self.pending.item())  # type: ignore[arg-type]
        self.pending = None
        return token

    def await_token(self, pending: mx.array | None) -> None:
        """Take the token chosen last as the pending one."""
        self.pending = pending
        self._pending_is_nan, self.next_is_nan = self.next_is_nan, None

    def check_numbers(self) -> None:
        """See that the token that was pending was chosen from numbers.

        Raises:
            EngineError: `model_load_failed`.
        """
        flag, self._pending_is_nan = self._pending_is_nan, None
        if flag is not None and bool(flag.item()):
            raise EngineError(
                MODEL_LOAD_FAILED,
                "The model computed invalid numbers (NaN). Its files may be damaged. Download it "
                "again, or choose another model.",
            )

    def accept(self, token: int) -> None:
        """Take a token that has been read: count it, time it, report its text."""
        assert self.text is not None  # it has been prepared, or nothing could be generated
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
        if self._detector is not None and self.text.may_end:
            answer = self.text.parts["answer"]
            self.repeated = self._detector.repeated(self.tokens, self.prompt_length, answer)

    def flush(self, ended: bool) -> None:
        """Report what was held back. `ended`: the model ended its turn, and was not cut off."""
        if self.text is not None:
            self._tell(self.text.finish(ended), over=True)

    def finish(self, reason: FinishReason, message: Message | None = None) -> None:
        """End as asked; the last event. `message` is what the session keeps of it."""
        if self.status == Status.FINISHED:
            return
        stop = self.text.stop if self.text is not None else None
        self._sink(Finished(self.session.id, self.id, reason, self.stats(), stop, message), ())
        self._end()  # now that it has been reported

    def fail(self, code: str, message: str, reason: str = "") -> None:
        """End with an error; the last event."""
        if self.status == Status.FINISHED:
            return
        try:
            self._tell([], over=True)  # a call that has started ends, too
        except BaseException:
            log.exception("the calls of a reply that failed could not be ended")
        self._sink(Failed(self.session.id, self.id, code, message, reason), ())
        self._end()

    def _end(self) -> None:
        self.status = Status.FINISHED
        self.ended.set()

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
            repeated_tokens=self.repeated,
        )

    @property
    def slack(self) -> int:
        """Bytes of its caches that it will not need: they grow in steps, slots for all in them."""
        kv, estimate = self.kv, self.session.estimate
        longest, room = self.prompt_length + self.limit, kv.capacity
        if kv.slots is None and room <= longest:
            return 0
        held = estimate.bytes(room) if kv.slots is None else kv.slots.nbytes_each
        return max(0, held - estimate.bytes(longest))

    @property
    def promise(self) -> Part:
        """Bytes of the caches when the reply has become as long as it may."""
        kv = self.kv
        whole = self.session.estimate.bytes(self.prompt_length + self.limit) + self.slack
        shared = kv.shared_prefix
        if shared is None:
            return Part(whole)
        base = kv.base
        if not self.is_running:  # its prompt may go on from less of it, or from nothing
            base = min(base, common_prefix(kv.tokens[:base], self.tokens))
            if base < shared_prefix.MIN_TOKENS:
                return Part(whole)
        others = shared.nbytes * base // shared.length
        return Part(max(0, whole - others), shared.number, shared.nbytes)

    @property
    def reader(self) -> Reader:
        """What the prefix index must know of it while its prompt is read."""
        session, prompt = self.session, self.prompt
        if prompt is None:
            raise RuntimeError("a prompt that is still being prepared cannot be read")
        return Reader(
            session.kind,
            session.kv,
            self.tokens,
            self.packed,
            prompt.boundary,
            prompt.system,
            session.reproducible,
        )

    def conclude(self, reason: FinishReason) -> Message | None:
        """Keep in the session what it adds to the conversation; gives its message."""
        session, prompt, text = self.session, self.prompt, self.text
        if prompt is None or text is None:
            return None  # it was cancelled while its prompt was prepared
        if reason == FinishReason.CANCELLED and not self.generated:
            return None  # as if it had not been asked
        messages = self.messages
        if not messages:
            return None  # a prompt that was continued as it stood is no conversation
        if prompt.continues:
            messages = messages[:-1]  # the answer holds all of it
        if session.system and messages[0] == {"role": "system", "content": session.system}:
            messages = messages[1:]
        said = text.said()
        session.history = [*messages, said]
        if text.stopped:
            # The stop string is cut from the text but not from the tokens: they do not match.
            session.kv.ledger = prompt.ledger("", [])
        else:
            generated = self.tokens[self.prompt_length :]
            raw = contents.of(session.model.text.tokenizer).written(text.raw, said)
            session.kv.ledger = prompt.ledger(raw, generated)
        return said

    def _tell(
        self,
        deltas: list[Delta],
        tokens: tuple[int, ...] = (),
        odds: tuple[TokenOdds, ...] = (),
        over: bool = False,
    ) -> None:
        for text, kind in deltas:
            self._sink(TextDelta(self.session.id, self.id, text, kind, odds), tokens)
            tokens, odds = (), ()
        if tokens:  # a token without text yet still counts: an empty delta carries it
            self._sink(TextDelta(self.session.id, self.id, "", "answer", odds), tokens)
        if self.tells_calls and self.text is not None:
            for told in self.text.calls_told(over):
                self._sink(self._call_event(told), ())

    def _call_event(self, told: Told) -> CallEvent:
        mine = (self.session.id, self.id, told.id)
        if told.kind == "started":
            return ToolCallStarted(*mine, told.name)
        if told.kind == "delta":
            return ToolCallDelta(*mine, told.text)
        if told.kind == "finished":
            return ToolCallFinished(*mine, told.name, told.text)
        return ToolCallFailed(*mine, told.name, told.text, told.message, told.arguments)


def _question(messages: Sequence[Message]) -> str:
    """Return the text of the user's last message, without attached files."""
    asked = next((m for m in reversed(messages) if m["role"] == "user"), {})
    content = asked.get("content")
    if isinstance(content, (list, tuple)):
        texts = [part.get("text") for part in content]
        return " ".join(text for text in texts if isinstance(text, str))
    return str(content or "")


class SessionState(Struct, eq=False, dict=True):  # the same only as itself
    """One isolated conversation."""

    id: str
    model: LoadedModel
    system: str | None
    reproducible: bool
    reasoning: bool | None
    kv: SessionKV
    estimate: MemoryEstimate  # what its caches cost in bytes
    # the bits that keys and values are kept in; None for the model's own type
    kv_bits: int | None = None
    on_overflow: Overflow = "refuse"  # what happens to a conversation that has outgrown the context
    context: int | None = None  # tokens that the caller allows; None for as many as the model takes
    scratch: bool = False  # it is for one reply only, and ends with it
    named: bool = False  # its id is the caller's, who may open it again after a restart
    # the messages so far, the session's system message not among them
    history: list[Message] = field(default_factory=list)
    priority: int = 0  # whose prompts and whose waiting come first; 0 is usual
    # program, share: as of `Session.prioritise`
    program: str = ""
    share: float = 0.0
    # the oldest messages, which did not fit any more when they were last sent
    gone: list[Message] = field(default_factory=list)
    request: Request | None = None  # the one that is being answered, if any
    # what it reads is shared with sessions of the same domain alone, and neither how much of a
    # prompt was reused nor how fast it was read tells of any other's
    domain: str = ""
    begins_as: str = ""  # the id of another, from whose file it begins where it has none of its own
    # the present of its prompts, in seconds since 1970. It stands for the rest of the day, so that
    # a template that tells the time begins every prompt with the same text.
    moment: float = 0.0
    # when it last worked, for deciding whose cache goes first under memory pressure
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
    def image_lane(self) -> str:
        """Name of the workers' lane in which its images are read: one for each client or chat."""
        return f"images {self.domain or self.id}"

    @property
    def is_running(self) -> bool:
        """Whether its request has been admitted and has not ended, be it paused."""
        return self.request is not None and self.request.is_running

    @property
    def fingerprint(self) -> str:
        """What a cache on disk must be of to be this session's."""
        made = kv_fingerprint(self.model.info.id, self.kv_bits)
        # Ids that the engine makes are nobody else's, but two domains may choose the same name.
        return f"{made} {self.domain}" if self.named and self.domain else made

    @property
    def kind(self) -> tuple[object, ...]:
        """Sessions of the same kind can go on from each other's caches."""
        return (self.model.info.id, self.kv_bits, self.domain)
