"""Probe of a newly loaded model: how its sessions can share a step, and their memory use.

Each optional ability is tried, and the logits are compared with those of a plain pass: how sessions
step together (`_ways`), if the output layer can skip rows, if an answer depends on where its prompt
is split into chunks, and which module returns hidden states.
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
from engine.model.backend import current_device
from engine.model.patches import dense, mix_in
from engine.model.sliced_pass import evaluate_in_slices

log = logging.getLogger(__name__)

SHARED, ROWS, ALONE = "shared", "rows", "alone"

# Further abilities, tried if sessions can share a step.
_IN_SLOTS = "in slots"
_SHARED_PREFIX = "shared prefix"
_MIXED = "mixed"

TOLERANCE = 0.1
"""Maximum difference of logits, in standard deviations. A row that reads wrong keys differs by
about 1. Rounding differs by 0.001 in float32, and by a few 0.01 in bfloat16 or with quantized
weights."""


class Ways(Struct, frozen=True):
    """Ways in which sessions of a model can share computation."""

    step: str  # how they share a decode step: SHARED, ROWS or ALONE
    slots: bool = False  # keys and states can be in `Slots` during a shared step
    shares_prefix: bool = False  # they can continue from one `SharedPrefix`
    mixes: bool = False  # a step can include a chunk of another session's prompt
    # logits are bitwise equal alone, in any batch and for any chunks of a prompt
    exact: bool = False


class Abilities(Struct, frozen=True):
    """Results of the probe."""

    make_cache: Callable[[], Caches]  # returns empty caches for a session
    estimate: MemoryEstimate  # of a session's caches
    ways: Ways
    token_by_token: bool  # prompts cannot be split into chunks
    leaves_out_rows: bool  # the output layer only computes selected rows
    rows: int | None  # number of token ids, or None if unknown
    body: Any  # module that returns hidden states, or None

    def slots(self) -> Slots | None:
        """Return new slots for its chats, or None if it does not support them."""
        return Slots(policy_for(current_device())) if self.ways.slots else None


def measure(net: Any, words: int, known: Ways | None = None) -> Generator[None, None, Abilities]:
    """Run all passes of the probe. Engine thread only.

    Args:
        words: only token ids below this are fed.
        known: result of an earlier probe, to skip part of the passes.
    """
    from mlx_lm.models.cache import make_prompt_cache

    make_cache = widened_caches(net, lambda: make_prompt_cache(net))
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
    """Make the output layer skip rows, if the logits of a row do not change.

    Another layer may happen to have the same width. Then the layers after it would get one row
    instead of all.

    Returns:
        True if it now skips rows.
    """
    ids, row = mx.array([[(7 * i + 3) % words for i in range(5)]]), (2,)
    undo, off, computed = None, math.inf, 0
    try:
        caches = make_cache()
        whole = net(ids, cache=caches)
        yield from evaluate_in_slices(caches, whole)
        yield
        undo = output_rows.install(net, whole.shape[-1])
        caches = make_cache()
        with output_rows.restricted_to(row):
            some = net(ids, cache=caches)
        yield from evaluate_in_slices(caches, some)
        computed = some.size // some.shape[-1]
        off = logit_difference(output_rows.logits_of(some, row), output_rows.logits_of(whole, row))
    except Exception as error:  # a model may raise anything; `explore` raises it again
        log.debug("the output layer cannot leave out rows: %s", error)
    if undo is not None and not off < TOLERANCE:
        undo()
    return computed == len(row) and off < TOLERANCE


# ---------------------------------------------------------------- sharing a step


def explore(
    net: Any, make_cache: Callable[[], Caches], vocab: int, known: Ways | None = None
) -> Generator[None, None, tuple[MemoryEstimate, Ways]]:
    """Measure the memory use of a session, and find out what sessions can share.

    Three short sessions are stepped alone, then together in each way. The first way with the same
    logits is used. This takes about two dozen forward passes, with a yield after each and inside
    long ones.
    """
    prompts = [[(7 * i + 3) % vocab for i in range(n)] for n in (9, 16, 5)]
    sessions = []
    for prompt in prompts:
        caches = make_cache()
        net(mx.array([prompt]), cache=caches)
        yield from evaluate_in_slices(caches)
        sessions.append(caches)
        yield
    estimate = yield from _estimate(net, make_cache, sessions, vocab)
    if known is None or not patches.is_on("attention"):
        known = yield from _ways(net, sessions, vocab)
    elif known.mixes:
        yield from _let_states_mix(net, sessions[0])
    return estimate, known


MEASURED_AT = (256, 512)
"""Two lengths in tokens at which caches are measured if their shape does not show their growth."""
_PIECE = 64


def _estimate(
    net: Any, make_cache: Callable[[], Caches], sessions: list[Caches], vocab: int
) -> Generator[None, None, MemoryEstimate]:
    """Measure the memory use of a session. Most caches show it by their shape; others are measured
    at two longer lengths."""
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
            yield from evaluate_in_slices(caches)
            yield
    except Exception as error:  # for example, a model with a shorter context
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
    tried = _Trial(net, sessions, alone, steps, expected)
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
    """Return the logits `[1, ids]` after some tokens. Yields inside and after the pass."""
    logits: mx.array = net(mx.array([tokens]), cache=caches)[:, -1].astype(mx.float32)
    yield from evaluate_in_slices(caches, logits)
    yield
    return logits


def _let_states_mix(net: Any, session: Caches) -> Generator[None, None, Callable[[], None]]:
    """Make modules with recurrent states run chunks separately. Return an undo function.

    A pass finds these modules; yields before and after it.
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
    """Return the modules to run row by row: those that use a cache or are named attention."""
    caches = clone(session)
    handlers = cache_handlers(net, caches, lambda: net(mx.array([[1]]), cache=caches))
    both = {id(m): m for m in (*handlers, *attention_modules(net))}
    return list(both.values())


