"""Slots: the keys and values of sessions that decode together, as rows of one buffer a layer.

With a cache of its own for each session, one layer of a shared step is half a dozen small
operations a row, and each costs ten microseconds to dispatch. In one buffer (`slot_buffer`) all
rows are written by one operation and attended to by three. Each row reads its own slot, up to its
own length. A slot is overwritten as a whole when a session takes it, so nothing is left of the
session before.

Only plain KV caches are in slots. Where only some layers have them, the others keep their own
caches, and the policy says whether that is worth it. Every slot of a buffer is as long as the
longest of its sessions, so a `SlotPolicy` also says which lengths go together. A session leaves its
slot when its reply ends or pauses, when the policy has no place for it any more, and whenever its
caches are asked for (by a fork, the next prompt, the offload to disk).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import mlx.core as mx

from engine.kv.slot_buffer import Occupant, SlotBuffer, length_of, plain_layers
from engine.kv.slot_policy import ON_CPU, SlotPolicy


class Slots:
    """The slots of one model's sessions.

    Attributes:
        policy: which sessions sit together; what it says holds from the next `assign` on.
        below: what to take for the policy's `below` by the number of sessions that decode; None
            for the policy's own.
        buffers: one for each class of like lengths; an empty one is removed by `assign`.
    """

    def __init__(self, policy: SlotPolicy = ON_CPU) -> None:
        self.policy = policy
        self.below: Callable[[int], int | None] | None = None
        self.buffers: list[SlotBuffer] = []

    @property
    def occupants(self) -> list[Occupant]:
        """The sessions in slots, in the order of their rows."""
        return [kv for buffer in self.buffers for kv in buffer.occupants]

    @property
    def keys(self) -> list[mx.array]:
        """All buffers of keys."""
        return [a for buffer in self.buffers for a in buffer.keys]

    @property
    def values(self) -> list[mx.array]:
        """All buffers of values."""
        return [a for buffer in self.buffers for a in buffer.values]

    def policy_for(self, count: int) -> SlotPolicy:
        """The policy while so many sessions decode."""
        return self.policy if self.below is None else replace(self.policy, below=self.below(count))

    def assign(self, rows: Sequence[Occupant]) -> list[int]:
        """Give slots to those of `rows` that may have one; all others leave theirs.

        Returns the order in which to step the rows, as indices into `rows`: first those in slots,
        buffer by buffer and slot by slot, then the others.
        """
        policy = self.policy_for(len(rows))
        able = [kv for kv in rows if self._may_enter(kv, policy)]
        if not self.policy.classes:
            able = self._of_similar_length(able)
        elif len(rows) < 2:
            able = []
        wanted = set(map(id, able))
        for kv in [kv for kv in self.occupants if id(kv) not in wanted]:
            assert kv.slots is not None
            kv.slots.leave(kv)
        self.buffers = [buffer for buffer in self.buffers if buffer.occupants]
        coming = [kv for kv in able if kv.slots is None]
        entering = self._by_class(coming) if self.policy.classes else self._into_one(coming)
        for buffer in self.buffers:
            buffer.enter(entering.get(id(buffer), []))
        row_of = {id(kv): row for row, kv in enumerate(self.occupants)}
        return sorted(range(len(rows)), key=lambda row: row_of.get(id(rows[row]), len(rows)))

    def _may_enter(self, kv: Occupant, policy: SlotPolicy) -> bool:
        """Whether a slot can hold a session's caches for at least one more token."""
        if kv.slots is not None:
            return policy.may_hold(length_of(kv))
        plain = plain_layers(kv)
        if not plain or (len(plain) < len(kv.layers) and not policy.some_layers):
            return False
        length = int(plain[0].offset)
        return all(c.offset == length for c in plain) and policy.may_hold(length)

    def _into_one(self, coming: list[Occupant]) -> dict[int, list[Occupant]]:
        """As `_by_class`, where there is one buffer for all."""
        if coming and not self.buffers:
            self.buffers.append(SlotBuffer(self.policy))
        return {id(self.buffers[0]): coming} if coming else {}

    def _by_class(self, coming: list[Occupant]) -> dict[int, list[Occupant]]:
        """Who enters which buffer, by the buffer's id; new buffers are made for two and more.

        A session that is like no other keeps its own caches: a slot would save it nothing.
        """
        entering: dict[int, list[Occupant]] = {id(buffer): [] for buffer in self.buffers}
        left: list[Occupant] = []
        for kv in sorted(coming, key=length_of, reverse=True):
            length = length_of(kv)
            best: tuple[int, SlotBuffer] | None = None
            for buffer in self.buffers:
                lengths = *buffer.lengths, *map(length_of, entering[id(buffer)]), length
                padding = len(lengths) * max(lengths) - sum(lengths)
                if max(lengths) <= self.policy.longest_beside(min(lengths)) and (
                    best is None or padding < best[0]
                ):
                    best = padding, buffer
            if best is None:
                left.append(kv)
            else:
                entering[id(best[1])].append(kv)
        while left:
            longest = length_of(left[0])
            alike = [kv for kv in left if self.policy.longest_beside(length_of(kv)) >= longest]
            left = left[len(alike) :]
            if len(alike) > 1:
                self.buffers.append(SlotBuffer(self.policy))
                entering[id(self.buffers[-1])] = alike
        order = {id(kv): place for place, kv in enumerate(coming)}
        return {key: sorted(group, key=lambda kv: order[id(kv)]) for key, group in entering.items()}

    def _of_similar_length(self, able: list[Occupant]) -> list[Occupant]:
        """The sessions that one buffer can hold: the most that are in it, then the most at all."""

        def rank(group: list[Occupant]) -> tuple[int, int]:
            return sum(kv.slots is not None for kv in group), len(group)

        order = sorted(able, key=length_of)
        beside = self.policy.longest_beside
        if able and length_of(order[-1]) <= beside(length_of(order[0])):
            return able if len(able) > 1 else []
        best: list[Occupant] = []
        for first, shortest in enumerate(order):
            most = beside(length_of(shortest))
            longer = itertools.islice(order, first, None)
            group = [kv for kv in longer if length_of(kv) <= most]
            if rank(group) > rank(best):
                best = group
        return best if len(best) > 1 else []
