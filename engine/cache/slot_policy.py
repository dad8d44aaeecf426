"""Policies that select the sessions for slots (`slots`), by device.

On a CPU, the attention of a long session takes much longer than its dispatch, and copying it into a
slot and back costs more than the slot saves (measured with 135M parameters in float32, see
`engine/DECISIONS.md`, E7). Below that length, windows and quantized keys gain as much as plain
keys. Stacked states gain at every length (E135). On a GPU, a launch costs as much at 8,000 tokens
as at 80, and copies are cheap, so sessions of every length get slots, grouped by length.
"""

from __future__ import annotations

from msgspec import Struct

BLOCK = 64  # minimum of tokens by which a buffer grows


class SlotPolicy(Struct, frozen=True):
    """Rules for sharing slot buffers."""

    below: int | None  # sessions with fewer tokens can have slots; None for no limit
    # Group sessions by length into several buffers. Otherwise there is one buffer, and sessions
    # that do not fit into it keep their own caches.
    classes: bool
    # Tokens. With classes, the difference of lengths that a buffer always allows; without, the
    # length up to which sessions always fit.
    together: int = 256
    # allow models in which only some layers can have slots
    some_layers: bool = False
    windows: bool = False  # allow slots for layers with a sliding window
    # allow slots for quantized keys; otherwise sessions with such layers keep their own caches
    bits: bool = False
    states: bool = False  # keep recurrent states stacked between steps, for sessions of any length
    # Maximum bytes of keys and values of an entering session, if there is one buffer. Decoding
    # waits while an entering session's bytes are copied.
    most: int | None = None

    def may_hold(self, length: int) -> bool:
        """Return True if a session of `length` tokens has room for one more token in a slot."""
        return length > 0 and (self.below is None or length < self.below)

    def longest_beside(self, shortest: int) -> int:
        """Return the maximum length of a session that shares a buffer with one of `shortest`
        tokens.

        All slots of a buffer have the length of the longest session. With classes, sessions that
        fit once fit for good, because both grow by one token per step.
        """
        if self.classes:
            return max(shortest + self.together, shortest * 4 // 3)
        return max(self.together, 2 * shortest)

    def block(self, length: int) -> int:
        """Return the tokens by which a buffer of `length` grows.

        With classes it is a sixteenth of the length, so that a step copies at most sixteen tokens
        per session on average.
        """
        return max(BLOCK, length // (16 * BLOCK) * BLOCK) if self.classes else BLOCK


ON_CPU = SlotPolicy(
    below=1024, classes=False, windows=True, bits=True, states=True, most=24 * 2**20
)
ON_GPU = SlotPolicy(
    below=None, classes=True, some_layers=True, windows=True, bits=True, states=True
)


STARTING = {"cpu": ON_CPU, "metal": ON_GPU, "cuda": ON_GPU}  # by `Backend.device`


def policy_for(device: str) -> SlotPolicy:
    """Return the initial policy of a model. `Slots.policy` can be changed at any time."""
    return STARTING[device]
