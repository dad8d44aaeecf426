"""What the scheduler sees and what it decides: plain values, without MLX and without a clock.

A turn of the engine's loop is `plan = scheduler.plan(view)`, `results = execute(plan)`,
`finish(plan, results)`. A `View` says how the sessions, the memory and the clock stand at the
beginning of a turn. A `StepPlan` says everything that is done in it. Both can be printed and
compared. Sessions are named by their id, so a plan means the same in another process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum


class Status(IntEnum):
    """Where a reply is. Only a fault in a shared step sends one back to reading."""

    PREPARING = 0  # a worker renders its prompt
    QUEUED = 1  # waits for memory
    RESTORING = 2  # a worker reads its cache from disk
    PREFILLING = 3
    DECODING = 4
    FINISHED = 5


@dataclass(frozen=True)
class Row:
    """A session that is answering, as the scheduler sees it.

    Attributes:
        length: tokens that its caches hold.
        remaining: tokens of its prompt to read before the last one, which the first step feeds.
        apart: it must have passes of its own: reproducible, or a shared pass has failed with it.
        mixable: its prompt can be read in one pass with a step of others, as far as it alone is
            concerned.
        joins: a prompt's chunk can be read in the pass that its step takes part in.
        waiting_since: when its prompt began to wait, in seconds, on the clock of `View.now`.
        ready_at: when its prompt had been read.
        begun: it has a token of its own, be it one that is not read yet.
        awaits_first: its first token is chosen and not read yet.
        wants_more: a token has to follow the one that is pending.
        snapshot_at: where its reading must stop for a snapshot; -1 for nowhere.
        most: bytes of its caches when the reply has become as long as it may.
    """

    id: str
    model: str
    status: Status
    paused: bool = False
    reproducible: bool = False
    apart: bool = False
    mixable: bool = False
    joins: bool = True
    scratch: bool = False
    priority: int = 0
    length: int = 0
    remaining: int = 0
    waiting_since: float = 0.0
    ready_at: float = 0.0
    begun: bool = False
    awaits_first: bool = False
    wants_more: bool = True
    snapshot_at: int = -1
    most: int = 0

    @property
    def decodes(self) -> bool:
        """Whether it gets a token in its turn."""
        return self.status == Status.DECODING and not self.paused

    @property
    def reads(self) -> bool:
        """Whether its prompt is being read."""
        return self.status == Status.PREFILLING and not self.paused


@dataclass(frozen=True)
class Idle:
    """Caches that nobody is using now: what dropping them would give back.

    Attributes:
        key: a session's id, or the key of an entry of the prefix cache.
        used_at: when they were used last; the oldest go first.
    """

    key: str
    nbytes: int
    used_at: float


@dataclass(frozen=True)
class Memory:
    """Bytes, as they stand.

    Attributes:
        budget: what weights and caches may take together.
        weights: of all models, those being loaded among them.
        scratch: what a single question that may come would need.
        idle: caches that nobody is using; asked for only where something waits for memory.
        version: changes whenever room may have been made, so that a queue which could not be
            served is not looked at again for nothing.
    """

    budget: int
    weights: int = 0
    scratch: int = 0
    idle: Callable[[], Sequence[Idle]] = tuple
    version: int = 0


@dataclass(frozen=True)
class Offer:
    """What another session, or the prefix cache, holds of a session's prompt.

    Attributes:
        donor: a session's id, or the key of an entry of the prefix cache.
        length: how many of the prompt's first tokens it can hand on.
        free: the copy is made anyway, at the next token: the two share their buffers.
    """

    donor: str
    length: int
    free: bool = False


@dataclass(frozen=True)
class LoadRequest:
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


def no_offer(row: Row) -> Offer | None:
    """Nobody holds anything of this prompt."""
    return None


def no_halt(row: Row, others: Sequence[Row]) -> int:
    """Others can go on from anywhere in this prompt."""
    return -1


@dataclass(frozen=True)
class View:
    """How everything stands at the beginning of a turn.

    Attributes:
        now: seconds, on any clock.
        rows: all sessions that have a reply, in the order in which they were opened.
        mixing: ids of models that can read a chunk in one pass with a step of others.
        faulty: ids of models of which too many shared steps have failed.
        memory: bytes, as they stand.
        load: the model that waits to be read, if any.
        offer: what another holds of a row's prompt. Comparing prompts takes time, so the
            scheduler asks only about those whose turn it is.
        halt: where reading a row's prompt must halt because others can go on from there; -1 for
            nowhere. `others` are those that wait.
    """

    now: float
    rows: Sequence[Row] = ()
    mixing: frozenset[str] = frozenset()
    faulty: frozenset[str] = frozenset()
    memory: Memory = field(default_factory=lambda: Memory(1 << 62))
    load: LoadRequest | None = None
    offer: Callable[[Row], Offer | None] = no_offer
    halt: Callable[[Row, Sequence[Row]], int] = no_halt


@dataclass(frozen=True)
class Admission:
    """A reply begins: there is room for it once the caches of `evict` have been dropped."""

    session: str
    evict: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoadAdmission:
    """A model is read; with `wide` into the type that this machine computes in fastest."""

    key: str
    nbytes: int
    wide: bool
    evict: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A reply, or a load, that cannot be: an error's code and its words."""

    key: str
    code: str
    message: str


