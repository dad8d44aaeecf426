"""Whether a model will fit into memory, before anything of it is loaded. No MLX.

What it takes is the sum of its weights, the caches of so many chats of so many tokens, and the
buffers of the largest pass. `python -m engine bench families --parts memory` compares the sum with
the measured peak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.kv.config_estimate import UNLIMITED, estimate, slot_estimate
from engine.kv.config_shape import shape_of
from engine.kv.shape import Shape
from engine.kv.slot_policy import ON_CPU, ON_GPU, SlotPolicy
from engine.kv.working import working_bytes

Verdict = Literal["yes", "tight", "no"]

CHUNK = 512
"""Tokens of a prompt that are read in a pass: what a machine reads in the time that a pass may take
is 64 to 2,048."""

TIGHT = 0.85
"""Beyond this share of the budget a model is called tight."""

FUSED_WIDTHS = (64, 80, 128)
"""Of heads, for which MLX's attention on a GPU keeps no scores while a prompt is read."""

USUAL_CONTEXT = 8192
"""Tokens of a chat that are counted on where nobody says how many, and the model takes more."""

LEAST_CONTEXT = 2048
"""Tokens. A smaller context is not offered: hardly a question with an answer fits into it."""

_REBUILT_ARRAYS = 2  # what DoRA adds to a layer's weights, and the sum


@dataclass(frozen=True)
class Weights:
    """A model's weights.

    Attributes:
        nbytes: as they lie on disk.
        wide: in float32, which CPUs prefer; `nbytes` where nothing is known of their types.
        largest: bytes of the largest single one.
        adapter, adapter_wide: the same of an adapter's arrays, 0 without one.
        rebuilt: numbers of the largest layer that an adapter computes anew in every pass (DoRA).
        shared: bytes of them that are in memory already, for others; not those of the adapter.
    """

    nbytes: int
    wide: int
    largest: int = 0
    adapter: int = 0
    adapter_wide: int = 0
    rebuilt: int = 0
    shared: int = 0

    def held(self, wide: bool) -> int:
        """Bytes that they add to what is in memory."""
        own = 0 if self.shared else self.wide if wide else self.nbytes
        return own + (self.adapter_wide if wide else self.adapter)


@dataclass(frozen=True)
class Offer:
    """A way in which a model would fit.

    Attributes:
        what: "context" (a smaller one), "kv_bits" (keys and values in fewer bits), "chats" (fewer)
            or "unload" (another model that nobody is using).
        value: the tokens, bits or chats; 0 for "unload".
        model: the id of the model to unload.
        total: bytes that it would take, or that would be free.
    """

    what: Literal["context", "kv_bits", "chats", "unload"]
    value: int
    total: int
    model: str = ""


@dataclass(frozen=True)
class Fit:
    """What a model will take, in bytes, and whether there is room. Of several ranks: of each.

    Attributes:
        weights: that are added to what is in memory, as the machine would hold them.
        adapter: those of them that are an adapter's.
        shared: weights that are in memory already, for other variants of the model, and that
            `weights` therefore does not count.
        per_token: by which a chat grows with each token, once its windows are full.
        caches: of all chats together.
        working: buffers of the largest pass.
        free: what may be taken of the budget now.
        exact: whether the config told what is kept; else the caches are a guess by the weights.
        offers: ways to make it fit, the least change first; none where it fits.
    """

    weights: int
    per_token: int
    caches: int
    working: int
    context: int
    chats: int
    kv_bits: int | None
    free: int = 0
    exact: bool = True
    offers: tuple[Offer, ...] = ()
    adapter: int = 0
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