class _Trial(Struct, frozen=True):
    """Sessions and their expected logits, to compare ways of sharing."""

    net: Any
    sessions: list[Caches]  # after their prompts
    alone: list[Caches]  # the same, also after the steps
    steps: list[list[int]]  # tokens of all sessions, by step
    expected: list[mx.array]  # logits of each step, `[sessions, ids]`
    # of the ways tried, see `logit_difference`
    differences: list[float] = field(default_factory=list)


def _agrees(way: str, tried: _Trial) -> Generator[None, None, bool]:
    try:
        if way == _MIXED:
            difference = yield from _mixed_difference(tried)
        else:
            difference = yield from _difference(way, tried)
    except Exception as error:  # a model may raise anything if it does not support these caches
        log.debug("%s step: %s: %s", way, type(error).__name__, error)
        yield
        return False
    log.debug("%s step: off by %.2g of the logits' spread", way, difference)
    tried.differences.append(difference)
    return difference < TOLERANCE


def _chunk_difference(tried: _Trial, stepped: Caches) -> Generator[None, None, float]:
    """Return the difference of the logits after a chunk that follows a shared prefix.

    `stepped` is the first session with a shared prefix, after the steps.
    """
    chunk = [3, 1, 4, 1, 5]
    wanted = yield from _logits(tried.net, chunk, clone(tried.alone[0]))
    got = yield from _logits(tried.net, chunk, stepped)
    return logit_difference(got, wanted)


def _mixed_difference(tried: _Trial) -> Generator[None, None, float]:
    """Return the difference of the logits in a step of two sessions with a prefill chunk of a
    third.

    It is the largest of those in the step, at the chunk's last token, and at the third's next
    token.
    """
    net, tokens, expected = tried.net, tried.steps[0], tried.expected[0]
    chunk, then = [3, 1, 4, 1, 5], [9]
    plain = clone(tried.sessions[2])
    last = yield from _logits(net, chunk, plain)
    wanted = yield from _logits(net, then, plain)
    first, second, third = (clone(caches) for caches in tried.sessions)
    shared = ragged.share_caches([first, second], None, [(third, len(chunk))])
    places = (0, 1, 1 + len(chunk))
    with dense.engaged(), output_rows.restricted_to(places):
        together = net(mx.array([*tokens[:2], *chunk])[:, None], cache=shared)
    step = output_rows.logits_of(together, places)
    yield from evaluate_in_slices(zip(first, second, third, strict=True), step)
    yield
    after = yield from _logits(net, then, third)
    pairs = (step[:2], expected[:2]), (step[2:], last), (after, wanted)
    return max(logit_difference(got.astype(mx.float32), right) for got, right in pairs)


