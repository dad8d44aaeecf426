"""What the scheduler sees of a turn, and what it decides: plain values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum, auto

from msgspec import Struct, field
from msgspec.structs import replace

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
    """A session that is answering, as the scheduler sees it."""

    id: str
    model: str
    status: Status
    paused: bool = False
    reproducible: bool = False
    # it must have passes of its own: reproducible, or a shared pass has failed with it
    apart: bool = False
    # its prompt can be read in one pass with a step of others, or with others' prompts, as far as
    # it alone is concerned
    mixable: bool = False
    # a fork that has not written to the caches that it shares. It copies them when it does, so what
    # it takes over from others before that costs nothing.
    unwritten: bool = False
    joins: bool = True  # a prompt's chunk can be read in the pass that its step takes part in
    # its prompt's last token can be fed in the pass that reads what comes before it
    ends: bool = False
    scratch: bool = False
    priority: int = 0
    # who asks, where that is another program; time is shared fairly among programs
    program: str = ""
    share: float = 0.0  # of the time, in per cent, that its program was given; 0 for no set share
    length: int = 0  # tokens that its caches hold, while its prompt is read
    # tokens of its prompt to read before the last one, which the first step feeds
    remaining: int = 0
    # when its prompt began to wait, in seconds, on the clock of `View.now`
    waiting_since: float = 0.0
    ready_at: float = 0.0  # when its prompt had been read
    begun: bool = False  # it has a token of its own, be it one that is not read yet
    awaits_first: bool = False  # its first token is chosen and not read yet
    wants_more: bool = True  # a token has to follow the one that is pending
    # spans `(start, end)` of its prompt's unread tokens that are not cut
    images: tuple[tuple[int, int], ...] = ()
    snapshot_at: int = -1  # where its reading must stop for a snapshot; -1 for nowhere
    most: int = 0  # bytes of its own caches when the reply has become as long as it may
    slack: int = 0  # how many of these it does not need; its caches have room for so much more
    # group, shared: the number of what it holds together with others, 0 for nothing, and the bytes
    # of that
    group: int = 0
    shared: int = 0
    drafts: int = 0  # the most tokens that may be drafted after the pending one; 0 where none may
    # how many of its tokens the drafting model has still to read; -1 where there is none, or no
    # memory for it
    behind: int = -1
    # the chances that what was looked up for it holds, each token's with all before it
    holds: Sequence[float] = ()
    lost: int = 0  # tokens that its caches have lost to a draft, and that its next step reads again
    kind: tuple[object, ...] = ()  # rows of one kind can go on from each other's caches
    prompt: bytes = b""  # its prompt's tokens, `packed`; empty where none is being read
    system: int = 0  # how many of them any chat with the same system message begins with
    # its caches cannot be trimmed: others can go on from where its reading halts
    halts: bool = False
    offer: Offer | None = None  # what others hold of its prompt

    def __repr__(self) -> str:
        """Without the prompt, which may be long and is the person's."""
        return Struct.__repr__(replace(self, prompt=b"") if self.prompt else self)

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
    """Caches that nobody is using now: what dropping them would give back."""

    key: CacheKey
    nbytes: int  # of what nobody else holds
    used_at: float  # when they were used last; the oldest go first
    # group, shared: the number of what they hold together with others, 0 for nothing, and the bytes
    # of that, which come back with the last that holds it
    group: int = 0
    shared: int = 0


class MemoryView(Struct, frozen=True):
    """Bytes, as they stand."""

    budget: int  # what weights and caches may take together
    fixed: int = 0  # of all models' weights, and what loads and embeddings have reserved
    scratch: int = 0  # what a single question that may come would need
    # caches that nobody is using; empty where there is room for all that is wanted
    idle: Sequence[Idle] = ()
    # changes whenever room may have been made, so that a queue which could not be served is not
    # looked at again for nothing
    version: int = 0
    idle_bytes: int = 0  # of all of them together, what running replies hold with them left out
    leaving: int = 0  # of caches that have made room and are still being written to disk


class LoadRequest(Struct, frozen=True):
    """A model that waits to be read."""

    key: str
    name: str
    nbytes: int  # of its weights as they lie on disk
    # of its weights in the type that this machine computes in fastest; `nbytes` where that is their
    # own
    wide: int


class Piece(StrEnum):
    """What is read piece by piece, between the chats' steps."""

    EMBEDDING = auto()
    LOOKING = auto()
    RESTORING = auto()
    LOADING = auto()


