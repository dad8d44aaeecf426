"""Files below the folders that a person has granted: listed, read, searched, written.

Every path is opened one name at a time from the granted folder's own descriptor, and no link is
followed: `..`, a link that leads out, and a folder that is exchanged for a link meanwhile all end
in a refusal instead of a file elsewhere.
"""

from __future__ import annotations

import difflib
import errno
import fnmatch
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.language import mark, tr
from app.tools.consent import Grant
from app.tools.tool import ToolError, visible

MOST_READ = 400_000  # bytes
MOST_WRITTEN = 200_000  # bytes: a person is shown all that changes
MOST_LISTED = 500
MOST_LOOKED_AT = 20_000  # files of one search
SEARCH_S = 20.0
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True)
class Difference:
    """What a write would change.

    Attributes:
        text: a unified diff.
        digest: of the file as it is, for `write_file`; "" where there is none.
    """

    text: str
    digest: str


def list_folder(path: str, grants: Sequence[Grant]) -> str:
    """The names in a folder; without a path, the granted folders."""
    if not path.strip():
        shown = [f"{g.path}{' (may be written)' if g.writable else ''}" for g in grants]
        return "\n".join(shown) or "No folder has been granted in this chat."
    grant, names = _place(path, grants)
    with _opened(grant, names) as folder:
        lines = []
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda e: e.name)
        for entry in found[:MOST_LISTED]:
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                lines.append(f"{visible(entry.name)}/")
            elif stat.S_ISREG(info.st_mode):
                lines.append(f"{visible(entry.name)}  {info.st_size:,} bytes")
        more = len(found) - MOST_LISTED
        return "\n".join([*lines, *([f"… {more:,} more"] if more > 0 else [])]) or "(empty)"


def read_file(path: str, grants: Sequence[Grant]) -> str:
    """A text file, its first part where it is long."""
    grant, names = _place(path, grants)
    return _text(_bytes(grant, names, MOST_READ))


def search_files(pattern: str, text: str, path: str, grants: Sequence[Grant]) -> str:
    """Files whose name fits a pattern, and of which a line contains a text."""
    places = [_place(path, grants)] if path.strip() else [(grant, ()) for grant in grants]
    found: list[str] = []
    end = time.monotonic() + SEARCH_S
    for grant, names in places:
        with _opened(grant, names) as folder:
            for count, file in enumerate(_walk(folder, names)):
                if count >= MOST_LOOKED_AT or time.monotonic() > end:
                    found.append("(The search was ended here: there are too many files.)")
                    break
                if not fnmatch.fnmatch(file[-1].casefold(), (pattern or "*").casefold()):
                    continue
                found += _lines(grant, file, text)
                if len(found) >= MOST_LISTED:
                    return "\n".join(found[:MOST_LISTED])
    return "\n".join(found) or "Nothing was found."


def difference(path: str, text: str, grants: Sequence[Grant]) -> Difference:
    """What `write_file` would change, for a person to look at. Raises ToolError."""
    grant, names = _writable(path, text, grants)
    try:
        old = _bytes(grant, names, MOST_WRITTEN + 1)
    except FileNotFoundError:
        lines = [f"+{line}" for line in text.splitlines()]
        return Difference("\n".join([tr("New file {path}", path=path), *lines]), "")
    if len(old) > MOST_WRITTEN:
        raise ToolError(mark("The file is too large to be written over."))
    before = old.decode(errors="replace").splitlines()
    diff = difflib.unified_diff(before, text.splitlines(), path, path, lineterm="", n=3)
    return Difference("\n".join(diff) or tr("Nothing would change."), _digest(old))


