"""Rules for assigning slots to sessions (see `slots`), by device.

On a CPU, slots don't help long sessions: their attention takes much longer than its dispatch, and
copying them costs more than it saves (135M parameters in float32, see E7 in
`engine/DECISIONS.md`). Stacking recurrent states helps at every length (E135). On a GPU, a kernel
launch costs the same at 80 and at 8,000 tokens, and copies are cheap, so sessions of every length
get slots, grouped by length.
"""

from __future__ import annotations

from msgspec import Struct

BLOCK = 64  # minimum growth of a buffer in tokens


class SlotPolicy(Struct, frozen=True):
    below: int | None  # maximum session length in tokens (exclusive), or None for no limit
    # If true, sessions are grouped by length into several buffers, even if only some layers can use
    # slots. If false, there is a single buffer, and sessions that don't fit keep their own caches.
    classes: bool
    # In tokens. With classes, sessions fit in the same buffer if their lengths differ by no more
    # than this. Without classes, sessions up to this length always fit.
    together: int = 256
    # Use slots for quantized keys. If False, sessions with quantized layers get no slot.
    bits: bool = True
    # With a single buffer, the maximum size in bytes of an entering session. Decoding stalls while
    # its keys and values are copied.
    max_bytes: int | None = None

    def can_hold(self, length: int) -> bool:
        """Return True if a session of `length` tokens can have a slot for one more step."""
        return length > 0 and (self.below is None or length < self.below)

    def max_length_with(self, shortest: int) -> int:
        """Return the maximum length of a session in the same buffer as a session of `shortest`
        tokens."""
        if self.classes:
            return max(shortest + self.together, shortest * 4 // 3)
        return max(self.together, 2 * shortest)

    def growth_tokens(self, length: int) -> int:
        """Return the number of tokens by which a buffer for `length` tokens grows.

        With classes, buffers grow by a sixteenth, which copies at most 16 tokens per session and
        step on average.
        """
        return max(BLOCK, length // (16 * BLOCK) * BLOCK) if self.classes else BLOCK


ON_CPU = SlotPolicy(below=1024, classes=False, max_bytes=24 * 2**20)
ON_GPU = SlotPolicy(below=None, classes=True)

STARTING = {"cpu": ON_CPU, "metal": ON_GPU, "cuda": ON_GPU}  # initial policy by `Backend.device`
