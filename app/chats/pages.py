"""The pages of a PDF as images, for models that see: each drawn once for all chats."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.chats.images import THUMBNAIL
from app.store import Attachment, StoredImage
from engine import EngineError
from engine.errors import ENGINE_STOPPED, INVALID_REQUEST
from engine.sandbox.jobs import draw_pages

PIXELS = 2_000_000
"""Of a page: its text is read well, and no model is given many more."""

_AT_ONCE = 4
"""Pages that a child draws: its limits are for so many, and no more are lost by a damaged one."""

_MOST_HELD = 32_000_000  # bytes
_LOOK_S = 0.1

Page = tuple[StoredImage, Attachment]

_held: OrderedDict[tuple[str, int], Page] = OrderedDict()  # by the file's digest and the number
_drawing = threading.Lock()  # who wants the same pages finds them after the other


def drawn(
    path: Path, name: str, count: int, numbers: Sequence[int], stop: threading.Event
) -> list[Page]:
    """Pages of a PDF; those that are damaged are left out. Blocks, for seconds.

    Args:
        name: of the file, for people.
        count: of its pages.
        numbers: of those that are wanted, from 1.

    Raises:
        EngineError: it cannot be read any more.
    """
    if not numbers:
        return []
    while not _drawing.acquire(timeout=_LOOK_S):
        if stop.is_set():
            raise EngineError(ENGINE_STOPPED, f"“{name}” is not read any more.")
    try:
        digest = _digest(path)
        missing = [n for n in numbers if (digest, n) not in _held]
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            for page in draw_pages(path, some, PIXELS, THUMBNAIL, stop):
                image = StoredImage(page.jpeg, page.thumbnail)
                made = Attachment(
                    name,
                    "PDF",
                    image.hash,
                    "page",
                    count,
                    use="pages",
                    spans=((page.number, 0, 0),),
                    width=page.width,
                    height=page.height,
                )
                _held[digest, page.number] = image, made
        found = []
        for key in ((digest, n) for n in numbers):
            if key in _held:
                _held.move_to_end(key)
                found.append(_held[key])
        while sum(len(image.data) for image, _ in _held.values()) > _MOST_HELD:
            _held.popitem(last=False)
    finally:
        _drawing.release()
    return [(image, replace(made, name=name)) for image, made in found]


def _digest(path: Path) -> str:
    """Of the file. Raises EngineError."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        why = f"“{path.name}” cannot be opened: {error.strerror or error}."
        raise EngineError(INVALID_REQUEST, why) from None
