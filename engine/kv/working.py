"""What a pass of a model takes beside its weights and caches, in bytes. No MLX."""

from __future__ import annotations

from engine.kv.config_estimate import STEP, estimate
from engine.kv.shape import Scan, Shape

# Arrays that are alive at once in a pass, each as wide as the model or its feed-forward layer. So
# many were counted in the measured peaks of the families.
_HIDDEN_ARRAYS, _INNER_ARRAYS = 6, 4
_SCAN_SCORES, _SCAN_ARRAYS = 3, 17  # of Mamba 2
_STATE_ARRAYS, _NARROW_ARRAYS = 12, 10  # of Jamba
_SCORES = {None: 1.0, 8: 1.5, 4: 1.5}
"""Arrays of attention scores, by the bits of the keys. In few bits they are no fused operation."""


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
