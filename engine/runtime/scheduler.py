"""Scheduler for decode steps, prompt chunks, admissions, and evictions.

`plan` turns a `View` into a `StepPlan` without using the model or a clock, and changes nothing.
Only `observe` changes the scheduler's statistics. Equal views and equal statistics give equal
plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from engine.cache.ledger import MIN_GAIN, shareable_tokens
from engine.runtime import admission, draft_policy
from engine.runtime.admission import MemoryBudget
from engine.runtime.draft_policy import DraftStatistics
from engine.runtime.pacing import (
    GAP_BUDGET,
    LEEWAY_S,
    TILE,
    ModelTimeShares,
    PrefillPacer,
    PrefillPause,
    TimeShares,
    time_fractions,
)
from engine.runtime.plan import (
    Adoption,
    Chunk,
    DecodeStep,
    Row,
    Status,
    StepPlan,
    Timing,
    View,
)

SEPARATE_CHUNK_INTERVAL = 256
"""Number of chunks after which one is read in a pass of its own, so that the step is timed alone.
Such a chunk nearly doubles the delay between two tokens."""

# Seconds after the prefill of gathered prompts in which other sessions copy the new prefixes before
# decoding starts.
GATHERING_GRACE_S = 0.5

MAX_JOINED_PROMPTS = 16  # maximum number of prompts in a pass, because each needs its own attention

MAX_CACHED_PAIRS = 64 * 64  # maximum number of cached comparisons between waiting prompts

COPY_PER_TOKEN = 64  # copying the keys of this many tokens takes as long as prefilling one token


class Scheduler:
    def __init__(self) -> None:
        self.pacing = PrefillPacer()  # chunk sizes and the order of prompts
        self.drafting = DraftStatistics()  # decides when to use drafts
        # Duration in seconds of the latest decode step without a chunk, by model.
        self.step_seconds: dict[str, float] = {}
        self._turns = ModelTimeShares()
        self._shares = TimeShares()
        self._chunks = 0
        self._copies_until = 0.0
        self._has_copied = False  # a prefix was copied in the previous iteration
        self._pause = PrefillPause()

    def plan(self, view: View) -> StepPlan:
        queue = [row for row in view.rows if row.status == Status.QUEUED]
        if len(queue) > 1:
            queue.sort(key=lambda r: admission.queue_key(r.one_shot, r.priority, r.waiting_since))
        budget = MemoryBudget(view.rows, view.memory)
        plan = self._plan_memory(view, queue, budget)
        if plan is None:
            plan = self._plan_work(view, budget) if view.can_compute else StepPlan()
        return replace(plan, queue=tuple(row.id for row in queue)) if queue else plan

    def _plan_memory(
        self, view: View, queue: Sequence[Row], budget: MemoryBudget
    ) -> StepPlan | None:
        """Return the next change of memory, or None if none is needed or possible."""
        if view.relieve and view.memory.idle:
            return StepPlan(evict=tuple(i.key for i in view.memory.idle))
        if budget.is_exceeded and (plan := admission.return_to_budget(budget)) is not None:
            return plan
        growing = [r for r in view.rows if r.growth_bytes is not None and not r.is_suspended]
        if growing and (plan := admission.extend_reply(growing, budget)) is not None:
            return plan
        claimed_bytes = 0  # bytes that new replies must leave for a load or an embedding
        if view.load is not None:
            if (plan := admission.admit_load(view.load, budget)) is not None:
                return plan
            claimed_bytes += view.load.min_bytes
        if view.embedding is not None:
            if (plan := admission.admit_embedding(view.embedding, budget)) is not None:
                return plan
            claimed_bytes += view.embedding.nbytes
        if queue and (plan := admission.admit(queue, budget, claimed_bytes)) is not None:
            return plan
        if any(row.prefix_to_keep for row in view.rows):
            return admission.keep_prefix(budget)
        return None

    def _plan_work(self, view: View, budget: MemoryBudget) -> StepPlan:
        """Return the next passes, or the next prefix to copy instead of prefilling it."""
        if any(row.share for row in view.rows):
            view = self._without_programs_ahead(view)
        order = self._reading_order(view)
        if len(order) < 2:
            _shareable_tokens.cache_clear()
        adoption = None
        if any(row.offer is not None for row in order):
            adoption = self._next_adoption(view, order)
        if adoption is None:
            return self._plan_passes(view, order, budget)
        if self._has_copied and any(r.decodes and r.begun for r in view.rows):
            return self._plan_passes(view, [], budget)  # each copy delays these chats
        return StepPlan(adopt=adoption, reading=tuple(r.id for r in order))

    def observe(self, view: View, plan: StepPlan, timing: Timing) -> None:
        if len(plan.models) > 1:
            self._turns.charge(plan.model, plan.models, timing.decode)
        chunk = plan.chunk
        self._has_copied = plan.adopt is not None or plan.keep is not None
        if any(row.program for row in view.rows):
            self._charge_programs(view, plan, timing)
        if any(row.drafts or row.lost_tokens for row in view.rows):
            self._observe_drafts(view, plan, timing)
        else:
            self.drafting.last = None
        plain = not (chunk is not None and chunk.mixed)
        plain = plain and not any(p.draft or p.behind for p in plan.passes)
        if plain and plan.passes and timing.is_step:
            self.step_seconds[plan.model] = timing.decode
        if chunk is None and plan.passes:
            self._pause.add(-GAP_BUDGET)
        if chunk is None or not timing.read:
            return
        step = self._step_seconds(chunk.model, plan.models)
        self._chunks += 1
        if plan.passes and not plan.starts_replies:
            spent_s = timing.decode - 2 * step if chunk.mixed else timing.chunk
            self._pause.add(spent_s - GAP_BUDGET)
        if not timing.left:
            grace = GATHERING_GRACE_S if plan.gathering else step
            self._copies_until = timing.ended + GAP_BUDGET + grace
        if plan.starts_replies:
            self.pacing.observe(chunk.model, timing.read, timing.decode, None)
        elif chunk.mixed:
            rows = len(plan.passes[0].feed) + timing.read
            self.pacing.observe_mixed(chunk.model, rows, timing.decode, step)
        elif not chunk.fixed:
            delayed = step if plan.passes else None
            self.pacing.observe(chunk.model, timing.read, timing.chunk, delayed)

    def _step_seconds(self, model: str, active: Iterable[str]) -> float:
        """Return the duration of a model's step in seconds, or 0 if it's unknown.

        A model without streams delays other models' streams, so the fastest of their steps counts.
        """
        durations = {m: self.step_seconds[m] for m in active if m in self.step_seconds}
        return durations.get(model, min(durations.values(), default=0.0))

    def _plan_passes(self, view: View, order: Sequence[Row], budget: MemoryBudget) -> StepPlan:
        reading = tuple(r.id for r in order)
        groups = _groups(view.rows)
        if order and groups and self._should_gather(view, order, groups):
            return self._plan_gathering(view, order, groups, reading)
        models = tuple(dict.fromkeys(g[0].model for g in groups))
        model = self._turns.next(models) if len(models) > 1 else "".join(models)
        passes = tuple(_pass(g, view) for g in groups if g[0].model == model)
        if len(groups) == 1 and len(groups[0]) == 1 and groups[0][0].drafts:
            step = self._with_draft(passes[0], groups[0], view, budget)
            if step.draft and groups[0][0].pending:
                step = replace(passes[0], feed=())  # a draft has to follow known tokens
            passes = (step,)
        chunk: Chunk | None = None
        other_chunks: tuple[Chunk, ...] = ()
        if order and passes and self._pause.is_due:
            order = ()  # streaming replies have priority
        if order and len(groups) == 1 and self._should_mix(view, order[0], groups[0], passes):
            chunk, other_chunks = self._mixed_chunk(view, order, len(passes[0].feed))
        elif order and (len(models) < 2 or self._turns.completes_round(model, models)):
            chunk, other_chunks = self._chunk(view, order, groups)
        plan = StepPlan(
            models=models,
            model=model,
            passes=passes,
            chunk=chunk,
            other_chunks=other_chunks,
            reading=reading,
        )
        return with_last_tokens(view, order, plan) if chunk is not None else plan

    def _plan_gathering(
        self,
        view: View,
        order: Sequence[Row],
        groups: Sequence[Sequence[Row]],
        reading: tuple[str, ...],
    ) -> StepPlan:
        """Prefill without decode steps, while chats with complete prompts wait for the others."""
        chunk, other_chunks = self._chunk(view, order, [])
        plan = StepPlan(chunk=chunk, other_chunks=other_chunks, reading=reading, gathering=True)
        joint = len(groups) == 1 and _can_mix(view, order[0], groups[0])
        ready = _pass(groups[0], view) if joint else None
        return with_last_tokens(view, order, plan, ready)

    def _with_draft(
        self, step: DecodeStep, group: Sequence[Row], view: View, budget: MemoryBudget
    ) -> DecodeStep:
        row = group[0]
        if not step.feed or any(_is_active_neighbor(r, group) for r in view.rows):
            return step
        if row.lookup_chances:
            return replace(step, draft=self.drafting.lookup_length(row.model, row.lookup_chances))
        count = self.drafting.draft_length(row.model)
        if not count or row.behind < 0 or row.drafter_bytes > budget.unused_bytes:
            return step  # never evict a cache for a draft
        if row.behind > draft_policy.MAX_CATCH_UP:
            return replace(step, behind=min(row.behind - 1, draft_policy.CATCH_UP_CHUNK))
        return replace(step, draft=min(count, row.drafts))

    def _observe_drafts(self, view: View, plan: StepPlan, timing: Timing) -> None:
        steps, rows = plan.passes, {r.id: r for r in view.rows}
        if len(steps) != 1 or plan.chunk or steps[0].behind:
            self.drafting.last = None
            return
        if not steps[0].feed:
            self.drafting.record_wait()
            return
        if len(steps[0].feed) > 1:
            self.drafting.last = None
            return
        row = rows[steps[0].feed[0]]
        if timing.generated:
            counts = timing.generated, timing.drafted, timing.accepted
            self.drafting.observe(plan.model, timing.decode, *counts, bool(row.lookup_chances))
        elif row.lost_tokens:
            self.drafting.observe_repetition(plan.model, timing.decode)
        elif row.drafts:
            self.drafting.observe(plan.model, timing.decode, 1)

    def _reading_order(self, view: View) -> list[Row]:
        order = [r for r in view.rows if r.reads]
        if len(order) > 1:
            order = self.pacing.order(order, view.now)
        programs = {row.program for row in order}
        if len(programs) < 2:
            return order
        used = self._shares.used(programs)
        first = [row for row in order if row.priority == order[0].priority]
        other_rows = [row for row in order if row.priority != order[0].priority]
        return [*sorted(first, key=lambda row: used[row.program]), *other_rows]

    def _without_programs_ahead(self, view: View) -> View:
        used = self._shares.used({r.program for r in view.rows if r.decodes or r.reads})
        max_used = min(used.values(), default=0.0) + LEEWAY_S
        programs_ahead = {program for program, seconds in used.items() if seconds > max_used}
        rows = [
            replace(r, is_suspended=True) if r.program in programs_ahead else r for r in view.rows
        ]
        return replace(view, rows=rows)

    def _charge_programs(self, view: View, plan: StepPlan, timing: Timing) -> None:
        program_of = {row.id: row.program for row in view.rows}
        mixed = plan.chunk is not None and plan.chunk.mixed
        stepped = Counter(program_of[i] for step in plan.passes for i in step.rows)
        read: Counter[str] = Counter()
        for chunk in plan.chunks:
            (stepped if mixed else read)[program_of[chunk.session]] += chunk.count
        spent_s = dict.fromkeys({*stepped, *read}, 0.0)
        for rows, seconds in ((stepped, timing.decode), (read, timing.chunk)):
            for program, count in rows.items():
                spent_s[program] += seconds * count / rows.total()
        shares = {r.program: r.share for r in view.rows if r.decodes or r.reads}
        self._shares.charge(time_fractions(shares), spent_s)

    def _next_adoption(self, view: View, order: Sequence[Row]) -> Adoption | None:
        """Return the next prefix to copy instead of prefilling it."""
        copies_first = view.now < self._copies_until
        if copies_first:
            rows = order
        elif len(order) > 1 and order[0].remaining <= self.pacing.chunk(order[0].model, None):
            rows = joinable_rows(view, order)
        else:
            rows = order[:1]
        reading = {r.id for r in order}
        for row in rows:
            offer = row.offer
            if offer is None:
                continue
            is_read = offer.donor.kind == "session" and offer.donor.name in reading
            if is_read and row is not order[0] and not copies_first:
                continue  # the donor is about to read more of the same prompt
            free = row.unwritten and offer.length > row.length
            if free or is_worth_a_copy(row, offer.length):
                return Adoption(row.id, offer.donor, offer.length)
        return None

    def _should_gather(
        self, view: View, order: Sequence[Row], groups: Sequence[Sequence[Row]]
    ) -> bool:
        ready = [row for group in groups for row in group]
        if any(r.begun for r in ready):
            return False
        first = min(order, key=lambda r: r.remaining)
        waited = view.now - min(r.ready_at for r in ready)
        return self.pacing.should_gather(first.model, first.remaining, waited)

    def _should_mix(
        self, view: View, row: Row, group: Sequence[Row], passes: Sequence[DecodeStep]
    ) -> bool:
        return (
            bool(passes[0].feed)
            and row.model in self.step_seconds
            and self._chunks % SEPARATE_CHUNK_INTERVAL != SEPARATE_CHUNK_INTERVAL - 1
            and _can_mix(view, row, group)
        )

    def _mixed_chunk(
        self, view: View, order: Sequence[Row], rows: int
    ) -> tuple[Chunk, tuple[Chunk, ...]]:
        row = order[0]
        tile = 1 if row.model in view.exact else TILE
        max_tokens = self.pacing.mixed_chunk(row.model, rows, tile)
        count = _limit_to_stop(row, order, min(row.remaining, max_tokens))
        chunk = Chunk(row.id, row.model, row.length, count, mixed=True)
        if count < row.remaining or len(order) < 2:
            return chunk, ()
        return chunk, joined_chunks(view, order, max_tokens - count, mixed=True)

    def _chunk(
        self, view: View, order: Sequence[Row], groups: Sequence[Sequence[Row]]
    ) -> tuple[Chunk, tuple[Chunk, ...]]:
        row = order[0]
        if row.reproducible:
            max_tokens = self.pacing.fixed_chunk(row.length, row.remaining)
        else:
            step = self._step_seconds(row.model, (g[0].model for g in groups)) if groups else None
            tile = 1 if row.model in view.exact else TILE
            max_tokens = self.pacing.chunk(row.model, step, tile)
            if len(groups) == 1 and _can_mix(view, row, groups[0]):
                max_tokens = min(max_tokens, TILE)  # chunks after a step are rarely timed
        count = _limit_to_stop(row, order, min(row.remaining, max_tokens))
        chunk = Chunk(row.id, row.model, row.length, count, fixed=row.reproducible)
        if count < row.remaining or len(order) < 2:
            return chunk, ()
        return chunk, joined_chunks(view, order, max_tokens - count)


def _groups(rows: Sequence[Row]) -> list[list[Row]]:
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


def _pass(group: Sequence[Row], view: View) -> DecodeStep:
    feed = tuple(r.id for r in group if r.wants_more)
    if all(r.awaits_first for r in group):
        feed = ()  # deliver these first tokens before the next pass
    shared = len(group) > 1 and group[0].model not in view.faulty
    return DecodeStep(tuple(r.id for r in group), feed, shared)


def _can_mix(view: View, row: Row, group: Sequence[Row]) -> bool:
    return (
        row.can_mix_prefill
        and row.model in view.mixing
        and row.model not in view.faulty
        and row.model == group[0].model
        and all(r.can_mix_decode for r in group)
    )


def _is_active_neighbor(neighbor: Row, group: Sequence[Row]) -> bool:
    is_neighbor = not neighbor.is_suspended and all(neighbor.id != row.id for row in group)
    return is_neighbor and neighbor.status not in (Status.PREPARING, Status.FINISHED)


def is_worth_a_copy(row: Row, length: int) -> bool:
    return length - row.length >= max(MIN_GAIN, length // COPY_PER_TOKEN)


def joinable_rows(view: View, order: Sequence[Row]) -> Sequence[Row]:
    if not _can_join(view, order[0]):
        return order[:1]
    rows = [r for r in order if r.model == order[0].model and _can_join(view, r)]
    return rows[:MAX_JOINED_PROMPTS]


def joined_chunks(
    view: View, order: Sequence[Row], room: int, mixed: bool = False
) -> tuple[Chunk, ...]:
    """Return the prompts to read in the same pass as the rest of the next prompt.

    Prompts that could reuse tokens of this pass wait for it instead.

    Args:
        room: number of tokens left in the pass.
    """
    first, *other_rows = joinable_rows(view, order)
    group = [first]
    for row in other_rows:
        if row.remaining > room or _has_stop(row, order):
            continue
        if any(_should_wait(row, member) for member in group):
            continue
        group.append(row)
        room -= row.remaining
    return tuple(Chunk(r.id, r.model, r.length, r.remaining, mixed) for r in group[1:])


def with_last_tokens(
    view: View, order: Sequence[Row], plan: StepPlan, ready: DecodeStep | None = None
) -> StepPlan:
    """Add the last tokens of prompts that end in the plan's pass.

    Chats that arrive together also start to answer together, unless another chat is already
    answering.

    Args:
        ready: first step of the chats that wait for these prompts, if it can be part of the same
            pass.
    """
    if plan.chunk is None or (plan.gathering and ready is None):
        return plan
    if plan.passes and not plan.chunk.mixed:
        return plan  # the chunk has a pass of its own
    chunks, rows = plan.chunks, {r.id: r for r in order}
    if not all(_feeds_last_token(rows[c.session], c, order) for c in chunks):
        return plan
    read = tuple(c.session for c in chunks)
    begins = not plan.passes
    waiting = (r for r in view.rows if r.status < Status.DECODING and not r.is_suspended)
    if begins and any(r.id not in read for r in waiting):
        return plan
    before = plan.passes[0] if plan.passes else ready
    if before is None:  # the pass only starts the replies to these prompts
        before = DecodeStep((), (), shared=len(read) > 1)
    step = replace(before, rows=(*before.rows, *read), feed=(*before.feed, *read))
    first, *other_chunks = (replace(c, mixed=True, ends=True) for c in chunks)
    return replace(
        plan,
        models=plan.models or (first.model,),
        model=first.model,
        passes=(step,),
        chunk=first,
        other_chunks=tuple(other_chunks),
        gathering=False,
        starts_replies=begins,
    )


def _feeds_last_token(row: Row, chunk: Chunk, order: Sequence[Row]) -> bool:
    if not row.can_feed_last or chunk.count < row.remaining:
        return False
    return chunk.start + chunk.count not in (row.snapshot_at, next_stop(row, order))


def _can_join(view: View, row: Row) -> bool:
    model = row.model
    return row.can_mix_prefill and model in view.joining and model not in view.faulty


def _limit_to_stop(row: Row, order: Sequence[Row], count: int) -> int:
    stops = [n - row.length for n in (row.snapshot_at, next_stop(row, order)) if n > row.length]
    count = min(count, *stops) if stops else count
    return _without_split_image(row, count) if row.images else count


def _without_split_image(row: Row, count: int) -> int:
    last = row.length + count
    for start, end in row.images:
        if start < last < end:
            return start - row.length if start > row.length else end - row.length
    return count


def _has_stop(row: Row, order: Sequence[Row]) -> bool:
    return max(row.snapshot_at, next_stop(row, order)) > row.length


def next_stop(row: Row, order: Sequence[Row]) -> int:
    """Return where reading must stop so that other sessions can copy the caches, or -1.

    Caches that can be trimmed can be copied later. Other caches can only be copied in their
    current state.
    """
    if not row.needs_stops:
        return -1
    places = [row.system]
    for earlier in order:
        common = 0 if earlier is row else common_tokens(row, earlier)
        if common >= earlier.length + MIN_GAIN:
            places.append(common)
    return min((p for p in places if p > row.length), default=-1)


def common_tokens(first: Row, second: Row) -> int:
    return _shareable_tokens(first.prompt, second.prompt) if first.kind == second.kind else 0


@lru_cache(maxsize=MAX_CACHED_PAIRS)
def _shareable_tokens(first: bytes, second: bytes) -> int:
    return shareable_tokens(first, second)


def _should_wait(first: Row, second: Row) -> bool:
    """Return True if one of two prompts should wait in order to reuse tokens of the other.

    If reuse is free, waiting only helps if nothing is left to read afterwards.
    """
    common = common_tokens(first, second)
    covers_all = any(row.unwritten and common == row.end for row in (first, second))
    return covers_all or any(is_worth_a_copy(row, common) for row in (first, second))
