"""Memory estimates for a model: weights, caches, and activations.

They don't use MLX, because the GUI calls `fit` whenever the user changes a number. `python -m
engine bench families --parts memory` compares the estimates with measured peaks.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.cache.config_shape import Shape, shape_of, text_configs
from engine.cache.slot_policy import ON_CPU, ON_GPU, SlotPolicy

STEP = 256  # growth increment of mlx-lm's caches, in tokens

UNLIMITED = 1 << 62  # token limit of a cache without a window

CHUNK = 512
"""Prefill chunk size assumed by estimates, in tokens."""

TIGHT = 0.85  # fraction of the budget above which the verdict is "tight"

FUSED_WIDTHS = (64, 80, 128)
"""Head dimensions for which MLX's GPU attention doesn't materialize scores during prefill."""

USUAL_CONTEXT = 8192
"""Default context in tokens, unless the model's limit is lower."""

MIN_CONTEXT_TOKENS = 2048

_GROUP = 64  # quantization group size of keys and values
# Number of live arrays of hidden or feed-forward width in a forward pass, derived from measured
# peaks of all families.
_HIDDEN_ARRAYS, _INNER_ARRAYS = 6, 4
# Number of Mamba 2's score arrays, which compare each token with `STEP` other tokens.
_SCAN_SCORES = 3
_SCORES_IN_BITS = 1.5  # number of score arrays if keys are quantized, so attention isn't fused
_REBUILT_ARRAYS = 2  # arrays that DoRA materializes: a layer's weights, and the adapted weights

Verdict = Literal["yes", "tight", "no"]


class MemoryEstimate(Struct, frozen=True):
    """Memory of a session's caches by number of tokens."""

    fixed: int  # bytes that don't grow (recurrent states)
    # Bytes per token and token limit of each growing cache.
    layers: tuple[tuple[int, int], ...]

    def bytes(self, tokens: int, step: int = STEP) -> int:
        """Return the bytes for a session of `tokens` tokens if caches grow by `step`."""
        capacity = (tokens + step - 1) // step * step
        return self.fixed + sum(
            per * min(capacity, limit) for per, limit in _merge_by_limit(self.layers)
        )

    @property
    def per_token(self) -> int:
        """Bytes per additional token once all windows are full."""
        return sum(per for per, limit in self.layers if limit >= UNLIMITED)


