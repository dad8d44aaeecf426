"""The journal (WAL) that a crash leaves: is it whole? SQLite drops what is not, without a word."""

import shutil
import struct
import sys
import time
from array import array
from pathlib import Path

_HEADER, _FRAME = 32, 24  # bytes
_MAGIC = 0x377F0682  # and one more where the checksums are big-endian


def keep_if_damaged(path: Path) -> Path | None:
    """Copies the database's journal aside if SQLite would drop saved changes from it.

    Returns the copy: `chats.db-wal.aside-20261120-224801`; None for a whole journal, or none. What
    a crash tears at the end was never saved and does not count. Raises OSError.
    """
    journal = path.with_name(path.name + "-wal")
    if not journal.exists() or not _damaged(journal.read_bytes()):
        return None
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = journal.with_name(f"{journal.name}.aside-{stamp}")
    shutil.copyfile(journal, target)
    return target


def _damaged(journal: bytes) -> bool:
    """Whether whole, committed changes lie behind the first place that does not fit.

    About 0.1 s for the 4 MB that a journal usually has at most.
    """
    if len(journal) < _HEADER or not any(journal):
        return False
    magic, _, page, _, *salts, first, second = struct.unpack(">8I", journal[:_HEADER])
    swap = (magic & 1 == 1) == (sys.byteorder == "little")
    sums = _add((0, 0), journal[: _HEADER - 8], swap)
    if magic & ~1 != _MAGIC or sums != (first, second) or not 512 <= page <= 65536:
        return True
    torn = False
    for at in range(_HEADER, len(journal) - _FRAME - page + 1, _FRAME + page):
        _, commit, *stamp, first, second = struct.unpack(">6I", journal[at : at + _FRAME])
        if torn:
            if stamp == salts and commit:
                return True
            continue
        body = journal[at : at + 8] + journal[at + _FRAME : at + _FRAME + page]
        sums = _add(sums, body, swap)
        torn = stamp != salts or sums != (first, second)
    return False


def _add(sums: tuple[int, int], content: bytes, swap: bool) -> tuple[int, int]:
    """SQLite's checksum of the content (a multiple of 8 bytes), going on from ``sums``."""
    words = array("I", content)
    if swap:
        words.byteswap()
    a, b = sums
    for even, odd in zip(words[::2], words[1::2], strict=True):
        a = (a + even + b) & 0xFFFFFFFF
        b = (b + odd + a) & 0xFFFFFFFF
    return a, b
