"""Decisions about memory: what may start or grow, and which idle caches are evicted to make room.

A plan makes all of these decisions with the same `MemoryBudget`. Replies that can never fit are
refused immediately. Other replies wait in the order of `queue_key`.

Eviction and admission happen in separate iterations, because evicting a cache may free less memory
than the cache uses: shared memory stays, and a cache being written to disk is freed later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from engine.cache.ledger import CacheKey
from engine.errors import CAPACITY_EXHAUSTED, OUT_OF_MEMORY
from engine.runtime.plan import (
    RUNNING,
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
    StepPlan,
)

BUDGET_SHARE = 0.85
"""Default budget as a fraction of memory. The rest is for the process and MLX's scratch buffers."""


class Room(Struct, frozen=True):
    """Room in the budget for some bytes, now or later.

    If it isn't free and there is nothing to evict, it becomes free when caches that are already
    evicted have been written to disk.
    """

    is_free: bool
    evict: tuple[CacheKey, ...] = ()  # idle caches to evict first


def promised_bytes(parts: Iterable[tuple[int, int, int]]) -> tuple[int, dict[int, int]]:
    """Add up the memory that replies may need at their maximum lengths.

    Args:
        parts: own bytes, group number (0 for none) and shared bytes of each reply.

    Returns:
        The total, and the bytes of shared caches by group number.
    """
    needs = list(parts)
    groups = {number: shared for _, number, shared in needs if number}
    return sum(own_bytes for own_bytes, _, _ in needs) + sum(groups.values()), groups


class MemoryBudget:
    """Memory budget of one snapshot.

    Attributes:
        free_bytes: bytes available if every idle cache were evicted and nothing were being written.
        is_exceeded: True if idle caches have to be dropped, or a reply has to be requeued.
    """

    def __init__(self, rows: Sequence[Row], memory: MemoryView) -> None:
        self.rows = rows
        self.memory = memory
        self.promised_bytes, self.groups = promised_bytes(
            (r.max_bytes, r.group, r.shared) for r in rows if r.status in RUNNING
        )
        self.free_bytes = memory.budget - memory.fixed_bytes - self.promised_bytes
        self.is_exceeded = memory.excess_image_bytes > 0 or memory.idle_bytes > self.free_bytes

    @property
    def unused_bytes(self) -> int:
        """Bytes neither promised nor in use, not even by idle caches. Negative if over budget."""
        return self.free_bytes - self.memory.idle_bytes - self.memory.writing_bytes

    def find_room(self, nbytes: int, claimed: int = 0, row: Row | None = None) -> Room | None:
        """Return the room for `nbytes`, or None if evicting all idle caches isn't enough.

        Args:
            claimed: bytes that must remain available. Idle caches may use them.
            row: the reply that needs the bytes. Its own idle caches are not evicted.
        """
        in_use, free = self.groups, self.free_bytes - nbytes
        if row is not None and row.group and row.group not in in_use:
            in_use = {**in_use, row.group: row.shared}
            free -= row.shared
        if free < claimed:
            return None
        if self.memory.idle_bytes + self.memory.writing_bytes <= free:
            return Room(True)
        session_key = CacheKey("session", row.id) if row is not None else None
        dropped, missing = choose_evictions(
            free, [i for i in self.memory.idle if i.key != session_key], in_use
        )
        if dropped:
            return Room(False, tuple(dropped))
        return Room(missing + self.memory.writing_bytes <= free)


def queue_key(one_shot: bool, priority: int, waiting_since: float) -> tuple[bool, int, float]:
    # Single questions come first, because they need little memory for a short time.
    return not one_shot, -priority, waiting_since


def too_large(needed_bytes: int, free: int) -> str:
    return (
        f"This needs {needed_bytes / 1e9:.2f} GB including the weights, but only "
        f"{free / 1e9:.2f} GB may be used. Ask for a shorter answer, shorten the chat, or "
        "unload a model."
    )


def admit(queue: Sequence[Row], budget: MemoryBudget, claimed: int = 0) -> StepPlan | None:
    """Admit the first request that fits, or choose the caches to evict for it.

    Only paused requests and single questions can be overtaken. Requests that wouldn't fit even if
    nothing else were running are refused.

    Args:
        claimed: bytes reserved for a load or an embedding that waits for caches to be written.
    """
    memory, fitting = budget.memory, []
    refusals: list[Refusal] = []
    for row in queue:
        alone = memory.fixed_bytes - memory.releasing_bytes + row.max_bytes + row.shared
        if alone > memory.budget:
            reason = too_large(alone, memory.budget)
            refusals.append(Refusal(row.id, CAPACITY_EXHAUSTED, reason))
        elif not row.is_suspended:
            fitting.append(row)
    for row in fitting:
        room = budget.find_room(row.max_bytes, claimed, row)
        if room is not None and room.is_free:
            return StepPlan(admit=row.id, refuse=tuple(refusals))
        if room is not None and room.evict:
            return StepPlan(evict=room.evict, refuse=tuple(refusals))
        if not row.one_shot:
            break
    return StepPlan(refuse=tuple(refusals)) if refusals else None


