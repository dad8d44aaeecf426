"""What the engine thread knows of a session."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from engine.core.reply_state import ReplyState
from engine.kv.config_estimate import MemoryEstimate
from engine.kv.held_caches import Part
from engine.kv.ledger import common_prefix
from engine.kv.offload import kv_fingerprint
from engine.kv.prefix_cache import Reader
from engine.kv.session_kv import SessionKV
from engine.messages import FinishReason, Message, Overflow
from engine.model.loaded import LoadedModel
from engine.scheduling.view import CacheKey, Status
from engine.text import contents


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
            if base < kv.shares_from.tokens(kv.sharers):
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
            raw = contents.of(self.model.tokenizer).written(reply.text.raw, said)
            self.kv.ledger = reply.prompt.ledger(raw, generated)
        return said
