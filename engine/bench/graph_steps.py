"""Decode steps for counting graphs, with Stretto and with mlx-lm's `BatchGenerator`.

The models are tiny and have random weights, because only shapes matter. A chat of 8,000 tokens has
four real tokens, and zeros in the rest of its caches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from engine.bench.graph_count import Count, count
from engine.bench.graph_marks import capture

SHORT, MIDDLE, LONG = 64, 2000, 8000  # chat lengths in tokens
CHUNK = 64  # prefill chunk size in tokens
READ = 1900  # prompt tokens processed before the chunk
PREFIX = 2000  # length of the prefix in the "shared prefix" case, in tokens


@dataclass(frozen=True)
class Case:
    name: str
    lengths: tuple[int, ...] = field(repr=False)  # length of each chat in tokens
    prefix: int = 0  # number of tokens common to all chats
    bits: int | None = None  # `kv_bits` setting of the chats
    chunk: int = 0  # size of a prefill chunk from another chat, or 0 for none


def cases(chats: int) -> list[Case]:
    rows = [Case(f"{tokens:,} tokens", (tokens,) * chats) for tokens in (SHORT, MIDDLE, LONG)]
    if chats > 1:
        rows.append(Case("skewed", skewed_lengths(chats)))
        rows.append(Case("shared prefix", (PREFIX + SHORT,) * chats, prefix=PREFIX))
    rows.append(Case("8-bit KV", (MIDDLE,) * chats, bits=8))
    rows.append(Case("with a chunk", (MIDDLE,) * chats, chunk=CHUNK))
    return rows


def skewed_lengths(chats: int) -> tuple[int, ...]:
    middle = max(0, chats // 4)
    rest = chats - 1 - middle
    return (LONG, *(MIDDLE + 20 * i for i in range(middle)), *(SHORT + i for i in range(rest)))


def fill_caches(net: Any, caches: list[Any], length: int) -> list[Any]:
    """Fill caches with `length` tokens: four real ones, and zeros for the rest."""
    import mlx.core as mx

    net(mx.array([[1, 2, 3, 4]]), cache=caches)
    mx.eval([part.state for part in caches if part is not None])
    padding = length - 4
    for cache in caches:
        for part in getattr(cache, "caches", [cache]):
            keys = getattr(part, "keys", None)
            if keys is None or padding <= 0:
                continue
            mx.eval(part.update_and_fetch(*(_zeros(part, h, padding) for h in (keys, part.values))))
    return caches


def _zeros(cache: Any, value: Any, padding: int) -> Any:
    import mlx.core as mx

    packed = isinstance(value, (list, tuple))
    array, scales = value[:2] if packed else (value, value)
    width = array.shape[3] * 32 // cache.bits if packed else array.shape[3]
    return mx.zeros((1, array.shape[1], padding, width), scales.dtype)


def answer(kv: Any) -> Any:
    import mlx.core as mx

    from engine.model.sampling import Sampler
    from engine.params import SamplingParams

    params = SamplingParams(temperature=0.0)
    token = mx.array([5], mx.uint32)
    mx.eval(token)
    named = {"kv": kv, "tokens": [1], "pending": token, "index": 0, "params": params}
    return SimpleNamespace(**named, sampler=Sampler(params), constraint=None, odds=None)


def stretto(model: Any, case: Case) -> Count | None:
    """Count a step of Stretto's runner, or return None if the model doesn't support the case."""
    import mlx.core as mx

    from engine.cache.session_kv import SessionKV
    from engine.errors import EngineError
    from engine.model import quantized_kv, runner
    from engine.model.runner import PrefillChunk

    make = model.new_caches
    if case.bits:
        try:
            make = quantized_kv.quantized_caches(model, case.bits).make
        except EngineError:
            return None
    if case.prefix and not model.abilities.modes.shares_prefix:
        return None

    def session(length: int) -> SessionKV:
        kv = SessionKV(make, model.abilities.modes.shares_prefix)
        kv.set_caches(fill_caches(model.net, make(), length))
        kv.tokens = [0] * length
        return kv

    kvs = _on_a_prefix(session, case) if case.prefix else [session(n) for n in case.lengths]
    readings = [PrefillChunk(session(READ), [7] * case.chunk)] if case.chunk else []
    rows = [answer(kv) for kv in kvs]
    mixes = model.abilities.modes.mixes  # otherwise, the chunk gets its own pass after the step

    try:
        for _ in range(2):  # warm up, because the first step may allocate memory
            tokens = runner.decode(model, rows, True)
            mx.eval([t for t in tokens if isinstance(t, mx.array)])
            for kv in kvs:
                kv.record_token(0)
        for row in rows:
            row.pending = mx.array([5], mx.uint32)
        mx.eval(_cache_arrays(kvs), [row.pending for row in rows])
        with capture() as outputs:
            runner.decode(model, rows, True, readings if mixes else ())
            outputs.extend(_cache_arrays(kvs))
            for reading in () if mixes else readings:
                runner.prefill(model, reading.kv, reading.tokens)
        result = count(outputs)
    finally:
        for kv in kvs:
            kv.drop()
    result.waits += 1  # reading the token IDs waits for the device
    return result


def _on_a_prefix(session: Callable[[int], Any], case: Case) -> list[Any]:
    import mlx.core as mx

    from engine.cache.shared_prefix import SharedPrefixKV
    from engine.cache.slot_layer import arrays

    first = session(case.prefix)
    first.make_shared_prefix()
    kvs = [first, *(first.fork() for _ in case.lengths[1:])]
    for kv, length in zip(kvs, case.lengths, strict=True):
        padding = length - case.prefix
        for layer in kv.layers:
            if not hasattr(layer, "update_and_fetch"):
                continue  # skip recurrent states
            is_shared = isinstance(layer, SharedPrefixKV)
            buffers = layer.keys_and_values() if is_shared else arrays(layer)
            shapes = [(1, a.shape[1], padding, a.shape[3]) for a in buffers]
            layer.update_and_fetch(*(mx.zeros(shape) for shape in shapes))
            mx.eval(layer.keys, layer.values)
        kv.record_chunk([0] * padding)
    return kvs


def _cache_arrays(kvs: Sequence[Any]) -> list[Any]:
    from engine.cache.cache_objects import iterate_arrays

    slots = {id(kv.slot_buffer): kv.slot_buffer for kv in kvs if kv.slot_buffer is not None}
    stacks = {id(kv.stack): kv.stack for kv in kvs if kv.stack is not None}
    buffers = [source.layers for source in (*slots.values(), *stacks.values())]
    return [*iterate_arrays([kv.layers for kv in kvs]), *iterate_arrays(buffers)]


def batch(net: Any, make: Callable[[], list[Any]], case: Case) -> Count | None:
    import mlx.core as mx
    from mlx_lm.generate import BatchGenerator

    from engine.cache.cache_objects import iterate_arrays

    if case.bits:
        return None
    chats = len(case.lengths)
    generator: Any = BatchGenerator(net, max_tokens=64, prefill_batch_size=chats)
    caches = [fill_caches(net, make(), n - 2) for n in case.lengths]
    generator.insert([[1, 2]] * chats, caches=caches)
    for _ in range(4):
        generator.next()
    if case.chunk:
        cache = fill_caches(net, make(), READ)
        generator.insert([[7] * (case.chunk + 1)], caches=[cache])
    batched = generator._generation_batch.prompt_cache
    mx.eval(list(iterate_arrays(batched)))
    with capture() as outputs:
        generator.next()
        outputs.extend(iterate_arrays(batched))
    result = count(outputs)
    generator.close()
    return result
