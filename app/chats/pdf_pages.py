"""PDF pages as images."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from app.chats.images import THUMBNAIL, Read
from app.store import Attachment, StoredImage
from engine import EngineError
from engine.errors import INVALID_REQUEST
from engine.sandbox.jobs import draw_pages

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
    try:
        path.open("rb").close()
    except OSError as error:
        message = f"“{path.name}” cannot be opened: {error.strerror or error}."
        raise EngineError(INVALID_REQUEST, message) from None
    pages: list[Read] = []
    for start in range(0, len(numbers), _AT_ONCE):
        batch = numbers[start : start + _AT_ONCE]
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
                path=storable_path(path),
            )
            pages.append((image, attachment))
    return pages


def storable_path(path: Path) -> str:
    try:
        return str(path).encode().decode()
    except UnicodeEncodeError:
        return ""
