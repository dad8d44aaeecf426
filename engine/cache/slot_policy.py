"""Which chats sit in slots together (`slots`): a choice by device, which is made here only.

On a CPU a long chat's attention takes so long that dispatching it does not matter, and copying it
into a slot and back costs more than the slot saves: measured with 135M parameters in float32
(`engine/DECISIONS.md`, E7). Windows and keys in few bits gain below that what whole keys do, and
stacked states at every length (E135). On a GPU a launch costs as much at 8,000 tokens as at 80, and
copies are cheap: chats of every length have slots, in classes of like length.
"""

from __future__ import annotations

from msgspec import Struct

BLOCK = 64  # tokens by which buffers grow at least


class SlotPolicy(Struct, frozen=True):
    """Which chats may share a buffer."""

    below: int | None  # chats of fewer tokens may sit in slots; None for chats of every length
    # chats whose lengths are unlike sit in buffers of their own. Without it there is one buffer,
    # and those that do not fit into it keep their own caches.
    classes: bool
    # tokens. With classes, chats that differ by no more may share a buffer; without, those that are
    # no longer.
    together: int = 256
    # also of models of which only some layers can have slots, those layers do
    some_layers: bool = False
    windows: bool = False  # layers that keep a window's keys can have slots
    # so can layers that keep keys in few bits; without it chats that have such layers keep their
    # own caches
    bits: bool = False
    states: bool = False  # recurrent states stay stacked between steps, of chats of every length
    # bytes of keys and values with which a chat may enter where there is one buffer; None for any.
    # Whoever enters may have those of all copied, while nobody gets a token.
    most: int | None = None

    def may_hold(self, length: int) -> bool:
        """Whether a chat of `length` tokens may sit in a slot for at least one more."""
        return length > 0 and (self.below is None or length < self.below)

    def longest_beside(self, shortest: int) -> int:
        """The most tokens of a chat that shares a buffer with one of `shortest`.

        Every slot is as long as the longest. With classes, two that fit fit for good, since both
        grow by a token a step.
        """
        if self.classes:
            return max(shortest + self.together, shortest * 4 // 3)
        return max(self.together, 2 * shortest)

    def block(self, length: int) -> int:
        """Tokens by which a buffer of `length` grows: a copy every so many steps.

        With classes a sixteenth of what it holds, so that a step copies no more than sixteen
        tokens of each chat on the average, however long they are.
        """
        return max(BLOCK, length // (16 * BLOCK) * BLOCK) if self.classes else BLOCK


ON_CPU = SlotPolicy(
    below=1024, classes=False, windows=True, bits=True, states=True, most=24 * 2**20
)
ON_GPU = SlotPolicy(
    below=None, classes=True, some_layers=True, windows=True, bits=True, states=True
)


STARTING = {"cpu": ON_CPU, "metal": ON_GPU, "cuda": ON_GPU}  # by `backend.Backend.device`


def policy_for(device: str) -> SlotPolicy:
    """The policy of a model that is being loaded. `Slots.policy` may be set at any time."""
    return STARTING[device]
