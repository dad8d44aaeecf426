"""Memory decisions: what may start or grow, and which idle caches to evict for it.

A plan makes all of these decisions with the same `MemoryBudget`. Replies that can never fit are
refused immediately. Replies that have to wait are queued in the order in which they were sent, with
chats in the foreground first. No request overtakes another.

Eviction and admission happen in separate iterations, based on the memory in use at that time. How
much memory an eviction frees is hard to estimate: shared memory stays, and caches that are being
written to disk are freed later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from engine.cache.ledger import CacheKey
from engine.errors import CAPACITY_EXHAUSTED, OUT_OF_MEMORY
from engine.runtime.plan import (
    Admission,
    Extension,
    Idle,
    LoadAdmission,
    LoadRequest,
    MemoryView,
    PendingEmbedding,
    PrefixCopy,
    Refusal,
    Row,
    Status,
)

BUDGET_SHARE = 0.85
"""Default budget as a fraction of memory. The rest is for the process and MLX's scratch buffers."""

SCRATCH_SHARE = 1 / 16
"""Largest fraction of the budget kept free for a future single question."""


class Eviction(Struct, frozen=True):
    """Keys of idle caches to evict. The request that needs the memory starts in a later plan."""

    keys: tuple[CacheKey, ...]


class Promise(NamedTuple):
    """Memory that the running replies may need at their maximum lengths."""

    own: int  # total bytes of the replies' own caches
    groups: Mapping[int, int]  # bytes of shared caches by group number

    @property
    def nbytes(self) -> int:
        return self.own + sum(self.groups.values())


def promised(parts: Iterable[tuple[int, int, int]]) -> Promise:
    """Add up the memory that running replies may need.

    Args:
        parts: own bytes, group number (0 for none) and shared bytes of each reply.
    """
    found = list(parts)
    return Promise(sum(size for size, _, _ in found), {n: shared for _, n, shared in found if n})


class MemoryBudget:
    """Memory budget of one snapshot. All decisions of a plan are made with it.

    Attributes:
        promise: memory that the running replies may need at their maximum lengths.
        free: bytes available if every idle cache were evicted and nothing were being written.
        reserve: bytes that replies leave free for a future single question. Idle caches may use
            them.
    """

    def __init__(self, rows: Sequence[Row], memory: MemoryView) -> None:
        self.rows = rows
        self.memory = memory
        self.promise = promised((r.max_bytes, r.group, r.shared) for r in rows if r.runs)
        self.free = memory.budget - memory.fixed - self.promise.nbytes

    @cached_property
    def reserve(self) -> int:
        if any(r.scratch and (r.runs or not r.is_suspended) for r in self.rows):
            return 0  # a single question is already running or queued
        memory = self.memory
        share = int((memory.budget - memory.fixed) * SCRATCH_SHARE)
        return min(memory.scratch, share)

    @property
    def unused(self) -> int:
        """Bytes neither promised nor in use, not even by idle caches. Negative if over budget."""
        return self.free - self.memory.idle_bytes - self.memory.writing_bytes

    def fit(self, nbytes: int, claimed: int = 0, row: Row | None = None) -> bool | Eviction | None:
        """Find out how `nbytes` can fit.

        Args:
            claimed: bytes that must remain available. Idle caches may use them.
            row: the reply that needs the bytes. Its own idle caches are not evicted.

        Returns:
            True if they fit now; the caches to evict; False if they fit once evicted caches are
                written to disk; None if evicting all idle caches isn't enough.
        """
        in_use, free = self.promise.groups, self.free - nbytes
        if row is not None and row.group and row.group not in in_use:
            in_use = {**in_use, row.group: row.shared}
            free -= row.shared
        if free < claimed:
            return None
        if self.memory.idle_bytes + self.memory.writing_bytes <= free:
            return True
        session_key = CacheKey("session", row.id) if row is not None else None
        dropped, missing = choose_evictions(
            free, [i for i in self.memory.idle if i.key != session_key], in_use
        )
        return Eviction(tuple(dropped)) if dropped else missing + self.memory.writing_bytes <= free


