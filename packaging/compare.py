"""List the differences between two bundles: ``python packaging/compare.py FOLDER FOLDER``.

Two builds of one commit should be equal. Differences are listed by file, and within an archive by
member. Expected differences have a reason in `REASONS`. Exit status 1 if one has none.
"""

from __future__ import annotations

import argparse
import marshal
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

REASONS: dict[str, str] = {}
"""Reasons by a pattern of the difference. Currently builds are equal."""


def differences(one: Path, other: Path) -> Iterator[str]:
    names = {p.relative_to(folder).as_posix() for folder in (one, other) for p in folder.rglob("*")}
    for name in sorted(names):
        a, b = one / name, other / name
        there = [p.is_symlink() or p.exists() for p in (a, b)]
        if not all(there):
            yield f"{name}: only in {one if there[0] else other}"
        elif a.is_symlink() or b.is_symlink():
            if not (a.is_symlink() and b.is_symlink() and os.readlink(a) == os.readlink(b)):
                yield f"{name}: another link"
        elif a.is_dir() != b.is_dir():
            yield f"{name}: a folder in one of them"
        else:
            if a.stat().st_mode != b.stat().st_mode:
                yield f"{name}: other rights"
            if a.is_file() and a.read_bytes() != b.read_bytes():
                yield from _within(name, a, b)


def _within(name: str, a: Path, b: Path) -> Iterator[str]:
    """Yield the differing members of two archives, or the file itself if it is not an archive."""
    first, second = members(a), members(b)
    said = False
    for part in sorted({*first, *second}):
        if first.get(part) != second.get(part):
            said = True
            yield f"{name}: {part}"
    if not said:
        yield f"{name}: other bytes, {a.stat().st_size} and {b.stat().st_size}"


def members(file: Path) -> dict[str, bytes]:
    """Return the members of an archive or a frozen executable, empty for another file."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return {f"{i.filename} {i.date_time}": archive.read(i) for i in archive.infolist()}
    if os.access(file, os.X_OK) and ".so" not in file.name:
        return _frozen(file)
    return {}


def _frozen(file: Path) -> dict[str, bytes]:
    from PyInstaller.archive.readers import ArchiveReadError, CArchiveReader

    try:
        archive = CArchiveReader(str(file))
    except ArchiveReadError:
        return {}
    parts = {}
    for name, entry in archive.toc.items():
        if entry[-1] != "z":
            parts[name] = archive.extract(name)
            continue
        modules = archive.open_embedded_archive(name)
        for module in modules.toc:
            code = modules.extract(module)
            parts[module] = (
                marshal.dumps(code) if isinstance(code, CodeType) else bytes(code or b"")
            )
    return parts


def reason(line: str) -> str | None:
    return next((why for pattern, why in REASONS.items() if re.match(pattern, line)), None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs=2, metavar="FOLDER")
    one, other = parser.parse_args().folders
    unexplained = 0
    for line in differences(one, other):
        why = reason(line)
        unexplained += why is None
        print(f"{line} ({why})" if why else line)
    print(f"{unexplained} differences without a reason.")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