@functools.lru_cache
def _merge_by_limit(layers: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Merge layers with the same limit. The scheduler calls `bytes` several times per step."""
    sums: dict[int, int] = {}
    for per, limit in layers:
        sums[limit] = sums.get(limit, 0) + per
    return tuple((per, limit) for limit, per in sums.items())


def estimate(
    shape: Shape,
    itemsize: int,
    kv_bits: int | None = None,
    chunk: int = STEP,
    snapshot: bool = True,
) -> MemoryEstimate:
    """Return the memory of a session.

    Args:
        itemsize: size of the model's dtype in bytes, 2 or 4.
        kv_bits: bits of quantized keys and values; None for the model's own dtype.
        chunk: tokens per prefill pass. A window temporarily grows by a chunk.
        snapshot: include the copies of caches that can't be trimmed (`SessionKV.snapshot`).
    """
    copies = 2 if snapshot else 1
    layers: list[tuple[int, int]] = []
    for layer in shape.caches:
        per_token = layer.elements_per_token * itemsize
        if not per_token:
            continue
        if layer.window:
            layers.append((per_token, layer.window + chunk))
            layers += [(per_token, layer.window)] * (copies - 1)
        elif kv_bits and layer.plain:
            scales = 2 * itemsize * -(-layer.elements_per_token // _GROUP)
            layers.append((layer.elements_per_token * kv_bits // 8 + scales, UNLIMITED))
        else:
            layers.append((per_token, UNLIMITED))
    return MemoryEstimate(
        copies * itemsize * sum(layer.state for layer in shape.caches), tuple(layers)
    )


def _slot_estimate(
    shape: Shape, itemsize: int, kv_bits: int | None, context: int, slots: SlotPolicy
) -> MemoryEstimate | None:
    if not shape.slots or not slots.can_hold(context - 1):
        return None
    caches = [c for c in shape.caches if c.plain and c.keys and not c.state]
    if not caches or (len(caches) < len(shape.caches) and not slots.classes):
        return None
    return estimate(replace(shape, caches=tuple(caches)), itemsize, kv_bits, 0, snapshot=False)


class Weights(Struct, frozen=True):
    """Sizes of a model's weights, in bytes unless noted."""

    nbytes: int  # size on disk
    wide: int  # size in float32, which is faster on CPUs; `nbytes` if the dtypes are unknown
    adapter: int = 0  # size of the adapter's arrays
    rebuilt: int = 0  # elements in the largest layer that DoRA recomputes in every pass
    shared: int = 0  # base weights that other variants of the model already keep in memory

    def loading_bytes(self, wide: bool) -> int:
        model_bytes = 0 if self.shared else self.wide if wide else self.nbytes
        return model_bytes + self.adapter


class Offer(Struct, frozen=True):
    """Suggested change that would make a model fit."""

    # Use a smaller context, quantize the KV cache, open fewer chats, or unload an idle model.
    what: Literal["context", "kv_bits", "chats", "unload"]
    value: int  # new number of tokens, bits, or chats; 0 for "unload"
    total: int  # bytes needed after the change; for "unload", bytes that would be freed
    model: str = ""  # id of the model to unload


class Fit(Struct, frozen=True):
    """Memory that a model needs, in bytes per rank."""

    weights: int  # bytes that loading adds, in the dtype that this machine uses
    per_token: int  # growth of a chat per token, once its windows are full
    caches: int  # cache size of all chats
    working: int  # size of activations in the largest pass
    context: int
    chats: int
    kv_bits: int | None
    free: int = 0  # unused bytes of the budget
    exact: bool = True  # False if `caches` is a guess, because the config was incomplete
    offers: tuple[Offer, ...] = ()  # changes that would make the model fit, least intrusive first
    adapter: int = 0  # part of `weights` that belongs to the adapter
    shared: int = 0  # weights already loaded for other variants, not included in `weights`

    @property
    def total(self) -> int:
        return self.weights + self.caches + self.working

    @property
    def verdict(self) -> Verdict:
        if self.total > self.free:
            return "no"
        return "tight" if self.total > TIGHT * self.free else "yes"


class ResidentModel(Struct, frozen=True):
    """Loaded model. Idle means neither in use nor pinned."""

    id: str
    nbytes: int
    idle: bool


class _Case(Struct, frozen=True):
    context: int
    chats: int
    kv_bits: int | None
    itemsize: int  # size of the model's dtype in bytes
    wide: bool  # keeps weights in float32
    fused: bool  # attention doesn't materialize its scores
    slots: SlotPolicy


def fit(
    config: Mapping[str, Any],
    weights: Weights,
    free: int,
    context: int | None = None,
    chats: int = 1,
    kv_bits: int | None = None,
    wide: bool = False,
    loaded: Iterable[ResidentModel] = (),
    gpu: bool = False,
    ranks: int = 1,
) -> Fit:
    """Estimate the memory that a model needs, and suggest changes if it doesn't fit.

    Args:
        free: unused bytes of the budget.
        context: tokens per chat; None for the model's limit, at most 8,192.
        wide: convert weights of any dtype to float32 if that fits.
        ranks: number of ranks the model is split over. All bytes are per rank.
    """
    shape = shape_of(config, ranks)
    itemsize = 4 if _is_float32(config) else 2
    case = _Case(
        context or min(USUAL_CONTEXT, context_limit(config) or USUAL_CONTEXT),
        chats,
        kv_bits,
        4 if wide else itemsize,
        wide,
        gpu and shape is not None and not shape.latent and shape.width in FUSED_WIDTHS,
        ON_GPU if gpu else ON_CPU,
    )
    result = _estimate_fit(shape, weights, case)
    if wide and result.total > free and weights.loading_bytes(True) > weights.loading_bytes(False):
        case = replace(case, wide=False, itemsize=itemsize)
        result = _estimate_fit(shape, weights, case)
    result = replace(result, free=free, adapter=weights.adapter, shared=weights.shared)
    if result.total <= free:
        return result
    fewer_bits = [Offer("kv_bits", bits, 0) for bits in (8, 4) if (kv_bits or 16) > bits]
    halves = [case.context >> n for n in range(1, case.context.bit_length())]
    shorter = [Offer("context", half, 0) for half in halves if half >= MIN_CONTEXT_TOKENS]
    fewer_chats = [Offer("chats", 1, 0)] if chats > 1 else []
    offers: list[Offer] = []
    for ways in (fewer_bits, shorter, fewer_chats):
        for offer in ways:
            changed: dict[str, Any] = {offer.what: offer.value}
            total = _estimate_fit(shape, weights, replace(case, **changed)).total
            if total <= free:
                offers.append(replace(offer, total=total))
                break
    return replace(result, offers=(*offers, *_suggest_unloading(result, free, loaded)))


def _suggest_unloading(result: Fit, free: int, loaded: Iterable[ResidentModel]) -> list[Offer]:
    """Suggest unloading the smallest idle model that frees enough, or else all idle models."""
    idle = sorted((m for m in loaded if m.idle), key=lambda m: m.nbytes)
    candidates = [m for m in idle if result.total <= free + m.nbytes]
    if candidates:
        return [Offer("unload", 0, free + candidates[0].nbytes, candidates[0].id)]
    max_free = free + sum(m.nbytes for m in idle)
    if result.total <= max_free:
        return [Offer("unload", 0, max_free, m.id) for m in idle]
    return []


def _estimate_fit(shape: Shape | None, weights: Weights, case: _Case) -> Fit:
    loaded_bytes, context, chats = weights.loading_bytes(case.wide), case.context, case.chats
    if shape is None:  # assume a typical architecture
        token_bytes = max(1, weights.nbytes // 100_000)
        working = max(loaded_bytes, weights.nbytes) // 16
        caches = chats * token_bytes * context
        return Fit(
            loaded_bytes, token_bytes, caches, working, context, chats, case.kv_bits, 0, False
        )
    cost = estimate(shape, case.itemsize, case.kv_bits, CHUNK)
    working = _prefill_bytes(shape, case)
    if case.kv_bits:
        # MLX copies quantized keys and values for its matrix products. One layer's copies, for all
        # chats, are still alive while the next layer is making copies. Without GQA, only the keys
        # are copied.
        largest = max(
            (per * context for per, limit in cost.layers if limit >= UNLIMITED), default=0
        )
        if not shape.grouped:
            widest = max(shape.caches, key=lambda layer: layer.elements_per_token)
            largest = int(largest * widest.keys / max(1, widest.elements_per_token))
            working += largest
        working = max(working, 2 * chats * largest)
    if chats > 1:
        working = max(working, _slot_copy_bytes(shape, case))
    working += _REBUILT_ARRAYS * weights.rebuilt * case.itemsize
    caches = chats * cost.bytes(context)
    return Fit(loaded_bytes, cost.per_token, caches, working, context, chats, case.kv_bits)


def _prefill_bytes(shape: Shape, case: _Case) -> int:
    """Estimate the activations of the last prefill pass of a full context, in bytes.

    Attention with quantized keys is never fused. A growing cache is copied before its layer's
    attention runs, so the larger of the two counts.
    """
    context, itemsize = case.context, case.itemsize
    chunk = min(CHUNK, context)
    spans = [min(context, (c.window or context) + chunk) for c in shape.caches if c.keys]
    longest = max(spans, default=0)
    scores = shape.heads * longest
    hidden = _HIDDEN_ARRAYS * shape.hidden
    arrays = hidden + _INNER_ARRAYS * shape.inner
    if shape.latent:  # two sets of scores, plus keys and values decompressed for each head
        scores = 2 * int(scores * (_SCORES_IN_BITS if case.kv_bits else 1))
        unfolded = 2 * longest * shape.heads * shape.width
        return (chunk * (scores + arrays) + unfolded) * itemsize
    if case.kv_bits:
        scores = int(scores * _SCORES_IN_BITS)
    elif case.fused:
        scores = 0
    cost = estimate(shape, itemsize, case.kv_bits, chunk, snapshot=False)
    copied = max((MemoryEstimate(0, (layer,)).bytes(context) for layer in cost.layers), default=0)
    attending = chunk * (scores + arrays) * itemsize
    scanned = shape.scanned + _SCAN_SCORES * shape.scan_heads * min(chunk, STEP)
    scanning = chunk * (scanned + hidden) * itemsize if scanned else 0
    return max(attending, copied, scanning)


def _slot_copy_bytes(shape: Shape, case: _Case) -> int:
    """Estimate the extra bytes needed while chats are copied into a shared slot buffer.

    The buffer has room for 25% more chats. While it's being filled, the chats' own caches still
    exist, and so does a second copy of one of its arrays. The first layer's caches are freed
    before the last layer's slots are filled. With length classes, layers are copied one by one,
    and the buffer grows in larger blocks.
    """
    slots, chats = case.slots, case.chats
    cost = _slot_estimate(shape, case.itemsize, case.kv_bits, case.context, slots)
    if cost is None:
        return 0
    nbytes = chats * cost.bytes(case.context)
    buffer = nbytes * (chats + chats // 4) // chats
    moved = buffer // (2 * len(cost.layers))
    if slots.classes:
        return buffer + moved + slots.growth_tokens(case.context) * cost.per_token * chats - nbytes
    return buffer + moved - nbytes // len(cost.layers)


def context_limit(config: Mapping[str, Any]) -> int | None:
    names = ("max_position_embeddings", "max_sequence_length", "n_positions", "seq_length", "n_ctx")
    values = (part.get(name) for part in text_configs(config) for name in names)
    return next((limit for limit in values if type(limit) is int and limit > 0), None)


def _is_float32(config: Mapping[str, Any]) -> bool:
    places = text_configs(config)
    return any(str(p.get("torch_dtype", p.get("dtype"))) == "float32" for p in places)
