"""Input and output of the scheduler for one turn, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum, auto

from msgspec import Struct, field
from msgspec.structs import replace

from engine.cache.ledger import CacheKey, CacheOffer


class Status(IntEnum):
    """Status of a reply. A fault in a shared step or a lack of memory returns it to the queue."""

    PREPARING = 0  # a worker renders its prompt
    QUEUED = 1  # waits for memory
    RESTORING = 2  # a worker reads its cache from disk
    PREFILLING = 3
    DECODING = 4
    FINISHED = 5


RUNNING = frozenset({Status.RESTORING, Status.PREFILLING, Status.DECODING})
"""Statuses of a reply that was admitted and has not ended. It may be paused."""


class Row(Struct, frozen=True):
    """Session with a reply, as the scheduler sees it."""

    id: str
    model: str
    status: Status
    paused: bool = False
    reproducible: bool = False
    # needs separate passes: it is reproducible, or a shared pass with it failed
    apart: bool = False
    # its prompt may be read in one pass with a step or the prompts of others, if these allow it
    mixable: bool = False
    # a fork that has not written to its shared caches. They are copied on the first write, so a
    # prefix adopted before that costs nothing.
    unwritten: bool = False
    joins: bool = True  # a prompt's chunk can be read in the same pass as its step
    # its prompt's last token can be fed in the pass that reads the rest of the prompt
    ends: bool = False
    scratch: bool = False
    priority: int = 0
    # the client program, if it is not this one; time is shared fairly between programs
    program: str = ""
    share: float = 0.0  # percent of the time assigned to its program; 0 for no fixed share
    length: int = 0  # tokens that its caches hold, while its prompt is read
    # tokens of its prompt still to read, without the last one, which the first step feeds unless
    # the last chunk does (`ends`)
    remaining: int = 0
    # time at which its prompt started to wait, in seconds on the clock of `View.now`
    waiting_since: float = 0.0
    ready_at: float = 0.0  # time at which its prompt was completely read
    begun: bool = False  # its first token is sampled, and may still be lazy
    awaits_first: bool = False  # its first token is sampled, but not delivered
    wants_more: bool = True  # another token must follow the pending one
    # spans `(start, end)` of its prompt's unread tokens that must not be split
    images: tuple[tuple[int, int], ...] = ()
    snapshot_at: int = -1  # position at which reading must stop for a snapshot; -1 for none
    most: int = 0  # bytes of its own caches at the reply's maximum length
    slack: int = 0  # bytes of `most` that are allocated, but not needed
    # bytes by which extending its allowance increases `most`; None unless it asks for that
    growth: int | None = None
    at_limit: bool = False  # its reply ends with the next token unless its allowance is extended
    # length of a prefix of its prompt that others can use, until the next pass; 0 for none
    keeps: int = 0
    keeps_bytes: int = 0
    # number of the cache group that it shares with others, 0 for none, and its bytes
    group: int = 0
    shared: int = 0
    drafts: int = 0  # maximum number of tokens to draft after the pending one
    # tokens that the drafting model must still read; -1 if there is no such model
    behind: int = -1
    drafter_bytes: int = 0  # by which that model's caches may still grow
    # for each looked-up token, the chance that it and all before it are accepted
    holds: Sequence[float] = ()
    lost: int = 0  # tokens removed from its caches by a draft, which its next step reads again
    kind: tuple[object, ...] = ()  # rows of one kind can reuse each other's caches
    prompt: bytes = b""  # its prompt's tokens, `packed`; empty unless they are being read
    system: int = 0  # number of its first tokens that depend only on the system message
    # its caches cannot be trimmed: others can only continue from where its reading halts
    halts: bool = False
    offer: CacheOffer | None = None  # parts of its prompt in the caches of others

    def __repr__(self) -> str:
        """Omit the prompt, which may be long and is private."""
        return Struct.__repr__(replace(self, prompt=b"") if self.prompt else self)

    @property
    def end(self) -> int:
        """Number of tokens in its caches once its prompt is read."""
        return self.length + self.remaining

    @property
    def decodes(self) -> bool:
        return self.status == Status.DECODING and not self.paused

    @property
    def runs(self) -> bool:
        """True if it was admitted, even if it is paused."""
        return self.status in RUNNING

    @property
    def reads(self) -> bool:
        return self.status == Status.PREFILLING and not self.paused


class Idle(Struct, frozen=True):
    """Caches that are not in use, with the memory that dropping them would free."""

    key: CacheKey
    nbytes: int  # without shared memory
    used_at: float  # time of the last use; the oldest are dropped first
    # number of the cache group shared with others, 0 for none, and its bytes, which are freed with
    # its last holder
    group: int = 0
    shared: int = 0


class MemoryView(Struct, frozen=True):
    """Memory figures in bytes."""

    budget: int  # maximum for weights and caches
    fixed: int = 0  # all weights, and reservations of loads and embeddings
    scratch: int = 0  # need of a future single question
    # caches that are not in use; empty if everything fits without evictions
    idle: Sequence[Idle] = ()
    # changes whenever memory may have become free, so that the queue is only examined again when
    # that could help
    version: int = 0
    idle_bytes: int = 0  # all of them together, without memory shared with running replies
    leaving: int = 0  # evicted caches that are still being written to disk
    # kept prefixes with their bytes, listed only if a row has a prefix to keep
    prefixes: Sequence[Idle] = ()
    prefix_limit: int = 0  # maximum bytes of all kept prefixes
    images_over: int = 0  # bytes by which embeddings of images exceed their share of the budget
    passing: int = 0  # part of `fixed` that embeddings of texts and other replies will free


class PendingEmbedding(Struct, frozen=True):
    key: str
    nbytes: int  # bytes of the longest text's caches


class LoadRequest(Struct, frozen=True):
    key: str
    name: str
    nbytes: int  # bytes of its weights on disk
    # bytes of its weights in the type that this machine computes fastest in
    wide: int


class Piece(StrEnum):
    """Kinds of work that is done in pieces between the chats' steps."""

    EMBEDDING = auto()
    LOOKING = auto()
    RESTORING = auto()
    LOADING = auto()


