"""Reduce the size of a Linux bundle made by PyInstaller.

Each step verifies that its change has no effect, and skips files if that is uncertain.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import elf

SHARED = {
    "libblas": "libopenblas.so.0",
    "liblapack": "libopenblas.so.0",
    "libgfortran": "libgfortran.so.5",
    "libquadmath": "libquadmath.so.0",
}
"""Libraries in wheels, and the bundle's library that can replace each."""


def slim(folder: Path) -> dict[str, int]:
    """Run all steps. Return the bytes saved by each."""
    steps = {
        "one BLAS and Fortran": share,
        "symbols": strip,
        "bills of materials": drop_bills,
    }
    saved = {}
    for name, step in steps.items():
        before = _size(folder)
        step(folder)
        saved[name] = before - _size(folder)
    return saved


def _size(folder: Path) -> int:
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink())


def libraries(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as opened:
                if elf.is_one(opened.read(8)):
                    yield file


def share(folder: Path) -> None:
    """Replace copies in wheels by links, if the bundle's library has all symbols that are used."""
    wanted: set[bytes] = set()
    for file in libraries(folder):
        wanted |= elf.names(file.read_bytes())[1]
    for file in sorted(folder.glob("*.libs/*.so.*")):
        ours = folder / SHARED.get(file.name.partition("-")[0], "none")
        if file.is_symlink() or not ours.is_file():
            continue
        if wanted & elf.names(file.read_bytes())[0] <= elf.names(ours.read_bytes())[0]:
            file.unlink()
            file.symlink_to(os.path.relpath(ours, file.parent))


def drop_bills(folder: Path) -> None:
    """Remove bills of materials of wheels. `licences.json` lists all components."""
    for bills in sorted(folder.glob("*.dist-info/sboms")):
        shutil.rmtree(bills)


def strip(folder: Path) -> None:
    """Strip debug symbols from libraries that still load identically afterwards."""
    if shutil.which("strip") is None:
        print("There is no strip here: libraries keep their symbols, about 25 MB.")
        return
    for file in libraries(folder):
        made = file.with_name(file.name + ".stripped")
        command = ["strip", "--strip-unneeded", "-o", str(made), str(file)]
        done = subprocess.run(command, check=False, capture_output=True)
        if done.returncode == 0 and _loads_alike(file.read_bytes(), made.read_bytes()):
            shutil.copymode(file, made)
            made.replace(file)
        made.unlink(missing_ok=True)


def _loads_alike(before: bytes, after: bytes) -> bool:
    """Return True if segments and symbols are equal. strip moves segments of some wheels'
    libraries."""
    old, new = elf.segments(before), elf.segments(after)
    if len(after) >= len(before) or len(old) != len(new):
        return False
    for was, is_now in zip(old, new, strict=True):
        # Up to eight bytes of padding at a segment's end may be missing.
        if was[:3] != is_now[:3] or was[4:] != is_now[4:] or not 0 <= was[3] - is_now[3] < 8:
            return False
    return elf.names(before) == elf.names(after)
