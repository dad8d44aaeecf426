"""Checks the Mac program's wheels without a Mac: ``python packaging/mac_wheels.py``.

Fetches the wheels that the constraints pin for an Apple Silicon Mac (about 300 MB, into
build/macos-wheels), unpacks them and checks:

- each wheel's requirements are among the pinned versions;
- each library has code for arm64, and asks for no newer system than Info.plist or uses nothing that
  this system lacks;
- each library that it links with is the system's or is found by its own search paths;
- the Metal kernels lie beside the library that reads them, and where the bundle links to.

Exit status 1 when something is found.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.parser import BytesParser
from pathlib import Path, PurePosixPath
from typing import Any

import bootstrap

sys.path.insert(0, str(bootstrap.ROOT))

import contents
import macos
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

PLATFORMS = ("macosx_14_0_arm64", "macosx_13_0_universal2")
PYTHON = "3.12"
"""The Python that the bundle is built with (`.github/workflows/bundle.yml`)."""

OLD_SYMBOLS = re.compile(
    # strings, streams, locks and type names of the C++ library: since macOS 10.9
    r"__ZNK?St3__1(12basic_string|13basic_ostream|15recursive_mutex)|__ZTI[a-z]$|_signal$"
    # frameworks' classes: AVFoundation 10.7, EventKit 10.8, Contacts 10.11, CoreBluetooth 10.13
    r"|_AVMediaType(Audio|Video)$"
    r"|_OBJC_CLASS_\$_(AVCaptureDevice|EKEventStore|CNContactStore|CBCentralManager)$"
)
"""Symbols that a library which asks for a newer system may use all the same.

PySide6's bindings ask for macOS 15, on which they were built, though their wheel and Qt itself say
13. dyld ignores what a library asks for: it only needs the library's symbols. Symbols that older
libraries use are allowed as well.
"""

_SYSTEM = ("/usr/lib/", "/System/Library/")
_IS_LIBRARY = re.compile(r"\.(so|dylib)$|/(Qt\w+)\.framework/Versions/\w+/\2$")
_LOADS = {0xC, 0x80000018, 0x8000001F, 0x80000023}
"""Mach-O commands that name a library to load: plain, weak, re-exported, upward."""


@dataclass
class Report:
    """What was found. The wheels are in order if `faults` is empty."""

    wheels: dict[str, str] = field(default_factory=dict)
    libraries: int = 0
    newest: str = "0"
    newer: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def environment() -> dict[str, str]:
    """The variables of requirements' markers on an Apple Silicon Mac."""
    return {
        **{k: str(v) for k, v in default_environment().items()},
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "platform_machine": "arm64",
        "os_name": "posix",
        "python_version": PYTHON,
        "python_full_version": f"{PYTHON}.0",
    }


