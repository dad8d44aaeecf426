"""What the scheduler decides: everything that is done in one turn of the loop, as a plain value.

A turn is `plan = scheduler.plan(view)`, `results = execute(plan)`, `finish(plan, results)`. A plan
can be printed and compared. Sessions are named by id, so it means the same in another process.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.scheduling.view import CacheKey


@dataclass(frozen=True)
class Admission:
    """A reply begins: there is room for it."""

    session: str


@dataclass(frozen=True)
class LoadAdmission:
    """A model is read; with `wide` into the type that this machine computes in fastest."""

    key: str
    nbytes: int
    wide: bool


@dataclass(frozen=True)
class Refusal:
    """A reply, or a load, that cannot be: an error's code and its words.

    Attributes:
        key: the session's id, or the load's key.
        load: it is a load.
    """

    key: str
    code: str
    message: str
    load: bool = False


@dataclass(frozen=True)
class Adoption:
    """A session goes on from a copy of the first `length` tokens of a donor's caches."""

    session: str
    donor: CacheKey
    length: int


@dataclass(frozen=True)
class Pass:
    """One decode step of one model's sessions.

    Attributes:
        rows: sessions whose pending token is read and told.
        feed: those of them whose pending token is fed, so that another follows.
        shared: they take part in one forward pass; else each has one of its own.
        draft: so many tokens are drafted after the pending one, and checked in the same pass.
        behind: so many tokens the drafting model reads after the step, to catch up.
    """

    rows: tuple[str, ...]
    feed: tuple[str, ...]
    shared: bool = True
    draft: int = 0
    behind: int = 0


@dataclass(frozen=True)
class Chunk:
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


@dataclass(frozen=True)
class StepPlan:
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
        adopt: the beginning of a prompt that need not be read.
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

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """All that is read of prompts, in one pass."""
        return () if self.chunk is None else (self.chunk, *self.beside)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.arranges or self.passes or self.chunk)

    @property
    def arranges(self) -> bool:
        """Whether it changes who holds what, and computes nothing."""
        memory = self.refuse or self.evict or self.requeue
        return bool(memory or self.admit or self.load or self.adopt)


@dataclass(frozen=True)
class Timing:
    """What a turn took, in seconds; the scheduler learns from it.

    Attributes:
        ended: when it was over, on the clock of `View.now`.
        decode: the passes, with waiting for their tokens. With a mixed chunk: that pass alone.
        chunk: reading the chunk in a pass of its own.
        read: tokens of the chunk, and of those beside it, that were read; 0 where that failed.
        left: tokens of the chunk's prompt that are still to be read.
        told: tokens that a pass with a draft brought, `accepted` of them drafted.
    """

    ended: float = 0.0
    decode: float = 0.0
    chunk: float = 0.0
    read: int = 0
    left: int = 0
    told: int = 0
    accepted: int = 0