class View(Struct, frozen=True):
    """How everything stands at the start of a turn."""

    now: float  # seconds, on any clock
    # all sessions that have a reply, in the order in which they were opened
    rows: Sequence[Row] = ()
    # ids of models that can read a chunk in one pass with a step of others
    mixing: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()  # ids of models that can read several prompts in one pass
    exact: frozenset[str] = frozenset()  # ids of models whose logits do not depend on chunks
    faulty: frozenset[str] = frozenset()  # ids of models of which too many shared steps have failed
    memory: MemoryView = field(default_factory=lambda: MemoryView(1 << 62))  # bytes, as they stand
    load: LoadRequest | None = None  # the model that waits to be read, if any
    pieces: frozenset[Piece] = frozenset()  # what is read piece by piece and has a next one


class Admission(Struct, frozen=True):
    """A reply begins: there is room for it."""

    session: str


class LoadAdmission(Struct, frozen=True):
    """A model is read; with `wide` into the type that this machine computes in fastest."""

    key: str
    nbytes: int
    wide: bool


class Refusal(Struct, frozen=True):
    """A reply, or a load, that cannot be: an error's code and its words."""

    key: str  # the session's id, or the load's key
    code: str
    message: str
    load: bool = False  # it is a load


class Adoption(Struct, frozen=True):
    """A session goes on from a copy of the first `length` tokens of a donor's caches."""

    session: str
    donor: CacheKey
    length: int


class Pass(Struct, frozen=True):
    """One decode step of one model's sessions."""

    rows: tuple[str, ...]  # sessions whose pending token is read and delivered
    feed: tuple[str, ...]  # those of them whose pending token is fed, so that another follows
    shared: bool = True  # they take part in one forward pass; else each has one of its own
    # for each that is fed, so many tokens at most are drafted after the pending one, and checked in
    # the same pass; empty where none are for anybody
    drafts: tuple[int, ...] = ()
    behind: int = 0  # so many tokens the drafting model reads after the step, to catch up


class Chunk(Struct, frozen=True):
    """The tokens of a session's prompt from `start` on, `count` of them."""

    session: str
    model: str
    start: int
    count: int
    mixed: bool = False  # they are read in the turn's only pass, as rows beside the others' step
    fixed: bool = False  # its end lies at a fixed place, so its size teaches nothing
    # it is all that is left, and the pass feeds the prompt's last token after it: the session is
    # among those of the pass, too
    ends: bool = False


class StepPlan(Struct, frozen=True):
    """All that is done in one turn of the loop.

    A plan either arranges (`refuse`, `evict`, `requeue`, `admit`, `load`, `adopt`) or computes
    (`passes`, `chunk`).
    After an arrangement sessions stand otherwise than before, so the next plan is made from them.
    """

    # replies and loads that can never be, by session or by the load's key
    refuse: tuple[Refusal, ...] = ()
    # idle caches that make room. Who wants it is admitted once it is seen to be there.
    evict: tuple[CacheKey, ...] = ()
    at_once: bool = False  # too much is held already, and there is no time to write them to disk
    requeue: tuple[str, ...] = ()  # replies that lose their caches and wait for memory again
    admit: Admission | None = None  # the reply that begins
    load: LoadAdmission | None = None  # the model whose reading begins
    adopt: Adoption | None = None  # the prefix of a prompt that need not be read
    models: tuple[str, ...] = ()  # the models that have sessions which decode
    model: str = ""  # the one of them whose turn it is; "" where nothing decodes
    passes: tuple[Pass, ...] = ()  # its decode steps
    chunk: Chunk | None = None  # what is read of a prompt
    # other prompts, whole or what is left of them, that are read in the pass of `chunk`
    beside: tuple[Chunk, ...] = ()
    reading: tuple[str, ...] = ()  # the sessions whose prompts are being read, the next one first
    queue: tuple[str, ...] = ()  # the sessions that wait for memory, the first to be admitted first
    gathering: bool = False  # those whose prompts are read wait for others that came with them
    answering: int = 0  # how many passes the chunk holds up, over all models
    begins: bool = False  # all who take part in the only pass begin to answer with it
    awaits_disk: bool = False  # a load has to wait until caches that made room are written
    # of what a piece is read once the turn's tokens are delivered, in this order
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
    """What a turn took, in seconds; the scheduler learns from it."""

    ended: float = 0.0  # when it was over, on the clock of `View.now`
    # the passes, with waiting for their tokens. With a mixed chunk: that pass alone.
    decode: float = 0.0
    chunk: float = 0.0  # reading the chunk in a pass of its own
    # tokens of the chunk, and of those beside it, that were read; 0 where that failed
    read: int = 0
    left: int = 0  # tokens of the chunk's prompt that are still to be read
    # tokens that a pass with drafts brought, `accepted` of the `drafted` ones among them
    told: int = 0
    drafted: int = 0
    accepted: int = 0
