"""Checks of the Mac program: its wheels on any system, the built app on a Mac.

`.github/workflows/bundle.yml` runs them. Those of the wheels need a folder to download them into
(about 300 MB), named by ``STRETTO_MAC_WHEELS``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from email.parser import BytesParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
APP = ROOT / "build" / "dist" / "Stretto.app"

PYTHON = "3.12"
"""The Python that the bundle is built with (`.github/workflows/bundle.yml`)."""
PLATFORMS = ("macosx_14_0_arm64", "macosx_13_0_universal2")
MAC = {
    **default_environment(),
    "sys_platform": "darwin",
    "platform_system": "Darwin",
    "platform_machine": "arm64",
    "os_name": "posix",
    "python_version": PYTHON,
    "python_full_version": f"{PYTHON}.0",
}
SYSTEM = ("/usr/lib/", "/System/Library/")
MAGIC = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # of thin and universal Mach-O files

OLD_SYMBOLS = re.compile(
    # strings, streams, locks and type names of the C++ library: since macOS 10.9
    r"__ZNK?St3__1(12basic_string|13basic_ostream|15recursive_mutex)|__ZTI[a-z]$|_signal$"
    # frameworks' classes: AVFoundation 10.7, EventKit 10.8, Contacts 10.11, CoreBluetooth 10.13
    r"|_AVMediaType(Audio|Video)$"
    r"|_OBJC_CLASS_\$_(AVCaptureDevice|EKEventStore|CNContactStore|CBCentralManager)$"
)
"""Symbols that a library may use although it asks for a newer system than Info.plist.

