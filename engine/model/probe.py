"""Probe for newly loaded models: how sessions can share steps, and their memory.

Each optional feature is tried, and its logits are compared with a plain pass: how sessions can
step together, if the output layer can skip rows, if answers depend on how the prompt is split into
chunks, and which module returns hidden states.
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
from engine.cache.slot_policy import STARTING
from engine.cache.slots import Slots
from engine.model import output_rows, plain_decoder, ragged
from engine.model.backend import current_device
from engine.model.patches import dense, mix_in
from engine.model.sliced_pass import evaluate_in_slices

log = logging.getLogger(__name__)

SHARED, ROWS, ALONE = "shared", "rows", "alone"

# Optional features, which are tried only if sessions can share a step.
_IN_SLOTS = "in slots"
_SHARED_PREFIX = "shared prefix"
_MIXED = "mixed"

TOLERANCE = 0.1
"""Maximum difference of logits, in standard deviations. A row that reads the wrong keys is off by
about 1. Rounding explains differences of 0.001 in float32, and of a few hundredths in bfloat16 or
with quantized weights."""


class SharingModes(Struct, frozen=True):
    """Supported ways of sharing work between the sessions of a model."""

    step: str  # "shared", "rows" or "alone", depending on how sessions can share a decode step
    slots: bool = False  # shared steps work with `Slots`
    shares_prefix: bool = False  # sessions can extend a common `SharedPrefix`
    mixes: bool = False  # a step can also include a prefill chunk of another session
    # Logits are bitwise equal for any batch and any split of the prompt into chunks.
    exact: bool = False


class Abilities(Struct, frozen=True):
    make_cache: Callable[[], Caches]  # creates empty caches for a session
    estimate: MemoryEstimate  # memory usage of a session's caches
    modes: SharingModes
    token_by_token: bool  # prompts must be processed token by token
    leaves_out_rows: bool  # the output layer can skip rows
    rows: int | None  # size of the vocabulary, or None if unknown
    body: Any  # module that returns hidden states, or None

    def slots(self) -> Slots | None:
        return Slots(STARTING[current_device()]) if self.modes.slots else None


def measure(
    net: Any, words: int, known_modes: SharingModes | None = None
) -> Generator[None, None, Abilities]:
    """Run the whole probe.

    Args:
        words: only feed token ids below this.
        known_modes: result of an earlier probe, which makes some of the passes unnecessary.
    """
    from mlx_lm.models.cache import make_prompt_cache

    make_cache = widen_caches(net, lambda: make_prompt_cache(net))
    yield
    decoder = plain_decoder.full_decoder(net)
    if decoder is not None:
        # A plain decoder is causal and computes only the requested rows, so no test is needed.
        output_rows.install(net, decoder.vocabulary)
        estimate, ways = yield from explore(net, make_cache, words, known_modes)
        return Abilities(
            make_cache,
            estimate,
            ways,
            token_by_token=False,
            leaves_out_rows=True,
            rows=int(net.model.embed_tokens.weight.shape[0]),
            body=net.model,
        )
    leaves_out_rows = yield from _can_skip_rows(net, make_cache, words)
    yield
    estimate, ways = yield from explore(net, make_cache, words, known_modes)
    token_by_token = yield from can_see_ahead(net, make_cache, words)
    rows = embedding_rows(net, make_cache)
    yield
    body = hidden_body(net, make_cache)
    yield
    return Abilities(make_cache, estimate, ways, token_by_token, leaves_out_rows, rows, body)


def _can_skip_rows(
    net: Any, make_cache: Callable[[], Caches], words: int
) -> Generator[None, None, bool]:
    """Make the output layer skip rows if this doesn't change the logits of the remaining rows.

    Some other layer may have the same width by chance. Layers after it would then get just one
    row.
    """
    ids, row = mx.array([[(7 * i + 3) % words for i in range(5)]]), (2,)
    undo, difference, computed = None, math.inf, 0
    try:
        caches = make_cache()
        logits = net(ids, cache=caches)
        yield from evaluate_in_slices(caches, logits)
        yield
        undo = output_rows.install(net, logits.shape[-1])
        caches = make_cache()
        with output_rows.restrict_rows(row):
            output = net(ids, cache=caches)
        yield from evaluate_in_slices(caches, output)
        computed = output.size // output.shape[-1]
        difference = logit_difference(
            output_rows.extract_logits(output, row), output_rows.extract_logits(logits, row)
        )
    except Exception as error:  # any exception; `explore` will run into it again and report it
        log.debug("the output layer cannot leave out rows: %s", error)
    if undo is not None and not difference < TOLERANCE:
        undo()
    return computed == len(row) and difference < TOLERANCE


# ---------------------------------------------------------------- sharing a step


_PROBE_STEP = 32
"""Growth of plain decoders' caches during the probe, in tokens. With the usual growth, the probe's
copies would take half as much memory as a small model.
"""


def explore(
    net: Any, make_cache: Callable[[], Caches], vocab: int, known_modes: SharingModes | None = None
) -> Generator[None, None, tuple[MemoryEstimate, SharingModes]]:
    """Measure the memory of a session, and find out what sessions can share.

    Three short sessions step alone, and then together in different ways, until the logits are
    equal. This takes about two dozen forward passes. Yields after each pass, and inside of long
    passes.
    """
    is_plain = plain_decoder.is_installed(net)
    # The caches of a plain decoder have the same shapes after any prompt.
    lengths = (9,) if is_plain and known_modes is not None else (9, 16, 5)
    prompts = [[(7 * i + 3) % vocab for i in range(n)] for n in lengths]
    sessions = []
    for prompt in prompts:
        caches = make_cache()
        for cache in caches if is_plain else ():
            cache.step = _PROBE_STEP
        net(mx.array([prompt]), cache=caches)
        yield from evaluate_in_slices(caches)
        sessions.append(caches)
        yield
    estimate = yield from _estimate(net, make_cache, sessions, vocab)
    if known_modes is None:
        known_modes = yield from _find_modes(net, sessions, vocab)
    elif known_modes.mixes:
        yield from _enable_mixed_states(net, sessions[0])
    return estimate, known_modes


MEASURED_AT = (256, 512)
"""Lengths in tokens for measuring caches whose growth can't be derived from array shapes."""
_PIECE = 64


