"""File operations in folders granted by the user: list, read, search, write.

Paths are opened one component at a time from the descriptor of the granted folder, without
following links. This rejects `..`, links to the outside, and folders replaced with links.
"""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import Match, SequenceMatcher
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any, Generic, TypeVar

from msgspec import Struct

from app.settings.language import mark, tr
from app.settings.paths import short_path
from app.tools.consent import Grant
from app.tools.tool import Outcome, OutcomeKind, ToolError, clean, escape_character, to_visible_line
from engine.text.invisible import escape_invisible

T = TypeVar("T", bound=Hashable)

Opcode = tuple[str, int, int, int, int]


class _BoundedMatcher(SequenceMatcher[T]):
    """SequenceMatcher with limited steps. Beyond the limit, everything counts as different.

    For each element, `SequenceMatcher` visits all equal elements in the other sequence. This would
    take hours for 20,000 lines with only two distinct ones.
    """

    def __init__(self, sequence: Sequence[T], other: Sequence[T], max_steps: int) -> None:
        super().__init__(None, sequence, other, autojunk=False)
        self._limit = max_steps
        self.steps = 0  # number of positions visited
        places: dict[T, list[int]] = self.b2j  # type: ignore[attr-defined]
        self._until = list(accumulate((1 + len(places.get(x, ())) for x in sequence), initial=0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        ahi = len(self._until) - 1 if ahi is None else ahi
        cost = self._until[ahi] - self._until[alo]
        if self.steps + cost > self._limit:
            return Match(alo, blo, 0)
        self.steps += cost
        return super().find_longest_match(alo, ahi, blo, bhi)


class Matcher(Generic[T]):
    """Compares two sequences with limited steps, skipping equal elements at both ends."""

    def __init__(self, sequence: Sequence[T], other: Sequence[T], max_steps: int) -> None:
        head, shorter = 0, min(len(sequence), len(other))
        while head < shorter and sequence[head] == other[head]:
            head += 1
        tail = 0
        while tail < shorter - head and sequence[-1 - tail] == other[-1 - tail]:
            tail += 1
        a, b = sequence[head : len(sequence) - tail], other[head : len(other) - tail]
        inner = _BoundedMatcher(a, b, max_steps)
        self.opcodes: list[Opcode] = []  # in the format of `SequenceMatcher.get_opcodes`
        if head:
            self.opcodes.append(("equal", 0, head, 0, head))
        for kind, i, j, k, m in inner.get_opcodes():
            self.opcodes.append((kind, i + head, j + head, k + head, m + head))
        if tail:
            ends = len(sequence) - tail, len(sequence), len(other) - tail, len(other)
            self.opcodes.append(("equal", *ends))
        self.steps = inner.steps  # total number of steps

    def groups(self, context: int) -> Iterator[list[Opcode]]:
        """Yield the changes with ``context`` equal elements around them, as in a unified diff."""
        plain: Any = SequenceMatcher()
        plain.opcodes = list(self.opcodes)
        yield from plain.get_grouped_opcodes(context)


MOST_READ = 400_000  # bytes
MOST_WRITTEN = 200_000  # bytes, limited because the user reviews all changes
MOST_LISTED = 500
MOST_LOOKED_AT = 20_000  # files per search
SEARCH_S = 20.0
_LONGEST_PATTERN = 255
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Difference(Struct, frozen=True):
    text: str  # unified diff
    # Digest of the path, the current content and the new content, for `write_file`.
    digest: str
    path: str = ""  # full path, with invisible characters escaped
    new: bool = False  # the file doesn't exist yet

    @property
    def lines(self) -> list[str]:
        lines = self.text.split("\n")
        return lines[1:] if self.new else lines[2:] or lines


class ReadOnlyError(ToolError):
    def __init__(self, folder: Path) -> None:
        words = mark("“{folder}” is read-only in this chat.")
        model_text = "This folder may only be read. The person can allow writing."
        super().__init__(words, model_text=model_text, folder=short_path(folder))
        self.folder = folder  # the granted folder


class OutsideError(ToolError):
    pass


def _list_grants(grants: Sequence[Grant]) -> str:
    lines = [f"{g.path}{' (may be written)' if g.writable else ''}" for g in grants]
    return "\n".join(lines) or "No folder has been granted in this chat."


def list_folder(path: str, grants: Sequence[Grant]) -> str | Outcome:
    """List a folder, or the granted folders if ``path`` is empty."""
    if not path.strip():
        listed = _list_grants(grants)
        return listed if grants else Outcome(OutcomeKind.NO_FOLDERS, listed)
    grant, names = _find_grant(path, grants)
    with _open_folder(grant, names) as folder:
        lines = []
        with os.scandir(folder) as entries:
            sorted_entries = sorted(entries, key=lambda e: e.name)
        for entry in sorted_entries[:MOST_LISTED]:
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(info.st_mode):
                lines.append(f"{to_visible_line(entry.name)}/")
            elif stat.S_ISREG(info.st_mode):
                lines.append(f"{to_visible_line(entry.name)}  {info.st_size:,} bytes")
        extra_count = len(sorted_entries) - MOST_LISTED
        if not lines and extra_count <= 0:
            return Outcome(OutcomeKind.EMPTY_FOLDER, "(empty)")
        return "\n".join([*lines, *([f"… {extra_count:,} more"] if extra_count > 0 else [])])


def read_file(path: str, grants: Sequence[Grant]) -> str:
    """Return the content of a text file, truncated to a maximum length."""
    grant, names = _find_grant(path, grants)
    return _text(_read_bytes(grant, names, MOST_READ))


def search_files(pattern: str, text: str, path: str, grants: Sequence[Grant]) -> str | Outcome:
    """Find files that match a name pattern and have a line with the text."""
    if len(pattern) > _LONGEST_PATTERN:
        raise ToolError(mark("A file name has at most {most} characters."), most=_LONGEST_PATTERN)
    places = [_find_grant(path, grants)] if path.strip() else [(grant, ()) for grant in grants]
    lines: list[str] = []
    end = time.monotonic() + SEARCH_S
    for grant, names in places:
        with _open_folder(grant, names) as folder:
            for count, file in enumerate(_walk(folder, names)):
                if count >= MOST_LOOKED_AT or time.monotonic() > end:
                    lines.append("(The search was ended here: there are too many files.)")
                    break
                if not fnmatch.fnmatch(file[-1].casefold(), (pattern or "*").casefold()):
                    continue
                lines += _read_lines(grant, file, text)
                if len(lines) >= MOST_LISTED:
                    return "\n".join(lines[:MOST_LISTED])
    return "\n".join(lines) or Outcome(OutcomeKind.NOTHING_FOUND, "Nothing was found.")


def difference(path: str, text: str, grants: Sequence[Grant]) -> Difference:
    """Return the effect of `write_file`, for the user."""
    grant, names = _find_writable_grant(path, text, grants)
    with _open_folder(grant, names[:-1]) as folder:
        change = _change(folder, names, text)
    path_shown, new = to_visible_line(str(PurePosixPath(grant.path, *names))), change.before is None
    return Difference(
        _unified_diff(to_visible_line(path), change), change.digest(grant, names), path_shown, new
    )


def check_granted(path: str, grants: Sequence[Grant]) -> None:
    if path.strip():
        _find_grant(path, grants)


def write_file(path: str, text: str, digest: str, grants: Sequence[Grant]) -> Outcome:
    """Write a whole file. ``digest`` is the digest of the diff shown to the user.

    Raises ToolError if this fails, or if the change no longer matches that diff.
    """
    grant, names = _find_writable_grant(path, text, grants)
    temporary = f".{secrets.token_hex(8)}.new"
    with _open_folder(grant, names[:-1]) as folder:
        change = _change(folder, names, text)
        if change.digest(grant, names) != digest:
            raise ToolError(_CHANGED)
        if change.before is None:
            _write(folder, names[-1], change.after, 0o644)
        else:
            _write(folder, temporary, change.after, 0o600, change.mode)
            try:
                # Check again now that the new file is complete, because another program may have
                # changed the old one.
                if _change(folder, names, text).digest(grant, names) != digest:
                    raise ToolError(_CHANGED)
                # This replaces the directory entry itself, even if it has become a link.
                os.replace(temporary, names[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
    size = len(change.after)
    answer = f"{size:,} bytes were written to {path}."
    return Outcome(OutcomeKind.WRITTEN, answer, size, clean(path))


_CHANGED = mark("The file has changed since the changes were shown.")


class FileChange(Struct, frozen=True):
    before: bytes | None
    after: bytes
    mode: int

    def digest(self, grant: Grant, names: Sequence[str]) -> str:
        path = str(PurePosixPath(grant.path, *names)).encode(errors="surrogateescape")
        hasher = hashlib.sha256()
        for part in (path, self.before, self.after):
            hasher.update(b"-" if part is None else b"%d:" % len(part))
            hasher.update(part or b"")
        return hasher.hexdigest()


def _change(folder: int, names: Sequence[str], text: str) -> FileChange:
    try:
        old, mode = _read_beginning(folder, names[-1], MOST_WRITTEN + 1)
    except NoFileError:
        return FileChange(None, text.encode(), 0)
    if len(old) > MOST_WRITTEN:
        raise ToolError(mark("The file is too large to be changed."))
    try:
        old.decode()
    except UnicodeDecodeError as error:
        raise ToolError(_NO_UTF8) from error
    new = text.encode()
    if b"\r" not in new and _uses_crlf(old):
        new = new.replace(b"\n", b"\r\n")  # models only write LF
    return FileChange(old, new, mode)


_NO_UTF8 = mark("The file isn’t UTF-8 text, so it can’t be changed.")


def _write(
    folder: int, name: str, content: bytes, mode: int, final_mode: int | None = None
) -> None:
    """Create a new file. ``final_mode`` is the mode to set after writing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, mode, dir_fd=folder)
    except FileExistsError as error:
        raise ToolError(_CHANGED) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if final_mode is not None:
                os.fchmod(descriptor, final_mode)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


_CONTEXT = 3  # lines of context
_MOST_STEPS = 10_000_000  # limit for comparing lines (1 to 2 s); remaining lines count as changed


def _uses_crlf(content: bytes) -> bool:
    return content.count(b"\r") == content.count(b"\n") == content.count(b"\r\n") > 0


def _unified_diff(display_path: str, change: FileChange) -> str:
    """Return a unified diff of bytes. Lines end with LF."""
    if change.before == change.after:
        return tr("No changes")
    both_crlf = _uses_crlf(change.after) and (change.before is None or _uses_crlf(change.before))
    new = _split(change.after)
    if change.before is None:
        lines = [
            tr("New file {path}", path=display_path),
            *(_escape_invisible("+", x, both_crlf) for x in new),
        ]
        return "\n".join(lines)
    old = _split(change.before)
    lines = [f"--- {display_path}", f"+++ {display_path}"]
    for group in Matcher(old, new, _MOST_STEPS).groups(_CONTEXT):
        _, first, _, begin, _ = group[0]
        _, _, last, _, end = group[-1]
        lines.append(f"@@ -{_range(first, last)} +{_range(begin, end)} @@")
        for kind, i, j, k, m in group:
            if kind == "equal":
                lines += [_escape_invisible(" ", x, both_crlf) for x in old[i:j]]
            else:
                lines += [_escape_invisible("-", x, both_crlf) for x in old[i:j]]
                lines += [_escape_invisible("+", x, both_crlf) for x in new[k:m]]
    return "\n".join(lines)


def _split(content: bytes) -> list[bytes]:
    """Split into lines, keeping their ends so that the diff shows a missing final newline."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _range(first: int, last: int) -> str:
    length = last - first
    return f"{first + (length > 0)}" if length == 1 else f"{first + (length > 0)},{length}"


def _escape_invisible(sign: str, line: bytes, both_crlf: bool) -> str:
    """Escape invisible characters in a line, except tabs and joiners that scripts need."""
    text = line.decode()
    ends_line = text.endswith("\n")
    text = text.removesuffix("\n")
    if both_crlf and ends_line:
        text = text.removesuffix("\r")
    text = escape_invisible(text, escape_character, keep="\t", joiners=True)
    return f"{sign}{text}" if ends_line else f"{sign}{text}\n\\ No newline at end of file"


def _find_writable_grant(
    path: str, text: str, grants: Sequence[Grant]
) -> tuple[Grant, tuple[str, ...]]:
    grant, names = _find_grant(path, grants)
    if not grant.writable:
        raise ReadOnlyError(grant.path)
    if not names:
        raise ToolError(mark("This is a folder, not a file."))
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise ToolError(mark("The text contains characters that a file can’t hold.")) from error
    if size > MOST_WRITTEN:
        raise ToolError(mark("The text is longer than {most} bytes."), most=f"{MOST_WRITTEN:,}")
    return grant, names


def _find_grant(path: str, grants: Sequence[Grant]) -> tuple[Grant, tuple[str, ...]]:
    """Return the granted folder for a path, and the names below it."""
    if "\0" in path:
        raise ToolError(mark("The path contains a null character."))
    target = PurePosixPath(path.strip().removeprefix("file://"))
    if ".." in target.parts:
        raise ToolError(mark("Paths that contain “..” aren’t allowed."))
    if not target.is_absolute():
        if len(grants) == 1:
            return grants[0], target.parts
        answer = f"Give the whole path. Granted are: {_escape_braces(_list_grants(grants))}"
        raise ToolError(
            mark("“{path}” isn’t an absolute path."),
            model_text=answer,
            path=to_visible_line(path)[:300],
        )
    # Try inner folders first, because they may have more permissions than their parents.
    for grant in sorted(grants, key=lambda g: -len(g.path.parts)):
        with suppress(ValueError):
            return grant, target.relative_to(PurePosixPath(grant.path)).parts
    answer = f"This is in no granted folder. Granted are: {_escape_braces(_list_grants(grants))}"
    words = mark("“{path}” isn’t in a folder of this chat.")
    raise OutsideError(words, model_text=answer, path=to_visible_line(path)[:300])


def _escape_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


@contextmanager
def _open_folder(grant: Grant, names: Sequence[str]) -> Iterator[int]:
    """Open a folder without following links and yield its descriptor."""
    descriptor = -1
    try:
        descriptor = os.open(grant.path, _FOLDER)
        for name in names:
            inner = os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    except OSError as error:
        raise _refusal(error) from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _read_bytes(grant: Grant, names: Sequence[str], max_bytes: int) -> bytes:
    if not names:
        raise ToolError(mark("This is a folder, not a file."))
    with _open_folder(grant, names[:-1]) as folder:
        return _read_beginning(folder, names[-1], max_bytes)[0]


def _read_beginning(folder: int, name: str, max_bytes: int) -> tuple[bytes, int]:
    """Return the beginning of a regular file, and the file's permissions."""
    try:
        file = os.open(name, _FILE, dir_fd=folder)
    except FileNotFoundError as error:
        raise NoFileError(mark("The file doesn’t exist.")) from error
    except OSError as error:
        raise _refusal(error) from error
    with os.fdopen(file, "rb") as opened:
        mode = os.fstat(file).st_mode
        if not stat.S_ISREG(mode):
            raise ToolError(mark("This isn’t a text file."))
        return opened.read(max_bytes), mode & 0o777


class NoFileError(ToolError, FileNotFoundError):
    __str__ = Exception.__str__


def _refusal(error: OSError) -> ToolError:
    if isinstance(error, ToolError):
        return error
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return ToolError(mark("Links aren’t followed."))
    if isinstance(error, FileNotFoundError):
        return NoFileError(mark("The file or folder doesn’t exist."))
    return ToolError(mark("It couldn’t be opened: {why}."), why=error.strerror)


def _walk(folder: int, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for root, folders, files, _ in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield (*names, *PurePosixPath(root).parts, name)


def _read_lines(grant: Grant, names: tuple[str, ...], text: str) -> list[str]:
    display_path = to_visible_line(str(PurePosixPath(grant.path, *names)))
    if not text:
        return [display_path]
    try:
        content = _text(_read_bytes(grant, names, MOST_READ))
    except (ToolError, OSError):
        return []
    needle = text.casefold()
    lines = [
        f"{display_path}:{number}: {line.strip()[:300]}"
        for number, line in enumerate(content.split("\n"), 1)
        if needle in line.casefold()
    ]
    return lines[:50]


def _text(content: bytes) -> str:
    if b"\0" in content[:4096]:
        raise ToolError(mark("This isn’t a text file."))
    text = content.decode(errors="replace")
    return f"{text}\n[… the rest is left out …]" if len(content) >= MOST_READ else text
