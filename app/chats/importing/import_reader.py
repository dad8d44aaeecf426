"""Streaming JSON reader for files, zip archives and folders.

The reader holds one conversation at a time and skips those longer than ITEM_LIMIT.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from pathlib import Path
from threading import Event
from typing import IO, Any

from ijson.backends import python as careful
from ijson.common import JSONError, ObjectBuilder
from msgspec import Struct, field

from app.settings.language import counted, mark, number, tr

try:
    from ijson.backends import yajl2_c as quick
except ImportError:  # no compiled wheel for this system
    quick = careful

ITEM_LIMIT = 64_000_000  # characters per conversation, and bytes per string
MOST_FILES = 100_000
_EACH = 24  # overhead per value, in addition to its characters
_BUFFER = 1 << 16
_DEEPEST = 200
_STREAMED = {"chats", "conversations", "data"}
_EXPORTED = re.compile(r"(?i)conversations([-_ ]?\d+)?\.json")
_IMAGE = 100_000  # characters; longer strings are assumed to be images
_PICTURE = 1_000  # characters; a longer "data:" URL is an embedded image

_LONG_NUMBER = 600
"""Maximum number of digits.

Python refuses to convert longer integers (the strictest limit is 640 digits), which crashes ijson's
compiled parser.
"""
_DIGITS = re.compile(rb"[0-9]{%d}" % _LONG_NUMBER)

DAMAGED = (
    JSONError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    UnicodeError,
    ValueError,
    ArithmeticError,  # a number with a 20-digit exponent
)


class UnfitError(Exception):
    """The rest of a file can't be read. The message may contain ``{file}``."""


class _LongNumberError(Exception):
    pass


