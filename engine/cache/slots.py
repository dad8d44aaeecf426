"""Slots: keys and values of sessions that decode together, as rows of one buffer per layer.

With separate caches, each layer of a shared step needs about six small operations per row, which
take 10 µs each to dispatch. With a common buffer (`slot_buffer`), one operation writes all rows,
and three compute their attention. Each row reads only its own slot, up to its length. A session
overwrites its whole slot when it enters, so no data of other sessions is left.

`slot_layer` defines which cache classes support slots, and `SlotPolicy` restricts them further.
All slots of a buffer are as long as the longest session, so the policy also limits the difference
in length. A session leaves its slot when its reply ends or pauses, when the policy no longer
accepts it, and when its caches are needed elsewhere (for a fork, the next prompt, or writing to
disk).
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.cache.slot_buffer import Occupant, SlotBuffer, bytes_of, length_of, slot_caches
from engine.cache.slot_layer import Form, has_equal_positions
from engine.cache.slot_policy import ON_CPU, SlotPolicy
from engine.cache.state_stack import StateStack

_Forms = dict[int, tuple[Form, ...]]  # cache forms, by `id()` of the session


class Slots:
    def __init__(self, policy: SlotPolicy = ON_CPU) -> None:
        # May be replaced at any time, which takes effect at the next `assign`.
        self.policy = policy
        # One buffer per length class. `assign` removes empty buffers.
        self.buffers: list[SlotBuffer] = []
        self.stack = StateStack()  # recurrent states of the sessions that decode together

    @property
    def occupants(self) -> list[Occupant]:
        return [kv for buffer in self.buffers for kv in buffer.occupants]

    @property
    def arrays(self) -> list[list[mx.array]]:
        return [
            *(arrays for buffer in self.buffers for arrays in buffer.layers),
            *self.stack.layers,
        ]

    def assign(self, rows: Sequence[Occupant]) -> list[int]:
        """Assign slots to all eligible sessions in `rows`. All other sessions leave their slots.

        Returns:
            The order in which to step the rows, as indices into `rows`: first the rows in slots,
            sorted by buffer and slot.
        """
        for kv in [kv for b in self.buffers if b.policy != self.policy for kv in b.occupants]:
            _leave_slot(kv)
        row_forms = [(kv, self._eligible_forms(kv)) for kv in rows]
        forms = {id(kv): form for kv, form in row_forms if form}
        able = [kv for kv in rows if id(kv) in forms]
        if not self.policy.classes:
            able = self._largest_group(able, forms)
        elif len(rows) < 2:
            able = []
        able_ids = set(map(id, able))
        for kv in [kv for kv in self.occupants if id(kv) not in able_ids]:
            _leave_slot(kv)
        self.buffers = [buffer for buffer in self.buffers if buffer.occupants]
        newcomers = [kv for kv in able if kv.slot_buffer is None]
        enter = self._assign_by_class if self.policy.classes else self._assign_to_one
        entering = enter(newcomers, forms)
        for buffer in self.buffers:
            buffer.add(entering.get(id(buffer), []))
        row_of = {id(kv): row for row, kv in enumerate(self.occupants)}
        order = sorted(range(len(rows)), key=lambda row: row_of.get(id(rows[row]), len(rows)))
        stacks = len(rows) > 1 and self.stack.can_hold(rows)
        self.stack.arrange([rows[row] for row in order] if stacks else [], self.policy.classes)
        return order

    def _eligible_forms(self, kv: Occupant) -> tuple[Form, ...]:
        if kv.slot_buffer is not None:
            return kv.slot_buffer.forms if self.policy.can_hold(length_of(kv)) else ()
        caches, forms = slot_caches(kv.layers, self.policy)
        able = caches and self.policy.can_hold(length_of(kv)) and has_equal_positions(caches, forms)
        return forms if able else ()

    def _assign_to_one(self, newcomers: list[Occupant], forms: _Forms) -> dict[int, list[Occupant]]:
        """Assign entering sessions to the only buffer, if the policy has no classes.

        Returns the sessions by the buffer's `id()`.
        """
        max_bytes = self.policy.max_bytes
        if max_bytes is not None:
            newcomers = [kv for kv in newcomers if bytes_of(kv, self.policy) <= max_bytes]
            if len(self.occupants) + len(newcomers) < 2:
                return {}
        if newcomers and not self.buffers:
            self.buffers.append(SlotBuffer(self.policy, forms[id(newcomers[0])]))
        return {id(self.buffers[0]): newcomers} if newcomers else {}

    def _assign_by_class(
        self, newcomers: list[Occupant], forms: _Forms
    ) -> dict[int, list[Occupant]]:
        """Assign entering sessions to buffers. Groups of two or more get additional buffers.

        Returns the sessions by the buffer's `id()`.
        """
        entering: dict[int, list[Occupant]] = {id(buffer): [] for buffer in self.buffers}
        unassigned: list[Occupant] = []
        for kv in sorted(newcomers, key=length_of, reverse=True):
            length = length_of(kv)
            best: tuple[int, SlotBuffer] | None = None
            for buffer in self.buffers:
                if buffer.forms != forms[id(kv)]:
                    continue
                lengths = *buffer.lengths, *map(length_of, entering[id(buffer)]), length
                padding = len(lengths) * max(lengths) - sum(lengths)
                if max(lengths) <= self.policy.max_length_with(min(lengths)) and (
                    best is None or padding < best[0]
                ):
                    best = padding, buffer
            if best is None:
                unassigned.append(kv)
            else:
                entering[id(best[1])].append(kv)
        while unassigned:
            kind, longest = forms[id(unassigned[0])], length_of(unassigned[0])
            alike = [kv for kv in unassigned if forms[id(kv)] == kind]
            alike = [kv for kv in alike if self.policy.max_length_with(length_of(kv)) >= longest]
            alike_ids = set(map(id, alike))
            unassigned = [kv for kv in unassigned if id(kv) not in alike_ids]
            if len(alike) > 1:
                self.buffers.append(SlotBuffer(self.policy, kind))
                entering[id(self.buffers[-1])] = alike
        order = {id(kv): index for index, kv in enumerate(newcomers)}
        return {key: sorted(group, key=lambda kv: order[id(kv)]) for key, group in entering.items()}

    def _largest_group(self, able: list[Occupant], forms: _Forms) -> list[Occupant]:
        def rank(group: list[Occupant]) -> tuple[int, int]:
            return sum(kv.slot_buffer is not None for kv in group), len(group)

        order = sorted(able, key=length_of)
        limit_for = self.policy.max_length_with
        kinds = [forms[id(kv)] for kv in order]
        if able and len(set(kinds)) == 1 and length_of(order[-1]) <= limit_for(length_of(order[0])):
            return able if len(able) > 1 else []
        best: list[Occupant] = []
        for first, shortest in enumerate(order):
            max_length, kind = limit_for(length_of(shortest)), kinds[first]
            longer = zip(order[first:], kinds[first:], strict=True)
            group = [kv for kv, form in longer if form == kind and length_of(kv) <= max_length]
            if rank(group) > rank(best):
                best = group
        return best if len(best) > 1 else []


def _leave_slot(kv: Occupant) -> None:
    if kv.slot_buffer is not None:
        kv.slot_buffer.leave(kv)
