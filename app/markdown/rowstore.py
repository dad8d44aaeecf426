"""The rows that a document shows; those far above its end are kept pickled."""

import pickle
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import overload

from app.markdown.rows import Row

CHUNK = 64
_UNFOLDED = 3


class Rows(Sequence[Row]):
    """A list of rows that grows at its end, and of which a beginning may be folded up.

    A row is a dozen objects, and Python's cyclic collector walks all there are: with eight answers
    of 60,000 characters it held the window for 44 ms. Folded rows lie pickled, 64 to a piece
    (0.4 ms to fold one, half to unfold it); the pieces last looked at are kept unfolded.
    """

    def __init__(self) -> None:
        self._folded: list[bytes] = []
        self._unfolded: OrderedDict[int, list[Row]] = OrderedDict()
        self._changed: set[int] = set()
        self._open: list[Row] = []

    def __len__(self) -> int:
        return len(self._folded) * CHUNK + len(self._open)

    def __iter__(self) -> Iterator[Row]:
        for number in range(len(self._folded)):
            yield from self._chunk(number)
        yield from self._open

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self._at(number) for number in range(*place.indices(len(self)))]
        return self._at(place)

    def __setitem__(self, place: int, row: Row) -> None:
        number, within = self._find(place)
        if number < len(self._folded):
            self._chunk(number)[within] = row
            self._changed.add(number)
        else:
            self._open[within] = row

    def append(self, row: Row) -> None:
        self._open.append(row)

    def fold(self, length: int) -> None:
        """Pickles the first `length` rows: they will hardly change any more."""
        count = (length - len(self._folded) * CHUNK) // CHUNK
        for start in range(0, count * CHUNK, CHUNK):
            self._folded.append(_fold(self._open[start : start + CHUNK]))
        if count > 0:
            del self._open[: count * CHUNK]

    def shorten(self, length: int) -> None:
        """Keep the first `length` rows."""
        number, within = self._find(length)
        if number < len(self._folded):
            self._open = self._chunk(number)[:within]
            del self._folded[number:]
            for gone in [other for other in self._unfolded if other >= number]:
                del self._unfolded[gone]
            self._changed = {other for other in self._changed if other < number}
        else:
            del self._open[within:]

    def _find(self, place: int) -> tuple[int, int]:
        """The chunk and the place within it; the rows at the end count as one chunk."""
        number = min(place // CHUNK, len(self._folded))
        return number, place - number * CHUNK

    def _at(self, place: int) -> Row:
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(place)
        number, within = self._find(place)
        return (self._chunk(number) if number < len(self._folded) else self._open)[within]

    def _chunk(self, number: int) -> list[Row]:
        rows = self._unfolded.get(number)
        if rows is None:
            rows = pickle.loads(self._folded[number])
            self._unfolded[number] = rows
            if len(self._unfolded) > _UNFOLDED:
                old, gone = self._unfolded.popitem(last=False)
                if old in self._changed:
                    self._changed.remove(old)
                    self._folded[old] = _fold(gone)
        else:
            self._unfolded.move_to_end(number)
        return rows


def _fold(rows: list[Row]) -> bytes:
    return pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)