@dataclass(frozen=True)
class Loaded:
    """A model that is in memory. `idle`: nobody is using it, and it is not pinned."""

    id: str
    nbytes: int
    idle: bool


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
    shape, chunk = shape_of(config, ranks), chunk or CHUNK
    fused = gpu and shape is not None and not shape.latent and shape.width in FUSED_WIDTHS
    slots = ON_GPU if gpu else ON_CPU
    context = context or min(USUAL_CONTEXT, context_limit(config) or USUAL_CONTEXT)
    found = _fit(shape, weights, config, context, chats, kv_bits, wide, chunk, fused, slots)
    if wide and found.total > free and weights.held(True) > weights.held(False):
        found = _fit(shape, weights, config, context, chats, kv_bits, False, chunk, fused, slots)
        wide = False
    added = weights.adapter_wide if wide else weights.adapter
    found = replace(found, free=free, adapter=added, shared=weights.shared)
    if found.total <= free:
        return found

    def tried(context: int, chats: int, bits: int | None) -> int:
        return _fit(shape, weights, config, context, chats, bits, wide, chunk, fused, slots).total

    offers: list[Offer] = []
    for bits in (8, 4):
        if (kv_bits or 16) > bits and (total := tried(context, chats, bits)) <= free:
            offers.append(Offer("kv_bits", bits, total))
            break
    smaller = context
    while (smaller := smaller // 2) >= LEAST_CONTEXT:
        if (total := tried(smaller, chats, kv_bits)) <= free:
            offers.append(Offer("context", smaller, total))
            break
    if chats > 1 and (total := tried(context, 1, kv_bits)) <= free:
        offers.append(Offer("chats", 1, total))
    offers += _unloading(found, free, loaded)
    return replace(found, offers=tuple(offers))


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


def _fit(
    shape: Shape | None,
    weights: Weights,
    config: Mapping[str, Any],
    context: int,
    chats: int,
    kv_bits: int | None,
    wide: bool,
    chunk: int,
    fused: bool,
    slots: SlotPolicy,
) -> Fit:
    held = weights.held(wide)
    itemsize = 4 if wide or _is_float32(config) else 2
    if shape is None:  # about what a model of common shape takes
        each = max(1, weights.nbytes // 100_000)
        caches, most = chats * each * context, max(held, weights.nbytes)
        return Fit(held, each, caches, most // 16, context, chats, kv_bits, 0, False)
    cost = estimate(shape, itemsize, kv_bits, chunk)
    caches = chats * cost.bytes(context)
    working = working_bytes(shape, itemsize, chunk, context, kv_bits, fused)
    doubled = [c for c in shape.caches if c.copied and not c.window]
    if doubled:
        # The chat that is being read has no snapshot yet. Once it has one, a layer may grow.
        twice = [(c.keys + c.values) * itemsize * context for c in doubled]
        working = max(working - sum(twice), twice[0])
    if kv_bits:
        # MLX copies keys and values in few bits for its products: those of all chats in one layer,
        # and of the layer before, which are still there. Where no heads share keys, keys alone.
        largest = max((per * context for per, most in cost.layers if most >= UNLIMITED), default=0)
        share = 1.0 if shape.grouped else _share_of_keys(shape)
        reading = 0 if shape.grouped else int(largest * share)
        working = max(working + reading, int(2 * chats * largest * share))
    slot = slot_estimate(shape, itemsize, kv_bits, context, slots) if chats > 1 else None
    if slot is not None:
        # Their shared buffer has room for a quarter more chats. While it is filled, their own
        # caches are there as well, and one array of it twice; but what the first layer's slots
        # have taken over is free before the last one's are filled. With classes all of it is done
        # layer by layer, and the buffer grows in larger blocks.
        own = chats * slot.bytes(context)
        buffer = own * (chats + chats // 4) // chats
        moved = buffer // (2 * len(slot.layers))
        if not slots.classes:
            buffer -= own // len(slot.layers)
        else:
            buffer += slots.block(context) * slot.per_token * chats - own
        working = max(working, buffer + moved)
    working += _REBUILT_ARRAYS * weights.rebuilt * itemsize
    return Fit(held, cost.per_token, caches, working, context, chats, kv_bits)


def _share_of_keys(shape: Shape) -> float:
    """The share of keys in what the widest layer keeps of a token."""
    widest = max(shape.caches, key=lambda layer: layer.keys + layer.values)
    return widest.keys / max(1, widest.keys + widest.values)


def context_limit(config: Mapping[str, Any]) -> int | None:
    """The most tokens that a config allows; None where it does not tell."""
    inner = config.get("text_config")
    names = ("max_position_embeddings", "max_sequence_length", "n_positions", "seq_length", "n_ctx")
    places: Sequence[Mapping[str, Any]] = [config, inner if isinstance(inner, dict) else {}]
    for place in places:
        for name in names:
            if type(place.get(name)) is int and place[name] > 0:
                return int(place[name])
    return None


def _is_float32(config: Mapping[str, Any]) -> bool:
    inner = config.get("text_config")
    places = [config, inner if isinstance(inner, dict) else {}]
    return any(str(p.get("torch_dtype", p.get("dtype"))) == "float32" for p in places)
