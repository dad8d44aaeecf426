"""One comparison of ways, measured on a loaded model with chats that are made up.

The caches are as long as they are said to be and hold zeros: how long a pass takes does not depend
on what they hold. No chat's caches are touched. Chunks of all sizes are read around the same place
of a prompt: attention then takes the same for each of their tokens.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mlx.core as mx

from engine.kv.cache_objects import Caches, clone, leaves
from engine.kv.session_kv import SessionKV
from engine.kv.slots import Slots
from engine.model import cpu, runner
from engine.model.backend import device_here
from engine.model.choices import CHUNK, EVERY, KERNELS, MIXED, PREFIX, SLOTS, WAYS, Cell
from engine.model.loaded import LoadedModel
from engine.model.probe import SHARED
from engine.model.runner import Reading
from engine.model.slices import in_slices

_CONTEXT = 256
"""Tokens of the chats in a mixed pass."""

_BEGUN = 16
"""Tokens that are read to find out which caches a model has."""

_ROOM = 320
"""Tokens for which the caches have room, so that none grows while it is measured."""

_MOST_COPIED = {"cpu": 2**29, "gpu": 2**32}
"""Bytes of chats that enter slots at once: a chat that starts meanwhile waits for it."""

_STEADY = 1.15
_SHORT_S = 0.1
_MOST_ROUNDS = 12

Times = dict[str, float]
_Pass = Callable[[], tuple[Iterable[Any], mx.array]]


def possible(model: LoadedModel, cell: Cell, spare: int) -> bool:
    """Whether a cell's ways are open to a model, as the probe has found, and fit into memory.

    Args:
        spare: bytes that its made-up chats may take.
    """
    if model.info.step != SHARED or model.ranks > 1 or model.can.token_by_token:
        return False
    if cell.tokens + _ROOM > model.info.context_length and cell.part != MIXED:
        return False
    open_to = {
        SLOTS: model.slots is not None and model.slots.has_place(model.can.make_cache()),
        PREFIX: model.can.ways.shares_prefix,
        MIXED: model.can.ways.mixes,
        CHUNK: model.can.ways.mixes and model.info.context_length >= EVERY,  # its caches are plain
        KERNELS: model.kernels is not None,
    }
    most = _MOST_COPIED["cpu" if device_here() == "cpu" else "gpu"]
    long = {CHUNK: EVERY, MIXED: _CONTEXT + 2 * cell.tokens}.get(cell.part, cell.tokens)
    nbytes = cell.chats * model.can.estimate.bytes(long + _ROOM)
    # Both ways at once, and what is copied into a slot.
    return open_to[cell.part] and 3 * nbytes <= spare and nbytes <= most


def measure(
    model: LoadedModel, cell: Cell, rounds: int = 2, steady: float | None = None
) -> Generator[None, None, Times]:
    """The shortest of some passes in each of the cell's ways, in turns. Engine thread only.

    Yields within passes and between them. When it is closed, what was made up is freed.

    Args:
        rounds: of passes that count, at least; one more comes before them. Short ones are repeated.
        steady: times the shortest pass that the next one may take.

    Raises:
        UnsteadyError: the shortest two of a way are too unlike: the machine has much else to do.
        Exception: whatever the model raises.
    """
    trial = _Trial(model, cell)
    try:
        passes = yield from trial.prepare()
        taken: dict[str, list[float]] = {way: [] for way in passes}
        done, spent = 0, 0.0
        while done <= rounds or (done < _MOST_ROUNDS and spent < _SHORT_S):
            for way, several in passes.items():
                took = 0.0
                for build in several:
                    took += yield from _timed(build)
                    yield
                trial.after()
                if done:
                    taken[way].append(took)
                    spent += took
            done += 1
        for times in taken.values():
            times.sort()
            if times[1] > (_STEADY if steady is None else steady) * times[0]:
                raise UnsteadyError(f"{times[0]:.4f} and {times[1]:.4f} s")
        return {way: times[0] for way, times in taken.items()}
    finally:
        trial.drop()


class UnsteadyError(Exception):
    """The same pass takes longer at one time than at another."""


def _timed(build: _Pass) -> Generator[None, None, float]:
    """Seconds that a pass takes, without those between its slices."""
    began = time.perf_counter()
    layers, last = build()
    slices, took = in_slices(layers, last), 0.0
    while True:
        try:
            next(slices)
        except StopIteration:
            return took + time.perf_counter() - began
        took += time.perf_counter() - began
        yield
        began = time.perf_counter()


@dataclass
class _Chats:
    """Chats that decode together, and whether some of them sit in slots."""

    kvs: list[SessionKV]
    model: LoadedModel  # with slots of its own, or none

    def arranged(self) -> list[Caches]:
        """The chats' caches in the order of their rows."""
        slots = self.model.slots
        order = slots.assign(self.kvs if len(self.kvs) > 1 else []) if slots is not None else []
        kvs = [self.kvs[row] for row in order] or self.kvs
        return [kv.layers for kv in kvs]

    def layers(self, caches: Sequence[Caches]) -> list[Any]:
        """What a pass has written to, by layer."""
        held: list[Any] = [*zip(*caches, strict=True)]
        if self.model.slots is not None:
            held += self.model.slots.arrays
        return held