def logit_difference(got: mx.array, wanted: mx.array) -> float:
    """Return the largest difference of logits in standard deviations, or inf for NaN."""
    wanted = wanted.astype(mx.float32)
    # Some models return -inf for tokens that they never use.
    spread = mx.maximum(mx.std(mx.where(mx.isfinite(wanted), wanted, 0)), 1e-6)
    off: Any = (mx.where(got == wanted, 0, mx.abs(got - wanted)).max() / spread).item()
    return float(off) if math.isfinite(off) else math.inf


def _difference(way: str, tried: _Trial) -> Generator[None, None, float]:
    """Return the largest difference between stepping in this way and alone. See
    `logit_difference`."""
    together = [clone(caches) for caches in tried.sessions]
    slots, kvs = Slots(policy_for(current_device())), [SessionKV(list) for _ in together]
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
            yield from evaluate_in_slices(held, got)
            worst = max(worst, logit_difference(got, wanted))
            yield
        if way == _SHARED_PREFIX:
            worst = max(worst, (yield from _chunk_difference(tried, together[0])))
    finally:
        for kv in kvs:
            kv.drop()  # breaks the reference cycle of slots and occupants
    return worst


# ---------------------------------------------------------------- chunk invariance
#
# An answer must not depend on where its prompt is split into chunks, because that depends on other
# sessions. Two faults in the code of models violate this. First, a layer's mask reaches further
# back than its cache keeps: a token then sees tokens of its own chunk that it would not see in the
# chunk before. The caches of such layers are made larger. Second, a token sees later tokens of the
# same chunk. Prompts of such a model are read token by token, which is slow.

SEES_AHEAD = 0.01
"""If a token's logits change by more than this, in standard deviations, the token sees later ones.
Passes of the same shape have no rounding differences, and seeing later tokens changes the logits by
about 1."""


def widened_caches(net: Any, make_cache: Callable[[], Caches]) -> Callable[[], Caches]:
    """Return `make_cache` with windows enlarged to the range of the model's masks.

    Builds the graph of a forward pass of two tokens, without evaluating it.
    """
    caches = make_cache()
    windows = [c for c in _flat(caches) if hasattr(c, "max_size") and hasattr(c, "make_mask")]
    asked: dict[int, int] = {}
    for cache in windows:
        cache.make_mask = _WindowRecorder(cache, asked)
    try:
        net(mx.array([[1, 1]]), cache=caches)
    except Exception as error:  # `explore` raises and reports it again
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


class _WindowRecorder:
    """Replacement of a cache's `make_mask` that records the requested window size in tokens."""

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
    """Return True if tokens see later ones, by comparing two prompts with different ends.

    Yields after each of two forward passes, and inside them.
    """
    half = [(7 * i + 3) % vocab for i in range(8)]
    ends = [[(5 * i + first) % vocab for i in range(8)] for first in (11, 29)]
    found = []
    for end in ends:
        caches = make_cache()
        logits = net(mx.array([[*half, *end]]), cache=caches)
        found.append(logits[0, :8].astype(mx.float32))
        yield from evaluate_in_slices(caches, *found)
        yield
    first, second = found
    # Some models return -inf for tokens that they never use.
    spread = mx.std(mx.where(mx.isfinite(first), first, 0))
    off = mx.where(first == second, 0, mx.abs(first - second)).max()
    return bool((off > SEES_AHEAD * spread).item())


def _flat(caches: Any) -> Iterator[Any]:
    for cache in caches:
        yield cache
        yield from _flat(getattr(cache, "caches", ()))


# ---------------------------------------------------------------- which module does what

_NAMES = ("model", "transformer", "backbone")
"""Names in mlx-lm's models for the module without the output layer."""