def admit_load(request: LoadRequest, budget: MemoryBudget) -> StepPlan | None:
    # The faster dtype is worth evicting idle caches.
    for nbytes in (request.preferred_bytes, request.min_bytes):
        room = budget.find_room(nbytes)
        if room is not None and room.is_free:
            wide = nbytes > request.min_bytes
            return StepPlan(load=LoadAdmission(request.key, nbytes, wide))
        if room is not None:
            return StepPlan(evict=room.evict) if room.evict else None
    words = _does_not_fit(request, budget.free_bytes, budget.promised_bytes)
    return StepPlan(refuse=(Refusal(request.key, OUT_OF_MEMORY, words),))


def admit_embedding(request: PendingEmbedding, budget: MemoryBudget) -> StepPlan | None:
    room = budget.find_room(request.nbytes)
    if room is None:
        needed_bytes = budget.memory.fixed_bytes + request.nbytes
        words = "Running answers use all memory. Retry later."
        if needed_bytes > budget.memory.budget:
            words = too_large(needed_bytes, budget.memory.budget)
        return StepPlan(refuse=(Refusal(request.key, CAPACITY_EXHAUSTED, words),))
    if room.is_free:
        return StepPlan(embed=request)
    return StepPlan(evict=room.evict) if room.evict else None


def extend_reply(rows: Iterable[Row], budget: MemoryBudget) -> StepPlan | None:
    """Extend the allowance of a reply without a limit, or choose the caches to evict for that.

    Extensions are requested `EARLY_TOKENS` tokens before the allowance ends, so that evicted caches
    can be written to disk first. If writing takes too long, the reply gets a few extra tokens.
    """
    for row in rows:
        room = budget.find_room(row.growth_bytes or 0)
        if room is not None and room.evict:
            return StepPlan(evict=room.evict)
        if room is not None and (room.is_free or row.at_limit):
            return StepPlan(extend=Extension(row.id, whole=room.is_free))
    return None


def keep_prefix(budget: MemoryBudget) -> StepPlan | None:
    """Cache a prefix if it fits. Only older prefixes are evicted for it, never a session."""
    memory = budget.memory
    for row in budget.rows:
        if not row.prefix_to_keep or row.prefix_bytes > memory.prefix_limit:
            continue
        unused = sum(p.nbytes for p in memory.prefixes) + budget.unused_bytes
        room = min(memory.prefix_limit, unused) - row.prefix_bytes
        dropped, left = choose_evictions(room, memory.prefixes, ())
        if left <= room:
            keep = PrefixCopy(row.id, row.prefix_to_keep)
            return StepPlan(evict=tuple(dropped)) if dropped else StepPlan(keep=keep)
    return None


def return_to_budget(budget: MemoryBudget) -> StepPlan | None:
    """Choose idle caches to drop, or a reply to requeue, to get back within the budget.

    Forks allocate memory without a plan, and a running reply needs more than before if a fork of
    its session creates a new shared prefix. Embeddings of images that no reply needs have a
    separate limit.
    """
    memory, free = budget.memory, budget.free_bytes
    if memory.excess_image_bytes > 0:
        images = [i for i in memory.idle if i.key.kind == "image"]
        nbytes = sum(i.nbytes for i in images) - memory.excess_image_bytes
        dropped = choose_evictions(nbytes, images, ())[0]
    else:
        dropped = choose_evictions(free, memory.idle, budget.groups)[0] if memory.idle_bytes else []
        active = [r for r in budget.rows if r.status in (Status.PREFILLING, Status.DECODING)]
        if not dropped and free + sum(r.slack_bytes for r in active) < 0 and len(active) > 1:
            last = min(active, key=lambda r: (r.priority, -r.waiting_since))
            return StepPlan(requeue=(last.id,))
    return StepPlan(evict=tuple(dropped), skip_saving=True) if dropped else None


def choose_evictions(
    free: int, idle: Iterable[Idle], in_use: Collection[int]
) -> tuple[list[CacheKey], int]:
    """Choose idle caches to drop, least recently used first, so that the others fit in `free`.

    Args:
        in_use: group numbers of memory shared with running replies, which can't be freed.
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
    if promised and request.min_bytes <= free + promised:
        ways = "Wait until the chats that are answering have finished, or unload another model."
    return (
        f"{request.name} needs {request.min_bytes / 1e9:.2f} GB for its weights and "
        f"{max(0, free) / 1e9:.2f} GB may be used. {ways}"
    )