def queue_key(scratch: bool, priority: int, waiting_since: float) -> tuple[bool, int, float]:
    """Return the sort key of a request waiting for memory.

    Single questions come first, because memory is reserved for one of them.
    """
    return not scratch, -priority, waiting_since


def order(rows: Iterable[Row]) -> list[Row]:
    waiting = [r for r in rows if r.status == Status.QUEUED]
    return sorted(waiting, key=lambda r: queue_key(r.scratch, r.priority, r.waiting_since))


def refuse(queue: Sequence[Row], budget: MemoryBudget) -> tuple[Refusal, ...]:
    """Refuse requests that wouldn't fit even if nothing else were running."""
    free = budget.memory.budget - budget.reserve
    needs = {row.id: _bytes_alone(row, budget) for row in queue}
    return tuple(
        Refusal(key, CAPACITY_EXHAUSTED, too_large(needed, free))
        for key, needed in needs.items()
        if needed > free
    )


def _bytes_alone(row: Row, budget: MemoryBudget) -> int:
    """Return the bytes needed by the weights and this request if nothing else were running."""
    memory = budget.memory
    return memory.fixed - memory.releasing_bytes + row.max_bytes + row.shared


def too_large(needed: int, free: int) -> str:
    return (
        f"This needs {needed / 1000000000.0:.2f} GB including the weights, but only "
        f"{free / 1000000000.0:.2f} GB may be used. Ask for a shorter answer, shorten the chat, or "
        "unload a model."
    )


def admit(
    queue: Sequence[Row], budget: MemoryBudget, claimed: int = 0
) -> Admission | Eviction | None:
    """Admit the first request that fits, or choose the caches to evict for it.

    Only paused requests and single questions can be overtaken.

    Args:
        claimed: bytes reserved for a load or an embedding that waits for caches to be written.
    """
    for row in queue:
        if row.is_suspended or _bytes_alone(row, budget) > budget.memory.budget - budget.reserve:
            continue  # paused, or refused because the reply can never fit
        found = budget.fit(row.max_bytes, max(budget.reserve, claimed), row)
        if found:
            return Admission(row.id) if found is True else found
        if not row.scratch:
            break
    return None


def load(request: LoadRequest, budget: MemoryBudget) -> LoadAdmission | Refusal | Eviction | None:
    """Decide how to load a model. Returns None while evicted caches are being written."""
    for nbytes in (request.wide, request.nbytes):  # the faster dtype is worth evicting idle caches
        found = budget.fit(nbytes)
        if found is True:
            return LoadAdmission(request.key, nbytes, wide=nbytes > request.nbytes)
        if found is not None:
            return found or None
    words = _does_not_fit(request, budget.free, budget.promise.nbytes)
    return Refusal(request.key, OUT_OF_MEMORY, words)


def embed(
    request: PendingEmbedding, budget: MemoryBudget
) -> PendingEmbedding | Refusal | Eviction | None:
    """Decide whether to embed texts. Returns None while evicted caches are being written."""
    found = budget.fit(request.nbytes)
    if found is None:
        needed = budget.memory.fixed + request.nbytes
        words = "Running answers use all memory. Retry later."
        if needed > budget.memory.budget:
            words = too_large(needed, budget.memory.budget)
        return Refusal(request.key, CAPACITY_EXHAUSTED, words)
    return request if found is True else found or None


def extend(budget: MemoryBudget) -> Extension | Eviction | None:
    """Extend the allowance of a reply without a limit, or choose the caches to evict for that.

    A reply asks for this `EARLY_TOKENS` before its allowance is used up, so that evicted caches can
    be written to disk. If that takes too long, the reply gets a few extra tokens, which need little
    memory.
    """
    for row in budget.rows:
        if row.growth_bytes is None or row.is_suspended:
            continue
        found = budget.fit(row.growth_bytes, budget.reserve)
        if isinstance(found, Eviction):
            return found
        if found or (found is False and row.at_limit):
            return Extension(row.id, whole=found)
    return None


