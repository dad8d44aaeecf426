"""Input and output of the scheduler for one iteration, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from msgspec import Struct, field
from msgspec.structs import replace

from engine.cache.ledger import CacheKey, CacheOffer


class Status(IntEnum):
    PREPARING = 0  # a worker is rendering the prompt
    QUEUED = 1  # waiting for memory
    RESTORING = 2  # a worker is reading the cache from disk
    PREFILLING = 3
    DECODING = 4
    FINISHED = 5


RUNNING = frozenset({Status.RESTORING, Status.PREFILLING, Status.DECODING})
"""Statuses of an admitted reply that hasn't ended. The reply may be paused."""


class Row(Struct, frozen=True):
    """Session with a reply, as the scheduler sees it."""

    id: str
    model: str
    status: Status
    is_suspended: bool = False
    reproducible: bool = False
    apart: bool = False  # requires separate passes
    can_mix_prefill: bool = False  # a pass for its prompt may include other prompts and decoding
    # A fork that still shares all of its caches. The first write copies them, so replacing them by
    # a copy of a longer prefix costs nothing extra.
    unwritten: bool = False
    can_mix_decode: bool = True  # its decode step may include a prefill chunk
    can_feed_last: bool = False  # the last chunk of its prompt may include the last token
    one_shot: bool = False
    priority: int = 0
    program: str = ""  # client program, or "" for this program
    share: float = 0.0  # percent of the time assigned to its program; 0 for no fixed share
    length: int = 0  # number of tokens in its caches during prefill
    # Number of prompt tokens to read. Doesn't include the last token, which is fed in the first
    # step, or along with the last chunk (`can_feed_last`).
    remaining: int = 0
    waiting_since: float = 0.0  # on the clock of `View.now`, like `ready_at`
    ready_at: float = 0.0  # time at which its prompt was completely read
    begun: bool = False  # its first token was sampled, which MLX may still compute
    pending: bool = False  # its latest token has been sampled, but not delivered
    awaits_first: bool = False  # the pending token is the first token
    wants_more: bool = True  # another token must follow the pending one
    # Spans `(start, end)` of unread prompt tokens that must not be split.
    images: tuple[tuple[int, int], ...] = ()
    snapshot_at: int = -1  # position where prefill must stop to take a snapshot; -1 for none
    max_bytes: int = 0  # bytes of the session's own caches at the maximum reply length
    slack_bytes: int = 0  # part of `max_bytes` that is allocated but not needed
    growth_bytes: int | None = None  # bytes needed for an extension; None if none was requested
    at_limit: bool = False  # the reply ends with the next token unless its allowance is extended
    prefix_to_keep: int = 0  # length of a prompt prefix to keep for other sessions; 0 for none
    prefix_bytes: int = 0
    group: int = 0  # number of the cache group shared with other sessions; 0 for none
    shared: int = 0  # bytes of the group
    drafts: int = 0  # maximum number of tokens to draft
    behind: int = -1  # number of tokens the draft model is behind, or -1 without a draft model
    drafter_bytes: int = 0  # bytes by which the draft model's caches may still grow
    # For each lookup token, the probability that all tokens up to and including this token are
    # accepted.
    lookup_chances: Sequence[float] = ()
    # Number of tokens removed from the caches by a draft, which the next step processes again.
    lost_tokens: int = 0
    kind: tuple[object, ...] = ()  # rows of the same kind can reuse each other's caches
    prompt: bytes = b""  # `packed` prompt tokens; empty except during prefill
    system: int = 0  # number of leading tokens that only depend on the system message
    # The caches can't be trimmed, so other sessions can only reuse them up to points where prefill
    # stops.
    needs_stops: bool = False
    offer: CacheOffer | None = None  # part of the prompt that can be copied from other caches

    def __repr__(self) -> str:
        return Struct.__repr__(replace(self, prompt=b"") if self.prompt else self)

    @property
    def end(self) -> int:
        """Number of tokens in the caches after prefill."""
        return self.length + self.remaining

    @property
    def decodes(self) -> bool:
        return self.status == Status.DECODING and not self.is_suspended

    @property
    def reads(self) -> bool:
        return self.status == Status.PREFILLING and not self.is_suspended


class Idle(Struct, frozen=True):
    key: CacheKey
    nbytes: int  # bytes excluding shared memory
    used_at: float  # time of the last use, since the least recently used caches are dropped first
    group: int = 0  # see `Row`; the shared memory is freed along with its last user
    shared: int = 0


class MemoryView(Struct, frozen=True):
    budget: int  # limit for weights and caches in bytes
    fixed_bytes: int = 0  # weights, and memory reserved for loads and embeddings
    # Caches that aren't in use. Empty if everything fits without evictions.
    idle: Sequence[Idle] = ()
    idle_bytes: int = 0  # bytes of all idle caches, excluding memory shared with running replies
    writing_bytes: int = 0  # bytes of evicted caches that are still being written to disk
    # Kept prefixes with their bytes. Only listed if a row has a prefix to keep.
    prefixes: Sequence[Idle] = ()
    prefix_limit: int = 0  # limit for the bytes of all kept prefixes
    excess_image_bytes: int = 0  # bytes by which image embeddings exceed their share of the budget
    releasing_bytes: int = 0  # part of `fixed_bytes` that embeddings and other replies will free


class PendingEmbedding(Struct, frozen=True):
    key: str
    nbytes: int  # bytes of the caches for the longest text


class LoadRequest(Struct, frozen=True):
    key: str
    name: str
    min_bytes: int  # bytes that loading adds
    preferred_bytes: int  # the same in the dtype that is fastest on this machine