class Reader(Struct):
    paths: Sequence[Path]
    stop: Event
    total: int = 0  # bytes of all files, if known
    # Bytes read so far. Any thread may read this.
    done: int = 0
    faults: list[str] = field(default_factory=list)
    _silent: int = 0

    def items(self) -> Iterator[tuple[str, dict[str, Any], Any]]:
        """Yield the file name, the file's other top-level values and a conversation, until stopped.

        The conversation is None if it is longer than the limit.
        """
        files = list(self._files())
        for path in files:
            with suppress(OSError):
                self.total += path.stat().st_size
        for path in files:
            if self.stop.is_set():
                return
            try:
                if zipfile.is_zipfile(path):
                    yield from self._archive(path)
                else:
                    with path.open("rb") as file:
                        yield from self._stream(file, path.name)
            except OSError as error:
                reason = error.strerror or tr("it couldn’t be read")
                self.faults.append(f"{path.name}: {reason}.")
            except DAMAGED:
                self.faults.append(tr("{file}: the archive is damaged.", file=path.name))

    def read(self, file: IO[bytes], size: int) -> bytes:
        """Read the next chunk of a file. Raises UnfitError if a string has no end."""
        piece = file.read(size)
        self.done += len(piece)
        self._silent += len(piece)
        if self._silent > ITEM_LIMIT:
            raise UnfitError(
                mark("{file}: a text in it is too long. Everything before it was read.")
            )
        return piece

    def _files(self) -> Iterator[Path]:
        count = 0
        for path in self.paths:
            inner = sorted(path.rglob("*.json")) if path.is_dir() else [path]
            for file in inner:
                count += 1
                if count > MOST_FILES:
                    words = counted(
                        "Only the first %Ln file was read.",
                        "Only the first %Ln files were read.",
                        MOST_FILES,
                    )
                    self.faults.append(words)
                    return
                yield file

    def _archive(self, path: Path) -> Iterator[tuple[str, dict[str, Any], Any]]:
        with zipfile.ZipFile(path) as archive:
            listed = [m for m in archive.infolist() if m.filename.lower().endswith(".json")]
            listed = [m for m in listed if not m.filename.startswith("__MACOSX/")][:MOST_FILES]
            export_members = [m for m in listed if _EXPORTED.fullmatch(Path(m.filename).name)]
            members = export_members or listed
            if not members:
                words = tr("{file}: no chats in this archive.", file=path.name)
                self.faults.append(words)
            self.total += sum(m.file_size for m in members) - path.stat().st_size
            for member in members:
                if self.stop.is_set():
                    return
                name = f"{path.name}, {Path(member.filename).name}"
                try:
                    with archive.open(member) as file:
                        yield from self._stream(file, name)
                except (RuntimeError, NotImplementedError):
                    self.faults.append(tr("{file}: protected by a password.", file=name))

    def _stream(self, file: IO[bytes], name: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
        read, start = 0, self.done
        self._silent = 0
        try:
            try:
                for head, item in _read_items(self, file, quick):
                    read += 1
                    yield name, head, item
                    if self.stop.is_set():
                        return
            except _LongNumberError:
                file.seek(0)
                self.done, self._silent = start, 0
                for head, item in islice(_read_items(self, file, careful), read, None):
                    read += 1
                    yield name, head, item
                    if self.stop.is_set():
                        return
        except UnfitError as error:
            self.faults.append(tr(str(error), file=name))
        except DAMAGED:
            words = mark("{file}: damaged or not JSON.")
            if read:
                words = mark("{file}: damaged after chat {number}. Everything before it was read.")
            self.faults.append(tr(words, file=name, number=number(read)))

    def reset_count(self) -> None:
        self._silent = 0


class _Counted:
    """File wrapper that counts the bytes ijson reads.

    With ``wary``, a long number raises _LongNumberError.
    """

    def __init__(self, reader: Reader, file: IO[bytes], *, wary: bool) -> None:
        self._reader = reader
        self._file = file
        self._started = False
        self._wary = wary
        self._last = b""

    def read(self, size: int = _BUFFER) -> bytes:
        piece = self._reader.read(self._file, size)
        if self._wary:
            if _DIGITS.search(self._last + piece):
                raise _LongNumberError
            self._last = (self._last + piece)[-_LONG_NUMBER:]
        if not self._started and size:
            self._started = True
            if piece.startswith(b"\xef\xbb\xbf"):
                return piece[3:] or self.read(size)
        return piece


class _Value:
    def __init__(self) -> None:
        self.whole = False
        self._builder = ObjectBuilder()
        self._depth = 0
        self._size = 0

    @property
    def is_too_long(self) -> bool:
        return self._size > ITEM_LIMIT

    @property
    def value(self) -> Any:
        """Return the value, or None if it's too long."""
        return None if self.is_too_long else self._builder.value

    def add_event(self, event: str, value: Any) -> None:
        if event in {"start_map", "start_array"}:
            self._depth += 1
            if self._depth > _DEEPEST:
                raise UnfitError(mark("{file}: nested too deeply. Everything before it was read."))
        elif event in {"end_map", "end_array"}:
            self._depth -= 1
        if not self.is_too_long:
            self._builder.event(event, _to_plain(value))
        length = len(value) if isinstance(value, str) else 0
        # An image string uses a byte per character. A list of words uses several times as much.
        self._size += _EACH + (length // 4 if length > _IMAGE else length)
        if self.is_too_long:
            self._builder = ObjectBuilder()  # frees the memory
        self.whole = not self._depth and event != "map_key"


def _to_plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str) and len(value) > _PICTURE and value.startswith("data:"):
        return "data:"
    return value


def _read_items(
    reader: Reader, file: IO[bytes], parser: Any
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield a file's conversations. The file has one object, a list, or an object with a list."""
    head: dict[str, Any] = {}
    key, within, streamed = "", "", False
    value: _Value | None = None
    counted_file = _Counted(reader, file, wary=parser is not careful)
    pieces = parser.basic_parse(counted_file, buf_size=_BUFFER, multiple_values=True)
    for event, value_read in pieces:
        reader.reset_count()
        if value is not None:
            value.add_event(event, value_read)
        elif not within:
            head, key, streamed = {}, "", False
            within = {"start_map": "object", "start_array": "list"}.get(event, "")
        elif within == "object" and event == "map_key":
            key = value_read
        elif event == "end_array" and within == "streamed":
            within, streamed = "object", True
        elif event in {"end_map", "end_array"}:
            if within == "object" and not streamed:
                yield head, head
            within = ""
        elif within == "object" and event == "start_array" and key in _STREAMED:
            within = "streamed"
        else:
            value = _Value()
            value.add_event(event, value_read)
        if value is not None and value.whole:
            if within == "object":
                head[key] = value.value
            else:
                yield head, value.value
            value = None
