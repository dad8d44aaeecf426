"""Whether replies and models fit into memory, and whose idle caches make room for them.

A reply that could never fit is refused at once. One that would fit if fewer others ran waits in
the admission queue: the chats in front first, otherwise in the order in which they were sent; none
is passed by.

Room is made in a turn of its own, and the waiting request is admitted in a later one, by what is
held then. So nobody relies on a guess of what dropping a cache gives back: what others hold as well
stays, and what goes to disk is held until it is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from engine.cache.ledger import CacheKey
from engine.errors import CAPACITY_EXHAUSTED, OUT_OF_MEMORY
from engine.runtime.plan import (
    RUNNING,
    Admission,
    Idle,
    LoadAdmission,
    LoadRequest,
    MemoryView,
    Refusal,
    Row,
    Status,
)

BUDGET_SHARE = 0.85
"""Of the memory, when no budget is given; the rest is for the process and MLX's scratch buffers."""

SCRATCH_SHARE = 1 / 16
"""Of the budget, at most so much is kept free for a single question that may come."""


class Eviction(Struct, frozen=True):
    """Idle caches that make room, by their keys; nobody is admitted yet."""

    keys: tuple[CacheKey, ...]


class Promise(NamedTuple):
    """What running replies come to take at their longest."""

    own: int  # bytes of each one's own caches, all together
    groups: Mapping[int, int]  # by number, the bytes of what they hold together with others

    @property
    def nbytes(self) -> int:
        return self.own + sum(self.groups.values())


def place(scratch: bool, priority: int, waiting_since: float) -> tuple[bool, int, float]:
    """Sorts those that wait for memory, the first to be admitted first.

    Single questions come before all others: room is kept free for one.
    """
    return not scratch, -priority, waiting_since


def order(rows: Iterable[Row]) -> list[Row]:
    """The rows that wait for memory, the first to be admitted first."""
    waiting = [r for r in rows if r.status == Status.QUEUED]
    return sorted(waiting, key=lambda r: place(r.scratch, r.priority, r.waiting_since))


def refuse(queue: Sequence[Row], rows: Sequence[Row], memory: MemoryView) -> tuple[Refusal, ...]:
    """Those in the queue that would not fit if nothing else ran."""
    free = memory.budget - _reserve(rows, memory)
    refused = []
    for row in queue:
        needed = memory.fixed + row.most + row.shared
        if needed > free:
            refused.append(Refusal(row.id, CAPACITY_EXHAUSTED, too_large(needed, free)))
    return tuple(refused)


def too_large(needed: int, free: int) -> str:
    """Why something can never be, and what to do."""
    return (
        f"This needs {needed / 1e9:.2f} GB together with the weights, and "
        f"{free / 1e9:.2f} GB may be used. Ask for a shorter "
        "answer, shorten the chat, or unload a model."
    )


def admit(
    queue: Sequence[Row], rows: Sequence[Row], memory: MemoryView
) -> Admission | Eviction | None:
    """The first of the queue for which there is room, or what is dropped to make it.

    None of the queue is passed by, but for those that are paused, and single questions.
    """
    running, groups = promised(rows)
    free = memory.budget - _reserve(rows, memory)
    for row in queue:
        if row.paused or memory.fixed + row.most + row.shared > free:
            continue  # or refused
        in_use = {**groups, **({row.group: row.shared} if row.group else {})}
        least = memory.fixed + running + row.most + sum(in_use.values())
        if least <= free:
            if least + memory.idle_bytes + memory.leaving <= memory.budget:
                return Admission(row.id)  # whatever is idle, its own caches among it
            idle = [i for i in memory.idle if i.key != CacheKey("session", row.id)]
            dropped, left = room(memory.budget - least, idle, in_use)
            if dropped:
                return Eviction(tuple(dropped))
            if least + left + memory.leaving <= memory.budget:
                return Admission(row.id)
        if not row.scratch:
            break
    return None