class View(Struct, frozen=True):
    """State of the engine at the start of a turn."""

    now: float  # seconds, on any clock
    # all sessions with a reply, in the order of opening
    rows: Sequence[Row] = ()
    # ids of models that can read a chunk in one pass with a step of others
    mixing: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()  # ids of models that can read several prompts in one pass
    exact: frozenset[str] = frozenset()  # ids of models whose logits do not depend on chunks
    faulty: frozenset[str] = frozenset()  # ids of models whose shared steps have failed too often
    memory: MemoryView = field(default_factory=lambda: MemoryView(1 << 62))  # bytes
    load: LoadRequest | None = None  # the model that waits to be loaded, if any
    embedding: PendingEmbedding | None = None  # the texts that wait for memory, if any
    relieve: bool = False  # the system is short of memory: evict all idle caches
    pieces: frozenset[Piece] = frozenset()  # kinds of work with a next piece
    computes: bool = True  # False while all ranks are loading a model


class Admission(Struct, frozen=True):
    """Start of a reply, whose memory is available."""

    session: str


class Extension(Struct, frozen=True):
    """Extension of the allowance of a reply without a limit."""

    session: str
    whole: bool  # by `PROMISED` tokens; if False, by `AHEAD`, while caches are written


class PrefixCopy(Struct, frozen=True):
    """Copy of the first `length` tokens of a session's prompt, kept for other sessions."""

    session: str
    length: int


class LoadAdmission(Struct, frozen=True):
    """Start of loading a model; with `wide`, in the type that this machine computes fastest in."""

    key: str
    nbytes: int
    wide: bool


class Refusal(Struct, frozen=True):
    """Refusal of a reply, a load or an embedding, with an error code and a message."""

    key: str  # the session's id, or the request's key
    code: str
    message: str
    piece: Piece | None = None  # LOADING or EMBEDDING; None for a reply


class Adoption(Struct, frozen=True):
    """Copy of the first `length` tokens of a donor's caches, from which a session continues."""

    session: str
    donor: CacheKey
    length: int


