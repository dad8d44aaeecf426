"""Rows of database pages, for tables that SQLite can't read without their root.

The format is described at https://sqlite.org/fileformat2.html. Only leaf pages of tables in the
page size of our files are read. A leaf page doesn't contain its table.
"""

import struct
from collections.abc import Callable, Iterator
from mmap import mmap

PAGE = 4096  # page size in bytes
MAGIC = b"SQLite format 3\0"
_LEAF = 0x0D  # page type of table leaves; overflow pages start with a page number, i.e. with 0
_MOST_LOCAL, _LEAST_LOCAL = PAGE - 35, (PAGE - 12) * 32 // 255 - 23  # row bytes stored on the leaf
# Size of a value by type. Types that include their length aren't listed.
_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
_REAL = 7

Value = int | float | str | bytes | None


class DatabasePages:
    """Pages of a file that are in use.

    ``content`` is the content of the file, which must not have a journal.
    """

    def __init__(self, content: mmap) -> None:
        self._content = content
        self._count = len(content) // PAGE
        # In a malicious file, a million rows could share the same page chain.
        self._reads_left = 4 * self._count
        self._space = 0  # bytes left on the page for row headers
        self._free = self._list_free_pages()

    def rows(self, is_column_count: Callable[[int], bool]) -> Iterator[tuple[int, list[Value]]]:
        """Yield number and values of each row, in page order.

        ``is_column_count`` returns True for the column counts to read. Other rows are skipped.
        """
        for number in range(1, self._count + 1):
            head = 100 if number == 1 else 0
            at = (number - 1) * PAGE
            if number in self._free or self._content[at + head] != _LEAF:
                continue
            page = self._content[at : at + PAGE]
            count = min(_read_number(page, head + 3, 2), (PAGE - head - 8) // 2)
            self._space = PAGE
            for cell in range(head + 8, head + 8 + 2 * count, 2):
                try:
                    row = self._parse_row(page, _read_number(page, cell, 2), is_column_count)
                except (IndexError, ValueError):
                    continue
                if row is not None:
                    yield row

    def _parse_row(
        self, page: bytes, at: int, is_column_count: Callable[[int], bool]
    ) -> tuple[int, list[Value]] | None:
        """Parse a row. Raises IndexError or ValueError if it's invalid."""
        length, at = _parse_varint(page, at)
        number, at = _parse_varint(page, at)
        if length > len(self._content):
            raise ValueError("longer than the file")
        local = length
        if length > _MOST_LOCAL:
            local = _LEAST_LOCAL + (length - _LEAST_LOCAL) % (PAGE - 4)
            local = _LEAST_LOCAL if local > _MOST_LOCAL else local
        begin, first = _parse_varint(page, at)
        self._space -= begin
        if begin > local or self._space < 0:
            raise ValueError("not a row")
        types = list(_read_types(page, first, at + begin))
        if begin + sum(map(_value_size, types)) != length:
            raise ValueError("not a row")
        if not is_column_count(len(types)):
            return None
        parts = [page[at : at + local]]
        beyond = _read_number(page, at + local, 4) if length > local else 0
        for missing in range(length - local, 0, 4 - PAGE):
            self._reads_left -= 1
            if not 1 < beyond <= self._count or self._reads_left < 0:
                raise ValueError("cut off")
            next_page = self._content[(beyond - 1) * PAGE : beyond * PAGE]
            parts.append(next_page[4 : 4 + missing])
            beyond = _read_number(next_page, 0, 4)
        payload, values = b"".join(parts), list[Value]()
        for kind in types:
            values.append(_parse_value(kind, payload[begin : begin + _value_size(kind)]))
            begin += _value_size(kind)
        return number, values

    def _list_free_pages(self) -> set[int]:
        """Return the pages listed as free, up to the first invalid entry."""
        free: set[int] = set()
        trunk = _read_number(self._content, 32, 4) if self._content[: len(MAGIC)] == MAGIC else 0
        while 1 < trunk <= self._count and trunk not in free:
            page = self._content[(trunk - 1) * PAGE : trunk * PAGE]
            count = _read_number(page, 4, 4)
            listed = {_read_number(page, at, 4) for at in range(8, min(8 + 4 * count, PAGE), 4)}
            if len(listed) != count or any(not 1 < leaf <= self._count for leaf in listed):
                break
            free |= {trunk, *listed}
            trunk = _read_number(page, 0, 4)
        return free


def _read_number(page: bytes | mmap, at: int, size: int) -> int:
    if at + size > len(page):
        raise IndexError(at)
    return int.from_bytes(page[at : at + size], "big")


def _parse_varint(page: bytes, at: int) -> tuple[int, int]:
    value = 0
    for offset in range(at, at + 8):
        value = value << 7 | page[offset] & 0x7F
        if page[offset] < 0x80:
            return value, offset + 1
    return value << 8 | page[at + 8], at + 9


def _read_types(page: bytes, at: int, end: int) -> Iterator[int]:
    while at < end:
        kind, at = _parse_varint(page, at)
        yield kind
    if at != end:
        raise ValueError("not a row")


def _value_size(kind: int) -> int:
    if kind in (10, 11):
        raise ValueError("no such type")
    return _SIZES[kind] if kind < 10 else (kind - 12) // 2


def _parse_value(kind: int, content: bytes) -> Value:
    if kind == 0:
        return None
    if kind > 11:
        return content.decode(errors="replace") if kind % 2 else content
    if kind == _REAL:
        return float(struct.unpack(">d", content)[0])
    return int.from_bytes(content, "big", signed=True) if content else kind - 8
