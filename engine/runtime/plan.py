"""What the scheduler sees of a turn, and what it decides: plain values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum, auto

from msgspec import Struct, field

from engine.cache.ledger import CacheKey, Offer


class Status(IntEnum):
    """Where a reply is. Only a fault in a shared step sends one back to reading."""

    PREPARING = 0  # a worker renders its prompt
    QUEUED = 1  # waits for memory
    RESTORING = 2  # a worker reads its cache from disk
    PREFILLING = 3
    DECODING = 4
    FINISHED = 5


RUNNING = frozenset({Status.RESTORING, Status.PREFILLING, Status.DECODING})
"""Of a reply that has been admitted and has not ended, be it paused."""


class Row(Struct, frozen=True):
    """A session that is answering, as the scheduler sees it.

    Attributes:
        program: who asks, where that is another program; time is shared fairly among programs.
        share: of the time, in per cent, that its program was given; 0 for no set share.
        length: tokens that its caches hold, while its prompt is read.
        remaining: tokens of its prompt to read before the last one, which the first step feeds.
        apart: it must have passes of its own: reproducible, or a shared pass has failed with it.
        mixable: its prompt can be read in one pass with a step of others, or with others' prompts,
            as far as it alone is concerned.
        unwritten: a fork that has not written to the caches that it shares. It copies them when it
            does, so what it takes over from others before that costs nothing.
        joins: a prompt's chunk can be read in the pass that its step takes part in.
        ends: its prompt's last token can be fed in the pass that reads what comes before it.
        waiting_since: when its prompt began to wait, in seconds, on the clock of `View.now`.
        ready_at: when its prompt had been read.
        begun: it has a token of its own, be it one that is not read yet.
        awaits_first: its first token is chosen and not read yet.
        wants_more: a token has to follow the one that is pending.
        images: spans `(start, end)` of its prompt's unread tokens that are not cut.
        snapshot_at: where its reading must stop for a snapshot; -1 for nowhere.
        most: bytes of its own caches when the reply has become as long as it may.
        slack: how many of these it does not need; its caches have room for so much more.
        group, shared: the number of what it holds together with others, 0 for nothing, and the
            bytes of that.
        drafts: the most tokens that may be drafted after the pending one; 0 where none may.
        behind: how many of its tokens the drafting model has still to read; -1 where there is none,
            or no memory for it.
        holds: the chances that what was looked up for it holds, each token's with all before it.
        lost: tokens that its caches have lost to a draft, and that its next step reads again.
        kind: rows of one kind can go on from each other's caches.
        prompt: its prompt's tokens, `packed`; empty where none is being read.
        system: how many of them any chat with the same system message begins with.
        halts: its caches cannot be trimmed: others can go on from where its reading halts.
        offer: what others hold of its prompt.
    """

    id: str
    model: str
    status: Status
    paused: bool = False
    reproducible: bool = False
    apart: bool = False
    mixable: bool = False
    unwritten: bool = False
    joins: bool = True
    ends: bool = False
    scratch: bool = False
    priority: int = 0
    program: str = ""
    share: float = 0.0
    length: int = 0
    remaining: int = 0
    waiting_since: float = 0.0
    ready_at: float = 0.0
    begun: bool = False
    awaits_first: bool = False
    wants_more: bool = True
    images: tuple[tuple[int, int], ...] = ()
    snapshot_at: int = -1
    most: int = 0
    slack: int = 0
    group: int = 0
    shared: int = 0
    drafts: int = 0
    behind: int = -1
    holds: Sequence[float] = ()
    lost: int = 0
    kind: tuple[object, ...] = ()
    prompt: bytes = b""
    system: int = 0
    halts: bool = False
    offer: Offer | None = None

    @property
    def end(self) -> int:
        """Tokens that its caches hold once its prompt has been read."""
        return self.length + self.remaining

    @property
    def decodes(self) -> bool:
        """Whether it gets a token in its turn."""
        return self.status == Status.DECODING and not self.paused

    @property
    def reads(self) -> bool:
        """Whether its prompt is being read."""
        return self.status == Status.PREFILLING and not self.paused


class Idle(Struct, frozen=True):
    """Caches that nobody is using now: what dropping them would give back.

    Attributes:
        nbytes: of what nobody else holds.
        used_at: when they were used last; the oldest go first.
        group, shared: the number of what they hold together with others, 0 for nothing, and the
            bytes of that, which come back with the last that holds it.
    """

    key: CacheKey
    nbytes: int
    used_at: float
    group: int = 0
    shared: int = 0


class MemoryView(Struct, frozen=True):
    """Bytes, as they stand.

    Attributes:
        budget: what weights and caches may take together.
        fixed: of all models' weights, and what loads and embeddings have reserved.
        scratch: what a single question that may come would need.
        idle: caches that nobody is using; empty where there is room for all that is wanted.
        idle_bytes: of all of them together, what running replies hold with them left out.
        leaving: of caches that have made room and are still being written to disk.
        version: changes whenever room may have been made, so that a queue which could not be
            served is not looked at again for nothing.
    """

    budget: int
    fixed: int = 0
    scratch: int = 0
    idle: Sequence[Idle] = ()
    version: int = 0
    idle_bytes: int = 0
    leaving: int = 0


class LoadRequest(Struct, frozen=True):
    """A model that waits to be read.

    Attributes:
        nbytes: of its weights as they lie on disk.
        wide: of its weights in the type that this machine computes in fastest; `nbytes` where
            that is their own.
    """

    key: str
    name: str
    nbytes: int
    wide: int


class Piece(StrEnum):
    """What is read piece by piece, between the chats' steps."""

    EMBEDDING = auto()
    LOOKING = auto()
    RESTORING = auto()
    LOADING = auto()