class Pass(Struct, frozen=True):
    """Decode step of one model's sessions."""

    rows: tuple[str, ...]  # sessions whose pending token is delivered
    feed: tuple[str, ...]  # the sessions among them whose pending token is fed to get another
    shared: bool = True  # one forward pass for all; else one for each
    # for each fed session, the maximum number of tokens to draft after the pending one and check in
    # the same pass; empty without drafts
    drafts: tuple[int, ...] = ()
    behind: int = 0  # tokens that the drafting model reads after the step, to catch up


class Chunk(Struct, frozen=True):
    """Chunk of a session's prompt: `count` tokens from `start`."""

    session: str
    model: str
    start: int
    count: int
    mixed: bool = False  # read in the turn's only pass, together with the decode step
    fixed: bool = False  # its end is at a fixed position, so nothing is learned from its size
    # it ends the prompt, and the pass also feeds the prompt's last token: the session is also among
    # those of the pass
    ends: bool = False


class StepPlan(Struct, frozen=True):
    """Decisions for one turn of the loop.

    Besides `pieces`, a plan either arranges (`refuse`, `evict`, `requeue`, `extend`, `admit`,
    `load`, `embed`, `keep`, `adopt`) or computes (`passes`, `chunk`). An arrangement changes the
    state, so the next plan is made from the new one.
    """

    # replies that can never fit, and loads and embeddings that do not fit now
    refuse: tuple[Refusal, ...] = ()
    # idle caches to evict. The waiting request is admitted once the memory is actually free.
    evict: tuple[CacheKey, ...] = ()
    at_once: bool = False  # the budget is already exceeded: drop them without writing them to disk
    requeue: tuple[str, ...] = ()  # replies that lose their caches and return to the queue
    extend: Extension | None = None  # the reply whose allowance is extended
    admit: Admission | None = None  # the reply that starts
    load: LoadAdmission | None = None  # the model whose loading starts
    embed: PendingEmbedding | None = None  # the texts whose embedding starts
    keep: PrefixCopy | None = None  # the prefix that is kept
    adopt: Adoption | None = None  # the prefix of a prompt that is copied instead of read
    models: tuple[str, ...] = ()  # the models with decoding sessions
    model: str = ""  # the model whose turn it is; "" if nothing decodes
    passes: tuple[Pass, ...] = ()  # its decode steps
    chunk: Chunk | None = None  # the part of a prompt to read
    # remainders of other prompts that are read in the pass of `chunk`
    beside: tuple[Chunk, ...] = ()
    reading: tuple[str, ...] = ()  # the sessions whose prompts are being read, the next one first
    queue: tuple[str, ...] = ()  # the sessions that wait for memory, in the order of admission
    gathering: bool = False  # sessions with complete prompts wait for others that arrived with them
    answering: int = 0  # number of passes of all models that the chunk delays
    begins: bool = False  # all participants of the only pass start their answers with it
    # kinds of work of which a piece is done after the turn's tokens are delivered, in this order
    pieces: tuple[Piece, ...] = ()

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Prompt chunks, which are read in one pass."""
        return () if self.chunk is None else (self.chunk, *self.beside)

    @property
    def idle(self) -> bool:
        return not (self.arranges or self.passes or self.chunk or self.pieces)

    @property
    def arranges(self) -> bool:
        """True if the plan only moves memory or requests."""
        memory = self.refuse or self.evict or self.requeue or self.extend or self.keep
        return bool(memory or self.admit or self.load or self.embed or self.adopt)


class Timing(Struct, frozen=True):
    """Durations of a turn in seconds, from which the scheduler learns."""

    ended: float = 0.0  # its end, on the clock of `View.now`
    # passes, including the wait for their tokens; with a mixed chunk only that pass
    decode: float = 0.0
    chunk: float = 0.0  # reading the chunk in a separate pass
    # tokens read of the chunk and of those in the same pass; 0 if that failed
    read: int = 0
    left: int = 0  # unread tokens of the chunk's prompt
    # tokens of a pass with drafts, including the `accepted` ones of the `drafted` tokens
    told: int = 0
    drafted: int = 0
    accepted: int = 0