def keep_prefix(budget: MemoryBudget) -> PrefixCopy | Eviction | None:
    """Cache a prefix if it fits. This can evict older prefixes, but never a session."""
    memory = budget.memory
    for row in budget.rows:
        if not row.prefix_to_keep or row.prefix_bytes > memory.prefix_limit:
            continue
        over = sum(p.nbytes for p in memory.prefixes) + row.prefix_bytes - memory.prefix_limit
        over = max(over, row.prefix_bytes - budget.unused)
        dropped = []
        for prefix in sorted(memory.prefixes, key=lambda p: p.used_at):
            if over <= 0:
                break
            dropped.append(prefix.key)
            over -= prefix.nbytes
        if over <= 0:
            return Eviction(tuple(dropped)) if dropped else PrefixCopy(row.id, row.prefix_to_keep)
    return None


def surplus(budget: MemoryBudget) -> tuple[tuple[CacheKey, ...], tuple[str, ...]]:
    """Choose idle caches to drop, or a reply to requeue, if the budget is exceeded.

    Forks don't ask for memory, and running replies may need more than before: if one of two forks
    creates a new shared prefix, the old prefix stays. Embeddings of images that no reply needs have
    a limit of their own.
    """
    memory, free = budget.memory, budget.free
    if memory.excess_image_bytes > 0:
        images = [i for i in memory.idle if i.key.kind == "image"]
        nbytes = sum(i.nbytes for i in images) - memory.excess_image_bytes
        return tuple(choose_evictions(nbytes, images, ())[0]), ()
    if memory.idle_bytes <= free:
        return (), ()
    dropped = (
        choose_evictions(free, memory.idle, budget.promise.groups)[0] if memory.idle_bytes else ()
    )
    active = [r for r in budget.rows if r.status in (Status.PREFILLING, Status.DECODING)]
    if dropped or free + sum(r.slack_bytes for r in active) >= 0 or len(active) < 2:
        return tuple(dropped), ()
    return (), (min(active, key=lambda r: (r.priority, -r.waiting_since)).id,)


def choose_evictions(
    free: int, idle: Iterable[Idle], in_use: Collection[int]
) -> tuple[list[CacheKey], int]:
    """Choose idle caches to drop, least recently used first, so that the others fit in `free`
    bytes.

    Args:
        in_use: group numbers of memory shared with running replies. It can't be freed.

    Returns:
        The keys of the dropped caches, and the bytes of the remaining ones.
    """
    queue = sorted(idle, key=lambda i: i.used_at)
    holders: dict[int, int] = {}
    held_bytes = 0
    for cache in queue:
        held_bytes += cache.nbytes
        if cache.group and cache.group not in in_use:
            held_bytes += 0 if cache.group in holders else cache.shared
            holders[cache.group] = holders.get(cache.group, 0) + 1
    dropped = []
    for cache in queue:
        if held_bytes <= free:
            break
        if not cache.nbytes and cache.group not in holders:
            continue  # dropping this cache would free nothing
        dropped.append(cache.key)
        held_bytes -= cache.nbytes
        if cache.group in holders:
            holders[cache.group] -= 1
            held_bytes -= 0 if holders[cache.group] else cache.shared
    return dropped, held_bytes


def _does_not_fit(request: LoadRequest, free: int, promised: int) -> str:
    ways = "Unload another model, or choose a smaller or quantized one."
    if promised and request.nbytes <= free + promised:
        ways = "Wait until the chats that are answering have finished, or unload another model."
    return (
        f"{request.name} needs {request.nbytes / 1e9:.2f} GB for its weights and "
        f"{max(0, free) / 1e9:.2f} GB may be used. {ways}"
    )