def pinned() -> dict[str, str]:
    """The versions that the constraints pin for a Mac, by package."""
    versions = {}
    for line in (bootstrap.ROOT / "packaging" / "constraints.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate(environment()):
                (pin,) = requirement.specifier
                versions[canonicalize_name(requirement.name)] = pin.version
    return versions


def requirements(texts: list[str], extras: set[str]) -> Iterator[Requirement]:
    """The requirements that hold on a Mac."""
    for text in texts:
        requirement = Requirement(text)
        marker = requirement.marker
        wanted = [{**environment(), "extra": extra} for extra in extras or {""}]
        if marker is None or any(marker.evaluate(e) for e in wanted):
            yield requirement


def fetch(folder: Path, report: Report) -> None:
    """Download the program's wheels and those that they ask for, one by one.

    pip cannot do it in one go: it takes the markers for the system that it runs on itself.
    """
    bare = bootstrap.without_dependencies()
    asked = [*bootstrap.project()["dependencies"], *bare]
    versions, todo = pinned(), list(requirements(asked, set()))
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in report.wheels:
            continue
        version = versions.get(name)
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            report.faults.append(f"{requirement} is pinned to {version} for a Mac")
            report.wheels[name] = "missing"
            continue
        wheel = _download(folder, name, version)
        if wheel is None:
            report.faults.append(f"{name}=={version} has no wheel for a Mac with Python {PYTHON}")
            report.wheels[name] = "missing"
            continue
        report.wheels[name] = wheel.name
        if str(requirement) not in bare:
            todo += requirements(_requires(wheel), set(requirement.extras))


def _download(folder: Path, name: str, version: str) -> Path | None:
    def found() -> Path | None:
        for file in folder.glob("*.whl"):
            of, is_version, _, _ = parse_wheel_filename(file.name)
            if of == name and str(is_version) == version:
                return file
        return None

    if found() is None:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        command += [str(folder), "--only-binary=:all:", "--implementation", "cp"]
        command += ["--python-version", PYTHON, *[f"--platform={p}" for p in PLATFORMS]]
        subprocess.run([*command, f"{name}=={version}"], check=False)
    return found()


def _requires(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return BytesParser().parsebytes(archive.read(metadata)).get_all("Requires-Dist", [])


def unpack(wheels: Path, site: Path) -> None:
    """Unpack all wheels into one folder, as pip does."""
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)


def look(site: Path, report: Report) -> None:
    """Check every library that would be shipped."""
    limit = _version(macos.MINIMUM_SYSTEM)
    names = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    common: set[str] = set()
    newer: dict[str, frozenset[str]] = {}
    for name in sorted(names):
        if not contents.wanted_file(name) or not _IS_LIBRARY.search(name):
            continue
        library = _library(site / name)
        if library is None:
            continue
        report.libraries += 1
        if not library.arm64:
            report.faults.append(f"{name} has no code for arm64")
            continue
        if _version(library.minimum) > _version(report.newest):
            report.newest = library.minimum
        if _version(library.minimum) > limit:
            newer[name] = library.symbols
        else:
            common |= library.symbols
        for wanted in library.links:
            if not _resolves(PurePosixPath(name), wanted, library.paths, names):
                report.faults.append(f"{name} links with {wanted}, which is not found")
    report.newer = sorted(newer)
    for name, symbols in newer.items():
        for symbol in sorted(symbols - common):
            if not OLD_SYMBOLS.match(symbol):
                report.faults.append(f"{name} is made for a newer macOS and uses its {symbol}")
    kernels = sorted(n for n in names if n.endswith(".metallib"))
    if kernels != ["mlx/lib/mlx.metallib"] or "mlx/lib/libmlx.dylib" not in names:
        report.faults.append(f"the Metal kernels lie in {kernels}, not beside libmlx.dylib")
    spec = (bootstrap.ROOT / "packaging" / "stretto.spec").read_text()
    if '("mlx.metallib", "mlx/lib/mlx.metallib", "SYMLINK")' not in spec:
        report.faults.append("the bundle does not link to mlx/lib/mlx.metallib")


@dataclass(frozen=True)
class _Library:
    arm64: bool
    minimum: str
    links: tuple[str, ...]
    paths: tuple[str, ...]
    symbols: frozenset[str]  # those of the system that it uses


def _library(file: Path) -> _Library | None:
    """Read the arm64 part of a Mach-O file; None for another kind of file."""
    from macholib import mach_o
    from macholib.MachO import MachO

    try:
        macho = MachO(str(file))
    except ValueError:
        return None
    ours = [h for h in macho.headers if mach_o.CPU_TYPE_NAMES.get(h.header.cputype) == "ARM64"]
    if not ours:
        return _Library(False, "0", (), (), frozenset())
    minimum, links, paths = "0", [], []
    for load, command, data in ours[0].commands:
        if load.cmd == mach_o.LC_BUILD_VERSION:
            minimum = _decoded(int(command.minos))
        elif load.cmd == mach_o.LC_VERSION_MIN_MACOSX:
            minimum = _decoded(int(command.version))
        elif load.cmd in _LOADS:
            links.append(data.rstrip(b"\0").decode())
        elif load.cmd == mach_o.LC_RPATH:
            paths.append(data.rstrip(b"\0").decode())
    macho.headers = ours
    symbols = frozenset(_symbols(macho, links))
    return _Library(True, minimum, tuple(links), tuple(paths), symbols)


def _symbols(macho: Any, links: list[str]) -> Iterator[str]:
    """The symbols that a library uses from the system's libraries."""
    from macholib.SymbolTable import SymbolTable

    for entry, name in SymbolTable(macho).undefsyms:
        # Bits 8 to 15 of the description are the number of the library that defines the symbol.
        at = (entry.n_desc >> 8 & 0xFF) - 1
        if 0 <= at < len(links) and links[at].startswith(_SYSTEM):
            yield name.decode()


def _decoded(version: int) -> str:
    return f"{version >> 16}.{version >> 8 & 0xFF}"


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _resolves(library: PurePosixPath, wanted: str, paths: tuple[str, ...], names: set[str]) -> bool:
    """Whether dyld would find what `library` links with, in the folder or the system."""
    if wanted.startswith(_SYSTEM):
        return True
    if wanted.startswith("@rpath/"):
        tails = [wanted.replace("@rpath", path, 1) for path in paths]
    else:
        tails = [wanted]
    for tail in tails:
        if tail.startswith(("@loader_path", "@executable_path")):
            below = tail.partition("/")[2].lstrip("/")
            if _normal(library.parent / below) in names:
                return True
        elif tail.startswith(_SYSTEM):
            return True
    return False


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=bootstrap.ROOT / "build" / "macos-wheels")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the report")
    options = parser.parse_args()
    report = Report()
    options.folder.mkdir(parents=True, exist_ok=True)
    fetch(options.folder, report)
    site = options.folder / "site"
    unpack(options.folder, site)
    look(site, report)
    print(f"{len(report.wheels)} wheels, {report.libraries} libraries; the newest system that one")
    print(f"asks for is macOS {report.newest}, Info.plist says {macos.MINIMUM_SYSTEM}.")
    print(f"{len(report.newer)} ask for a newer one than that, and are looked at by symbols.")
    for fault in report.faults:
        print(f"  {fault}")
    if options.json:
        options.json.write_text(json.dumps(vars(report), indent=1))
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
