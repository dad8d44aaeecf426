"""What is read in one pass with the next prompt: short ones, whole, and their last tokens.

A pass over a few rows costs nearly as much as one over many, since the weights are read for each.
So what the next prompt leaves of a pass is filled with others that fit into it to their end; and
where prompts end with a pass, it also feeds their last tokens, so that no step has to follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.scheduling.plan import Chunk, Pass, StepPlan
from engine.scheduling.view import Row, Status, View

MOST = 16
"""Prompts that are read in one pass. Each has its own attention, so more save less and less."""

MIN_GAIN = 32
"""Tokens that a copy of another's cache must save. Fewer are read about as fast."""

COPY_PER_TOKEN = 64
"""Copying this many tokens' keys takes about as long as reading one token."""


def is_worth_a_copy(row: Row, length: int) -> bool:
    """Whether a copy of another's first `length` tokens saves more than it costs."""
    return length - row.length >= max(MIN_GAIN, length // COPY_PER_TOKEN)


def candidates(view: View, order: Sequence[Row]) -> Sequence[Row]:
    """The next prompt, and those that might be read in one pass with it if they are short."""
    if len(order) < 2 or not _may(view, order[0]):
        return order[:1]
    return [r for r in order if r.model == order[0].model and _may(view, r)][:MOST]


def beside(view: View, order: Sequence[Row], room: int, mixed: bool = False) -> tuple[Chunk, ...]:
    """What is read in one pass with all that is left of the next prompt.

    Whoever could go on from what another reads in this pass waits for that: it costs less.

    Args:
        room: tokens that the pass has left for them.
    """
    first, *others = candidates(view, order)
    taken = [first]
    for row in others:
        if row.remaining > room or _stops(view, row, order):
            continue
        if any(_shares(view, row, other) for other in taken):
            continue
        taken.append(row)
        room -= row.remaining
    return tuple(Chunk(r.id, r.model, r.length, r.remaining, mixed) for r in taken[1:])


def with_last_tokens(
    view: View, order: Sequence[Row], plan: StepPlan, ready: Pass | None = None
) -> StepPlan:
    """The plan, with the last tokens of prompts that end with its pass.

    Chats that come together begin to answer together, so nobody begins while others are still to
    be read, unless somebody is answering anyway.

    Args:
        ready: the first step of those who wait for these prompts, where it can be the same pass.
    """
    apart = plan.gathering and ready is None
    if plan.chunk is None or apart or (plan.passes and not plan.chunk.mixed):
        return plan
    chunks, rows = plan.chunks, {r.id: r for r in order}
    if not all(_ends(view, rows[c.session], c, order) for c in chunks):
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


def _ends(view: View, row: Row, chunk: Chunk, order: Sequence[Row]) -> bool:
    """Whether a chunk is all that is left of a prompt, and nothing stops between it and the last.

    A prompt of which others hold all but the last token has no chunk at all.
    """
    if not row.ends or chunk.count < row.remaining:
        return False
    return row.end not in (row.snapshot_at, view.halt(row, [r for r in order if r is not row]))


def _comes(row: Row) -> bool:
    """Whether a session's prompt will be read soon."""
    return row.status < Status.DECODING and not row.paused


def _may(view: View, row: Row) -> bool:
    model = row.model
    return row.mixable and model in view.joining and model not in view.faulty


def _stops(view: View, row: Row, order: Sequence[Row]) -> bool:
    """Whether reading must stop somewhere within the prompt."""
    halt = view.halt(row, [r for r in order if r is not row])
    return max(row.snapshot_at, halt) > row.length


def _shares(view: View, one: Row, other: Row) -> bool:
    """Whether one of two had better go on from what the other will have read.

    What costs nothing to take over is waited for only where nothing is left to read then.
    """
    common = view.common(one, other)
    whole = any(row.unwritten and common == row.end for row in (one, other))
    return whole or any(is_worth_a_copy(row, common) for row in (one, other))
