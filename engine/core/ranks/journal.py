"""What rank 0 does to the caches of spread models is noted, for the followers to do the same."""

from __future__ import annotations

import contextlib
import weakref
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from zlib import crc32

from engine.core.ranks.record import Do, Order, as_numbers
from engine.kv.cache_objects import Caches
from engine.kv.ledger import common_prefix
from engine.kv.session_kv import SessionKV


class Journal:
    """The orders since the last record.

    Attributes:
        fault: what raised while caches were changed: the ranks may not have the same any more.
    """

    def __init__(self) -> None:
        self.fault: BaseException | None = None
        self._orders: deque[Order] = deque()  # caches may be freed on any thread
        self._depth = 0
        self._numbers = 0
        self._caches: weakref.WeakValueDictionary[int, SpreadKV] = weakref.WeakValueDictionary()

    @property
    def caches(self) -> list[tuple[int, SessionKV]]:
        """All caches that there are, by their numbers.

        Whose number is missing has noted that it was freed: orders that are taken after this tell
        of it.
        """
        return list(self._caches.items())

    def opened(self, kv: SpreadKV) -> None:
        """Take note of new caches."""
        self._caches[kv.number] = kv

    def number(self) -> int:
        """A number for a new cache, or for a new model."""
        self._numbers += 1
        return self._numbers

    def add(self, do: Do, *numbers: int) -> None:
        """Note something that is done by itself, not as a part of something noted already."""
        if not self._depth or do is Do.FREE:
            self._orders.append(Order(do, numbers))

    @contextlib.contextmanager
    def doing(self, do: Do, *numbers: int) -> Iterator[None]:
        """Note something; what is done inside is a part of it."""
        self.add(do, *numbers)
        with self.quietly():
            yield

    @contextlib.contextmanager
    def quietly(self) -> Iterator[None]:
        """What is done inside is a part of something else that is noted."""
        self._depth += 1
        try:
            yield
        except BaseException as error:
            self.fault = self.fault or error
            raise
        finally:
            self._depth -= 1

    def take(self) -> list[Order]:
        """The orders so far; they are announced now."""
        # One by one: what another thread adds meanwhile is left for the next record.
        return [self._orders.popleft() for _ in range(len(self._orders))]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to announce."""
        return not self._orders


class SpreadKV(SessionKV):
    """A session's caches on rank 0: whatever is done to them is noted in the journal.

    Attributes:
        number: by which records name them.
    """

    def __init__(
        self,
        journal: Journal,
        model: int,
        make: Callable[[], Caches],
        shares_prefix: bool,
        bits: int = 0,
    ) -> None:
        super().__init__(make, shares_prefix)
        self._journal, self._model, self._bits = journal, model, bits
        self.number = journal.number()
        journal.opened(self)
        journal.add(Do.OPEN, self.number, model, shares_prefix, bits)

    def __del__(self) -> None:
        self._journal.add(Do.FREE, self.number)

    def another(self) -> SessionKV:
        return SpreadKV(self._journal, self._model, self.make, self.shares_prefix, self._bits)

    def begin(self, prompt: list[int]) -> int:
        known = common_prefix(self.tokens, prompt)
        with self._journal.doing(Do.BEGIN, self.number, known, *prompt[known:]):
            return super().begin(prompt)

    def snapshot(self) -> None:
        with self._journal.doing(Do.SNAPSHOT, self.number):
            super().snapshot()

    def drop(self) -> None:
        with self._journal.doing(Do.DROP, self.number):
            super().drop()

    def settle(self) -> None:
        with self._journal.doing(Do.SETTLE, self.number):
            super().settle()

    def leave_slots(self) -> None:
        if self.slots is not None or self.stack is not None:
            with self._journal.doing(Do.LEAVE, self.number):
                super().leave_slots()

    def restore(self, name: str, *taken: Any) -> None:
        with self._journal.doing(Do.RESTORE, self.number, *as_numbers(name)):
            super().restore(name, *taken)

    def take_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        assert isinstance(donor, SpreadKV)
        with self._journal.doing(Do.TAKE, self.number, donor.number, length, room):
            super().take_from(donor, length, room)

    def fork(self) -> SessionKV:
        with self._journal.quietly():
            twin = super().fork()
        assert isinstance(twin, SpreadKV)
        self._journal.add(Do.FORK, self.number, twin.number)
        return twin


def digest(caches: Sequence[tuple[int, SessionKV]]) -> int:
    """31 bits that are the same where ranks hold the same tokens, in caches of the same lengths."""
    told = 0
    for number, kv in sorted(caches, key=lambda pair: pair[0]):
        kinds = [(type(cache).__name__, getattr(cache, "offset", -1)) for cache in kv.layers]
        base = kv.shared_prefix.length if kv.shared_prefix is not None else 0
        places = kv.slots is not None, kv.stack is not None
        shape = (number, len(kv.tokens), kv.cuts, kinds, base, *places)
        told = crc32(repr(shape).encode(), told)
        told = crc32(array("q", kv.tokens).tobytes(), told)
    return told & 0x7FFFFFFF