def _estimate(
    net: Any, make_cache: Callable[[], Caches], sessions: list[Caches], vocab: int
) -> Generator[None, None, MemoryEstimate]:
    if not cache_objects.has_hidden_growth(sessions[0], sessions[:2][-1]):
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
    except Exception as error:  # e.g. the model's context is shorter
        log.debug("cannot measure caches at full length: %s: %s", type(error).__name__, error)
        return cache_objects.measure(sessions[0], sessions[1], more_tokens=7)
    return cache_objects.measure(shorter, caches, more_tokens=second - first)


def _find_modes(
    net: Any, sessions: list[Caches], vocab: int
) -> Generator[None, None, SharingModes]:
    steps = [[t % vocab for t in tokens] for tokens in ((5, 11, 17), (13, 2, 29))]
    alone = [clone(caches) for caches in sessions]
    expected = []
    for tokens in steps:
        rows = []
        for token, caches in zip(tokens, alone, strict=True):
            rows.append((yield from compute_logits(net, [token], caches)))
        expected.append(mx.concatenate(rows))
    trial = _Trial(net, sessions, alone, steps, expected)
    if (yield from _try_mode(SHARED, trial)):
        # The decoder uses each session's own arrays, so slots would only add copies.
        is_plain = plain_decoder.is_installed(net)
        slots = not is_plain and (yield from _try_mode(_IN_SLOTS, trial))
        shares_prefix = yield from _try_mode(_SHARED_PREFIX, trial)
        mixes = (slots or is_plain) and all(map(cache_objects.can_mix, sessions[0]))
        if mixes:
            undo = yield from _enable_mixed_states(net, sessions[0])
            mixes = yield from _try_mode(_MIXED, trial)
            if not mixes:
                undo()
        exact = mixes and plain_decoder.is_exact(net) and not any(trial.differences)
        return SharingModes(SHARED, slots, shares_prefix, mixes, exact)
    undo = ragged.run_by_rows(_row_modules(net, sessions[0]))
    yield
    if (yield from _try_mode(ROWS, trial)):
        return SharingModes(ROWS)
    undo()
    return SharingModes(ALONE)


def compute_logits(net: Any, tokens: list[int], caches: Caches) -> Generator[None, None, mx.array]:
    """Return the last logits `[1, ids]` after `tokens`. Yields during and after the pass."""
    logits: mx.array = net(mx.array([tokens]), cache=caches)[:, -1].astype(mx.float32)
    yield from evaluate_in_slices(caches, logits)
    yield
    return logits


