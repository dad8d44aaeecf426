"""Files with results that would take long to compute again, such as a model's probe.

Each file also records what its result depends on. If a file is invalid or its dependencies differ,
the result is computed again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any, ClassVar

from engine.errors import words_of

log = logging.getLogger(__name__)


class KeptFile:
    """File with a result, in a directory that is created when needed and private to its owner.

    Args:
        folder: the directory.
        facts: everything that the result depends on.
    """

    SUFFIX: ClassVar[str]
    MAX_FILES: ClassVar[int]

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        self._facts = facts
        key = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]
        self.path = folder / f"{key}{self.SUFFIX}"

    def _write(self, *parts: bytes) -> None:
        """Write the file. If this fails, a later load computes the result again."""
        part = self.path.with_suffix(f".{os.getpid()}.part")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "wb") as stream:
                stream.writelines(parts)
            os.replace(part, self.path)
            self._make_room()
        except OSError as error:
            log.info("%s is not kept: %s", self.path.name, words_of(error))
            with contextlib.suppress(OSError):
                part.unlink()

    def _make_room(self) -> None:
        """Delete the oldest files if there are too many, and partial files of killed processes."""
        places = self.path.parent
        files = [*places.glob(f"*{self.SUFFIX}"), *places.glob("*.part")]
        found = sorted((f.lstat().st_mtime, f) for f in files if f != self.path)
        for _, old in found[: max(0, len(found) + 1 - self.MAX_FILES)]:
            with contextlib.suppress(OSError):
                old.unlink()


@functools.cache
def own_code(*packages: str) -> str:
    """Hash packages of the engine, since they have no version of their own."""
    engine, digest = Path(__file__).parents[1], hashlib.sha256()
    folders = [engine / package for package in packages]
    if getattr(sys, "frozen", False):  # in a bundle, the code is part of the executable
        program = Path(sys.executable).stat()
        digest.update(f"{program.st_size} {program.st_mtime_ns}".encode())
        folders = []
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def versions(*packages: str) -> dict[str, str]:
    """Get the versions of packages, with "" for missing packages."""
    return {package: _version(package) for package in packages}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
