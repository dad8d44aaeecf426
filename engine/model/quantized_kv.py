"""KV cache quantization to 8 or 4 bits, as a setting of each chat.

Plain caches are replaced with mlx-lm's `QuantizedKVCache`. Windows and recurrent states are kept.
Not every model's attention supports quantized keys, so the first request for a model tries them out
in slices between the steps of other chats.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence

import mlx.core as mx
from msgspec.structs import replace

from engine.cache.cache_objects import Caches, clone, measure
from engine.cache.estimate import MemoryEstimate
from engine.cache.session_kv import SessionKV
from engine.cache.slots import Slots
from engine.errors import UNSUPPORTED_SESSION, EngineError
from engine.model import probe, ragged
from engine.model.loaded_model import LoadedModel, QuantizedCaches
from engine.model.sliced_pass import evaluate_in_slices, run_to_end

log = logging.getLogger(__name__)

GROUP_SIZES = (64, 32)
"""Quantization group sizes. The first size that divides the head dimension is used."""

GARBLED = 1.0
"""Maximum difference of logits that rounding can explain, in standard deviations. Random logits
differ by 3 or more.
"""


def quantized_caches(model: LoadedModel, bits: int, words: int | None = None) -> QuantizedCaches:
    """Return a model's quantized caches. Blocks if they haven't been tried yet.

    Raises:
        EngineError: `unsupported_session` if the model doesn't support them.
    """
    if bits not in model.quantized_caches:
        run_to_end(try_quantized_caches(model, bits, words))
    result = model.quantized_caches[bits]
    if not isinstance(result, QuantizedCaches):
        raise EngineError(*result)
    return result


def new_caches(model: LoadedModel, bits: int) -> Caches:
    return quantized_caches(model, bits).make()


def try_quantized_caches(
    model: LoadedModel, bits: int, words: int | None = None
) -> Generator[None, None, None]:
    """Try quantized caches in about ten short passes, and store the result. Yields between slices.

    Args:
        words: only feed token ids below this; None for the tokenizer's vocabulary size.
    """
    try:
        model.quantized_caches[bits] = yield from _create(model, bits, words)
    except EngineError as error:
        # Don't store the exception, because its traceback references the model.
        model.quantized_caches[bits] = (error.code, error.message)


def _create(
    model: LoadedModel, bits: int, words: int | None
) -> Generator[None, None, QuantizedCaches]:
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
        widths_text = " and ".join(str(width) for width in sorted(widths))
        raise _refusal(
            model, bits, f"its head width {widths_text} is not a multiple of {GROUP_SIZES[-1]}"
        )

    # Don't use `model.new_caches`. The model stores the result, which would be a reference cycle.
    new_caches = model.abilities.make_cache

    def make() -> Caches:
        return [
            QuantizedKVCache(group_size=fitting[0], bits=bits) if type(cache) is KVCache else cache
            for cache in new_caches()
        ]

    try:
        estimate = yield from _check_caches(model, make, words)
    except Exception as error:  # models without support for quantized keys may raise any exception
        raise _refusal(model, bits, f"its attention cannot read them ({error})") from None
    return QuantizedCaches(make, estimate)


def _refusal(model: LoadedModel, bits: int, reason: str) -> EngineError:
    return EngineError(
        UNSUPPORTED_SESSION,
        f"{model.info.name} does not support a KV cache of {bits} bits: {reason}. Open the chat "
        "without kv_bits.",
    )


def _check_caches(
    model: LoadedModel, make: Callable[[], Caches], words: int | None
) -> Generator[None, None, MemoryEstimate]:
    """Check that quantized sessions give plausible logits, and the same logits alone and together.

    Returns the memory estimate of a session.
    """
    vocab = words or len(model.text.tokenizer)
    sessions = [make(), model.new_caches(), make()]
    for count, caches in zip((9, 5, 7), sessions, strict=True):
        model.net(mx.array([[(7 * i + 3) % vocab for i in range(count)]]), cache=caches)
        yield from evaluate_in_slices(caches)
        yield
    estimate = measure(sessions[2], sessions[0], more_tokens=2)
    tokens, rows = [token % vocab for token in (5, 11, 17)], []
    for token, caches in zip(tokens, sessions, strict=True):
        rows.append((yield from probe.compute_logits(model.net, [token], clone(caches))))
    alone = mx.concatenate(rows)
    if model.info.step != probe.ALONE:
        together = [clone(caches) for caches in sessions]
        shared = ragged.combine_caches(together)
        logits = model.net(mx.array(tokens)[:, None], cache=shared)[:, -1]
        yield from evaluate_in_slices(zip(*together, strict=True), logits)
        yield
        if probe.logit_difference(logits, alone) > probe.TOLERANCE:
            raise ValueError("shared steps compute wrong results with it")
        if model.slots is not None and model.slots.policy.bits:
            bits = yield from _agree_in_slots(model, tokens, sessions, alone)
            model.slots.policy = replace(model.slots.policy, bits=bits)
    prompt_caches, prompt = model.new_caches(), [(7 * i + 3) % vocab for i in range(9)]
    yield from probe.compute_logits(model.net, prompt, prompt_caches)
    first = yield from probe.compute_logits(model.net, tokens[:1], prompt_caches)
    if probe.logit_difference(rows[0], first) > GARBLED:
        raise ValueError("they make nonsense")
    return estimate


def _agree_in_slots(
    model: LoadedModel, tokens: Sequence[int], sessions: Sequence[Caches], alone: mx.array
) -> Generator[None, None, bool]:
    assert model.slots is not None
    slots, kvs = Slots(model.slots.policy), [SessionKV(list) for _ in sessions]
    try:
        for kv, caches in zip(kvs, sessions, strict=True):
            kv.set_caches(clone(caches))
        order = slots.assign(kvs)
        if not slots.occupants:
            return False
        shared = ragged.combine_caches([kvs[row].layers for row in order], slots)
        ordered = mx.array([tokens[row] for row in order])
        logits = model.net(ordered[:, None], cache=shared)[:, -1]
        yield from evaluate_in_slices(slots.arrays, logits)
        yield
        return probe.logit_difference(logits, alone[mx.array(order)]) <= probe.TOLERANCE
    except Exception as error:  # models without support for quantized keys may raise any exception
        log.debug("cannot use quantized caches in slots: %s: %s", type(error).__name__, error)
        return False
    finally:
        for kv in kvs:
            kv.drop()  # breaks the reference cycle between slots and occupants
