from __future__ import annotations

import logging
import threading
from functools import partial

from PySide6.QtCore import QObject, Signal

from app import flows
from app.chats.saved_chat import SavedChat
from app.settings.language import tr
from app.store import Attachment, StoreError
from engine import EngineError
from engine.errors import NOT_FOUND
from engine.sandbox.jobs import read_image

log = logging.getLogger(__name__)


class AttachedImages(QObject):
    """Reads the thumbnails of a chat's images, one at a time, and decodes images."""

    thumbnail_read = Signal(str)  # (hash)

    def __init__(self, saved: SavedChat, parent: QObject) -> None:
        super().__init__(parent)
        self._saved = saved
        self._waiting: dict[str, None] = {}  # hashes of images whose thumbnail is read, in order
        self._without_thumbnail: set[str] = set()

    def thumbnail(self, attachment: Attachment) -> bytes:
        """Return a small JPEG, or b"" if it isn't in memory yet (see `thumbnail_read`)."""
        key = attachment.hash
        if (image := self._saved.thumbnail(key, read=False)) is not None:
            return image
        if key not in self._without_thumbnail and key not in self._waiting:
            self._waiting[key] = None
            if len(self._waiting) == 1:
                flows.start(self, self._read_thumbnails())
        return b""

    async def _read_thumbnails(self) -> None:
        saved = self._saved
        while self._waiting:
            key = next(iter(self._waiting))
            try:
                thumbnail = await flows.run_in_thread(partial(_load_thumbnail, saved, key))
            except StoreError as error:
                log.warning("thumbnail not read: %s", error.code)
                thumbnail = None
            del self._waiting[key]
            if thumbnail is None:
                self._without_thumbnail.add(key)
            else:
                self.thumbnail_read.emit(key)

    def pixels(self, attachment: Attachment, max_pixels: int) -> tuple[int, int, bytes]:
        """Decode an image to at most ``max_pixels`` RGB pixels. Return width, height, and bytes.

        Blocks, so call this in a worker thread. Raises EngineError if the image is damaged or
        missing.
        """
        data = self._saved.image(attachment.hash).data
        if not data:
            raise EngineError(NOT_FOUND, tr("The image is no longer available."))
        image = read_image(data, f"“{attachment.name}”", max_pixels)
        return (*image.size, image.rgb)


def _load_thumbnail(saved: SavedChat, key: str, _: threading.Event) -> bytes | None:
    return saved.thumbnail(key)
