"""Finding out, on a freshly loaded model, how its sessions can share a step and what they cost."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches, clone, leaves
from engine.kv.memory_estimate import MemoryEstimate, measure
from engine.kv.session_kv import SessionKV
from engine.kv.slots import Slots
from engine.model import cpu, ragged, rows

log = logging.getLogger(__name__)

SHARED, ROWS, ALONE = "shared", "rows", "alone"
SEATED = "seated"  # shared, and in the seats of a slots
RIDDEN = "ridden"  # shared, and a prompt read in the same pass
BRANCHED = "branched"  # shared, each going on from a shared prefix

# A garbled row differs by about the logits' own spread; rounding differs by a thousandth of it in
# float32 and by a few hundredths in bfloat16 or with quantized weights.
TOLERANCE = 0.1


@dataclass(frozen=True)
class Ways:
    """What sessions of a model can have in common.

    Attributes:
        step: the way to share a decode step: SHARED, ROWS or ALONE.
        seats: whether they can sit in a `Slots` meanwhile.
        shares_prefix: whether they can go on from one `SharedPrefix`.
        mixes: whether a chunk of a prompt can be read in one pass with a step of others.
    """

    step: str
    seats: bool = False
    shares_prefix: bool = False
    mixes: bool = False


def explore(
    net: Any, make_cache: Callable[[], Caches], vocab: int
) -> Generator[None, None, tuple[MemoryEstimate, Ways]]:
    """What a session needs, and what sessions can share.

    Yields after every forward pass.

    Three short sessions are stepped together and alone, by each way of sharing in turn; the first
    that gives the same logits is taken. Costs about a dozen forward passes.
    """
    prompts = [[(7 * i + 3) % vocab for i in range(n)] for n in (9, 16, 5)]
    sessions = []
    for prompt in prompts:
        caches = make_cache()
        net(mx.array([prompt]), cache=caches)
        mx.eval(list(leaves(caches)))
        sessions.append(caches)
        yield
    estimate = measure(sessions[0])
    ways = yield from _ways(net, sessions, vocab)
    return estimate, ways


def _ways(net: Any, sessions: list[Caches], vocab: int) -> Generator[None, None, Ways]:
    steps = [[t % vocab for t in tokens] for tokens in ((5, 11, 17), (13, 2, 29))]
    alone = [clone(caches) for caches in sessions]
    expected = []
    for tokens in steps:
        each = []
        for token, caches in zip(tokens, alone, strict=True):
            each.append(net(mx.array([[token]]), cache=caches)[:, -1])
            mx.eval(each)
            yield
        expected.append(mx.concatenate(each).astype(mx.float32))
    if (yield from _agrees(SHARED, net, sessions, steps, expected)):
        seats = yield from _agrees(SEATED, net, sessions, steps, expected)
        shares_prefix = yield from _agrees(BRANCHED, net, sessions, steps, expected)
        mixes = seats and (yield from _agrees(RIDDEN, net, sessions, steps, expected))
        return Ways(SHARED, seats, shares_prefix, mixes)
    undo = rows.share_rows(_row_modules(net, sessions[0]))
    if (yield from _agrees(ROWS, net, sessions, steps, expected)):
        return Ways(ROWS)
    undo()
    return Ways(ALONE)


def _row_modules(net: Any, session: Caches) -> list[Any]:
    """The modules that row by row must run: what handles a cache, or is attention by its name."""
    caches = clone(session)
    handlers = rows.cache_handlers(net, caches, lambda: mx.eval(net(mx.array([[1]]), cache=caches)))
    both = {id(m): m for m in (*handlers, *rows.attention_modules(net))}
    return list(both.values())


def _agrees(
    way: str, net: Any, sessions: list[Caches], steps: list[list[int]], expected: list[mx.array]
) -> Generator[None, None, bool]:
    try:
        if way == RIDDEN:
            difference = _riding(net, sessions, steps[0], expected[0])
            yield
        else:
            difference = yield from _difference(way, net, sessions, steps, expected)
    except Exception as error:  # whatever a model does with caches it does not know
        log.debug("%s step: %s: %s", way, type(error).__name__, error)
        return False
    log.debug("%s step: off by %.2g of the logits' spread", way, difference)
    return difference < TOLERANCE


def _reading(net: Any, sessions: list[Caches], shares_prefix: list[Caches]) -> float:
    """How far off a prompt is that is read in one chunk behind a shared prefix."""
    chunk = mx.array([[3, 1, 4, 1, 5]])
    plain = clone(sessions[0])
    for tokens in ([[5]], [[13]]):  # as the shares_prefix have been stepped
        net(mx.array(tokens), cache=plain)
    wanted = net(chunk, cache=plain)[:, -1]
    return apart(net(chunk, cache=shares_prefix[0])[:, -1].astype(mx.float32), wanted)


def _riding(net: Any, sessions: list[Caches], tokens: list[int], expected: mx.array) -> float:
    """How far off a step of two sessions is, and what the third has read with it."""
    chunk = [3, 1, 4, 1, 5]
    plain = clone(sessions[2])
    net(mx.array([chunk]), cache=plain)
    wanted = net(mx.array([[9]]), cache=plain)[:, -1]
    first, second, third = (clone(caches) for caches in sessions)
    shared = ragged.share_caches([first, second], None, (third, len(chunk)))
    with cpu.engaged(wanted=2):
        step = net(mx.array([*tokens[:2], *chunk])[:, None], cache=shared)[:2, -1]
    said = net(mx.array([[9]]), cache=third)[:, -1]
    return max(apart(step.astype(mx.float32), expected[:2]), apart(said.astype(mx.float32), wanted))


def apart(got: mx.array, wanted: mx.array) -> float:
    """Largest difference between logits, in the standard deviation of those that are wanted."""
    wanted = wanted.astype(mx.float32)
    # Some models give -inf to tokens that they never say.
    spread = mx.maximum(mx.std(mx.where(mx.isfinite(wanted), wanted, 0)), 1e-6)
    off: Any = (mx.where(got == wanted, 0, mx.abs(got - wanted)).max() / spread).item()
    return float(off) if math.isfinite(off) else math.inf  # NaN is no agreement


def _difference(
    way: str, net: Any, sessions: list[Caches], steps: list[list[int]], expected: list[mx.array]
) -> Generator[None, None, float]:
    """Largest difference between sharing and stepping alone, in the logits' standard deviation."""
    together = [clone(caches) for caches in sessions]
    slots, kvs = Slots(), [SessionKV(list) for _ in sessions]
    for kv, caches in zip(kvs, together, strict=True):
        kv.caches = caches
    worst = 0.0
    try:
        if way == BRANCHED:
            for kv in kvs:
                if not kv.become_stem():
                    return math.inf
            together = [kv.layers for kv in kvs]
        for tokens, wanted in zip(steps, expected, strict=True):
            if way == SEATED:
                slots.arrange(kvs)
                if not slots.seated:
                    return math.inf
            shared = ragged.share_caches(together, slots)
            with cpu.engaged():
                got = net(mx.array(tokens)[:, None], cache=shared)[:, -1].astype(mx.float32)
            worst = max(worst, apart(got, wanted))
            yield
        if way == BRANCHED:
            worst = max(worst, _reading(net, sessions, together))
            yield
    finally:
        for kv in kvs:
            kv.drop()  # slots and rows know each other, and nobody collects cycles
    return worst