def _enable_mixed_states(net: Any, session: Caches) -> Generator[None, None, Callable[[], None]]:
    caches = clone(session)
    states = [cache for cache in caches if not hasattr(cache, "update_and_fetch")]
    if not states:
        return lambda: None
    run = functools.partial(net, mx.array([[1]]), cache=caches)
    yield
    handlers = cache_handlers(net, states, run)
    yield
    return ragged.run_by_chunks(handlers)


def _row_modules(net: Any, session: Caches) -> list[Any]:
    caches = clone(session)
    handlers = cache_handlers(net, caches, lambda: net(mx.array([[1]]), cache=caches))
    both = {id(m): m for m in (*handlers, *attention_modules(net))}
    return list(both.values())


class _Trial(Struct, frozen=True):
    """Sample sessions with expected logits, for trying ways of sharing a step."""

    net: Any
    sessions: list[Caches]  # caches after the prompts
    alone: list[Caches]  # caches after the prompts and steps, computed one by one
    steps: list[list[int]]  # tokens of all sessions in each step
    expected: list[mx.array]  # logits of each step, `[sessions, ids]`
    # `logit_difference` of each method tried so far.
    differences: list[float] = field(default_factory=list)


def _try_mode(way: str, trial: _Trial) -> Generator[None, None, bool]:
    try:
        if way == _MIXED:
            difference = yield from _mixed_difference(trial)
        else:
            difference = yield from _mode_difference(way, trial)
    except Exception as error:  # models that don't support these caches may raise any exception
        log.debug("%s step: %s: %s", way, type(error).__name__, error)
        yield
        return False
    log.debug("%s step: off by %.2g of the logits' spread", way, difference)
    trial.differences.append(difference)
    return difference < TOLERANCE


def _chunk_difference(trial: _Trial, stepped: Caches) -> Generator[None, None, float]:
    """Compare the logits after a chunk that follows a shared prefix.

    `stepped` are the caches of the first session with a shared prefix, after the steps.
    """
    chunk = [3, 1, 4, 1, 5]
    expected = yield from compute_logits(trial.net, chunk, clone(trial.alone[0]))
    logits = yield from compute_logits(trial.net, chunk, stepped)
    return logit_difference(logits, expected)


def _mixed_difference(trial: _Trial) -> Generator[None, None, float]:
    """Compare the logits of a mixed step: two sessions decode while a third prefills a chunk.

    Returns the maximum difference for the decoding sessions, the chunk's last token, and the third
    session's next token.
    """
    net, tokens, expected = trial.net, trial.steps[0], trial.expected[0]
    chunk, next_chunk = [3, 1, 4, 1, 5], [9]
    plain = clone(trial.sessions[2])
    last = yield from compute_logits(net, chunk, plain)
    expected_after = yield from compute_logits(net, next_chunk, plain)
    first, second, third = (clone(caches) for caches in trial.sessions)
    shared = ragged.combine_caches([first, second], None, [(third, len(chunk))])
    places = (0, 1, 1 + len(chunk))
    with dense.engage(), output_rows.restrict_rows(places):
        together = net(mx.array([*tokens[:2], *chunk])[:, None], cache=shared)
    step = output_rows.extract_logits(together, places)
    yield from evaluate_in_slices(zip(first, second, third, strict=True), step)
    yield
    after = yield from compute_logits(net, next_chunk, third)
    pairs = (step[:2], expected[:2]), (step[2:], last), (after, expected_after)
    return max(logit_difference(actual.astype(mx.float32), right) for actual, right in pairs)


def logit_difference(actual: mx.array, expected: mx.array) -> float:
    """Return the maximum difference of logits in standard deviations, or inf for NaNs."""
    expected = expected.astype(mx.float32)
    # Some models return -inf for unused tokens.
    spread = mx.maximum(mx.std(mx.where(mx.isfinite(expected), expected, 0)), 1e-6)
    difference: Any = (
        mx.where(actual == expected, 0, mx.abs(actual - expected)).max() / spread
    ).item()
    return float(difference) if math.isfinite(difference) else math.inf


