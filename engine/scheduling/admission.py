"""Whether replies and models fit into memory, and whose idle caches make room for them.

A reply that could never fit is refused at once. One that would fit if fewer others ran waits in
the admission queue: the chats in front first, otherwise in the order in which they were sent; none
is passed by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.errors import CAPACITY_EXHAUSTED, OUT_OF_MEMORY, EngineError
from engine.scheduling.plan import Admission, LoadAdmission, Refusal
from engine.scheduling.view import CacheKey, Idle, LoadRequest, Memory, Row, Status

SCRATCH_SHARE = 1 / 16
"""Of the budget, at most so much is kept free for a single question that may come."""


def order(rows: Iterable[Row]) -> list[Row]:
    """The rows that wait for memory, the first to be admitted first."""
    waiting = [r for r in rows if r.status == Status.QUEUED]
    return sorted(waiting, key=lambda r: (-r.priority, r.waiting_since))


def refuse(queue: Sequence[Row], rows: Sequence[Row], memory: Memory) -> tuple[Refusal, ...]:
    """Those in the queue that would not fit if nothing else ran."""
    refused = []
    for row in queue:
        try:
            make_room(memory.budget, memory.weights + row.most, 0, (), _kept_free(rows, memory))
        except EngineError as error:
            refused.append(Refusal(row.id, error.code, error.message))
    return tuple(refused)


def admit(queue: Sequence[Row], rows: Sequence[Row], memory: Memory) -> Admission | None:
    """The first of the queue for which there is room, or can be made.

    None of the queue is passed by, but for those that are paused. Single questions come first:
    room is kept free for one.
    """
    for row in sorted(queue, key=lambda r: not r.scratch):
        if row.paused:
            continue
        running = sum(r.most for r in rows if is_running(r))
        try:
            evict = make_room(
                memory.budget,
                memory.weights + row.most,
                running,
                (i for i in memory.idle() if i.key != CacheKey("session", row.id)),
                _kept_free(rows, memory),
            )
        except EngineError:
            continue  # refused
        if evict is not None:
            return Admission(row.id, tuple(evict))
        if not row.scratch:
            break
    return None


def load(request: LoadRequest, rows: Sequence[Row], memory: Memory) -> LoadAdmission | Refusal:
    """How a model is read: what replies have been promised and what is loaded counts."""
    promised = sum(r.most for r in rows if is_running(r))
    idle = memory.idle()
    free = memory.budget - memory.weights - promised
    if request.wide <= free - sum(i.nbytes for i in idle):
        return LoadAdmission(request.key, request.wide, wide=request.wide > request.nbytes)
    evict = None
    if request.nbytes <= free:
        evict = make_room(memory.budget, memory.weights + request.nbytes, promised, idle)
    if evict is None:
        why = _does_not_fit(request, free, promised)
        return Refusal(request.key, OUT_OF_MEMORY, why, load=True)
    return LoadAdmission(request.key, request.nbytes, wide=False, evict=tuple(evict))


def _does_not_fit(request: LoadRequest, free: int, promised: int) -> str:
    ways = "Unload another model, or choose a smaller or quantized one."
    if promised and request.nbytes <= free + promised:
        ways = "Wait until the chats that are answering have finished, or unload another model."
    return (
        f"{request.name} needs {request.nbytes / 1e9:.2f} GB for its weights and "
        f"{max(0, free) / 1e9:.2f} GB may be used. {ways}"
    )


def is_running(row: Row) -> bool:
    """Whether a reply has been admitted and has not ended, be it paused."""
    return row.status in (Status.RESTORING, Status.PREFILLING, Status.DECODING)


def _kept_free(rows: Sequence[Row], memory: Memory) -> int:
    """Bytes that are left for a single question that may come."""
    if any(r.scratch and (is_running(r) or not r.paused) for r in rows):
        return 0
    return min(memory.scratch, int((memory.budget - memory.weights) * SCRATCH_SHARE))


def make_room(
    budget: int, needed: int, running: int, idle: Iterable[Idle], kept_free: int = 0
) -> Sequence[CacheKey] | None:
    """Which idle caches to drop, least recently used first, so that a request fits.

    None when it has to wait for the replies that are running.

    Args:
        budget: bytes that weights and caches may take together.
        needed: bytes of the weights and of the request at its longest.
        running: bytes of the other answering sessions at their longest.
        kept_free: bytes that must be left for something else; idle caches may lie there.

    Raises:
        EngineError: `capacity_exhausted`, it would not fit if nothing else ran.
    """
    if needed + kept_free > budget:
        raise EngineError(
            CAPACITY_EXHAUSTED,
            f"This needs {needed / 1e9:.2f} GB together with the weights, and "
            f"{(budget - kept_free) / 1e9:.2f} GB may be used. Ask for a shorter "
            "answer, shorten the chat, or unload a model.",
        )
    least = needed + running
    if least + kept_free > budget:
        return None
    queue = sorted(idle, key=lambda i: i.used_at)
    wanted = least + sum(i.nbytes for i in queue)
    dropped = []
    for candidate in queue:
        if wanted <= budget:
            break
        wanted -= candidate.nbytes
        dropped.append(candidate.key)
    return dropped
