"""Finds names of the building machine in a bundle: ``python packaging/traces.py [FOLDER]``.

Looks into every file, also into what is compressed in them (the start file's archive, zip files),
for the folders of this checkout, its environment, its Python and its user, and for files that
belong to tests, caches or keys. Exit status 1 when something is found.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parent.parent

STRAY = re.compile(
    r"(^|/)(tests?|__pycache__|\.git|\.pytest_cache|\.mypy_cache|\.env|\.netrc|\.pypirc)(/|$)"
    r"|(^|/)(direct_url\.json|pyvenv\.cfg|\.DS_Store|\.coverage)$"
    r"|\.(log|orig|rej|swp|pem|p8|p12)$|(^|/)core\.\d+$|~$"
)
"""Files that must not be shipped. direct_url.json says where a package was installed from."""

NOWHERE = b"/python"
"""Replaces Python's own folder in its settings. A frozen Python never looks there."""


def machine() -> list[bytes]:
    """The folders that would tell something about this machine."""
    own = {
        ROOT,
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path.home(),
        Path(sysconfig.get_path("purelib")),
    }
    # A system's Python lies in the same place everywhere, and wheels are built in such homes.
    common = {Path(p) for p in ("/", "/usr", "/usr/local", "/root", "/home/runner")}
    return sorted({str(path).encode() for path in own - common})


def erase(folder: Path) -> None:
    """Overwrite this machine's folders in Python's own libraries."""
    for path in machine():
        for file in [*folder.rglob("libpython*.so*"), *folder.rglob("lib-dynload/*.so")]:
            if not file.is_symlink():
                data = file.read_bytes()
                if _names(data, path):
                    file.write_bytes(_erased(data, path))


def _erased(data: bytes, path: bytes) -> bytes:
    """The bytes with `path` overwritten by as many other characters.

    The path's last part stays: a linker may use the "3.11.7" of "/somewhere/3.11.7" as a string of
    its own.
    """
    folder, _, last = path.rpartition(b"/")
    instead = b"/" + b"_" * (len(folder) - 1) + b"/" + last
    return re.sub(re.escape(path) + rb"(?![\w.-])", instead, data)


def sysconfig_data(folder: Path) -> tuple[str, Path]:
    """Write Python's settings module without folders of this machine into `folder`."""
    name = sysconfig._get_sysconfigdata_name()  # type: ignore[attr-defined]
    module = __import__(name)
    text = Path(module.__file__).read_text(encoding="utf-8")
    for path in machine():
        text = re.sub(re.escape(path.decode()) + r"(?![\w.-])", NOWHERE.decode(), text)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.py"
    target.write_text(text, encoding="utf-8")
    return name, target


def traces(folder: Path, paths: list[bytes]) -> Iterator[str]:
    """A line for each trace of this machine in a bundle."""
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if STRAY.search(name):
            yield f"{name} belongs to no bundle"
        if file.is_symlink():
            if os.path.isabs(os.readlink(file)):
                yield f"{name} links to {os.readlink(file)}"
        elif file.is_file():
            for inner, data in contents(file):
                for path in paths:
                    if _names(data, path):
                        yield f"{name}{inner} names {path.decode()}"


def _names(data: bytes, path: bytes) -> bool:
    """Whether `data` contains `path`, and not only as the beginning of a longer name."""
    at = data.find(path)
    while at >= 0:
        if not re.match(rb"[\w.-]", data[at + len(path) : at + len(path) + 1]):
            return True
        at = data.find(path, at + 1)
    return False


def contents(file: Path) -> Iterator[tuple[str, bytes]]:
    """The file's bytes, and those of each member if it is an archive, by the member's name."""
    yield "", file.read_bytes()
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                yield f": {name}", archive.read(name)
    if os.access(file, os.X_OK) and ".so" not in file.name:
        yield from _frozen(file)


def _frozen(file: Path) -> Iterator[tuple[str, bytes]]:
    """The modules in an executable that PyInstaller made."""
    from PyInstaller.archive.readers import ArchiveReadError, CArchiveReader

    try:
        archive = CArchiveReader(str(file))
    except ArchiveReadError:
        return
    for name, entry in archive.toc.items():
        if entry[-1] == "z":
            modules = archive.open_embedded_archive(name)
            for module in modules.toc:
                code = modules.extract(module)
                if isinstance(code, CodeType):
                    yield f": {module}", b"\n".join(_texts(code))
        else:
            yield f": {name}", archive.extract(name)


def _texts(code: CodeType) -> Iterable[bytes]:
    """The file names and the strings in a module's code."""
    yield code.co_filename.encode("utf-8", "surrogateescape")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _texts(constant)
        elif isinstance(constant, str):
            yield constant.encode("utf-8", "surrogatepass")
        elif isinstance(constant, bytes):
            yield constant


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "dist" / "Stretto")
    found = list(traces(parser.parse_args().folder, machine()))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