def write_file(path: str, text: str, seen: str, grants: Sequence[Grant]) -> str:
    """Write a file whole, in one step; ``seen`` is the digest of what the person was shown.

    Raises ToolError, also when the file has changed since.
    """
    grant, names = _writable(path, text, grants)
    beside = f".{secrets.token_hex(8)}.new"
    with _opened(grant, names[:-1]) as folder:
        try:
            now = _digest(_bytes_in(folder, names[-1], MOST_WRITTEN + 1))
        except FileNotFoundError:
            now = ""
        if now != seen:
            raise ToolError("The file has changed since the difference was shown.")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        made = os.open(beside, flags, 0o644, dir_fd=folder)
        try:
            with os.fdopen(made, "wb") as file:
                file.write(text.encode())
            # The name is exchanged, whatever it stands for by now: nothing is written through it.
            os.replace(beside, names[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise
    return f"{len(text.encode()):,} bytes were written to {path}."


def _writable(path: str, text: str, grants: Sequence[Grant]) -> tuple[Grant, tuple[str, ...]]:
    grant, names = _place(path, grants)
    if not grant.writable:
        raise ToolError(mark("This folder may only be read. The person can allow writing."))
    if not names:
        raise ToolError(mark("This is a folder."))
    if len(text.encode()) > MOST_WRITTEN:
        raise ToolError(mark("More than {most} bytes are not written."), most=f"{MOST_WRITTEN:,}")
    return grant, names


def _place(path: str, grants: Sequence[Grant]) -> tuple[Grant, tuple[str, ...]]:
    """The granted folder that a path is in, and the names from there on. Raises ToolError."""
    if "\0" in path:
        raise ToolError(mark("A path has no null character in it."))
    wanted = PurePosixPath(path.strip().removeprefix("file://"))
    if ".." in wanted.parts:
        raise ToolError(mark("A path with “..” in it is not followed."))
    if not wanted.is_absolute():
        if len(grants) == 1:
            return grants[0], wanted.parts
        granted = list_folder("", grants)
        raise ToolError(mark("Give the whole path. Granted are: {folders}"), folders=granted)
    # The innermost first: it may allow more than one around it.
    for grant in sorted(grants, key=lambda g: -len(g.path.parts)):
        with suppress(ValueError):
            return grant, wanted.relative_to(PurePosixPath(grant.path)).parts
    granted = list_folder("", grants)
    raise ToolError(mark("This is in no granted folder. Granted are: {folders}"), folders=granted)


@contextmanager
def _opened(grant: Grant, names: Sequence[str]) -> Iterator[int]:
    """A descriptor of the folder, reached without following a link. Raises ToolError."""
    here = -1
    try:
        here = os.open(grant.path, _FOLDER)
        for name in names:
            inner = os.open(name, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    except OSError as error:
        raise _refusal(error) from error
    finally:
        if here >= 0:
            os.close(here)


def _bytes(grant: Grant, names: Sequence[str], most: int) -> bytes:
    if not names:
        raise ToolError(mark("This is a folder."))
    with _opened(grant, names[:-1]) as folder:
        return _bytes_in(folder, names[-1], most)


def _bytes_in(folder: int, name: str, most: int) -> bytes:
    """The beginning of a regular file. Raises FileNotFoundError, ToolError."""
    try:
        file = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError as error:
        raise NoFileError(mark("There is no such file.")) from error
    except OSError as error:
        raise _refusal(error) from error
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ToolError(mark("This is no file of text."))
        return opened.read(most)


class NoFileError(ToolError, FileNotFoundError):
    """There is no such file."""

    __str__ = Exception.__str__


def _refusal(error: OSError) -> ToolError:
    if isinstance(error, ToolError):
        return error
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return ToolError(mark("Links are not followed."))
    if isinstance(error, FileNotFoundError):
        return NoFileError(mark("There is no such file or folder."))
    return ToolError(mark("It could not be opened: {why}."), why=error.strerror)


def _walk(folder: int, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The names of all files below a folder, hidden ones aside; links are not followed."""
    for _, folders, files, _ in _fwalk(folder):
        folders[0][:] = sorted(n for n in folders[0] if not n.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield (*names, *folders[1], name)


def _fwalk(
    folder: int,
) -> Iterator[tuple[str, tuple[list[str], tuple[str, ...]], list[str], int]]:
    for root, folders, files, here in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
        yield root, (folders, PurePosixPath(root).parts), files, here


def _lines(grant: Grant, names: tuple[str, ...], text: str) -> list[str]:
    """The file, or those of its lines that contain the text."""
    shown = visible(str(PurePosixPath(grant.path, *names)))
    if not text:
        return [shown]
    try:
        content = _text(_bytes(grant, names, MOST_READ))
    except (ToolError, OSError):
        return []
    wanted = text.casefold()
    found = [
        f"{shown}:{number}: {line.strip()[:300]}"
        for number, line in enumerate(content.splitlines(), 1)
        if wanted in line.casefold()
    ]
    return found[:50]


def _text(content: bytes) -> str:
    if b"\0" in content[:4096]:
        raise ToolError(mark("This is no file of text."))
    text = content.decode(errors="replace")
    return f"{text}\n[… the rest is left out …]" if len(content) >= MOST_READ else text


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
