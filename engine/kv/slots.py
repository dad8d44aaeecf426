"""Seats for chats that decode together: their keys and values as the rows of one buffer a layer.

With a cache of its own for every row, one layer of a shared step is half a dozen small operations
a row, and each costs ten microseconds to dispatch whatever it does. Seated in one buffer
`[seats, heads, capacity, dim]` all rows are written by one operation and attended to by three,
each row reading its own seat up to its own length. Nothing is shared but the buffer: a seat is
cleared when it is taken, and a row never reads another's.

Only what costs little to move sits down: plain KV caches of chats up to `LONGEST` tokens. A chat
stands up when its reply ends or pauses, when it has grown too long, and whenever somebody asks
its `SessionKV` for the caches (a fork, the next prompt, the offload to disk).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mlx.core as mx

if TYPE_CHECKING:
    from engine.kv.session_kv import SessionKV

log = logging.getLogger(__name__)

LONGEST = 1024
"""Tokens. From there on attention takes long enough for its dispatch not to matter."""
SMALL = 256
"""Tokens. Chats up to there sit together; longer ones with those up to twice their length."""
STEP = 64
"""Tokens by which the buffers grow."""


class Slots:
    """The seats of one model's sessions.

    Attributes:
        seated: the sessions' caches, in the order of their seats.
        keys, values: one buffer a layer; those of a layer have the same shape but for `dim`.
    """

    def __init__(self) -> None:
        self.seated: list[SessionKV] = []
        self.keys: list[mx.array] = []
        self.values: list[mx.array] = []

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens in each seat."""
        return tuple(_length(kv) for kv in self.seated)

    @property
    def nbytes_each(self) -> int:
        """Bytes of one seat, and of its part of those that are free."""
        total = sum(a.nbytes for a in (*self.keys, *self.values))
        return total // max(1, len(self.seated))

    def arrange(self, rows: Sequence[SessionKV]) -> list[int]:
        """Seat those of `rows` that may sit, let go of all others; the order to step them in.

        Returns indices into `rows`: first the seated ones, by their seats.
        """
        sitting = _company([kv for kv in rows if _may_sit(kv)])
        wanted = set(map(id, sitting))
        for kv in [kv for kv in self.seated if id(kv) not in wanted]:
            self.stand_up(kv)
        self._sit_down([kv for kv in sitting if kv.slots is None])
        place = {id(kv): seat for seat, kv in enumerate(self.seated)}
        return sorted(range(len(rows)), key=lambda row: place.get(id(rows[row]), len(rows)))

    def _sit_down(self, coming: list[SessionKV]) -> None:
        before = len(self.seated)
        if coming:
            seats = before + len(coming)
            needed = max(map(_length, (*self.seated, *coming))) + 1
            if not self.keys:
                self.keys = [_empty(cache.keys) for cache in coming[0].layers]
                self.values = [_empty(cache.values) for cache in coming[0].layers]
            if seats > self.keys[0].shape[0]:
                seats += seats // 4  # or every chat that comes would have the buffers copied
            self._fit(seats, needed)
            for seat, kv in enumerate(coming, before):
                self._fill(seat, kv)
                kv.slots = self
                self.seated.append(kv)
        elif self.seated:
            self._fit(self.keys[0].shape[0], max(self.lengths) + 1)

    def _fill(self, seat: int, kv: SessionKV) -> None:
        for buffers, name in ((self.keys, "keys"), (self.values, "values")):
            for layer, cache in enumerate(kv.layers):
                held = getattr(cache, name)[:, :, : cache.offset]
                # The whole seat is written: whoever sat there may have left a NaN.
                room = buffers[layer].shape[2] - cache.offset
                buffers[layer][seat : seat + 1] = _padded(held, 0, room)
                setattr(cache, name, None)

    def _fit(self, seats: int, needed: int) -> None:
        """Make the buffers large enough for so many seats of `needed` tokens."""
        for buffers in (self.keys, self.values):
            for layer, old in enumerate(buffers):
                # Not all layers at the same token: copying them takes a while.
                shift = 2 * layer % STEP
                most = (needed + shift + STEP - 1) // STEP * STEP - shift
                more = max(0, seats - old.shape[0]), max(0, most - old.shape[2])
                if any(more):
                    buffers[layer] = _padded(old, *more)

    def stand_up(self, kv: SessionKV) -> None:
        """Give a session its caches back. Should that fail it has none, and reads anew."""
        seat = self.seated.index(kv)
        for buffers, name in ((self.keys, "keys"), (self.values, "values")):
            for buffer, cache in zip(buffers, kv.layers, strict=True):
                held = buffer[seat : seat + 1, :, : cache.offset]
                setattr(cache, name, mx.contiguous(held))
        try:
            # Not later: as long as they are to be made of the buffers, a step copies those.
            mx.eval([a for cache in kv.layers for a in (cache.keys, cache.values)])
            self.leave(kv)
        except Exception as error:
            log.warning("caches are lost, there is no room to move them: %s", error)
            kv.drop()

    def leave(self, kv: SessionKV) -> None:
        """Free a seat; whoever sits on the last one moves there."""
        seat, last = self.seated.index(kv), len(self.seated) - 1
        kv.slots = None
        self.seated[seat] = self.seated[last]
        self.seated.pop()
        if not self.seated:
            self.keys.clear()
            self.values.clear()
        elif 4 * last <= self.keys[0].shape[0]:
            both = (self.keys, self.values)
            self.keys, self.values = ([_some(b, 0, 2 * last) for b in half] for half in both)
        if self.seated and seat != last:
            moving = [_some(buffer, last, last + 1) for buffer in (*self.keys, *self.values)]
            try:
                mx.eval(moving)
            except Exception as error:
                log.warning("caches are lost with the step that failed: %s", error)
                return self.seated[seat].drop()
            for buffer, moved in zip((*self.keys, *self.values), moving, strict=True):
                buffer[seat : seat + 1] = moved
        return None

    def write(self, layer: int, seats: mx.array, at: mx.array, keys: Any, values: Any) -> None:
        """Put one token's keys and values `[seated, heads, 1, dim]` after those in each seat."""
        self.keys[layer][seats, :, at] = keys[:, :, 0]
        self.values[layer][seats, :, at] = values[:, :, 0]


