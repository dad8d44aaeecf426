"""Fixtures for tests of the kernels.

Instruction sets missing from the processor are emulated (`emulated.h`), so all levels can be tested
on any AVX2 machine. To run the tests under AddressSanitizer and UBSan:

    STRETTO_SANITIZE=1 LD_PRELOAD=$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \\
    .venv/bin/python -m pytest tests/engine/kernels
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernels import build
from engine.kernels.library import LEVELS, Library, load, usable_cores

EMULATION = Path(__file__).with_name("emulated.h")
AVX2 = 1


SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")


def emulated(*flags: str) -> Path:
    made_from = build.digest().encode() + EMULATION.read_bytes() + repr(flags).encode()
    digest = hashlib.sha256(made_from).hexdigest()[:16]
    path = build.library_path().with_name(f"emulated-{digest}.so")
    if not path.is_file():
        os.environ.pop("LD_PRELOAD", None)  # AddressSanitizer would slow down the compiler
        levels = build.LEVELS
        newer = (*levels[AVX2], "-include", str(EMULATION))
        build.LEVELS = (*levels[: AVX2 + 1], *[newer] * (len(levels) - AVX2 - 1))
        try:
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                build.compile_library(next(build.compilers()), Path(folder), flags).replace(path)
        finally:
            build.LEVELS = levels
    return path


@pytest.fixture(scope="session")
def built() -> Library:
    found = load()
    if found is None:
        pytest.skip("no C compiler")
    is_sanitized = "STRETTO_SANITIZE" in os.environ
    if AVX2 not in found.levels or (len(found.levels) == len(LEVELS) and not is_sanitized):
        return found
    library = Library(emulated(*(SANITIZERS if is_sanitized else ())))
    library.start(max(2, usable_cores()))
    library.levels = tuple(range(len(LEVELS)))
    return library


@pytest.fixture
def library(built: Library) -> Iterator[Library]:
    built.use_level(built.levels[-1])
    yield built
    built.use_level(built.levels[-1])
