"""What a model takes in memory: its caches, the buffers of a pass, and whether all of it fits.

Everything here is reckoned before anything is loaded, from a config and the weights' sizes. No MLX:
the window calls `fit` whenever a person changes a number. `python -m engine bench families --parts
memory` compares the sum with the measured peak.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.cache.config_shape import Shape, shape_of, text_configs
from engine.cache.slot_policy import ON_CPU, ON_GPU, SlotPolicy

STEP = 256  # tokens by which mlx-lm's caches grow

UNLIMITED = 1 << 62  # the most tokens that a cache without a window keeps

CHUNK = 512
"""Tokens of a prompt that are read in a pass: what a machine reads in the time that a pass may take
is 64 to 2,048."""

TIGHT = 0.85  # beyond this share of the budget a model is called tight

FUSED_WIDTHS = (64, 80, 128)
"""Of heads, for which MLX's attention on a GPU keeps no scores while a prompt is read."""

USUAL_CONTEXT = 8192
"""Tokens of a chat that are counted on where nobody says how many, and the model takes more."""

LEAST_CONTEXT = 2048
"""Tokens. A smaller context is not offered: hardly a question with an answer fits into it."""

_GROUP = 64  # numbers that share a scale and a bias, where keys and values are kept in few bits
# Arrays that are alive at once in a pass, each as wide as the model or its feed-forward layer. So
# many were counted in the measured peaks of the families.
_HIDDEN_ARRAYS, _INNER_ARRAYS = 6, 4
_SCAN_SCORES = 3  # arrays of what Mamba 2 compares, of each token with each of so many as `STEP`
_SCORES_IN_BITS = 1.5  # arrays of attention scores where keys are in few bits: no fused operation
_REBUILT_ARRAYS = 2  # what DoRA adds to a layer's weights, and the sum

Verdict = Literal["yes", "tight", "no"]


# What a session costs.


class MemoryEstimate(Struct, frozen=True):
    """What a session's caches of one model cost."""

    fixed: int  # bytes that do not grow (recurrent states)
    # for each growing cache, bytes per token and the most tokens that it keeps
    layers: tuple[tuple[int, int], ...]

    def bytes(self, tokens: int) -> int:
        """Bytes for a session of `tokens` tokens."""
        grown = (tokens + STEP - 1) // STEP * STEP
        return self.fixed + sum(per * min(grown, most) for per, most in _by_limit(self.layers))

    @property
    def per_token(self) -> int:
        """Bytes by which a long session grows with each token."""
        return sum(per for per, most in self.layers if most >= UNLIMITED)