def _company(able: list[SessionKV]) -> list[SessionKV]:
    """The most of these of about one length: a seat is as long as the longest chat's.

    Who sits already stays as long as that lasts. None if it would be one alone.
    """

    def rank(group: list[SessionKV]) -> tuple[int, int]:
        return sum(kv.slots is not None for kv in group), len(group)

    order = sorted(able, key=_length)
    if able and _length(order[-1]) <= max(SMALL, 2 * _length(order[0])):
        return able if len(able) > 1 else []
    best: list[SessionKV] = []
    for first, shortest in enumerate(order):
        most = max(SMALL, 2 * _length(shortest))
        group = [kv for kv in order[first:] if _length(kv) <= most]
        if rank(group) > rank(best):
            best = group
    return best if len(best) > 1 else []


def _may_sit(kv: SessionKV) -> bool:
    """Whether a session's caches can be kept in a seat, for another token at least."""
    if kv.slots is not None:
        return _length(kv) < LONGEST
    from mlx_lm.models.cache import KVCache

    length = kv.layers[0].offset if kv.layers and type(kv.layers[0]) is KVCache else 0
    same = all(type(cache) is KVCache and cache.offset == length for cache in kv.layers)
    return same and 0 < length < LONGEST


def _length(kv: SessionKV) -> int:
    return int(kv.layers[0].offset)


def _empty(like: mx.array) -> mx.array:
    return mx.zeros((0, like.shape[1], 0, like.shape[3]), like.dtype)


def _some(buffer: mx.array, begin: int, end: int) -> mx.array:
    """A copy of some seats."""
    return mx.contiguous(buffer[begin:end])


def _padded(value: mx.array, seats: int, tokens: int) -> mx.array:
    return mx.pad(value, [(0, seats), (0, 0), (0, tokens), (0, 0)])
