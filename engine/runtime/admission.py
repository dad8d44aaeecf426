"""Admission of replies and models to memory, and the choice of idle caches to evict for them.

A reply that could never fit is refused immediately. One that would fit if fewer others ran waits in
the admission queue: chats in the foreground first, otherwise in the order in which they were sent.
No request overtakes another.

Eviction takes a turn of its own, and the waiting request is admitted in a later turn, from the
memory in use at that time. So nothing relies on an estimate of what dropping a cache frees: memory
shared with others stays, and caches that are being written to disk are held until they are written.
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
"""Default budget as a share of the memory. The rest is for the process and MLX's scratch
buffers."""

SCRATCH_SHARE = 1 / 16
"""Largest share of the budget that is kept free for a future single question."""


class Eviction(Struct, frozen=True):
    """Keys of idle caches to evict. No request is admitted in the same turn."""

    keys: tuple[CacheKey, ...]


class Promise(NamedTuple):
    """Memory that the running replies may need at their maximum lengths."""

    own: int  # bytes of the replies' own caches, in total
    groups: Mapping[int, int]  # bytes of shared caches, by group number

    @property
    def nbytes(self) -> int:
        return self.own + sum(self.groups.values())


def place(scratch: bool, priority: int, waiting_since: float) -> tuple[bool, int, float]:
    """Return the sort key of a request that waits for memory.

    Single questions come first: memory is kept free for one.
    """
    return not scratch, -priority, waiting_since


def order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that wait for memory, in the order of admission."""
    waiting = [r for r in rows if r.status == Status.QUEUED]
    return sorted(waiting, key=lambda r: place(r.scratch, r.priority, r.waiting_since))


def refuse(queue: Sequence[Row], rows: Sequence[Row], memory: MemoryView) -> tuple[Refusal, ...]:
    """Refuse requests that would not fit if nothing else ran."""
    free = memory.budget - _reserve(rows, memory)
    refused = []
    for row in queue:
        needed = memory.fixed + row.most + row.shared
        if needed > free:
            refused.append(Refusal(row.id, CAPACITY_EXHAUSTED, too_large(needed, free)))
    return tuple(refused)


def too_large(needed: int, free: int) -> str:
    """Return the message for a request that can never fit."""
    return (
        f"This needs {needed / 1e9:.2f} GB together with the weights, and "
        f"{free / 1e9:.2f} GB may be used. Ask for a shorter "
        "answer, shorten the chat, or unload a model."
    )


def admit(
    queue: Sequence[Row], rows: Sequence[Row], memory: MemoryView
) -> Admission | Eviction | None:
    """Admit the first request that fits, or choose the caches to evict for it.

    Only paused requests and single questions may be overtaken.
    """
    running, groups = promised(rows)
    free = memory.budget - _reserve(rows, memory)
    for row in queue:
        if row.paused or memory.fixed + row.most + row.shared > free:
            continue  # or it was refused
        in_use = {**groups, **({row.group: row.shared} if row.group else {})}
        least = memory.fixed + running + row.most + sum(in_use.values())
        if least <= free:
            if least + memory.idle_bytes + memory.leaving <= memory.budget:
                return Admission(
                    row.id
                )  # it fits without evicting anything, its own caches included
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
    """Decide how a model is loaded, from the memory promised to replies and held by models.

    Returns:
        None while evicted caches are being written to disk.
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
    """Choose idle caches to drop, or a reply to requeue, when more is held than the budget allows.

    Forks and kept prefixes do not ask for memory. Running replies may also need more than before:
    if one of two forks creates a new shared prefix, the old one stays.
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
    """Choose idle caches to drop, least recently used first, so that the rest fits in `free` bytes.

    Args:
        in_use: group numbers of caches shared with running replies; these stay.

    Returns:
        The keys of the dropped caches, and the bytes of the remaining ones.
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
            continue  # dropping it would free nothing
        dropped.append(cache.key)
        wanted -= cache.nbytes
        if cache.group in holders:
            holders[cache.group] -= 1
            wanted -= 0 if holders[cache.group] else cache.shared
    return dropped, wanted


def promised(rows: Iterable[Row]) -> Promise:
    """Return the memory that the running replies among the rows may need."""
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
    """Return the bytes that replies leave free for a future single question.

    Idle caches may use them.

    Args:
        scratch: bytes that such a question would need.
        budget, fixed: see `MemoryView`.
    """
    return min(scratch, int((budget - fixed) * SCRATCH_SHARE))


def _reserve(rows: Sequence[Row], memory: MemoryView) -> int:
    if any(r.scratch and (r.status in RUNNING or not r.paused) for r in rows):
        return 0  # a single question is running or queued
    return reserve(memory.scratch, memory.budget, memory.fixed)
