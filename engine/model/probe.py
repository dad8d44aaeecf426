"""Finding out, on a freshly loaded model, how its sessions can share a step and what they cost.

Whatever a model may not be able to do is tried, and compared with what it answers without: how its
sessions step together (`_ways`), whether its output layer can leave out rows, whether an answer
depends on where its prompt is cut into chunks, and which of its parts gives hidden states.
"""

from __future__ import annotations

import functools
import logging
import math
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from msgspec import Struct, field

from engine.cache import cache_objects
from engine.cache.cache_objects import Caches, clone
from engine.cache.estimate import MemoryEstimate
from engine.cache.session_kv import SessionKV
from engine.cache.slot_policy import policy_for
from engine.cache.slots import Slots
from engine.model import output_rows, patches, plain_decoder, ragged
from engine.model.backend import device_here
from engine.model.patches import dense, mix_in
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


class Ways(Struct, frozen=True):
    """What sessions of a model can have in common."""

    step: str  # how they share a decode step: SHARED, ROWS or ALONE
    slots: bool = False  # their keys and states can be in `Slots` meanwhile
    shares_prefix: bool = False  # they can go on from one `SharedPrefix`
    mixes: bool = False  # a chunk of a prompt can be read in one pass with a step of others
    # logits are the same bits alone, in any batch and for any chunks of a prompt
    exact: bool = False


class Abilities(Struct, frozen=True):
    """What a model was found to be able to do."""

    make_cache: Callable[[], Caches]  # gives a session's empty caches
    estimate: MemoryEstimate  # what they cost
    ways: Ways
    token_by_token: bool  # prompts cannot be read in chunks
    leaves_out_rows: bool  # only rows whose logits are wanted go through the output layer
    rows: int | None  # how many ids the model knows; None where that cannot be found out
    body: Any  # the part of it that gives hidden states; None where none does

    def slots(self) -> Slots | None:
        """Where its chats sit together, if they can."""
        return Slots(policy_for(device_here())) if self.ways.slots else None


def measure(net: Any, words: int, known: Ways | None = None) -> Generator[None, None, Abilities]:
    """All passes that find out what a model can do. Engine thread only.

    Args:
        words: token ids below this are fed.
        known: the ways that it can take, which are not tried out then.
    """
    from mlx_lm.models.cache import make_prompt_cache

    make_cache = wide_enough(net, lambda: make_prompt_cache(net))
    yield
    leaves_out_rows = yield from _leaves_out_rows(net, make_cache, words)
    yield
    estimate, ways = yield from explore(net, make_cache, words, known)
    token_by_token = yield from sees_ahead(net, make_cache, words)
    rows = embedding_rows(net, make_cache)
    yield
    body = hidden_body(net, make_cache)
    yield
    return Abilities(make_cache, estimate, ways, token_by_token, leaves_out_rows, rows, body)


def _leaves_out_rows(
    net: Any, make_cache: Callable[[], Caches], words: int
) -> Generator[None, None, bool]:
    """Let the output layer leave out rows, if the logits of one are the same without the others.

    Another layer may be as wide by chance. What follows it would then have one row for all.

    Returns:
        Whether it does.
    """
    ids, row = mx.array([[(7 * i + 3) % words for i in range(5)]]), (2,)
    undo, off, computed = None, math.inf, 0
    try:
        caches = make_cache()
        whole = net(ids, cache=caches)
        yield from in_slices(caches, whole)
        yield
        undo = output_rows.install(net, whole.shape[-1])
        caches = make_cache()
        with output_rows.only(row):
            some = net(ids, cache=caches)
        yield from in_slices(caches, some)
        computed = some.size // some.shape[-1]
        off = apart(output_rows.of(some, row), output_rows.of(whole, row))
    except Exception as error:  # whatever a model raises; the probe meets it again
        log.debug("the output layer cannot leave out rows: %s", error)
    if undo is not None and not off < TOLERANCE:
        undo()
    return computed == len(row) and off < TOLERANCE


# ---------------------------------------------------------------- sharing a step


