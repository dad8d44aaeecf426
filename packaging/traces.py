"""Find names of the builder's folders in a bundle: ``python packaging/traces.py [FOLDER]``.

Searches every file, and the members of archives, for the folders of this checkout, its
environment, its Python and its user, and for files of tests, caches or keys. Exit status 1 if
something is found.
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

ROOT = Path(__file__).resolve().parent.parent

STRAY = re.compile(
    r"(^|/)(tests?|__pycache__|\.git|\.pytest_cache|\.mypy_cache|\.env|\.netrc|\.pypirc)(/|$)"
    r"|(^|/)(direct_url\.json|pyvenv\.cfg|\.DS_Store|\.coverage)$"
    r"|\.(log|orig|rej|swp|pem|p8|p12)$|(^|/)core\.\d+$|~$"
)
"""Files that must not be shipped. direct_url.json has the path that a package was installed
from."""

NEUTRAL = ("/usr", "/opt", "/root", "/home/runner")
"""Folders of systems, containers and hosted runners, which do not identify a builder."""


def private_folders() -> list[bytes]:
    """Return the folders of this machine that a bundle must not name."""
    own = {ROOT, Path(sys.prefix), Path(sys.base_prefix), Path.home()}
    return sorted(
        str(path).encode()
        for path in own - {Path("/")}
        if not any(path.is_relative_to(folder) for folder in NEUTRAL)
    )


def named_by_python() -> bool:
    """Return True if Python's own libraries name a private folder, so that each bundle would."""
    return sys.platform == "linux" and sys.base_prefix.encode() in private_folders()


def traces(folder: Path, paths: list[bytes]) -> Iterator[str]:
    """Yield a line for each path of this machine in a bundle."""
    named = {path: re.compile(re.escape(path) + rb"(?![\w.-])") for path in paths}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if STRAY.search(name):
            yield f"{name} belongs to no bundle"
        if file.is_symlink():
            if os.path.isabs(os.readlink(file)):
                yield f"{name} links to {os.readlink(file)}"
        elif file.is_file():
            for member, data in {"": file.read_bytes(), **members(file)}.items():
                for path, pattern in named.items():
                    if pattern.search(data):
                        yield f"{name}{member and f': {member}'} names {path.decode()}"


def members(file: Path) -> dict[str, bytes]:
    """Return the members of an archive or a frozen executable, empty for another file."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return {info.filename: archive.read(info) for info in archive.infolist()}
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "dist" / "Stretto")
    found = list(traces(parser.parse_args().folder, private_folders()))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