@dataclass(frozen=True)
class Adoption:
    """A session goes on from a copy of the first `length` tokens of a donor's caches."""

    session: str
    donor: str
    length: int


@dataclass(frozen=True)
class Pass:
    """One decode step of one model's sessions.

    Attributes:
        rows: sessions whose pending token is read and told.
        feed: those of them whose pending token is fed, so that another follows.
        shared: they take part in one forward pass; else each has one of its own.
    """

    rows: tuple[str, ...]
    feed: tuple[str, ...]
    shared: bool = True


@dataclass(frozen=True)
class Chunk:
    """The tokens of a session's prompt from `start` on, `count` of them.

    Attributes:
        mixed: they are read in the turn's only pass, as rows beside the others' step.
        fixed: its end lies at a fixed place, so its size teaches nothing.
    """

    session: str
    model: str
    start: int
    count: int
    mixed: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class StepPlan:
    """All that is done in one turn of the loop.

    A plan either arranges (`refuse`, `admit`, `load`, `adopt`) or computes (`passes`, `chunk`).
    After an arrangement sessions stand otherwise than before, so the next plan is made from them.

    Attributes:
        refuse: replies and loads that can never be, by session or by the load's key.
        admit: the reply that begins.
        load: the model whose reading begins.
        adopt: the beginning of a prompt that need not be read.
        models: the models that have sessions which decode.
        model: the one of them whose turn it is; "" where nothing decodes.
        passes: its decode steps.
        chunk: what is read of a prompt.
        reading: the sessions whose prompts are being read, the next one first.
        queue: the sessions that wait for memory, the first to be admitted first.
        gathering: those whose prompts are read wait for others that came with them.
        answering: how many passes the chunk holds up, over all models.
    """

    refuse: tuple[Refusal, ...] = ()
    admit: Admission | None = None
    load: LoadAdmission | None = None
    adopt: Adoption | None = None
    models: tuple[str, ...] = ()
    model: str = ""
    passes: tuple[Pass, ...] = ()
    chunk: Chunk | None = None
    reading: tuple[str, ...] = ()
    queue: tuple[str, ...] = ()
    gathering: bool = False
    answering: int = 0

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        return not (
            self.refuse or self.admit or self.load or self.adopt or self.passes or self.chunk
        )


@dataclass(frozen=True)
class Timing:
    """What a turn took, in seconds; the scheduler learns from it.

    Attributes:
        ended: when it was over, on the clock of `View.now`.
        decode: the passes, with waiting for their tokens. With a mixed chunk: that pass alone.
        chunk: reading the chunk in a pass of its own.
        read: tokens of the chunk that were read; 0 where it failed.
        left: tokens of that prompt that are still to be read.
    """

    ended: float = 0.0
    decode: float = 0.0
    chunk: float = 0.0
    read: int = 0
    left: int = 0
