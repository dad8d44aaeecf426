"""Texts and images of attached files, stored once for all chats."""

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable

from app.store.attachments import (
    AttachedText,
    Attachments,
    StoredImage,
    forget_unused,
    has_unused,
    text_from_json,
)
from app.store.operations import Operation, View
from app.store.readers import Readers, queued_view
from app.store.writer import StoreWriter


class SaveText(Operation, frozen=True):
    hash: str
    text: AttachedText

    def write(self, db: sqlite3.Connection) -> None:
        db.execute("INSERT OR IGNORE INTO attached VALUES (?, ?)", (self.hash, self.text.to_text()))

    def apply_to(self, view: View) -> None:
        view.texts[self.hash] = self.text


class SaveImage(Operation, frozen=True):
    image: StoredImage

    def write(self, db: sqlite3.Connection) -> None:
        values = (self.image.hash, self.image.thumbnail, self.image.data)
        db.execute("INSERT OR IGNORE INTO images VALUES (?, ?, ?)", values)

    def apply_to(self, view: View) -> None:
        view.images[self.image.hash] = self.image


class ForgetUnused(Operation, frozen=True):
    is_urgent: bool = False

    def write(self, db: sqlite3.Connection) -> None:
        forget_unused(db)


class Texts:
    def __init__(self, writer: StoreWriter, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def save(self, text: AttachedText) -> str:
        """Store a file's text and return its hash.

        Unused texts may be erased, so write the reference in the same `Store.transaction`.
        """
        key = text.hash
        self._writer.add(SaveText(key, text))
        return key

    def get(self, key: str) -> AttachedText | None:
        """Return a text by its hash, or None if the text is missing or damaged."""
        if (waiting := queued_view(self._writer).texts.get(key)) is not None:
            return waiting
        with self._readers.reading() as db:
            query = "SELECT content FROM attached WHERE hash = ?"
            row = db.execute(query, (key,)).fetchone()
        try:
            return None if row is None else text_from_json(json.loads(row[0]))
        except (TypeError, ValueError):
            return None

    def get_all(self, attached: Iterable[Attachments]) -> dict[str, AttachedText]:
        hashes = dict.fromkeys(attachment.hash for files in attached for attachment in files)
        texts = {key: self.get(key) for key in hashes}
        return {key: text for key, text in texts.items() if text is not None}

    def forget_unused(self) -> None:
        with self._readers.reading() as db:
            unused = has_unused(db)
        if unused:
            self._writer.add(ForgetUnused())


class Images:
    MOST_HELD = 16_000_000  # bytes of thumbnails

    def __init__(self, writer: StoreWriter, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def save(self, image: StoredImage) -> str:
        """Store an image and return its hash.

        Unused images may be erased, so write the reference in the same `Store.transaction`.
        """
        self._writer.add(SaveImage(image))
        self._cache(image.hash, image.thumbnail)
        return image.hash

    def get(self, key: str) -> bytes | None:
        """Return an image file by its hash, or None if it's missing.

        Don't call this on the GUI thread, because a file may be several megabytes.
        """
        return self._get_column(key, "data")

    def thumbnail(self, key: str) -> bytes | None:
        """Return a thumbnail by the image's hash: b"" if it has none, None if there's no image."""
        if (image := self.cached(key)) is not None:
            return image
        content = self._get_column(key, "thumbnail")
        if content is not None:
            self._cache(key, content)
        return content

    def cached(self, key: str) -> bytes | None:
        with self._lock:
            if key in self._recent:
                self._recent.move_to_end(key)
            return self._recent.get(key)

    def get_all(self, attached: Iterable[Attachments]) -> dict[str, bytes]:
        hashes = dict.fromkeys(image.hash for many in attached for image in many if image.is_medium)
        images = {key: self._get_column(key, "data") for key in hashes}
        return {key: data for key, data in images.items() if data is not None}

    def _get_column(self, key: str, column: str) -> bytes | None:
        if (waiting := queued_view(self._writer).images.get(key)) is not None:
            return waiting.data if column == "data" else waiting.thumbnail
        with self._readers.reading() as db:
            query = f"SELECT {column} FROM images WHERE hash = ?"
            row = db.execute(query, (key,)).fetchone()
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def _cache(self, key: str, thumbnail: bytes) -> None:
        with self._lock:
            self._recent[key] = thumbnail
            self._recent.move_to_end(key)
            while sum(map(len, self._recent.values())) > self.MOST_HELD and len(self._recent) > 1:
                self._recent.popitem(last=False)
