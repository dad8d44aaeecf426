"""KV cache quantization to 8 or 4 bits. This is a setting of each chat.

Plain caches are replaced with mlx-lm's `QuantizedKVCache`. Caches of limited size (windows,
recurrent states) are kept. Not every model's attention supports quantized keys, so the first
request for a model tries it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from msgspec import Struct
from msgspec.structs import replace

from engine.cache.cache_objects import Caches, clone, iterate_arrays, measure
from engine.cache.estimate import MemoryEstimate
from engine.cache.session_kv import SessionKV
from engine.cache.slots import Slots
from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.model import probe, ragged, vocabulary
from engine.model.loaded_model import LoadedModel

log = logging.getLogger(__name__)

GROUP_SIZES = (64, 32)
"""Quantization group sizes. We use the first size that divides the head dimension."""

GARBLED = 1.0
"""Maximum difference of logits that we attribute to rounding, in standard deviations. Random logits
differ by 3 or more."""


class QuantizedCaches(Struct, frozen=True):
    """Factory and memory estimate for a model's quantized caches."""

    make: Callable[[], Caches]
    estimate: MemoryEstimate


def quantized_caches(model: LoadedModel, bits: int, words: int | None = None) -> QuantizedCaches:
    """Get a model's quantized caches. The first call for `bits` runs about ten short passes.

    Args:
        words: only feed token ids below this; None for the tokenizer's vocabulary size.

    Raises:
        EngineError: `unsupported_session` if it doesn't work. The message says why.
    """
    if bits not in model.quantized_caches:
        try:
            model.quantized_caches[bits] = _create(model, bits, words)
        except EngineError as error:
            # Don't store the exception, because its traceback references the model.
            model.quantized_caches[bits] = (error.code, error.message)
    found = model.quantized_caches[bits]
    if not isinstance(found, QuantizedCaches):
        raise EngineError(*found)
    return found


def _create(model: LoadedModel, bits: int, words: int | None) -> QuantizedCaches:
    # Imported here because of `backend.preserved_file_limit`.
    from mlx_lm.models.cache import KVCache, QuantizedKVCache

    plain = model.new_caches()
    model.net(mx.array([[1, 2, 3]]), cache=plain)
    growing = [c for c in plain if type(c) is KVCache]
    if not growing:
        raise _refusal(model, bits, "none of its caches grows with the text")
    widths = {a.shape[-1] for cache in growing for a in (cache.keys, cache.values)}
    fitting = [size for size in GROUP_SIZES if all(width % size == 0 for width in widths)]
    if not fitting:
        shown = " and ".join(str(width) for width in sorted(widths))
        raise _refusal(
            model, bits, f"its head width {shown} is not a multiple of {GROUP_SIZES[-1]}"
        )

    # Don't use `model.new_caches`. The model stores the result, which would be a reference cycle.
    new_caches = model.abilities.make_cache

    def make() -> Caches:
        return [
            QuantizedKVCache(group_size=fitting[0], bits=bits) if type(cache) is KVCache else cache
            for cache in new_caches()
        ]

    try:
        estimate = _check_caches(model, make, words)
    except Exception as error:  # models without support for quantized keys may raise any exception
        raise _refusal(model, bits, f"its attention cannot read them ({error})") from None
    return QuantizedCaches(make, estimate)


def _refusal(model: LoadedModel, bits: int, why: str) -> EngineError:
    return EngineError(
        UNSUPPORTED_SESSION,
        f"{model.info.name} does not support a KV cache of {bits} bits: {why}. Open the chat "
        "without kv_bits.",
    )


def _check_caches(
    model: LoadedModel, make: Callable[[], Caches], words: int | None
) -> MemoryEstimate:
    """Check that quantized sessions give the same logits alone and together, and plausible logits.

    Returns:
        The memory estimate of a session.

    Raises:
        ValueError: if a check fails. Errors raised by the model are passed on.
    """
    vocab = words or vocabulary.vocabulary_size(model.text.tokenizer)
    sessions = [make(), model.new_caches(), make()]
    for count, caches in zip((9, 5, 7), sessions, strict=True):
        model.net(mx.array([[(7 * i + 3) % vocab for i in range(count)]]), cache=caches)
        mx.eval(list(iterate_arrays(caches)))
    estimate = measure(sessions[2], sessions[0], more=2)
    feeds = [mx.array([[token % vocab]]) for token in (5, 11, 17)]
    alone = _compute_logits(model, feeds, sessions)
    if model.info.step != probe.ALONE:
        together = [clone(caches) for caches in sessions]
        shared = ragged.combine_caches(together)
        got = model.net(mx.concatenate(feeds), cache=shared)[:, -1]
        if probe.logit_difference(got, alone) > probe.TOLERANCE:
            raise ValueError("shared steps compute wrong results with it")
        if model.slots is not None and model.slots.policy.bits:
            bits = _agree_in_slots(model, feeds, sessions, alone)
            model.slots.policy = replace(model.slots.policy, bits=bits)
    full = model.new_caches()
    model.net(mx.array([[(7 * i + 3) % vocab for i in range(9)]]), cache=full)
    if probe.logit_difference(alone[:1], _compute_logits(model, feeds[:1], [full])) > GARBLED:
        raise ValueError("they make nonsense")
    return estimate


def _agree_in_slots(
    model: LoadedModel, feeds: Sequence[mx.array], sessions: Sequence[Caches], alone: mx.array
) -> bool:
    """Check that a mix of quantized and other sessions gives the same logits in slots."""
    assert model.slots is not None
    slots, kvs = Slots(model.slots.policy), [SessionKV(list) for _ in sessions]
    try:
        for kv, caches in zip(kvs, sessions, strict=True):
            kv.set_caches(clone(caches))
        order = slots.assign(kvs)
        if not slots.occupants:
            return False
        shared = ragged.combine_caches([kvs[row].layers for row in order], slots)
        got = model.net(mx.concatenate([feeds[row] for row in order]), cache=shared)[:, -1]
        return probe.logit_difference(got, alone[mx.array(order)]) <= probe.TOLERANCE
    except Exception as error:  # models without support for quantized keys may raise any exception
        log.debug("cannot use quantized caches in slots: %s: %s", type(error).__name__, error)
        return False
    finally:
        for kv in kvs:
            kv.drop()  # breaks the reference cycle between slots and occupants


def _compute_logits(
    model: LoadedModel, feeds: Sequence[mx.array], sessions: Sequence[Caches]
) -> mx.array:
    rows: list[Any] = [
        model.net(feed, cache=clone(caches))[:, -1]
        for feed, caches in zip(feeds, sessions, strict=True)
    ]
    return mx.concatenate(rows)