def hidden_body(net: Any, make_cache: Callable[[], Caches]) -> Any:
    """Return the module of a model that returns hidden states `[1, tokens, width]`, or None.

    Only shapes are checked; nothing is evaluated.
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
    except Exception:  # a module may raise anything for unknown arguments
        return False
    return (
        isinstance(found, mx.array)
        and found.ndim == 3
        and found.shape[:2] == (1, 2)
        and found.shape[-1] != logits.shape[-1]
    )


class _CallRecord:
    """Record of the modules that received certain objects, in a pass of the model alone."""

    def __init__(self, known: set[int]) -> None:
        self.known = known  # ids of the objects
        # running modules that received one, outermost first
        self.inside: list[Any] = []
        # modules at the first and the second place of `inside`, by id
        self.outermost: dict[int, Any] = {}
        self.second: dict[int, Any] = {}
        # ids of the outermost modules that passed an object on
        self.hands_on: set[int] = set()

    def enter(self, module: Any) -> None:
        if not self.inside:
            self.outermost[id(module)] = module
        elif len(self.inside) == 1:
            self.second[id(module)] = module
            self.hands_on.add(id(self.inside[0]))
        self.inside.append(module)


# `_RecordsCalls` reads its record from here instead of a closure. A class is part of a reference
# cycle, and the app disables Python's cycle collector, so objects that a class refers to are never
# freed.
_current_record = threading.local()


class _RecordsCalls:
    """Mixin for a module's class while it is watched."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        watch: _CallRecord = _current_record.now
        given = (*args, *kwargs.values())
        parts = [c for a in given for c in (a if isinstance(a, tuple) else (a,))]
        if not any(id(part) in watch.known for part in parts):
            return inner(*args, **kwargs)
        watch.enter(self)
        try:
            return inner(*args, **kwargs)
        finally:
            watch.inside.pop()


def _record_calls(modules: Sequence[Any], known: set[int], run: Callable[[], Any]) -> _CallRecord:
    """Run the model, and record which of the modules receive objects with these ids."""
    watch = _current_record.now = _CallRecord(known)
    undo = mix_in(_RecordsCalls, modules)
    try:
        run()
    finally:
        undo()
        del _current_record.now
    return watch


def cache_handlers(net: Any, caches: Sequence[Any], run: Callable[[], Any]) -> list[Any]:
    """Return the modules of `net` that use a layer's cache, found while `run` runs the model.

    The outermost module that receives a cache is the decoder layer. Its feed-forward part does not
    use the cache, so the result has the modules to which the layer passes it, or the layer itself
    if there are none.
    """
    parts = [c for cache in caches for c in (cache, *getattr(cache, "caches", ()))]
    unique = {id(module): module for _, module in net.named_modules() if module is not net}
    modules = [module for module in unique.values() if callable(module)]
    watch = _record_calls(modules, {id(c) for c in parts if c is not None}, run)
    alone = [module for key, module in watch.outermost.items() if key not in watch.hands_on]
    return [*alone, *watch.second.values()]


def attention_modules(net: Any) -> list[Any]:
    """Return the modules with attention in their name. Some receive keys instead of a cache."""
    names = [(name.rsplit(".", 1)[-1].lower(), module) for name, module in net.named_modules()]
    return [m for leaf, m in names if callable(m) and ("attn" in leaf or "attention" in leaf)]


def embedding_rows(net: Any, make_cache: Callable[[], Caches]) -> int | None:
    """Return the number of a model's token ids: the rows of its embedding table.

    The table is found by watching which tables receive the ids, while the graph of a pass of two
    tokens is built. Ids that a model changes before the lookup are assumed to fit. None if no
    `nn.Embedding` receives ids; then ids cannot be checked. Engine thread only.
    """
    tables = [m for m in net.modules() if isinstance(m, (nn.Embedding, nn.QuantizedEmbedding))]
    ids = mx.array([[0, 1]])
    watch = _record_calls(tables, {id(ids)}, lambda: net(ids, cache=make_cache()))
    return min((int(m["weight"].shape[0]) for m in watch.outermost.values()), default=None)