def load(
    request: LoadRequest, rows: Sequence[Row], memory: MemoryView
) -> LoadAdmission | Refusal | Eviction | None:
    """How a model is read: what replies have been promised and what is loaded counts.

    None where it has to wait until caches that made room are on disk.
    """
    promise = promised(rows)
    free = memory.budget - memory.fixed - promise.nbytes
    if request.wide <= free - memory.idle_bytes - memory.leaving:
        return LoadAdmission(request.key, request.wide, wide=request.wide > request.nbytes)
    if request.nbytes > free:
        words = _does_not_fit(request, free, promise.nbytes)
        return Refusal(request.key, OUT_OF_MEMORY, words, load=True)
    dropped, left = room(free - request.nbytes, memory.idle, promise.groups)
    if dropped:
        return Eviction(tuple(dropped))
    if request.nbytes <= free - left - memory.leaving:
        return LoadAdmission(request.key, request.nbytes, wide=False)
    return None


def surplus(
    rows: Sequence[Row], memory: MemoryView
) -> tuple[tuple[CacheKey, ...], tuple[str, ...]]:
    """Idle caches to drop, and a reply that has to wait again, because too much is held.

    Forks, and prefixes that are kept, come without asking for room. Replies that run may need
    more than before: where one of two forks makes a new shared prefix, the old one stays.
    """
    promise = promised(rows)
    free = memory.budget - memory.fixed - promise.nbytes
    if memory.idle_bytes <= free:
        return (), ()
    dropped = room(free, memory.idle, promise.groups)[0] if memory.idle_bytes else ()
    held = [r for r in rows if r.status in (Status.PREFILLING, Status.DECODING)]
    if dropped or free + sum(r.slack for r in held) >= 0 or len(held) < 2:
        return tuple(dropped), ()
    return (), (min(held, key=lambda r: (r.priority, -r.waiting_since)).id,)


def room(free: int, idle: Iterable[Idle], in_use: Collection[int]) -> tuple[list[CacheKey], int]:
    """Which idle caches to drop, least recently used first, so that all take no more than `free`.

    Args:
        in_use: the numbers of what is held together with replies that run: it stays.

    Returns:
        Their keys, and the bytes of those that are left.
    """
    queue = sorted(idle, key=lambda i: i.used_at)
    holders: dict[int, int] = {}
    wanted = 0
    for cache in queue:
        wanted += cache.nbytes
        if cache.group and cache.group not in in_use:
            wanted += 0 if cache.group in holders else cache.shared
            holders[cache.group] = holders.get(cache.group, 0) + 1
    dropped = []
    for cache in queue:
        if wanted <= free:
            break
        if not cache.nbytes and cache.group not in holders:
            continue  # it would give back nothing
        dropped.append(cache.key)
        wanted -= cache.nbytes
        if cache.group in holders:
            holders[cache.group] -= 1
            wanted -= 0 if holders[cache.group] else cache.shared
    return dropped, wanted


def promised(rows: Iterable[Row]) -> Promise:
    """What the running ones of them come to take."""
    running = [r for r in rows if r.status in RUNNING]
    return Promise(sum(r.most for r in running), {r.group: r.shared for r in running if r.group})


def _does_not_fit(request: LoadRequest, free: int, promised: int) -> str:
    ways = "Unload another model, or choose a smaller or quantized one."
    if promised and request.nbytes <= free + promised:
        ways = "Wait until the chats that are answering have finished, or unload another model."
    return (
        f"{request.name} needs {request.nbytes / 1e9:.2f} GB for its weights and "
        f"{max(0, free) / 1e9:.2f} GB may be used. {ways}"
    )


def reserve(scratch: int, budget: int, fixed: int) -> int:
    """Bytes that replies leave for a single question that may come; idle caches may lie there.

    Args:
        scratch: what such a question would need.
        budget, fixed: as of `MemoryView`.
    """
    return min(scratch, int((budget - fixed) * SCRATCH_SHARE))


def _reserve(rows: Sequence[Row], memory: MemoryView) -> int:
    if any(r.scratch and (r.status in RUNNING or not r.paused) for r in rows):
        return 0  # it has come
    return reserve(memory.scratch, memory.budget, memory.fixed)
