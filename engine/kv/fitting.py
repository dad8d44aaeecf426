"""Whether a model will fit into memory, before anything of it is loaded. No MLX.

What it takes is the sum of its weights, the caches of so many chats of so many tokens, and the
buffers of the largest pass. `python -m engine bench families --parts memory` compares the sum with
the measured peak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.kv.config_estimate import STEP, UNLIMITED, estimate
from engine.kv.config_shape import shape_of
from engine.kv.shape import Scan, Shape

Verdict = Literal["yes", "tight", "no"]

CHUNK = 512
"""Tokens of a prompt that are read in a pass: what a machine reads in the time that a pass may take
is 64 to 2,048."""

TIGHT = 0.85
"""Beyond this share of the budget a model is called tight."""

SLOTS_UP_TO = 1024
"""Tokens up to which chats that decode together share a buffer (`engine.kv.slots`)."""

FUSED_WIDTHS = (64, 80, 128)
"""Of heads, for which MLX's attention on a GPU keeps no scores while a prompt is read."""

USUAL_CONTEXT = 8192
"""Tokens of a chat that are counted on where nobody says how many, and the model takes more."""

LEAST_CONTEXT = 2048
"""Tokens. A smaller context is not offered: hardly a question with an answer fits into it."""

# Arrays that are alive at once in a pass, each as wide as the model or its feed-forward layer. So
# many were counted in the measured peaks of the families.
_HIDDEN_ARRAYS, _INNER_ARRAYS = 6, 4
_SCAN_SCORES, _SCAN_ARRAYS = 3, 17  # of Mamba 2
_STATE_ARRAYS, _NARROW_ARRAYS = 12, 10  # of Jamba
_SCORES = {None: 1.0, 8: 1.5, 4: 1.5}
"""Arrays of attention scores, by the bits of the keys. In few bits they are no fused operation."""


@dataclass(frozen=True)
class Weights:
    """A model's weights.

    Attributes:
        nbytes: as they lie on disk.
        wide: in float32, which CPUs prefer; `nbytes` where nothing is known of their types.
        largest: bytes of the largest single one.
    """

    nbytes: int
    wide: int
    largest: int = 0


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
    """What a model will take, in bytes, and whether there is room.

    Attributes:
        weights: as the machine would hold them.
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
    """
    shape, chunk = shape_of(config), chunk or CHUNK
    fused = gpu and shape is not None and not shape.latent and shape.width in FUSED_WIDTHS
    context = context or min(USUAL_CONTEXT, context_limit(config) or USUAL_CONTEXT)
    found = _fit(shape, weights, config, context, chats, kv_bits, wide, chunk, fused)
    if wide and found.total > free and weights.wide > weights.nbytes:
        found = _fit(shape, weights, config, context, chats, kv_bits, False, chunk, fused)
        wide = False
    found = replace(found, free=free)
    if found.total <= free:
        return found

    def tried(context: int, chats: int, bits: int | None) -> int:
        return _fit(shape, weights, config, context, chats, bits, wide, chunk, fused).total

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
) -> Fit:
    held = weights.wide if wide else weights.nbytes
    itemsize = 4 if wide or _is_float32(config) else 2
    if shape is None:  # about what a model of common shape takes
        each = max(1, weights.nbytes // 100_000)
        return Fit(
            held, each, chats * each * context, held // 16, context, chats, kv_bits, 0, False
        )
    cost = estimate(shape, itemsize, kv_bits, chunk)
    caches = chats * cost.bytes(context)
    plain = all(c.plain and not c.window and not c.state for c in shape.caches)
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
    if chats > 1 and plain and shape.slots and not kv_bits and context <= SLOTS_UP_TO:
        # Their shared buffer has room for a quarter more chats. While it is filled, their own
        # caches are there as well, and one array of it twice.
        buffer = caches * (chats + chats // 4) // chats
        working = max(working, buffer + buffer // (2 * len(shape.caches)))
    return Fit(held, cost.per_token, caches, working, context, chats, kv_bits)


def working_bytes(
    shape: Shape,
    itemsize: int,
    chunk: int,
    context: int,
    kv_bits: int | None = None,
    fused: bool = False,
) -> int:
    """Bytes of the buffers of a pass that reads a chunk at the end of so many tokens.

    Attention's scores are counted whole, but where it is `fused` into one operation, which it never
    is with keys in few bits. A layer's keys are copied when their cache grows, which is before it
    attends to them.
    """
    chunk = min(chunk, context)
    spans = [min(context, (c.window or context) + chunk) for c in shape.caches if c.keys]
    longest = max(spans, default=0)
    scores = int(shape.heads * longest * _SCORES[kv_bits])
    arrays = _HIDDEN_ARRAYS * shape.hidden + _INNER_ARRAYS * shape.inner
    if shape.latent:
        # Scores of two parts, and keys and values unfolded for each head.
        unfolded = 2 * longest * shape.heads * shape.width
        return chunk * (2 * scores + arrays) * itemsize + unfolded * itemsize
    if fused and kv_bits is None:
        scores = 0
    cost = estimate(shape, itemsize, kv_bits, chunk, snapshot=False)
    grown = (context + STEP - 1) // STEP * STEP
    copied = max((per * min(grown, most) for per, most in cost.layers), default=0)
    scanned = 0 if shape.scan is None else chunk * _scanned(shape.scan, chunk)
    hidden = chunk * _HIDDEN_ARRAYS * shape.hidden
    return max(chunk * (scores + arrays) * itemsize, copied, (scanned + hidden) * itemsize)


def _scanned(scan: Scan, chunk: int) -> int:
    """Numbers that a recurrent layer takes for each token of a chunk, beside its state."""
    if scan.size:
        return _STATE_ARRAYS * scan.wide * scan.size + _NARROW_ARRAYS * scan.wide
    return _SCAN_SCORES * scan.heads * min(chunk, STEP) + _SCAN_ARRAYS * scan.wide


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
