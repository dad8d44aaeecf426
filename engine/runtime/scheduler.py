"""Who decodes, which prompt is read, who is admitted and what is evicted: one plan a turn.

`plan` looks at a `View` and returns a `StepPlan`. It touches no model, reads no clock, and gives
the same plan for the same view. `observe` gets how long the plan took; only there it learns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from engine.cache.ledger import MIN_GAIN, in_common
from engine.runtime import admission
from engine.runtime import drafts as drafting
from engine.runtime.admission import Eviction
from engine.runtime.drafts import Drafting
from engine.runtime.pacing import (
    LEEWAY,
    MOST_CHUNK,
    TILE,
    Pacing,
    Rest,
    Shares,
    Turns,
    Waiting,
    parts,
)
from engine.runtime.plan import (
    Adoption,
    Chunk,
    Pass,
    Piece,
    Refusal,
    Row,
    Status,
    StepPlan,
    Timing,
    View,
)

APART_EVERY = 256
"""One chunk in so many is read after a step and not with it, to learn how long a step takes by
itself. More often would hurt: the tokens of that step come early and the next ones late, which is
a gap of nearly two passes."""

GATHERED_FOR = 0.5
"""Seconds for which those with the same prompt take over what has just been read, while the
chats that were read first wait anyway."""

_NOTHING: tuple[None, tuple[Chunk, ...]] = (None, ())


class Scheduler:
    """The policy of one engine."""

    def __init__(self, pacing: Pacing | None = None) -> None:
        self.pacing = pacing or Pacing()  # sizes of chunks and the order of prompts
        self.drafting = Drafting()  # whether chats have drafts
        self.step_seconds = 0.0  # what a decode step takes at present, with no chunk beside it
        self._turns = Turns()
        self._shares = Shares()
        self._round_over = True  # every model with chats that decode has had a turn
        self._chunks = 0
        self._hand_on_until = 0.0
        self._adopted = False  # in the turn before
        self._rest = Rest(self.pacing.gap_budget)
        self._looked_at = -1  # version of the memory at which nobody in the queue fitted

    def plan(self, view: View) -> StepPlan:
        """What to do in this turn."""
        queue = admission.order(view.rows)
        names = tuple(r.id for r in queue)
        plan = self._arranged(view, queue, names)
        if plan is None or not plan.arranges:
            awaits_disk = plan is not None and plan.awaits_disk
            plan = replace(self._working(view, names), awaits_disk=awaits_disk)
        return replace(plan, pieces=tuple(p for p in Piece if p in view.pieces))

    def _arranged(
        self, view: View, queue: Sequence[Row], names: tuple[str, ...]
    ) -> StepPlan | None:
        """Who is admitted, and who makes room; None where all stays as it is."""
        rows, memory = view.rows, view.memory
        evict, requeue = admission.surplus(rows, memory)
        if evict or requeue:
            return StepPlan(evict=evict, at_once=True, requeue=requeue, queue=names)
        if view.load is not None:
            load = admission.load(view.load, rows, memory)
            if isinstance(load, Refusal):
                return StepPlan(refuse=(load,), queue=names)
            if isinstance(load, Eviction):
                return StepPlan(evict=load.keys, queue=names)
            return StepPlan(load=load, queue=names, awaits_disk=load is None)
        if queue and memory.version != self._looked_at:
            refused = admission.refuse(queue, rows, memory)
            found = admission.admit(queue, rows, memory)
            if isinstance(found, Eviction):
                return StepPlan(refuse=refused, evict=found.keys, queue=names)
            if refused or found:
                return StepPlan(refuse=refused, admit=found, queue=names)
        return None

    def _working(self, view: View, names: tuple[str, ...]) -> StepPlan:
        """What is computed, or taken over instead."""
        view = self._in_turn(view)
        order = self._reading_order(view)
        if len(order) < 2:
            _forget_prompts()
        adoption = self._adoption(view, order)
        if adoption is None:
            return self._compute(view, order, names)
        if self._adopted and any(r.decodes and r.begun for r in view.rows):
            return self._compute(view, [], names)  # each is a copy, for which they wait
        return StepPlan(adopt=adoption, queue=names, reading=tuple(r.id for r in order))

    def observe(self, view: View, plan: StepPlan, timing: Timing) -> None:
        """Learn from a turn: what it took, and what came of the chunk."""
        if plan.queue and not (plan.evict or plan.refuse or plan.admit or plan.load):
            self._looked_at = view.memory.version
        if len(plan.models) > 1:
            self._turns.next(plan.models)
            self._round_over = self._turns.charge(plan.model, timing.decode)
        elif plan.models:
            self._round_over = True
        chunk, self._adopted = plan.chunk, plan.adopt is not None
        self._charge(view, plan, timing)
        self._observe_drafts(view, plan, timing)
        alone = len(plan.models) == 1 and not (chunk is not None and chunk.mixed)
        plain = alone and not any(p.drafts or p.behind for p in plan.passes)
        if plain and plan.passes and timing.decode > 0:
            self.step_seconds = timing.decode
        if chunk is None and plan.passes:
            self._rest.step()
        if chunk is None or not timing.read:
            return
        self._chunks += 1
        if plan.passes and not plan.begins:
            spent = timing.decode - 2 * self.step_seconds if chunk.mixed else timing.chunk
            self._rest.add(spent - self.pacing.gap_budget)
        if not timing.left:
            grace = GATHERED_FOR if plan.gathering else self.step_seconds
            self._hand_on_until = timing.ended + self.pacing.gap_budget + grace
        if plan.begins:
            self.pacing.observe(chunk.model, timing.read, timing.decode, None)
        elif chunk.mixed:
            rows = len(plan.passes[0].feed) + timing.read
            self.pacing.observe_mixed(chunk.model, rows, timing.decode, self.step_seconds)
        elif not chunk.fixed:
            step = self.step_seconds if plan.answering else None
            self.pacing.observe(chunk.model, timing.read, timing.chunk, step)

    def _compute(self, view: View, order: Sequence[Row], queue: tuple[str, ...]) -> StepPlan:
        """A plan of passes and of a chunk."""
        reading = tuple(r.id for r in order)
        groups = _groups(view.rows)
        if self._gathers(view, order):
            chunk, beside = self._chunk(view, order, []) if self._round_over else _NOTHING
            plan = StepPlan(
                chunk=chunk, beside=beside, reading=reading, queue=queue, gathering=True
            )
            joint = len(groups) == 1 and _may_mix(view, order[0], groups[0])
            ready = _pass(groups[0], view) if joint else None
            return with_last_tokens(view, order, plan, ready)
        models = tuple(dict.fromkeys(g[0].model for g in groups))
        model = self._turns.next(models) if models else ""
        passes = tuple(_pass(g, view) for g in groups if g[0].model == model)
        if len(groups) == 1 and any(r.drafts for r in groups[0]):
            passes = (self._with_drafts(passes[0], groups[0], view),)
        chunk, beside = _NOTHING
        if passes and self._rest.is_due:
            order = ()  # streaming replies come first
        if order and self._mixes(view, order[0], groups, passes):
            chunk, beside = self._mixed_chunk(view, order, len(passes[0].feed))
        elif order and (len(models) < 2 or self._turns.completes(model)):
            chunk, beside = self._chunk(view, order, groups)
        plan = StepPlan(
            models=models,
            model=model,
            passes=passes,
            chunk=chunk,
            beside=beside,
            reading=reading,
            queue=queue,
            answering=len(groups) if chunk is not None else 0,
        )
        return with_last_tokens(view, order, plan)

    def _with_drafts(self, step: Pass, group: Sequence[Row], view: View) -> Pass:
        """The step of those who decode: with drafts where that is worth it."""
        chats, row = len(group), group[0]
        if len(step.feed) < chats or any(_runs_beside(r, group) for r in view.rows):
            return step
        if chats > 1 or row.holds:
            return self._with_copies(step, group, view)
        count = self.drafting.count(row.model) if row.drafts else 0
        if not count:
            return step
        if row.behind > drafting.CATCH_UP:
            return replace(step, behind=min(row.behind - 1, drafting.CHUNK))
        return step if row.behind < 0 else replace(step, drafts=(min(count, row.drafts),))

    def _with_copies(self, step: Pass, group: Sequence[Row], view: View) -> Pass:
        """The step with what was looked up, for those of several who copy.

        The others wait for these as for a chunk of a prompt: they get as much room.
        """
        model, most = group[0].model, MOST_CHUNK
        if len(group) > 1:
            if not (step.shared and model in view.mixing and all(r.joins for r in group)):
                return step
            copying = max(1, sum(bool(r.holds) for r in group))
            most = self.pacing.mixed_chunk(model, len(group), MOST_CHUNK) // copying
        drafts = tuple(self.drafting.look_up(model, [r.holds[:most] for r in group]))
        return replace(step, drafts=drafts if any(drafts) else ())

    def _observe_drafts(self, view: View, plan: StepPlan, timing: Timing) -> None:
        steps, rows = plan.passes, {r.id: r for r in view.rows}
        if len(steps) != 1 or not steps[0].feed or plan.chunk or steps[0].behind:
            self.drafting.interrupted()
            return
        fed = [rows[key] for key in steps[0].feed]
        chats, looked_up = len(fed), any(row.holds for row in fed)
        if timing.told:
            came = timing.told, timing.drafted, timing.accepted
            self.drafting.observe(plan.model, timing.decode, *came, looked_up, chats)
        elif chats == 1 and fed[0].lost:
            self.drafting.observe_again(plan.model, timing.decode)
        elif any(row.drafts for row in fed):
            self.drafting.observe(plan.model, timing.decode, chats, chats=chats)

    def _reading_order(self, view: View) -> list[Row]:
        rows = {r.id: r for r in view.rows if r.reads}
        waiting = [
            Waiting(r.id, r.remaining, r.waiting_since, r.priority, r.model) for r in rows.values()
        ]
        order = [rows[w.key] for w in self.pacing.order(waiting, view.now)]
        used = self._shares.used({row.program for row in order})
        if len(used) < 2:
            return order
        first = [row for row in order if row.priority == order[0].priority]
        others = [row for row in order if row.priority != order[0].priority]
        return [*sorted(first, key=lambda row: used[row.program]), *others]

    def _in_turn(self, view: View) -> View:
        """The view, with all standing still that are ahead of the shares that were set."""
        if not any(row.share for row in view.rows):
            return view
        used = self._shares.used({r.program for r in view.rows if r.decodes or r.reads})
        most = min(used.values(), default=0.0) + LEEWAY
        ahead = {program for program, seconds in used.items() if seconds > most}
        rows = [replace(r, paused=True) if r.program in ahead else r for r in view.rows]
        return replace(view, rows=rows)

    def _charge(self, view: View, plan: StepPlan, timing: Timing) -> None:
        """Count the turn's time among the programs that asked for it."""
        if not any(row.program for row in view.rows):
            return
        of = {row.id: row.program for row in view.rows}
        mixed = plan.chunk is not None and plan.chunk.mixed
        stepped = Counter(of[i] for step in plan.passes for i in step.rows)
        read: Counter[str] = Counter()
        for chunk in plan.chunks:
            (stepped if mixed else read)[of[chunk.session]] += chunk.count
        spent = dict.fromkeys({*stepped, *read}, 0.0)
        for rows, seconds in ((stepped, timing.decode), (read, timing.chunk)):
            for program, count in rows.items():
                spent[program] += seconds * count / rows.total()
        shares = {r.program: r.share for r in view.rows if r.decodes or r.reads}
        self._shares.charge(parts(shares), spent)

    def _adoption(self, view: View, order: Sequence[Row]) -> Adoption | None:
        """What those who may be read next need not read; just after a prompt was read, all."""
        handed_on = view.now < self._hand_on_until
        if handed_on:
            asked = order
        elif order and order[0].remaining <= self.pacing.chunk(order[0].model, MOST_CHUNK, None):
            asked = candidates(view, order)
        else:
            asked = order[:1]
        reading = {r.id for r in order}
        for row in asked:
            offer = row.offer
            if offer is None:
                continue
            is_read = offer.donor.kind == "session" and offer.donor.name in reading
            if is_read and row is not order[0] and not handed_on:
                continue  # it will have more of it
            free = row.unwritten and offer.length > row.length
            if free or is_worth_a_copy(row, offer.length):
                return Adoption(row.id, offer.donor, offer.length)
        return None

    def _gathers(self, view: View, order: Sequence[Row]) -> bool:
        """Whether all who could decode are about to begin, and wait for others to be read."""
        ready = [r for r in view.rows if r.decodes]
        if not ready or not order or any(r.begun for r in ready):
            return False
        first = min(order, key=lambda r: r.remaining)
        waited = view.now - min(r.ready_at for r in ready)
        return self.pacing.gathers(first.model, first.remaining, waited)

    def _mixes(
        self, view: View, row: Row, groups: Sequence[Sequence[Row]], passes: Sequence[Pass]
    ) -> bool:
        """Whether the next prompt's chunk is read in the turn's only pass."""
        return (
            len(groups) == 1
            and bool(passes[0].feed)
            and self.step_seconds > 0
            and self._chunks % APART_EVERY != APART_EVERY - 1
            and _may_mix(view, row, groups[0])
        )

    def _mixed_chunk(
        self, view: View, order: Sequence[Row], rows: int
    ) -> tuple[Chunk, tuple[Chunk, ...]]:
        """What is read of the next prompt, and beside it, in one pass with so many `rows`."""
        row = order[0]
        most = self.pacing.mixed_chunk(row.model, rows, MOST_CHUNK, _tile(view, row))
        count = _until_stop(row, order, min(row.remaining, most))
        chunk = Chunk(row.id, row.model, row.length, count, mixed=True)
        if chunk.count < row.remaining:
            return chunk, ()
        return chunk, read_beside(view, order, most - chunk.count, mixed=True)

    def _chunk(
        self, view: View, order: Sequence[Row], groups: Sequence[Sequence[Row]]
    ) -> tuple[Chunk, tuple[Chunk, ...]]:
        """What is read of the next prompt, and beside it, in a pass of its own; `groups` wait."""
        row = order[0]
        if row.reproducible:
            most = self.pacing.fixed_chunk(row.length, row.remaining)
        else:
            step = self.step_seconds if groups else None
            most = self.pacing.chunk(row.model, MOST_CHUNK, step, _tile(view, row))
            if len(groups) == 1 and _may_mix(view, row, groups[0]):
                most = min(most, TILE)  # what chunks behind a step take is hardly ever learned
        count = _until_stop(row, order, min(row.remaining, most))
        chunk = Chunk(row.id, row.model, row.length, count, fixed=row.reproducible)
        if count < row.remaining:
            return chunk, ()
        return chunk, read_beside(view, order, most - count)