def explore(
    net: Any, make_cache: Callable[[], Caches], vocab: int, known: Ways | None = None
) -> Generator[None, None, tuple[MemoryEstimate, Ways]]:
    """What a session costs, and what sessions can share.

    Three short sessions are stepped alone, and then together in each way of sharing in turn. The
    first way that gives the same logits is taken. That is about two dozen forward passes; yields
    after each of them, and within those that take long.
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
    elif known.mixes:
        yield from _let_states_mix(net, sessions[0])
    return estimate, known


MEASURED_AT = (256, 512)
"""Tokens. Caches whose shape does not tell how they grow are measured at these two lengths."""
_PIECE = 64


def _estimate(
    net: Any, make_cache: Callable[[], Caches], sessions: list[Caches], vocab: int
) -> Generator[None, None, MemoryEstimate]:
    """What a session costs. Most caches tell by their shape, others need two longer lengths."""
    if not cache_objects.grows_unseen(sessions[0], sessions[1]):
        return cache_objects.measure(sessions[0])
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
        return cache_objects.measure(sessions[0], sessions[1], more=7)
    return cache_objects.measure(shorter, caches, more=second - first)


def _ways(net: Any, sessions: list[Caches], vocab: int) -> Generator[None, None, Ways]:
    if not patches.is_on("attention"):
        return Ways(ALONE)
    steps = [[t % vocab for t in tokens] for tokens in ((5, 11, 17), (13, 2, 29))]
    alone = [clone(caches) for caches in sessions]
    expected = []
    for tokens in steps:
        each = []
        for token, caches in zip(tokens, alone, strict=True):
            each.append((yield from _logits(net, [token], caches)))
        expected.append(mx.concatenate(each))
    tried = _Tried(net, sessions, alone, steps, expected)
    if (yield from _agrees(SHARED, tried)):
        # A decoder reads each session's own arrays, so copies in slots would gain nothing.
        is_plain = plain_decoder.is_installed(net)
        slots = not is_plain and (yield from _agrees(_IN_SLOTS, tried))
        shares_prefix = yield from _agrees(_SHARED_PREFIX, tried)
        mixes = (slots or is_plain) and all(map(cache_objects.mixes, sessions[0]))
        if mixes:
            undo = yield from _let_states_mix(net, sessions[0])
            mixes = yield from _agrees(_MIXED, tried)
            if not mixes:
                undo()
        exact = mixes and plain_decoder.is_exact(net) and not any(tried.differences)
        return Ways(SHARED, slots, shares_prefix, mixes, exact)
    if not patches.is_on("module_classes"):
        return Ways(ALONE)
    undo = ragged.share_rows(_row_modules(net, sessions[0]))
    yield
    if (yield from _agrees(ROWS, tried)):
        return Ways(ROWS)
    undo()
    return Ways(ALONE)


def _logits(net: Any, tokens: list[int], caches: Caches) -> Generator[None, None, mx.array]:
    """The logits `[1, ids]` after some tokens of one session; yields within the pass and after."""
    logits: mx.array = net(mx.array([tokens]), cache=caches)[:, -1].astype(mx.float32)
    yield from in_slices(caches, logits)
    yield
    return logits


def _let_states_mix(net: Any, session: Caches) -> Generator[None, None, Callable[[], None]]:
    """Let chunks go by themselves through what handles states; returns what undoes it.

    Which modules do is seen in a pass: yields before it and after.
    """
    caches = clone(session)
    states = [cache for cache in caches if not hasattr(cache, "update_and_fetch")]
    if not states or not patches.is_on("module_classes"):
        return lambda: None
    run = functools.partial(net, mx.array([[1]]), cache=caches)
    yield
    handlers = cache_handlers(net, states, run)
    yield
    return ragged.share_chunks(handlers)


def _row_modules(net: Any, session: Caches) -> list[Any]:
    """The modules to run row by row: those that handle a cache, or are attention by their name."""
    caches = clone(session)
    handlers = cache_handlers(net, caches, lambda: net(mx.array([[1]]), cache=caches))
    both = {id(m): m for m in (*handlers, *attention_modules(net))}
    return list(both.values())


class _Tried(Struct, frozen=True):
    """What the ways of sharing are compared by."""

    net: Any
    sessions: list[Caches]  # after their prompts
    alone: list[Caches]  # the same, after the steps as well
    steps: list[list[int]]  # the tokens of each session, step by step
    expected: list[mx.array]  # each step's logits, `[sessions, ids]`
    differences: list[float] = field(default_factory=list)  # of the ways tried, see `apart`


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
    tried.differences.append(difference)
    return difference < TOLERANCE


def _chunk_difference(tried: _Tried, stepped: Caches) -> Generator[None, None, float]:
    """How far off logits are after a chunk that is read behind a shared prefix.

    `stepped` is the first session on a shared prefix, after the steps.
    """
    chunk = [3, 1, 4, 1, 5]
    wanted = yield from _logits(tried.net, chunk, clone(tried.alone[0]))
    got = yield from _logits(tried.net, chunk, stepped)
    return apart(got, wanted)


def _mixed_difference(tried: _Tried) -> Generator[None, None, float]:
    """How far off logits are in a step of two sessions with a chunk of the third's prompt.

    The largest of the step's own, the chunk's last, and the third's after what it has read.
    """
    net, tokens, expected = tried.net, tried.steps[0], tried.expected[0]
    chunk, then = [3, 1, 4, 1, 5], [9]
    plain = clone(tried.sessions[2])
    last = yield from _logits(net, chunk, plain)
    wanted = yield from _logits(net, then, plain)
    first, second, third = (clone(caches) for caches in tried.sessions)
    shared = ragged.share_caches([first, second], None, [(third, len(chunk))])
    places = (0, 1, 1 + len(chunk))
    with dense.engaged(), output_rows.only(places):
        together = net(mx.array([*tokens[:2], *chunk])[:, None], cache=shared)
    step = output_rows.of(together, places)
    yield from in_slices(zip(first, second, third, strict=True), step)
    yield
    after = yield from _logits(net, then, third)
    pairs = (step[:2], expected[:2]), (step[2:], last), (after, wanted)
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
        kv.set_caches(caches)
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
            shared = ragged.share_caches(together, slots)
            with dense.engaged():
                got = tried.net(mx.array(tokens)[:, None], cache=shared)[:, -1].astype(mx.float32)
            held = [*zip(*together, strict=True), *slots.arrays]
            yield from in_slices(held, got)
            worst = max(worst, apart(got, wanted))
            yield
        if way == _SHARED_PREFIX:
            worst = max(worst, (yield from _chunk_difference(tried, together[0])))
    finally:
        for kv in kvs:
            kv.drop()  # breaks the reference cycle of slots and occupants: nobody collects it
    return worst


# ---------------------------------------------------------------- chunk invariance
#
# A model must answer alike wherever its prompt is cut into chunks: that depends on the other
# sessions, and those must not show. Two faults in models' code make the answer depend on the cuts.
# A layer's mask looks further back than its cache keeps: a token then sees tokens of its own chunk
# that it would not see in the chunk before. The caches of such layers are made larger. Or a token
# sees tokens that come after it in the same chunk: the prompts of such a model are read token by
# token, as its answers are, which is slow.

SEES_AHEAD = 0.01
"""A token whose logits change by more, in their standard deviation, sees the tokens after it.
Passes of the same shape do not even round differently, and what such a token sees changes its
logits by about 1."""


def wide_enough(net: Any, make_cache: Callable[[], Caches]) -> Callable[[], Caches]:
    """`make_cache`, but with windows as large as the model's masks look back.

    Builds a forward pass of two tokens; what it would give is not computed.
    """
    caches = make_cache()
    windows = [c for c in _flat(caches) if hasattr(c, "max_size") and hasattr(c, "make_mask")]
    asked: dict[int, int] = {}
    for cache in windows:
        cache.make_mask = _Noting(cache, asked)
    try:
        net(mx.array([[1, 1]]), cache=caches)
    except Exception as error:  # `explore` will meet it again and report it
        log.debug("two tokens: %s: %s", type(error).__name__, error)
    finally:
        for cache in windows:  # breaks a reference cycle
            del cache.make_mask
    wider = {size: window for size, window in asked.items() if window > size}
    if not wider:
        return make_cache
    log.debug("windows that look back further than their caches keep: %s", wider)

    def make() -> Caches:
        made = make_cache()
        for cache in _flat(made):
            size = getattr(cache, "max_size", None)
            if size in wider:
                cache.max_size = wider[size]
        return made

    return make


class _Noting:
    """In place of a cache's `make_mask`: notes how far back it is asked to look, in tokens."""

    def __init__(self, cache: Any, asked: dict[int, int]) -> None:
        self._cache = cache
        self._asked = asked

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        window = kwargs.get("window_size", args[1] if len(args) > 1 else None)
        if window is not None:
            size = self._cache.max_size
            self._asked[size] = max(window, self._asked.get(size, 0))
        return type(self._cache).make_mask(self._cache, *args, **kwargs)


