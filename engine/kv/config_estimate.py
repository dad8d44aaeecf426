"""What a session's caches will cost in bytes, for models that are not loaded yet. No MLX."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.kv.shape import Layer, Shape
from engine.kv.slot_policy import SlotPolicy

STEP = 256
"""Tokens by which mlx-lm's caches grow."""

UNLIMITED = 1 << 62
"""The most tokens that a cache without a window keeps."""

GROUP = 64
"""Numbers that share a scale and a bias, where keys and values are kept in few bits."""


@dataclass(frozen=True)
class MemoryEstimate:
    """What a session's caches of one model cost.

    Attributes:
        fixed: bytes that do not grow (recurrent states).
        layers: for each growing cache, bytes per token and the most tokens that it keeps.
    """

    fixed: int
    layers: tuple[tuple[int, int], ...]

    def bytes(self, tokens: int) -> int:
        """Bytes for a session of `tokens` tokens."""
        grown = (tokens + STEP - 1) // STEP * STEP
        return self.fixed + sum(per * min(grown, most) for per, most in self.layers)

    @property
    def per_token(self) -> int:
        """Bytes by which a long session grows with each token."""
        return sum(per for per, most in self.layers if most >= UNLIMITED)


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
    fixed = 0
    grown: list[tuple[int, int]] = []
    for layer in shape.caches:
        copies = 2 if snapshot else 1
        fixed += copies * layer.state * itemsize
        wide = (layer.keys + layer.values) * itemsize
        if layer.window:
            grown.append((wide, layer.window + chunk))
            if snapshot:
                grown.append((wide, layer.window))
        elif wide and kv_bits and layer.plain:
            grown.append((_in_bits(layer, itemsize, kv_bits), UNLIMITED))
        elif wide:
            grown += [(wide, UNLIMITED)] * (2 if snapshot and layer.copied else 1)
    return MemoryEstimate(fixed, tuple(grown))


def slot_estimate(
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


def _in_bits(layer: Layer, itemsize: int, bits: int) -> int:
    numbers = layer.keys + layer.values
    return numbers * bits // 8 + 2 * itemsize * -(-numbers // GROUP)