@functools.lru_cache
def _by_limit(layers: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Add up layers with the same limit. The scheduler asks for bytes several times a step."""
    sums: dict[int, int] = {}
    for per, most in layers:
        sums[most] = sums.get(most, 0) + per
    return tuple((per, most) for most, per in sums.items())


def estimate(
    shape: Shape,
    itemsize: int,
    kv_bits: int | None = None,
    chunk: int = STEP,
    snapshot: bool = True,
) -> MemoryEstimate:
    """What a session of a model costs.

    Args:
        itemsize: bytes of a number as the model computes: 2 or 4.
        kv_bits: the bits in which keys and values are kept; None for the model's own type.
        chunk: tokens that are read at a time. A window holds them beside its own.
        snapshot: count the copies of what cannot be taken back (`SessionKV.snapshot`).
    """
    copies = 2 if snapshot else 1
    grown: list[tuple[int, int]] = []
    for layer in shape.caches:
        per_token = layer.numbers * itemsize
        if not per_token:
            continue
        if layer.window:
            grown.append((per_token, layer.window + chunk))
            grown += [(per_token, layer.window)] * (copies - 1)
        elif kv_bits and layer.plain:
            scales = 2 * itemsize * -(-layer.numbers // _GROUP)
            grown.append((layer.numbers * kv_bits // 8 + scales, UNLIMITED))
        else:
            grown.append((per_token, UNLIMITED))
    return MemoryEstimate(
        copies * itemsize * sum(layer.state for layer in shape.caches), tuple(grown)
    )


def _slot_estimate(
    shape: Shape, itemsize: int, kv_bits: int | None, context: int, slots: SlotPolicy
) -> MemoryEstimate | None:
    """What a session of so many tokens takes in a slot; None where it has none."""
    if not shape.slots or not slots.may_hold(context - 1) or (kv_bits and not slots.bits):
        return None
    kept = [c for c in shape.caches if c.plain and c.keys and not c.state]
    kept = [c for c in kept if slots.windows or not c.window]
    if not kept or (len(kept) < len(shape.caches) and not slots.some_layers):
        return None
    return estimate(replace(shape, caches=tuple(kept)), itemsize, kv_bits, 0, snapshot=False)


# Whether a model fits.


class Weights(Struct, frozen=True):
    """A model's weights."""

    nbytes: int  # as they lie on disk
    wide: int  # in float32, which CPUs prefer; `nbytes` where nothing is known of their types
    adapter: int = 0  # bytes of an adapter's arrays, 0 without one
    # numbers of the largest layer that an adapter computes anew in every pass (DoRA)
    rebuilt: int = 0
    # bytes of them that are in memory already, for others; not those of the adapter
    shared: int = 0

    def held(self, wide: bool) -> int:
        """Bytes that they add to what is in memory."""
        own = 0 if self.shared else self.wide if wide else self.nbytes
        return own + self.adapter


class Offer(Struct, frozen=True):
    """A way in which a model would fit."""

    # "context" (a smaller one), "kv_bits" (keys and values in fewer bits), "chats" (fewer) or
    # "unload" (another model that nobody is using)
    what: Literal["context", "kv_bits", "chats", "unload"]
    value: int  # the tokens, bits or chats; 0 for "unload"
    total: int  # bytes that it would take, or that would be free
    model: str = ""  # the id of the model to unload


class Fit(Struct, frozen=True):
    """What a model will take, in bytes, and whether there is room. Of several ranks: of each."""

    weights: int  # that are added to what is in memory, as the machine would hold them
    per_token: int  # by which a chat grows with each token, once its windows are full
    caches: int  # of all chats together
    working: int  # buffers of the largest pass
    context: int
    chats: int
    kv_bits: int | None
    free: int = 0  # what may be taken of the budget now
    # whether the config said what is kept; else the caches are a guess by the weights
    exact: bool = True
    # ways to make it fit, the least change first; none where it fits
    offers: tuple[Offer, ...] = ()
    adapter: int = 0  # those of them that are an adapter's
    # weights that are in memory already, for other variants of the model, and that `weights`
    # therefore does not count
    shared: int = 0

    @property
    def total(self) -> int:
        """Bytes at the peak."""
        return self.weights + self.caches + self.working

    @property
    def verdict(self) -> Verdict:
        """Whether it fits."""
        if self.total > self.free:
            return "no"
        return "tight" if self.total > TIGHT * self.free else "yes"


class Loaded(Struct, frozen=True):
    """A model that is in memory. `idle`: nobody is using it, and it is not pinned."""

    id: str
    nbytes: int
    idle: bool


class _Case(Struct, frozen=True):
    """How a model is to be used, as of `fit`."""

    context: int
    chats: int
    kv_bits: int | None
    itemsize: int  # bytes of a number as the model computes
    wide: bool  # its weights are held in float32
    chunk: int
    fused: bool  # attention is one operation, without scores in memory
    slots: SlotPolicy


def fit(
    config: Mapping[str, Any],
    weights: Weights,
    free: int,
    context: int | None = None,
    chats: int = 1,
    kv_bits: int | None = None,
    wide: bool = False,
    loaded: Iterable[Loaded] = (),
    chunk: int | None = None,
    gpu: bool = False,
    ranks: int = 1,
) -> Fit:
    """What the model of this config will take, and what would fit where it does not.

    Args:
        config: of `config.json`.
        free: bytes that may be taken.
        context: tokens of each chat; None for the model's own limit, at most 8,192.
        wide: it computes in float32, whatever its weights are kept in, if that fits.
        loaded: the models in memory.
        chunk: tokens of a prompt that are read in a pass; None for `CHUNK`.
        gpu: it runs on one, whose attention is one operation for the usual widths of heads.
        ranks: over how many it is spread; all figures, `weights` and `free` too, are one rank's.
    """
    shape = shape_of(config, ranks)
    own = 4 if _is_float32(config) else 2
    case = _Case(
        context or min(USUAL_CONTEXT, context_limit(config) or USUAL_CONTEXT),
        chats,
        kv_bits,
        4 if wide else own,
        wide,
        chunk or CHUNK,
        gpu and shape is not None and not shape.latent and shape.width in FUSED_WIDTHS,
        ON_GPU if gpu else ON_CPU,
    )
    found = _fit(shape, weights, case)
    if wide and found.total > free and weights.held(True) > weights.held(False):
        case = replace(case, wide=False, itemsize=own)
        found = _fit(shape, weights, case)
    found = replace(found, free=free, adapter=weights.adapter, shared=weights.shared)
    if found.total <= free:
        return found
    fewer_bits = [Offer("kv_bits", bits, 0) for bits in (8, 4) if (kv_bits or 16) > bits]
    halves = [case.context >> n for n in range(1, case.context.bit_length())]
    shorter = [Offer("context", half, 0) for half in halves if half >= LEAST_CONTEXT]
    fewer_chats = [Offer("chats", 1, 0)] if chats > 1 else []
    offers: list[Offer] = []
    for ways in (fewer_bits, shorter, fewer_chats):
        for offer in ways:
            changed: dict[str, Any] = {offer.what: offer.value}
            total = _fit(shape, weights, replace(case, **changed)).total
            if total <= free:
                offers.append(replace(offer, total=total))
                break
    return replace(found, offers=(*offers, *_unloading(found, free, loaded)))


def _unloading(found: Fit, free: int, loaded: Iterable[Loaded]) -> list[Offer]:
    """The smallest idle model that makes enough room; all idle ones where it takes several."""
    idle = sorted((m for m in loaded if m.idle), key=lambda m: m.nbytes)
    enough = [m for m in idle if found.total <= free + m.nbytes]
    if enough:
        return [Offer("unload", 0, free + enough[0].nbytes, enough[0].id)]
    everything = free + sum(m.nbytes for m in idle)
    if found.total <= everything:
        return [Offer("unload", 0, everything, m.id) for m in idle]
    return []


def _fit(shape: Shape | None, weights: Weights, case: _Case) -> Fit:
    held, context, chats = weights.held(case.wide), case.context, case.chats
    if shape is None:  # about what a model of common shape takes
        each = max(1, weights.nbytes // 100_000)
        working = max(held, weights.nbytes) // 16
        caches = chats * each * context
        return Fit(held, each, caches, working, context, chats, case.kv_bits, 0, False)
    cost = estimate(shape, case.itemsize, case.kv_bits, case.chunk)
    working = _reading(shape, case)
    if case.kv_bits:
        # MLX copies keys and values in few bits for its products: those of all chats in one layer,
        # and of the layer before, which are still there. Where no heads share keys, keys alone.
        largest = max((per * context for per, most in cost.layers if most >= UNLIMITED), default=0)
        if not shape.grouped:
            widest = max(shape.caches, key=lambda layer: layer.numbers)
            largest = int(largest * widest.keys / max(1, widest.numbers))
            working += largest
        working = max(working, 2 * chats * largest)
    if chats > 1:
        working = max(working, _moving_into_slots(shape, case))
    working += _REBUILT_ARRAYS * weights.rebuilt * case.itemsize
    caches = chats * cost.bytes(context)
    return Fit(held, cost.per_token, caches, working, context, chats, case.kv_bits)


def _reading(shape: Shape, case: _Case) -> int:
    """Bytes of the buffers of a pass that reads a chunk at the end of the context.

    Attention's scores are counted whole, but where it is fused into one operation, which it never
    is with keys in few bits. A layer's keys are copied when their cache grows, which is before it
    attends to them.
    """
    context, itemsize = case.context, case.itemsize
    chunk = min(case.chunk, context)
    spans = [min(context, (c.window or context) + chunk) for c in shape.caches if c.keys]
    longest = max(spans, default=0)
    scores = shape.heads * longest
    hidden = _HIDDEN_ARRAYS * shape.hidden
    arrays = hidden + _INNER_ARRAYS * shape.inner
    if shape.latent:  # scores of two parts, and keys and values unfolded for each head
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


def _moving_into_slots(shape: Shape, case: _Case) -> int:
    """Bytes that chats take beside their caches while they are moved into a shared buffer.

    The buffer has room for a quarter more chats. While it is filled, the chats' own caches are
    there as well, and one array of it twice; but what the first layer's slots have taken over is
    free before the last one's are filled. With classes all of it is done layer by layer, and the
    buffer grows in larger blocks.
    """
    slots, chats = case.slots, case.chats
    cost = _slot_estimate(shape, case.itemsize, case.kv_bits, case.context, slots)
    if cost is None:
        return 0
    own = chats * cost.bytes(case.context)
    buffer = own * (chats + chats // 4) // chats
    moved = buffer // (2 * len(cost.layers))
    if slots.classes:
        return buffer + moved + slots.block(case.context) * cost.per_token * chats - own
    return buffer + moved - own // len(cost.layers)


def context_limit(config: Mapping[str, Any]) -> int | None:
    """The most tokens that a config allows; None where it does not tell."""
    names = ("max_position_embeddings", "max_sequence_length", "n_positions", "seq_length", "n_ctx")
    found = (place.get(name) for place in text_configs(config) for name in names)
    return next((limit for limit in found if type(limit) is int and limit > 0), None)


def _is_float32(config: Mapping[str, Any]) -> bool:
    places = text_configs(config)
    return any(str(p.get("torch_dtype", p.get("dtype"))) == "float32" for p in places)
