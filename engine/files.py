"""Atomic file writes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_text(file: Path, text: str) -> None:
    replace_file(file, text.encode())


def replace_file(file: Path, *parts: bytes, sync: bool = True) -> None:
    """Write a file atomically, readable only by its owner.

    With `sync`, wait until it's on the disk, which may take 50 ms.

    Raises:
        OSError: if the file can't be written. The old file is then unchanged.
    """
    temporary, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")  # with mode 600
    try:
        with open(temporary, "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