PySide6's bindings ask for macOS 15, on which they were built. dyld ignores that: it only needs the
symbols. Symbols used by libraries for older systems are allowed, too.
"""


class Library(NamedTuple):
    minimum: tuple[int, int]  # oldest supported macOS
    links: list[str]
    run_paths: list[str]
    symbols: set[str]  # used from the system's libraries


def required(texts: Iterable[str], extras: Iterable[str] = ()) -> list[Requirement]:
    variants: list[Any] = [{**MAC, "extra": extra} for extra in extras or ("",)]
    found = [Requirement(text) for text in texts]
    return [r for r in found if not r.marker or any(r.marker.evaluate(v) for v in variants)]


def pinned() -> dict[str, str]:
    lines = (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found = required(line for line in lines if line.strip() and not line.startswith("#"))
    return {canonicalize_name(r.name): next(iter(r.specifier)).version for r in found}


def download(name: str, version: str, folder: Path) -> Path:
    place = folder / f"{name}-{version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", PYTHON]
    command += [*(f"--platform={p}" for p in PLATFORMS), "--dest", str(place)]
    if not list(place.glob("*.whl")):
        subprocess.run([*command, f"{name}=={version}"], check=True)
    return next(place.glob("*.whl"))


@pytest.fixture(scope="module")
def wheels() -> dict[str, Path]:
    folder = os.environ.get("STRETTO_MAC_WHEELS")
    if not folder:
        pytest.skip("STRETTO_MAC_WHEELS names no folder")
    # pip cannot resolve this: it evaluates markers for the system that it runs on.
    bare = PROJECT["tool"]["stretto"]["without-dependencies"]
    versions, found = pinned(), dict[str, Path]()
    waiting = required([*PROJECT["project"]["dependencies"], *bare])
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{requirement} is not pinned for a Mac"
        assert requirement.specifier.contains(versions[name], prereleases=True), requirement
        if name in found:
            continue
        found[name] = download(name, versions[name], Path(folder))
        if str(requirement) not in bare:
            waiting += required(requires(found[name]), requirement.extras)
    return found


def requires(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return BytesParser().parsebytes(archive.read(metadata)).get_all("Requires-Dist", [])


@pytest.fixture(scope="module")
def site(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return folder


def libraries(
    folder: Path, shipped: Callable[[str], bool] = bool
) -> Iterator[tuple[Path, Library]]:
    from macholib import MachO, SymbolTable, mach_o

    loads = {mach_o.LC_LOAD_DYLIB, mach_o.LC_LOAD_WEAK_DYLIB, mach_o.LC_REEXPORT_DYLIB}
    loads |= {mach_o.LC_LOAD_UPWARD_DYLIB}
    for file in sorted(folder.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        with file.open("rb") as opened:
            if opened.read(4) not in MAGIC or not shipped(file.relative_to(folder).as_posix()):
                continue
        binary = MachO.MachO(str(file))
        binary.headers = [
            h for h in binary.headers if mach_o.CPU_TYPE_NAMES.get(h.header.cputype) == "ARM64"
        ]
        assert binary.headers, f"{file} has no code for arm64"
        found = Library((0, 0), [], [], set())
        for load, command, data in binary.headers[0].commands:
            if load.cmd in loads:
                found.links.append(data.rstrip(b"\0").decode())
            elif load.cmd == mach_o.LC_RPATH:
                found.run_paths.append(data.rstrip(b"\0").decode())
            elif load.cmd in (mach_o.LC_BUILD_VERSION, mach_o.LC_VERSION_MIN_MACOSX):
                version = int(getattr(command, "minos", getattr(command, "version", 0)))
                found = found._replace(minimum=(version >> 16, version >> 8 & 0xFF))
        for entry, name in getattr(SymbolTable.SymbolTable(binary), "undefsyms", ()):
            # Bits 8 to 15 of the description number the library that defines the symbol.
            at = (entry.n_desc >> 8 & 0xFF) - 1
            if 0 <= at < len(found.links) and found.links[at].startswith(SYSTEM):
                found.symbols.add(name.decode())
        yield file, found


def places(file: Path, library: Library, wanted: str, program: Path) -> Iterator[Path]:
    for run_path in library.run_paths if wanted.startswith("@rpath/") else ("",):
        place = wanted.replace("@rpath", run_path, 1)
        place = place.replace("@loader_path", str(file.parent), 1)
        yield Path(os.path.normpath(place.replace("@executable_path", str(program), 1)))


def missing(file: Path, library: Library, top: Path, program: Path) -> Iterator[str]:
    for wanted in library.links:
        found = (
            str(place).startswith(SYSTEM) or (place.is_relative_to(top) and place.is_file())
            for place in places(file, library, wanted, program)
        )
        if not any(found):
            yield f"{file.relative_to(top)} links with {wanted}"


def test_wheels_have_libraries_for_old_macs(site: Path, module: Callable[[str], Any]) -> None:
    shipped = module("contents").wanted_file
    limit = tuple(int(part) for part in module("macos").MINIMUM_SYSTEM.split("."))
    faults, old, newer = list[str](), set[str](), dict[str, set[str]]()
    for file, library in libraries(site, shipped):
        name = file.relative_to(site).as_posix()
        faults += missing(file, library, site, site)
        if library.minimum > limit:
            newer[name] = library.symbols
        else:
            old |= library.symbols
    for name, symbols in newer.items():
        unknown = sorted(s for s in symbols - old if not OLD_SYMBOLS.match(s))
        faults += [f"{name} is built for a newer macOS and uses {symbol}" for symbol in unknown]
    assert faults == []


def test_metal_kernels_are_next_to_mlx(site: Path) -> None:
    """The spec collects the kernels and links to them from the top, where dyld finds
    libmlx.dylib.
    """
    (kernels,) = site.rglob("*.metallib")
    assert kernels == site / "mlx" / "lib" / "mlx.metallib"
    assert kernels.with_name("libmlx.dylib").is_file()
    spec = (ROOT / "packaging" / "stretto.spec").read_text(encoding="utf-8")
    assert '("mlx.metallib", "mlx/lib/mlx.metallib", "SYMLINK")' in spec
    assert 'collect_data_files("mlx", includes=["lib/*.metallib"])' in spec


@pytest.mark.skipif(not APP.is_dir(), reason="no app was built")
def test_built_app_has_its_libraries_and_kernels() -> None:
    links = [path for path in APP.rglob("*") if path.is_symlink()]
    assert [p for p in links if not p.exists() or not p.resolve().is_relative_to(APP)] == []
    faults, kernels = list[str](), set[Path]()
    program = APP / "Contents" / "MacOS"
    for file, library in libraries(APP):
        faults += missing(file, library, APP, program)
        for wanted in library.links:
            if wanted.endswith("/libmlx.dylib"):
                found = next(p for p in places(file, library, wanted, program) if p.is_file())
                # MLX looks next to the path where dyld found it, which may be a link.
                kernels |= {found.parent, found.resolve().parent}
    assert faults == []
    assert kernels
    assert [folder for folder in kernels if not (folder / "mlx.metallib").is_file()] == []
    subprocess.run(["codesign", "--verify", "--deep", "--strict", str(APP)], check=True)