def _tile(view: View, row: Row) -> int:
    """Return what the sizes of a row's chunks are multiples of."""
    return 1 if row.model in view.exact else TILE


def _groups(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows that decode, by the forward pass that they take part in."""
    groups: list[list[Row]] = []
    shared: dict[str, list[Row]] = {}
    for row in rows:
        if not row.decodes:
            continue
        if row.apart:
            groups.append([row])
        else:
            shared.setdefault(row.model, []).append(row)
    return [*groups, *shared.values()]


def _pass(group: Sequence[Row], view: View) -> Pass:
    feed = tuple(r.id for r in group if r.wants_more)
    if all(r.awaits_first for r in group):
        feed = ()  # these first tokens are awaited: they are delivered before the next pass
    shared = len(group) > 1 and group[0].model not in view.faulty
    return Pass(tuple(r.id for r in group), feed, shared)


def _may_mix(view: View, row: Row, group: Sequence[Row]) -> bool:
    """Whether a chunk of `row`'s prompt can be read in one pass with the next step of `group`."""
    return (
        row.mixable
        and row.model in view.mixing
        and row.model not in view.faulty
        and row.model == group[0].model
        and all(r.joins for r in group)
    )


def _runs_beside(other: Row, group: Sequence[Row]) -> bool:
    """Whether a chat stands in the way of others that would draft."""
    beside = not other.paused and all(other.id != row.id for row in group)
    return beside and other.status not in (Status.PREPARING, Status.FINISHED)


MOST = 16
"""Prompts that are read in one pass. Each has its own attention, so more save less and less."""

WAITING_PAIRS = 64 * 64
"""Comparisons of prompts that are remembered. A prompt that waits is compared in each step."""

COPY_PER_TOKEN = 64  # copying this many tokens' keys takes about as long as reading one token


def is_worth_a_copy(row: Row, length: int) -> bool:
    """Whether a copy of another's first `length` tokens saves more than it costs."""
    return length - row.length >= max(MIN_GAIN, length // COPY_PER_TOKEN)


def candidates(view: View, order: Sequence[Row]) -> Sequence[Row]:
    """The next prompt, and those that might be read in one pass with it if they are short."""
    if len(order) < 2 or not _may(view, order[0]):
        return order[:1]
    return [r for r in order if r.model == order[0].model and _may(view, r)][:MOST]


def read_beside(
    view: View, order: Sequence[Row], room: int, mixed: bool = False
) -> tuple[Chunk, ...]:
    """What is read in one pass with all that is left of the next prompt.

    Whoever could go on from what another reads in this pass waits for that: it costs less.

    Args:
        room: tokens that the pass has left for them.
    """
    first, *others = candidates(view, order)
    taken = [first]
    for row in others:
        if row.remaining > room or _stops(row, order):
            continue
        if any(_shares(row, other) for other in taken):
            continue
        taken.append(row)
        room -= row.remaining
    return tuple(Chunk(r.id, r.model, r.length, r.remaining, mixed) for r in taken[1:])


def with_last_tokens(
    view: View, order: Sequence[Row], plan: StepPlan, ready: Pass | None = None
) -> StepPlan:
    """The plan, with the last tokens of prompts that end with its pass.

    Chats that come together begin to answer together, so nobody begins while others are still to
    be read, unless others are answering anyway.

    Args:
        ready: the first step of those who wait for these prompts, where it can be the same pass.
    """
    apart = plan.gathering and ready is None
    if plan.chunk is None or apart or (plan.passes and not plan.chunk.mixed):
        return plan
    chunks, rows = plan.chunks, {r.id: r for r in order}
    if not all(_ends(rows[c.session], c, order) for c in chunks):
        return plan
    read = tuple(c.session for c in chunks)
    begins = not plan.passes
    if begins and any(_comes(r) for r in view.rows if r.id not in read):
        return plan
    before = ready or Pass((), (), len(read) > 1) if begins else plan.passes[0]
    step = replace(before, rows=(*before.rows, *read), feed=(*before.feed, *read))
    first, *beside = (replace(c, mixed=True, ends=True) for c in chunks)
    return replace(
        plan,
        models=plan.models or (first.model,),
        model=first.model,
        passes=(step,),
        chunk=first,
        beside=tuple(beside),
        gathering=False,
        begins=begins,
    )


def _ends(row: Row, chunk: Chunk, order: Sequence[Row]) -> bool:
    """Whether a chunk is all that is left of a prompt, and nothing stops between it and the last.

    A prompt of which others hold all but the last token has no chunk at all.
    """
    if not row.ends or chunk.count < row.remaining:
        return False
    return row.end not in (row.snapshot_at, halt(row, order))


def _comes(row: Row) -> bool:
    """Whether a session's prompt will be read soon."""
    return row.status < Status.DECODING and not row.paused


def _may(view: View, row: Row) -> bool:
    model = row.model
    return row.mixable and model in view.joining and model not in view.faulty


def _until_stop(row: Row, order: Sequence[Row], count: int) -> int:
    """How many of the next `count` tokens come before a place where reading must stop."""
    stops = [n - row.length for n in (row.snapshot_at, halt(row, order)) if n > row.length]
    count = min(count, *stops) if stops else count
    return _whole(row, count) if row.images else count


def _whole(row: Row, count: int) -> int:
    """How many tokens are read where it would be `count`, so that no image is cut."""
    last = row.length + count
    for start, end in row.images:
        if start < last < end:
            return start - row.length if start > row.length else end - row.length
    return count


def _stops(row: Row, order: Sequence[Row]) -> bool:
    """Whether reading must stop somewhere within the prompt."""
    return max(row.snapshot_at, halt(row, order)) > row.length


def halt(row: Row, order: Sequence[Row]) -> int:
    """Where reading a prompt must halt because others can go on from there; -1 for nowhere.

    Caches that can be trimmed can be copied at any time; others only as they stand.

    Args:
        order: all that wait to be read, the row among them.
    """
    if not row.halts:
        return -1
    places = [row.system]
    for other in order:
        common = 0 if other is row else common_tokens(row, other)
        if common >= other.length + MIN_GAIN:
            places.append(common)
    return min((p for p in places if p > row.length), default=-1)


def common_tokens(one: Row, other: Row) -> int:
    """How many of their first tokens two prompts have in common that are being read."""
    return _in_common(one.prompt, other.prompt) if one.kind == other.kind else 0


@lru_cache(maxsize=WAITING_PAIRS)
def _in_common(one: bytes, other: bytes) -> int:
    return in_common(one, other)


def _forget_prompts() -> None:
    """Free what is remembered of prompts that were compared."""
    _in_common.cache_clear()


def _shares(one: Row, other: Row) -> bool:
    """Whether one of two had better go on from what the other will have read.

    What costs nothing to take over is waited for only where nothing is left to read then.
    """
    common = common_tokens(one, other)
    whole = any(row.unwritten and common == row.end for row in (one, other))
    return whole or any(is_worth_a_copy(row, common) for row in (one, other))