class View(Struct, frozen=True):
    """State of the engine at the start of an iteration."""

    now: float  # seconds on any clock
    rows: Sequence[Row] = ()  # all sessions with a reply, in the order of opening
    # Ids of models.
    mixing: frozenset[str] = frozenset()  # can combine a prefill chunk with decode steps
    joining: frozenset[str] = frozenset()  # can prefill several prompts in one pass
    exact: frozenset[str] = frozenset()  # logits don't depend on chunk boundaries
    faulty: frozenset[str] = frozenset()  # shared steps have failed too often
    memory: MemoryView = field(default_factory=lambda: MemoryView(1 << 62))  # memory usage in bytes
    load: LoadRequest | None = None
    embedding: PendingEmbedding | None = None
    relieve: bool = False  # the system is short of memory, so evict all idle caches
    can_compute: bool = True  # False while all ranks are loading a model


class Extension(Struct, frozen=True):
    session: str
    # True to extend by `EXTENSION_TOKENS`; False to extend by `EARLY_TOKENS` while caches are being
    # written. The latter may exceed the budget by these few tokens.
    whole: bool


class PrefixCopy(Struct, frozen=True):
    """Copy of the first `length` tokens of a session's prompt, kept for other sessions."""

    session: str
    length: int


class LoadAdmission(Struct, frozen=True):
    key: str
    nbytes: int
    wide: bool  # convert all floats to float32


class Refusal(Struct, frozen=True):
    key: str  # id of the session, or key of the request
    code: str
    message: str


class Adoption(Struct, frozen=True):
    """Copy of the first `length` tokens of a donor's caches, which a session continues."""

    session: str
    donor: CacheKey
    length: int


class DecodeStep(Struct, frozen=True):
    rows: tuple[str, ...]  # sessions whose pending token is delivered
    feed: tuple[str, ...]  # subset of `rows` whose pending token is fed to get the next token
    # True for a single forward pass for all sessions; False for separate passes.
    shared: bool = True
    # Maximum number of tokens to draft and verify for the only session, which has no pending token.
    draft: int = 0
    behind: int = 0  # number of tokens the draft model reads after the step to catch up


class Chunk(Struct, frozen=True):
    """Chunk of a session's prompt: `count` tokens from `start`."""

    session: str
    model: str
    start: int
    count: int
    # The chunk is in the same pass as the decode step, which is the only pass of the iteration.
    mixed: bool = False
    fixed: bool = False  # the chunk ends at a fixed position, so its size isn't used for learning
    # The chunk ends the prompt, and the pass also feeds the prompt's last token, so the session is
    # part of the pass as well.
    ends: bool = False


class StepPlan(Struct, frozen=True):
    """Decisions for one iteration of the loop.

    A plan either changes the state (`refuse`, `evict`, `requeue`, `extend`, `admit`, `load`,
    `embed`, `keep`, `adopt`) or computes. A plan that computes has one of these forms:

    - decode: `passes` of one model, without a chunk.
    - decode, then read: `passes`, and then `chunk` in a pass of its own.
    - mixed step: a single pass decodes and reads `chunk`, which is `mixed`.
    - read: `chunk` and perhaps `other_chunks` in one pass, without `passes`.
    - read to the end: like a read or a mixed step, but the chunks have `ends` set. Their sessions
        are part of the only pass, which also feeds their last tokens (`starts_replies` if no other
        session decodes).
    """

    # Replies that can never fit, and loads and embeddings that don't fit now.
    refuse: tuple[Refusal, ...] = ()
    evict: tuple[CacheKey, ...] = ()  # idle caches
    skip_saving: bool = False  # don't write evicted caches to disk; the budget is already exceeded
    requeue: tuple[str, ...] = ()  # replies that lose their caches and return to the queue
    extend: Extension | None = None
    admit: str | None = None  # session whose reply starts
    load: LoadAdmission | None = None
    embed: PendingEmbedding | None = None
    keep: PrefixCopy | None = None
    adopt: Adoption | None = None
    models: tuple[str, ...] = ()  # models with decoding sessions
    model: str = ""  # model whose turn it is, or "" if no session decodes
    passes: tuple[DecodeStep, ...] = ()  # decode passes of this model
    chunk: Chunk | None = None
    # Remaining parts of other prompts, which are prefilled in the same pass as `chunk`.
    other_chunks: tuple[Chunk, ...] = ()
    reading: tuple[str, ...] = ()  # sessions being prefilled, in order
    queue: tuple[str, ...] = ()  # sessions waiting for memory, in the order of admission
    # Sessions with complete prompts wait for other prompts that arrived at the same time.
    gathering: bool = False
    starts_replies: bool = False  # all sessions in the iteration's only pass start their replies

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        return () if self.chunk is None else (self.chunk, *self.other_chunks)

    @property
    def idle(self) -> bool:
        memory = self.refuse or self.evict or self.requeue or self.extend or self.keep
        starts_work = self.admit is not None or self.load or self.embed or self.adopt
        return not (memory or starts_work or self.passes or self.chunk)


class Timing(Struct, frozen=True):
    """Durations of an iteration in seconds."""

    ended: float = 0.0  # end of the iteration, on the clock of `View.now`
    # Seconds for all passes, including the wait for their tokens. For a mixed chunk, only the time
    # of its pass.
    decode: float = 0.0
    chunk: float = 0.0  # seconds for a chunk in a separate pass
    read: int = 0  # tokens read in all chunks of a pass, or 0 if the pass failed
    left: int = 0  # number of unread tokens in the chunk's prompt
    generated: int = 0  # tokens of a pass with drafts, including `accepted` of `drafted` tokens
    drafted: int = 0
    accepted: int = 0
    # True if `decode` is the duration of a step. False if a pass failed, or was only launched or
    # only awaited.
    is_step: bool = True