def _mode_difference(way: str, trial: _Trial) -> Generator[None, None, float]:
    together = [clone(caches) for caches in trial.sessions]
    slots, kvs = Slots(STARTING[current_device()]), [SessionKV(list) for _ in together]
    for kv, caches in zip(kvs, together, strict=True):
        kv.set_caches(caches)
    worst = 0.0
    try:
        if way == _SHARED_PREFIX:
            for kv in kvs:
                if not kv.make_shared_prefix():
                    return math.inf
            together = [kv.layers for kv in kvs]
        for tokens, expected in zip(trial.steps, trial.expected, strict=True):
            if way == _IN_SLOTS:
                slots.assign(kvs)
                if not slots.arrays:
                    return math.inf
            shared = ragged.combine_caches(together, slots)
            with dense.engage():
                logits = trial.net(mx.array(tokens)[:, None], cache=shared)[:, -1].astype(
                    mx.float32
                )
            arrays = [*zip(*together, strict=True), *slots.arrays]
            yield from evaluate_in_slices(arrays, logits)
            worst = max(worst, logit_difference(logits, expected))
            yield
        if way == _SHARED_PREFIX:
            worst = max(worst, (yield from _chunk_difference(trial, together[0])))
    finally:
        for kv in kvs:
            kv.drop()  # breaks the reference cycle between slots and occupants
    return worst


# ---------------------------------------------------------------- chunk invariance
#
# An answer must not depend on how its prompt was split into chunks, because that depends on what
# other sessions were doing. There are two kinds of bugs in model code that violate this:
# - A layer's mask reaches further back than its cache. So what a token can see depends on whether
#   earlier tokens are in the same chunk or a previous chunk. We enlarge these caches.
# - A token can see later tokens in the same chunk. We read the prompts of such models token by
#   token, which is slow.

SEES_AHEAD = 0.01
"""Threshold for detecting tokens that see later tokens, in standard deviations of the logits.

If they do, logits change by about 1. Otherwise, the logits are the same, because passes of the same
shape have no rounding differences.
"""


def widen_caches(net: Any, make_cache: Callable[[], Caches]) -> Callable[[], Caches]:
    """Wrap `make_cache` to enlarge windows to the range of the model's masks.

    The masks are found by building the graph of a two-token pass without evaluating it.
    """
    caches = make_cache()
    windows = [
        c for c in _iterate_caches(caches) if hasattr(c, "max_size") and hasattr(c, "make_mask")
    ]
    if not windows:
        return make_cache
    recorded: dict[int, int] = {}
    for cache in windows:
        cache.make_mask = _WindowRecorder(cache, recorded)
    try:
        net(mx.array([[1, 1]]), cache=caches)
    except Exception as error:  # `explore` will run into the same error and report it
        log.debug("two tokens: %s: %s", type(error).__name__, error)
    finally:
        for cache in windows:  # breaks a reference cycle
            del cache.make_mask
    wider = {size: window for size, window in recorded.items() if window > size}
    if not wider:
        return make_cache
    log.debug("windows that look back further than their caches keep: %s", wider)

    def make() -> Caches:
        caches = make_cache()
        for cache in _iterate_caches(caches):
            size = getattr(cache, "max_size", None)
            if size in wider:
                cache.max_size = wider[size]
        return caches

    return make


class _WindowRecorder:
    """Replacement for a cache's `make_mask` that records the requested window size."""

    def __init__(self, cache: Any, windows: dict[int, int]) -> None:
        self._cache = cache
        self._requested = windows

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        window = kwargs.get("window_size", args[1] if len(args) > 1 else None)
        if window is not None:
            size = self._cache.max_size
            self._requested[size] = max(window, self._requested.get(size, 0))
        return type(self._cache).make_mask(self._cache, *args, **kwargs)


def can_see_ahead(
    net: Any, make_cache: Callable[[], Caches], vocab: int
) -> Generator[None, None, bool]:
    """Return True if tokens can see later tokens, by comparing two prompts with different endings.

    Yields during and after each of the two passes.
    """
    half = [(7 * i + 3) % vocab for i in range(8)]
    ends = [[(5 * i + first) % vocab for i in range(8)] for first in (11, 29)]
    logit_rows = []
    for end in ends:
        caches = make_cache()
        logits = net(mx.array([[*half, *end]]), cache=caches)
        logit_rows.append(logits[0, :8].astype(mx.float32))
        yield from evaluate_in_slices(caches, *logit_rows)
        yield
    first, second = logit_rows
    # Some models return -inf for unused tokens.
    spread = mx.std(mx.where(mx.isfinite(first), first, 0))
    difference = mx.where(first == second, 0, mx.abs(first - second)).max()
    return bool((difference > SEES_AHEAD * spread).item())