class _Trial:
    def __init__(self, model: LoadedModel, cell: Cell) -> None:
        self._model = model
        self._cell = cell
        self._kvs: list[SessionKV] = []
        self._reading: list[Any] = []
        self._before = 0  # tokens that it holds before it is read
        self._reader = SessionKV(model.can.make_cache)

    def prepare(self) -> Generator[None, None, dict[str, list[_Pass]]]:
        """The passes of each way, in order."""
        cell = self._cell
        begun = self._model.can.make_cache()
        self._model.net(mx.array([[3] * _BEGUN]), cache=begun)
        mx.eval(list(leaves(begun)))
        yield
        if cell.part == CHUNK:
            self._before = (EVERY - cell.tokens) // 2
            self._reading = _lengthened(begun, self._before, cell.tokens)
            return {WAYS[CHUNK][0]: [lambda: self._read(cell.tokens)]}
        first, second = WAYS[cell.part]
        if cell.part == MIXED:
            chats = yield from self._chats(begun, _CONTEXT, self._slots())
            self._reader = self._kv()
            self._before = _CONTEXT
            self._reader.caches = self._reading = _lengthened(begun, _CONTEXT)
            count = cell.tokens - cell.chats
            return {
                first: [lambda: self._mixed(chats, count)],
                second: [lambda: self._step(chats), lambda: self._read(count)],
            }
        if cell.part == KERNELS:
            one = yield from self._chats(begun, cell.tokens, self._slots(), unlike=True)
            one.model = replace(one.model, choices=None)  # which may have left the kernels out
            plain = _Chats(one.kvs, replace(one.model, kernels=None))
            return {first: [lambda: self._step(one)], second: [lambda: self._step(plain)]}
        if cell.part == PREFIX:
            one = yield from self._sharing(begun)
            other = yield from self._chats(begun, cell.tokens, self._slots())
        else:
            assert self._model.slots is not None
            policy = replace(self._model.slots.policy, below=None)
            one = yield from self._chats(begun, cell.tokens, Slots(policy))
            other = yield from self._chats(begun, cell.tokens, None)
        return {first: [lambda: self._step(one)], second: [lambda: self._step(other)]}

    def after(self) -> None:
        """Let what has been read of a prompt be read again."""
        for cache in self._reading:
            cache.offset = self._before

    def drop(self) -> None:
        """Free everything."""
        for kv in self._kvs:
            kv.drop()  # breaks the reference cycle of slots and occupants
        self._kvs, self._reading = [], []

    def _slots(self) -> Slots | None:
        slots = self._model.slots
        return None if slots is None else Slots(slots.policy_for(self._cell.chats))

    def _chats(
        self, begun: Caches, length: int, slots: Slots | None, unlike: bool = False
    ) -> Generator[None, None, _Chats]:
        """Chats of one length, or of that one, half of it, a third and so on."""
        kvs = []
        for number in range(self._cell.chats):
            kv = self._kv()
            kv.caches = _lengthened(begun, length // (number + 1) if unlike else length)
            mx.eval(list(leaves(kv.caches)))
            kvs.append(kv)
            yield
        return _Chats(kvs, replace(self._model, slots=slots))

    def _sharing(self, begun: Caches) -> Generator[None, None, _Chats]:
        donor = self._kv()
        donor.caches = _lengthened(begun, self._cell.tokens)
        yield
        if not donor.make_shared_prefix():
            raise ValueError("these caches cannot be shared")
        kvs = [self._kv() for _ in range(self._cell.chats)]
        for kv in kvs:
            kv.caches = list(clone(donor.layers))
        yield
        return _Chats(kvs, replace(self._model, slots=None))

    def _kv(self) -> SessionKV:
        kv = SessionKV(self._model.can.make_cache, self._model.can.ways.shares_prefix)
        self._kvs.append(kv)
        return kv

    def _step(self, chats: _Chats) -> tuple[Iterable[Any], mx.array]:
        caches = chats.arranged()
        logits = runner.forward(chats.model, _feeds(caches), caches, len(caches) == 1)
        return chats.layers(caches), logits

    def _mixed(self, chats: _Chats, count: int) -> tuple[Iterable[Any], mx.array]:
        caches = chats.arranged()
        readings = [Reading(self._reader, [3] * count)]
        logits = runner.forward_mixed(chats.model, _feeds(caches), caches, readings)
        return [*chats.layers(caches), self._reading], logits

    def _read(self, count: int) -> tuple[Iterable[Any], mx.array]:
        with cpu.engaged():
            self._model.net(mx.array([[3] * count]), cache=self._reading)
        return self._reading, mx.array(0)


def _feeds(caches: Sequence[Caches]) -> list[mx.array]:
    return [mx.array([[3]], mx.uint32) for _ in caches]


def _lengthened(begun: Caches, length: int, room: int = _ROOM) -> Caches:
    """Caches of a chat of `length` tokens. Recurrent states and the like are as they begin."""
    from mlx_lm.models.cache import KVCache, RotatingKVCache

    caches: Caches = clone(begun)
    for cache in caches:
        if type(cache) not in (KVCache, RotatingKVCache) or cache.keys is None:
            continue
        most = getattr(cache, "max_size", length + room)
        for name in ("keys", "values"):
            like = getattr(cache, name)
            shape = (*like.shape[:2], min(most, length + room), like.shape[3])
            setattr(cache, name, mx.zeros(shape, like.dtype))
        cache.offset = length
        if hasattr(cache, "max_size"):
            cache._idx = min(most, length)
    return caches
