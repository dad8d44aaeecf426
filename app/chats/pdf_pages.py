"""PDF pages as images."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.chats.images import THUMBNAIL, Read, held
from app.store import Attachment, StoredImage
from engine import EngineError
from engine.errors import INVALID_REQUEST
from engine.sandbox.jobs import draw_pages, hold_lock

PIXELS = 2_000_000  # per page; small text is still legible, and few models accept more

_AT_ONCE = 4
"""Pages per child process. Its resource limits depend on this number.

A damaged page makes at most this many pages fail.
"""


def render_pages(
    path: Path, name: str, count: int, numbers: Sequence[int], stop: threading.Event
) -> list[Read]:
    """Render pages of a PDF, skipping damaged pages. Blocks for seconds.

    ``count`` is the number of pages in the file; ``numbers`` counts from 1. Raises EngineError if
    the file can't be read anymore.
    """
    if not numbers:
        return []
    digest = _digest(path)
    with hold_lock(digest, f"“{name}”", stop):
        pages_by_number = {n: entry for n in numbers if (entry := held.get(digest, n)) is not None}
        missing = [n for n in numbers if n not in pages_by_number]
        for start in range(0, len(missing), _AT_ONCE):
            batch = missing[start : start + _AT_ONCE]
            for page in draw_pages(path, batch, PIXELS, THUMBNAIL, stop):
                image = StoredImage(page.jpeg, page.thumbnail)
                attachment = Attachment(
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
                pages_by_number[page.number] = image, attachment
                held.add((image, attachment), digest, page.number)
    pages = (pages_by_number[n] for n in numbers if n in pages_by_number)
    path_text = storable_path(path)
    return [(image, replace(attachment, name=name, path=path_text)) for image, attachment in pages]


def storable_path(path: Path) -> str:
    try:
        return str(path).encode().decode()
    except UnicodeEncodeError:
        return ""


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        message = f"“{path.name}” cannot be opened: {error.strerror or error}."
        raise EngineError(INVALID_REQUEST, message) from None