def _iterate_caches(caches: Any) -> Iterator[Any]:
    for cache in caches:
        yield cache
        yield from _iterate_caches(getattr(cache, "caches", ()))


# ---------------------------------------------------------------- module lookup

_NAMES = ("model", "transformer", "backbone")
"""Attribute names that mlx-lm's models use for the module without the output layer."""


def hidden_body(net: Any, make_cache: Callable[[], Caches]) -> Any:
    """Return the module that returns hidden states `[1, tokens, width]`, or None.

    Only shapes are checked, without evaluating anything.
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
        hidden = inner(ids, cache=make_cache())
        logits = net(ids, cache=make_cache())
    except Exception:  # modules may raise any exception for unknown arguments
        return False
    return (
        isinstance(hidden, mx.array)
        and hidden.ndim == 3
        and hidden.shape[:2] == (1, 2)
        and hidden.shape[-1] != logits.shape[-1]
    )


class _CallRecord:
    """Record of the modules that receive certain objects as arguments during a pass."""

    def __init__(self, known: set[int]) -> None:
        self.known = known  # `id()` of the objects
        # Stack of running modules that received an object, outermost first.
        self.inside: list[Any] = []
        # Modules at the first and second positions of the stack, by `id()`.
        self.outermost: dict[int, Any] = {}
        self.second: dict[int, Any] = {}
        # `id()` of outermost modules that passed an object on to another module.
        self.passes_on: set[int] = set()

    def enter(self, module: Any) -> None:
        if not self.inside:
            self.outermost[id(module)] = module
        elif len(self.inside) == 1:
            self.second[id(module)] = module
            self.passes_on.add(id(self.inside[0]))
        self.inside.append(module)


# `_RecordsCalls` uses this variable instead of a closure. Classes are part of a reference cycle,
# and the app disables Python's cycle collector, so objects referenced by a class are never freed.
_current_record = threading.local()


class _RecordsCalls:
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner = super().__call__  # type: ignore[misc]
        watch: _CallRecord = _current_record.now
        values = (*args, *kwargs.values())
        parts = [c for a in values for c in (a if isinstance(a, tuple) else (a,))]
        if not any(id(part) in watch.known for part in parts):
            return inner(*args, **kwargs)
        watch.enter(self)
        try:
            return inner(*args, **kwargs)
        finally:
            watch.inside.pop()


def _record_calls(
    modules: Sequence[Any], known_ids: set[int], run: Callable[[], Any]
) -> _CallRecord:
    watch = _current_record.now = _CallRecord(known_ids)
    undo = mix_in(_RecordsCalls, modules)
    try:
        run()
    finally:
        undo()
        del _current_record.now
    return watch


def cache_handlers(net: Any, caches: Sequence[Any], run: Callable[[], Any]) -> list[Any]:
    """Return the modules that use a layer's cache. `run` must run the model.

    The outermost module that receives a cache is the decoder layer. Its feed-forward part doesn't
    use the cache, so the result has the modules that the layer passes the cache to, or else the
    layer.
    """
    parts = [c for cache in caches for c in (cache, *getattr(cache, "caches", ()))]
    unique = {id(module): module for _, module in net.named_modules() if module is not net}
    modules = [module for module in unique.values() if callable(module)]
    watch = _record_calls(modules, {id(c) for c in parts if c is not None}, run)
    alone = [module for key, module in watch.outermost.items() if key not in watch.passes_on]
    return [*alone, *watch.second.values()]


def attention_modules(net: Any) -> list[Any]:
    """Return attention modules by name. Some of them get keys as an argument instead of a cache."""
    names = [(name.rsplit(".", 1)[-1].lower(), module) for name, module in net.named_modules()]
    return [m for leaf, m in names if callable(m) and ("attn" in leaf or "attention" in leaf)]


def embedding_rows(net: Any, make_cache: Callable[[], Caches]) -> int | None:
    """Return the number of rows of a model's embedding table, or None if it can't be found.

    The tables that receive the token ids are recorded while the graph of a two-token pass is
    built. If a model changes ids before the lookup, they are assumed to be in range.
    """
    tables = [m for m in net.modules() if isinstance(m, (nn.Embedding, nn.QuantizedEmbedding))]
    ids = mx.array([[0, 1]])
    watch = _record_calls(tables, {id(ids)}, lambda: net(ids, cache=make_cache()))
    return min((int(m["weight"].shape[0]) for m in watch.outermost.values()), default=None)
