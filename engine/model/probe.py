"""Finding out, on a freshly loaded model, how its sessions can share a step and what they cost."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches, clone
from engine.kv.config_estimate import MemoryEstimate
from engine.kv.memory_estimate import grows_unseen, measure
from engine.kv.session_kv import SessionKV
from engine.kv.slot_policy import policy_for
from engine.kv.slots import Slots
from engine.model import cpu, output_rows, patches, ragged, rows
from engine.model.backend import device_here
from engine.model.kernel.program import Geometry
from engine.model.kernel.use import Noting
from engine.model.slices import in_slices

log = logging.getLogger(__name__)

SHARED, ROWS, ALONE = "shared", "rows", "alone"

# What is tried besides, where sessions share a step.
_IN_SLOTS = "in slots"
_SHARED_PREFIX = "shared prefix"
_MIXED = "mixed"

TOLERANCE = 0.1
"""Logits may differ by so much, in their standard deviation. A row that reads wrong keys differs
by about 1; rounding differs by 0.001 in float32, and by a few 0.01 in bfloat16 or with quantised
weights."""


@dataclass(frozen=True)
class Ways:
    """What sessions of a model can have in common.

    Attributes:
        step: how they share a decode step: SHARED, ROWS or ALONE.
        slots: whether their keys and states can be in `Slots` meanwhile.
        shares_prefix: whether they can go on from one `SharedPrefix`.
        mixes: whether a chunk of a prompt can be read in one pass with a step of others.
        asks: what its layers ask of attention, of which a GPU may have kernels.
    """

    step: str
    slots: bool = False
    shares_prefix: bool = False
    mixes: bool = False
    asks: frozenset[Geometry] = frozenset()


def explore(
    net: Any, make_cache: Callable[[], Caches], vocab: int, known: Ways | None = None
) -> Generator[None, None, tuple[MemoryEstimate, Ways]]:
    """What a session costs, and what sessions can share.

    Three short sessions are stepped alone, and then together in each way of sharing in turn. The
    first way that gives the same logits is taken. That is about two dozen forward passes; yields
    after each of them, and within those that take long.

    Args:
        vocab: token ids below this are fed.
        known: the ways, which are not tried out then.
    """
    prompts = [[(7 * i + 3) % vocab for i in range(n)] for n in (9, 16, 5)]
    sessions = []
    for prompt in prompts:
        caches = make_cache()
        net(mx.array([prompt]), cache=caches)
        yield from in_slices(caches)
        sessions.append(caches)
        yield
    estimate = yield from _estimate(net, make_cache, sessions, vocab)
    if known is None or not patches.is_on("attention"):
        known = yield from _ways(net, sessions, vocab)
    return estimate, known


MEASURED_AT = (256, 512)
"""Tokens. Caches whose shape does not tell how they grow are measured at these two lengths."""
_PIECE = 64


def _estimate(
    net: Any, make_cache: Callable[[], Caches], sessions: list[Caches], vocab: int
) -> Generator[None, None, MemoryEstimate]:
    """What a session costs. Most caches tell by their shape, others need two longer lengths."""
    if not grows_unseen(sessions[0], sessions[1]):
        return measure(sessions[0])
    first, second = MEASURED_AT
    caches = make_cache()
    try:
        for start in range(0, second, _PIECE):
            if start == first:
                shorter = clone(caches)
            tokens = [(7 * i + 3) % vocab for i in range(start, start + _PIECE)]
            net(mx.array([tokens]), cache=caches)
            yield from in_slices(caches)
            yield
    except Exception as error:  # a model of a shorter context, say
        log.debug("caches are measured at short lengths: %s: %s", type(error).__name__, error)
        return measure(sessions[0], sessions[1], more=7)
    return measure(shorter, caches, more=second - first)


def _ways(net: Any, sessions: list[Caches], vocab: int) -> Generator[None, None, Ways]:
    if not patches.is_on("attention"):
        return Ways(ALONE)
    steps = [[t % vocab for t in tokens] for tokens in ((5, 11, 17), (13, 2, 29))]
    alone = [clone(caches) for caches in sessions]
    expected = []
    for tokens in steps:
        each = []
        for token, caches in zip(tokens, alone, strict=True):
            each.append(net(mx.array([[token]]), cache=caches)[:, -1])
            yield from in_slices(caches, *each)
            yield
        expected.append(mx.concatenate(each).astype(mx.float32))
    tried = _Tried(net, sessions, alone, steps, expected)
    if (yield from _agrees(SHARED, tried)):
        slots = yield from _agrees(_IN_SLOTS, tried)
        shares_prefix = yield from _agrees(_SHARED_PREFIX, tried)
        mixes = slots and _plain(sessions[0]) and (yield from _agrees(_MIXED, tried))
        return Ways(SHARED, slots, shares_prefix, mixes, frozenset(tried.noting.geometries))
    if not patches.is_on("module_classes"):
        return Ways(ALONE)
    undo = rows.share_rows(_row_modules(net, sessions[0]))
    yield
    if (yield from _agrees(ROWS, tried)):
        return Ways(ROWS)
    undo()
    return Ways(ALONE)


def _plain(caches: Caches) -> bool:
    """Whether every layer has a cache that only grows."""
    from mlx_lm.models.cache import KVCache

    return all(type(cache) is KVCache for cache in caches)


def _row_modules(net: Any, session: Caches) -> list[Any]:
    """The modules to run row by row: those that handle a cache, or are attention by their name."""
    caches = clone(session)
    handlers = rows.cache_handlers(net, caches, lambda: net(mx.array([[1]]), cache=caches))
    both = {id(m): m for m in (*handlers, *rows.attention_modules(net))}
    return list(both.values())


@dataclass(frozen=True)
class _Tried:
    """What the ways of sharing are compared by.

    Attributes:
        sessions: after their prompts.
        alone: the same, after the steps as well.
        steps: the tokens of each session, step by step.
        expected: each step's logits, `[sessions, ids]`.
        noting: what attention is asked for meanwhile.
    """

    net: Any
    sessions: list[Caches]
    alone: list[Caches]
    steps: list[list[int]]
    expected: list[mx.array]
    noting: Noting = field(default_factory=Noting)


def _agrees(way: str, tried: _Tried) -> Generator[None, None, bool]:
    try:
        if way == _MIXED:
            difference = yield from _mixed_difference(tried)
        else:
            difference = yield from _difference(way, tried)
    except Exception as error:  # whatever a model does with caches it does not know
        log.debug("%s step: %s: %s", way, type(error).__name__, error)
        yield
        return False
    log.debug("%s step: off by %.2g of the logits' spread", way, difference)
    return difference < TOLERANCE


def _chunk_difference(tried: _Tried, stepped: Caches) -> Generator[None, None, float]:
    """How far off logits are after a chunk that is read behind a shared prefix.

    `stepped` is the first session on a shared prefix, after the steps.
    """
    chunk = mx.array([[3, 1, 4, 1, 5]])
    plain = clone(tried.alone[0])
    wanted = tried.net(chunk, cache=plain)[:, -1]
    yield from in_slices(plain, wanted)
    yield
    got = tried.net(chunk, cache=stepped)[:, -1].astype(mx.float32)
    yield from in_slices(stepped, got)
    return apart(got, wanted)


def _mixed_difference(tried: _Tried) -> Generator[None, None, float]:
    """How far off logits are in a step of two sessions with a chunk of the third's prompt.

    The largest of the step's own, the chunk's last, and the third's after what it has read.
    """
    net, tokens, expected = tried.net, tried.steps[0], tried.expected[0]
    chunk, then = [3, 1, 4, 1, 5], mx.array([[9]])
    plain = clone(tried.sessions[2])
    last = net(mx.array([chunk]), cache=plain)[:, -1]
    yield from in_slices(plain, last)
    yield
    wanted = net(then, cache=plain)[:, -1]
    yield from in_slices(plain, wanted)
    yield
    first, second, third = (clone(caches) for caches in tried.sessions)
    shared = ragged.share_caches([first, second], None, [(third, len(chunk))])
    places = (0, 1, 1 + len(chunk))
    with cpu.engaged(), output_rows.only(places):
        together = net(mx.array([*tokens[:2], *chunk])[:, None], cache=shared)
    step = output_rows.of(together, places)
    yield from in_slices(zip(first, second, third, strict=True), step)
    yield
    said = net(then, cache=third)[:, -1]
    yield from in_slices(third, said)
    yield
    pairs = (step[:2], expected[:2]), (step[2:], last), (said, wanted)
    return max(apart(got.astype(mx.float32), right) for got, right in pairs)


def apart(got: mx.array, wanted: mx.array) -> float:
    """The largest difference between logits, in the standard deviation of `wanted`; inf for NaN."""
    wanted = wanted.astype(mx.float32)
    # Some models give -inf to tokens that they never say.
    spread = mx.maximum(mx.std(mx.where(mx.isfinite(wanted), wanted, 0)), 1e-6)
    off: Any = (mx.where(got == wanted, 0, mx.abs(got - wanted)).max() / spread).item()
    return float(off) if math.isfinite(off) else math.inf


def _difference(way: str, tried: _Tried) -> Generator[None, None, float]:
    """The largest difference between stepping in this way and alone, as of `apart`."""
    together = [clone(caches) for caches in tried.sessions]
    slots, kvs = Slots(policy_for(device_here())), [SessionKV(list) for _ in together]
    for kv, caches in zip(kvs, together, strict=True):
        kv.caches = caches
    worst = 0.0
    try:
        if way == _SHARED_PREFIX:
            for kv in kvs:
                if not kv.make_shared_prefix():
                    return math.inf
            together = [kv.layers for kv in kvs]
        for tokens, wanted in zip(tried.steps, tried.expected, strict=True):
            if way == _IN_SLOTS:
                slots.assign(kvs)
                if not slots.arrays:
                    return math.inf
            shared = ragged.share_caches(together, slots, kernels=tried.noting)
            with cpu.engaged():
                got = tried.net(mx.array(tokens)[:, None], cache=shared)[:, -1].astype(mx.float32)
            held = [*zip(*together, strict=True), *slots.arrays]
            yield from in_slices(held, got)
            worst = max(worst, apart(got, wanted))
            yield
        if way == _SHARED_PREFIX:
            worst = max(worst, (yield from _chunk_difference(tried, together[0])))
            yield
    finally:
        for kv in kvs:
            kv.drop()  # breaks the reference cycle of slots and occupants: nobody collects it
    return worst