def sees_ahead(
    net: Any, make_cache: Callable[[], Caches], vocab: int
) -> Generator[None, None, bool]:
    """Whether tokens see those after them, from two prompts that differ at the end.

    Yields after each of two forward passes, and within them.
    """
    half = [(7 * i + 3) % vocab for i in range(8)]
    ends = [[(5 * i + first) % vocab for i in range(8)] for first in (11, 29)]
    found = []
    for end in ends:
        caches = make_cache()
        logits = net(mx.array([[*half, *end]]), cache=caches)
        found.append(logits[0, :8].astype(mx.float32))
        yield from in_slices(caches, *found)
        yield
    first, second = found
    # Some models give -inf to tokens that they never say.
    spread = mx.std(mx.where(mx.isfinite(first), first, 0))
    off = mx.where(first == second, 0, mx.abs(first - second)).max()
    return bool((off > SEES_AHEAD * spread).item())


def _flat(caches: Any) -> Iterator[Any]:
    for cache in caches:
        yield cache
        yield from _flat(getattr(cache, "caches", ()))


# ---------------------------------------------------------------- which module does what

_NAMES = ("model", "transformer", "backbone")
"""What mlx-lm's models call all of themselves but the output layer."""


def hidden_body(net: Any, make_cache: Callable[[], Caches]) -> Any:
    """The part of a model that gives hidden states `[1, tokens, width]`; None where none does.

    Nothing is evaluated: the shape of what it gives is known without.
    """
    for outer in (net, getattr(net, "language_model", None)):
        for name in _NAMES:
            inner = getattr(outer, name, None)
            if callable(inner) and _is_hidden(inner, net, make_cache):
                return inner
    return None


