"""Checks an .app as far as that is possible without a Mac.

Checked are the libraries that dyld must find, the folders in which codesign wants code and data,
and the place where MLX looks for its kernels.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import mach_o

SYSTEM = ("/usr/lib/", "/System/Library/")
KERNELS = "mlx.metallib"
_MAGIC = {b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xce\xfa\xed\xfe"}


@dataclass
class Found:
    """What was found. The app is in order if `faults` is empty."""

    binaries: int = 0
    links: int = 0
    loads: int = 0
    bytes: int = 0
    newer: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Binary:
    """What a Mach-O file needs: libraries, run paths, the oldest macOS."""

    loads: tuple[str, ...]
    paths: tuple[str, ...]
    minimum: tuple[int, int]


def look(app: Path, minimum: str) -> Found:
    """Check every file and link of the app."""
    found = Found()
    app = app.resolve()
    contents = app / "Contents"
    binaries: dict[Path, Binary] = {}
    for path in _walk(app):
        if path.is_symlink():
            found.links += 1
            found.faults += _link(app, path)
        elif path.is_file():
            found.bytes += path.stat().st_size
            binary = _binary(path, found)
            if binary:
                binaries[path] = binary
            found.faults += _place(contents, path, binary is not None)
        elif _dotted(contents, path):
            found.faults.append(f"{_in(app, path)} has a dot: codesign takes it for a bundle")
    found.binaries = len(binaries)
    found.faults += _frameworks(app)
    found.faults += _plist(app, minimum, binaries)
    _loads(app, binaries, found)
    _twice(app, binaries, found)
    limit = tuple(int(part) for part in minimum.split("."))
    found.newer = sorted(_in(app, path) for path, b in binaries.items() if b.minimum > limit)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        yield entry
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)


def _in(app: Path, path: Path) -> str:
    return path.relative_to(app).as_posix()


def _link(app: Path, path: Path) -> Iterator[str]:
    target = os.readlink(path)
    end = path.resolve()
    if os.path.isabs(target) or not end.is_relative_to(app):
        yield f"{_in(app, path)} links out of the app, to {target}"
    elif not end.exists():
        yield f"{_in(app, path)} links to {target}, which is not there"


def _binary(path: Path, found: Found) -> Binary | None:
    """What the file needs; None if it is no Mach-O file."""
    with path.open("rb") as file:
        if file.read(4) not in _MAGIC:
            return None
    data = path.read_bytes()
    try:
        commands = mach_o.commands(mach_o.thin(data))
    except ValueError as error:
        found.faults.append(f"{path.name}: {error}")
        return None
    loads = tuple(mach_o.name(c) for c in commands if mach_o.kind(c) in mach_o.LOADS)
    paths = tuple(mach_o.name(c) for c in commands if mach_o.kind(c) == mach_o.RUN_PATH)
    return Binary(loads, paths, mach_o.minimum(commands))


def _framework(path: Path) -> bool:
    return any(parent.suffix == ".framework" for parent in path.parents)


def _place(contents: Path, path: Path, binary: bool) -> Iterator[str]:
    """codesign wants code and data in different folders: it signs code in place, data by a list."""
    for folder in ("Frameworks", "MacOS"):
        if path.is_relative_to(contents / folder) and not binary and not _framework(path):
            yield f"{_in(contents, path)} is data where codesign expects code"
    if path.is_relative_to(contents / "Resources") and binary:
        yield f"{_in(contents, path)} is code where codesign expects data"


def _dotted(contents: Path, folder: Path) -> bool:
    code = any(folder.is_relative_to(contents / part) for part in ("Frameworks", "MacOS"))
    return code and "." in folder.name and folder.suffix != ".framework" and not _framework(folder)


def _frameworks(app: Path) -> Iterator[str]:
    for folder in app.rglob("*.framework"):
        if folder.is_symlink():
            continue
        name = folder.stem
        current = folder / "Versions" / "Current"
        for entry in folder.iterdir():
            if entry.name != "Versions" and not entry.is_symlink():
                yield f"{_in(app, entry)} lies beside Versions and is no link"
        if not current.is_symlink() or not (current / "Resources" / "Info.plist").is_file():
            yield f"{_in(app, folder)} has no current version with an Info.plist"
        elif (folder / name).resolve() != (current / name).resolve():
            yield f"{_in(app, folder)} does not link to its own library"


def _plist(app: Path, minimum: str, binaries: dict[Path, Binary]) -> Iterator[str]:
    contents = app / "Contents"
    try:
        plist = plistlib.loads((contents / "Info.plist").read_bytes())
    except (OSError, plistlib.InvalidFileException, ValueError) as error:
        yield f"Info.plist: {error}"
        return
    if plist.get("LSMinimumSystemVersion") != minimum:
        yield f"Info.plist asks for macOS {plist.get('LSMinimumSystemVersion')}, not {minimum}"
    for key in ("CFBundleIdentifier", "CFBundleVersion", "CFBundleShortVersionString"):
        if not plist.get(key):
            yield f"Info.plist has no {key}"
    if contents / "MacOS" / plist.get("CFBundleExecutable", "?") not in binaries:
        yield "Info.plist names a program that is not in Contents/MacOS"
    if not (contents / "Resources" / plist.get("CFBundleIconFile", "?")).is_file():
        yield "Info.plist names an icon that is not in Contents/Resources"


def _loads(app: Path, binaries: dict[Path, Binary], found: Found) -> None:
    """Find each binary's libraries as dyld would, and the Metal kernels beside MLX."""
    kernels = 0
    for path, binary in binaries.items():
        for wanted in binary.loads:
            found.loads += 1
            if wanted.startswith(SYSTEM):
                continue
            at = _resolved(app, path, wanted, binary.paths)
            if at is None or not at.resolve().is_relative_to(app):
                found.faults.append(f"{_in(app, path)} links with {wanted}, which is not found")
            elif at.resolve() not in binaries:
                found.faults.append(f"{_in(app, path)} links with {wanted}, which is no library")
            elif at.name == "libmlx.dylib":
                # MLX looks beside the path by which dyld found it, which may be a link.
                for folder in {at.parent, at.resolve().parent}:
                    kernels += 1
                    if not (folder / KERNELS).is_file():
                        found.faults.append(f"{KERNELS} is not in {_in(app, folder)}")
    if not kernels:
        found.faults.append("nothing links with libmlx.dylib")


def _resolved(app: Path, path: Path, wanted: str, paths: tuple[str, ...]) -> Path | None:
    """Where dyld finds a library. Run paths of whoever loads the binary are not counted on."""
    tails = [wanted]
    if wanted.startswith("@rpath/"):
        tails = [wanted.replace("@rpath", run_path, 1) for run_path in paths]
    for tail in tails:
        place = tail.replace("@loader_path", str(path.parent), 1)
        place = place.replace("@executable_path", str(app / "Contents" / "MacOS"), 1)
        at = Path(os.path.normpath(place))
        if at.is_relative_to(app) and at.exists():
            return at
    return None


def _twice(app: Path, binaries: dict[Path, Binary], found: Found) -> None:
    """Report copies of a library: loaded twice, it has its classes twice, and nanobind aborts."""
    seen: dict[str, Path] = {}
    for path in binaries:
        if path.suffix != ".dylib" and not _framework(path):
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest in seen:
            found.faults.append(f"{_in(app, path)} is {_in(app, seen[digest])} once more")
        seen[digest] = path
