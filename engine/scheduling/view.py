"""What the scheduler sees: how sessions, memory and clock stand at the beginning of a turn.

Plain values, without MLX and without a clock of their own. What takes time to find out (whose
caches are idle, what others hold of a prompt) is asked for only where a decision needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple


class Status(IntEnum):
    """Where a reply is. Only a fault in a shared step sends one back to reading."""

    PREPARING = 0  # a worker renders its prompt
    QUEUED = 1  # waits for memory
    RESTORING = 2  # a worker reads its cache from disk
    PREFILLING = 3
    DECODING = 4
    FINISHED = 5


class CacheKey(NamedTuple):
    """Names caches, by whose they are.

    The kind comes first because callers, files and servers name sessions as they like: no name of
    theirs may be the key of something else.

    Attributes:
        name: the session's id, the number of a kept beginning, or the id of the model that is
            drafted for.
    """

    kind: Literal["session", "prefix", "draft"]
    name: str


@dataclass(frozen=True)
class Row:
    """A session that is answering, as the scheduler sees it.

    Attributes:
        length: tokens that its caches hold.
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
        snapshot_at: where its reading must stop for a snapshot; -1 for nowhere.
        most: bytes of its own caches when the reply has become as long as it may.
        slack: how many of these it does not need; its caches have room for so much more.
        group, shared: the number of what it holds together with others, 0 for nothing, and the
            bytes of that.
        drafts: the most tokens that a small model may draft after the pending one; 0 where none
            may.
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
    length: int = 0
    remaining: int = 0
    waiting_since: float = 0.0
    ready_at: float = 0.0
    begun: bool = False
    awaits_first: bool = False
    wants_more: bool = True
    snapshot_at: int = -1
    most: int = 0
    slack: int = 0
    group: int = 0
    shared: int = 0
    drafts: int = 0

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


@dataclass(frozen=True)
class Idle:
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


@dataclass(frozen=True)
class Memory:
    """Bytes, as they stand.

    Attributes:
        budget: what weights and caches may take together.
        weights: of all models, those being loaded among them.
        scratch: what a single question that may come would need.
        idle: caches that nobody is using; asked for only where memory is short.
        idle_bytes: of all of them together, what running replies hold with them left out.
        leaving: of caches that have made room and are still being written to disk.
        version: changes whenever room may have been made, so that a queue which could not be
            served is not looked at again for nothing.
    """

    budget: int
    weights: int = 0
    scratch: int = 0
    idle: Callable[[], Sequence[Idle]] = tuple
    version: int = 0
    idle_bytes: int = 0
    leaving: int = 0


@dataclass(frozen=True)
class Offer:
    """What another session, or the prefix cache, holds of a session's prompt.

    Attributes:
        donor: whose caches hold it.
        length: how many of the prompt's first tokens it can hand on.
    """

    donor: CacheKey
    length: int


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


def no_draft(row: Row) -> int:
    """Nothing is drafted for this row."""
    return -1


def no_halt(row: Row, others: Sequence[Row]) -> int:
    """Others can go on from anywhere in this prompt."""
    return -1


def no_common(one: Row, other: Row) -> int:
    """No two prompts begin alike."""
    return 0


@dataclass(frozen=True)
class Pace:
    """How much of a prompt one of a model's passes reads at most, by what was measured.

    Attributes:
        mixed: rows of a pass that reads a chunk beside a step; 0 where none does.
        chunk: tokens of a pass that reads prompts only.
    """

    mixed: int = 1 << 30
    chunk: int = 1 << 30


@dataclass(frozen=True)
class View:
    """How everything stands at the beginning of a turn.

    Attributes:
        now: seconds, on any clock.
        rows: all sessions that have a reply, in the order in which they were opened.
        mixing: ids of models that can read a chunk in one pass with a step of others.
        joining: ids of models that can read several prompts in one pass.
        pace: by model, of those that were measured.
        faulty: ids of models of which too many shared steps have failed.
        memory: bytes, as they stand.
        load: the model that waits to be read, if any.
        offer: what another holds of a row's prompt. Comparing prompts takes time, so the
            scheduler asks only about those whose turn it is.
        halt: where reading a row's prompt must halt because others can go on from there; -1 for
            nowhere. `others` are those that wait.
        common: how many of their first tokens two rows' prompts have in common.
        behind: how many of a row's tokens the model that drafts for it has still to read; -1
            where there is no memory for drafting.
    """

    now: float
    rows: Sequence[Row] = ()
    mixing: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    pace: Mapping[str, Pace] = field(default_factory=dict)
    faulty: frozenset[str] = frozenset()
    memory: Memory = field(default_factory=lambda: Memory(1 << 62))
    load: LoadRequest | None = None
    offer: Callable[[Row], Offer | None] = no_offer
    halt: Callable[[Row, Sequence[Row]], int] = no_halt
    common: Callable[[Row, Row], int] = no_common
    behind: Callable[[Row], int] = no_draft