def _is_hidden(inner: Any, net: Any, make_cache: Callable[[], Caches]) -> bool:
    ids = mx.array([[0, 1]])
    try:
        found = inner(ids, cache=make_cache())
        logits = net(ids, cache=make_cache())
    except Exception:  # whatever a model's module does with arguments that it does not know
        return False
    return (
        isinstance(found, mx.array)
        and found.ndim == 3
        and found.shape[:2] == (1, 2)
        and found.shape[-1] != logits.shape[-1]
    )


class _Watch:
    """Which modules were given certain objects, in a pass of the model alone."""

    def __init__(self, known: set[int]) -> None:
        self.known = known  # the objects' ids
        # the modules running now that were given one, the outermost first
        self.inside: list[Any] = []
        # outermost, second: the modules at the first and the second place of `inside`, by id
        self.outermost: dict[int, Any] = {}
        self.second: dict[int, Any] = {}
        # ids of the outermost modules that gave an object to another
        self.hands_on: set[int] = set()

    def enter(self, module: Any) -> None:
        if not self.inside:
            self.outermost[id(module)] = module
        elif len(self.inside) == 1:
            self.second[id(module)] = module
            self.hands_on.add(id(self.inside[0]))
        self.inside.append(module)


# `_Watched` finds its watch here and not in a closure: a class is part of a reference cycle, and
# the app keeps Python's cyclic collector off, so what a class holds is not freed.
_watching = threading.local()


class _Watched:
    """Mixed in before a module's class while it is watched."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        watch: _Watch = _watching.now
        given = (*args, *kwargs.values())
        parts = [c for a in given for c in (a if isinstance(a, tuple) else (a,))]
        if not any(id(part) in watch.known for part in parts):
            return inner(*args, **kwargs)
        watch.enter(self)
        try:
            return inner(*args, **kwargs)
        finally:
            watch.inside.pop()


def _watched(modules: Sequence[Any], known: set[int], run: Callable[[], Any]) -> _Watch:
    """Which of these modules are given objects of these ids, while `run` runs the model alone."""
    watch = _watching.now = _Watch(known)
    undo = mix_in(_Watched, modules)
    try:
        run()
    finally:
        undo()
        del _watching.now
    return watch


def cache_handlers(net: Any, caches: Sequence[Any], run: Callable[[], Any]) -> list[Any]:
    """The modules of `net` that handle a layer's cache, found while `run` runs the model alone.

    The outermost module that is given a cache is the decoder layer. Its feed-forward part does not
    need the cache, so the modules that the layer gives it to are taken; or the layer itself, if it
    gives it to none.
    """
    parts = [c for cache in caches for c in (cache, *getattr(cache, "caches", ()))]
    unique = {id(module): module for _, module in net.named_modules() if module is not net}
    modules = [module for module in unique.values() if callable(module)]
    watch = _watched(modules, {id(c) for c in parts if c is not None}, run)
    alone = [module for key, module in watch.outermost.items() if key not in watch.hands_on]
    return [*alone, *watch.second.values()]


def attention_modules(net: Any) -> list[Any]:
    """The modules whose names say attention. Some are given keys instead of a cache."""
    names = [(name.rsplit(".", 1)[-1].lower(), module) for name, module in net.named_modules()]
    return [m for leaf, m in names if callable(m) and ("attn" in leaf or "attention" in leaf)]


def embedding_rows(net: Any, make_cache: Callable[[], Caches]) -> int | None:
    """How many token ids a model knows: the rows of the table that it looks them up in.

    Found by watching which tables are given the ids, in a forward pass of two tokens that is only
    built. What a model has changed before it looks it up, it has made to fit. None where no
    `nn.Embedding` is given ids; then nothing can be checked. Engine thread only.
    """
    tables = [m for m in net.modules() if isinstance(m, (nn.Embedding, nn.QuantizedEmbedding))]
    ids = mx.array([[0, 1]])
    watch = _watched(tables, {id(ids)}, lambda: net(ids, cache=make_cache()))
    return min((int(m["weight"].shape[0]) for m in watch.outermost.values()), default=None)