class View(Struct, frozen=True):
    """How everything stands at the start of a turn.

    Attributes:
        now: seconds, on any clock.
        rows: all sessions that have a reply, in the order in which they were opened.
        mixing: ids of models that can read a chunk in one pass with a step of others.
        joining: ids of models that can read several prompts in one pass.
        faulty: ids of models of which too many shared steps have failed.
        memory: bytes, as they stand.
        load: the model that waits to be read, if any.
        pieces: what is read piece by piece and has a next one.
    """

    now: float
    rows: Sequence[Row] = ()
    mixing: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    faulty: frozenset[str] = frozenset()
    memory: MemoryView = field(default_factory=lambda: MemoryView(1 << 62))
    load: LoadRequest | None = None
    pieces: frozenset[Piece] = frozenset()


class Admission(Struct, frozen=True):
    """A reply begins: there is room for it."""

    session: str


class LoadAdmission(Struct, frozen=True):
    """A model is read; with `wide` into the type that this machine computes in fastest."""

    key: str
    nbytes: int
    wide: bool


class Refusal(Struct, frozen=True):
    """A reply, or a load, that cannot be: an error's code and its words.

    Attributes:
        key: the session's id, or the load's key.
        load: it is a load.
    """

    key: str
    code: str
    message: str
    load: bool = False


class Adoption(Struct, frozen=True):
    """A session goes on from a copy of the first `length` tokens of a donor's caches."""

    session: str
    donor: CacheKey
    length: int


class Pass(Struct, frozen=True):
    """One decode step of one model's sessions.

    Attributes:
        rows: sessions whose pending token is read and delivered.
        feed: those of them whose pending token is fed, so that another follows.
        shared: they take part in one forward pass; else each has one of its own.
        drafts: for each that is fed, so many tokens at most are drafted after the pending one, and
            checked in the same pass; empty where none are for anybody.
        behind: so many tokens the drafting model reads after the step, to catch up.
    """

    rows: tuple[str, ...]
    feed: tuple[str, ...]
    shared: bool = True
    drafts: tuple[int, ...] = ()
    behind: int = 0


class Chunk(Struct, frozen=True):
    """The tokens of a session's prompt from `start` on, `count` of them.

    Attributes:
        mixed: they are read in the turn's only pass, as rows beside the others' step.
        fixed: its end lies at a fixed place, so its size teaches nothing.
        ends: it is all that is left, and the pass feeds the prompt's last token after it: the
            session is among those of the pass, too.
    """

    session: str
    model: str
    start: int
    count: int
    mixed: bool = False
    fixed: bool = False
    ends: bool = False


class StepPlan(Struct, frozen=True):
    """All that is done in one turn of the loop.

    A plan either arranges (`refuse`, `evict`, `requeue`, `admit`, `load`, `adopt`) or computes
    (`passes`, `chunk`).
    After an arrangement sessions stand otherwise than before, so the next plan is made from them.

    Attributes:
        refuse: replies and loads that can never be, by session or by the load's key.
        evict: idle caches that make room. Who wants it is admitted once it is seen to be there.
        at_once: too much is held already, and there is no time to write them to disk.
        requeue: replies that lose their caches and wait for memory again.
        admit: the reply that begins.
        load: the model whose reading begins.
        adopt: the prefix of a prompt that need not be read.
        models: the models that have sessions which decode.
        model: the one of them whose turn it is; "" where nothing decodes.
        passes: its decode steps.
        chunk: what is read of a prompt.
        beside: other prompts, whole or what is left of them, that are read in the pass of `chunk`.
        reading: the sessions whose prompts are being read, the next one first.
        queue: the sessions that wait for memory, the first to be admitted first.
        gathering: those whose prompts are read wait for others that came with them.
        answering: how many passes the chunk holds up, over all models.
        begins: all who take part in the only pass begin to answer with it.
        awaits_disk: a load has to wait until caches that made room are written.
        pieces: of what a piece is read once the turn's tokens are delivered, in this order.
    """

    refuse: tuple[Refusal, ...] = ()
    evict: tuple[CacheKey, ...] = ()
    at_once: bool = False
    requeue: tuple[str, ...] = ()
    admit: Admission | None = None
    load: LoadAdmission | None = None
    adopt: Adoption | None = None
    models: tuple[str, ...] = ()
    model: str = ""
    passes: tuple[Pass, ...] = ()
    chunk: Chunk | None = None
    beside: tuple[Chunk, ...] = ()
    reading: tuple[str, ...] = ()
    queue: tuple[str, ...] = ()
    gathering: bool = False
    answering: int = 0
    begins: bool = False
    awaits_disk: bool = False
    pieces: tuple[Piece, ...] = ()

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """All that is read of prompts, in one pass."""
        return () if self.chunk is None else (self.chunk, *self.beside)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.arranges or self.passes or self.chunk or self.pieces)

    @property
    def arranges(self) -> bool:
        """Whether it changes who holds what, and computes nothing."""
        memory = self.refuse or self.evict or self.requeue
        return bool(memory or self.admit or self.load or self.adopt)


class Timing(Struct, frozen=True):
    """What a turn took, in seconds; the scheduler learns from it.

    Attributes:
        ended: when it was over, on the clock of `View.now`.
        decode: the passes, with waiting for their tokens. With a mixed chunk: that pass alone.
        chunk: reading the chunk in a pass of its own.
        read: tokens of the chunk, and of those beside it, that were read; 0 where that failed.
        left: tokens of the chunk's prompt that are still to be read.
        told: tokens that a pass with drafts brought, `accepted` of the `drafted` ones among them.
    """

    ended: float = 0.0
    decode: float = 0.0
    chunk: float = 0.0
    read: int = 0
    left: int = 0
    told: int = 0
    drafted: int = 0
    accepted: int = 0
