"""The texts and images of attached files, each kept once for all chats."""

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable

from msgspec import Struct

from app.store.attachments import (
    AttachedText,
    Attachments,
    StoredImage,
    forget_unused,
    has_unused,
    text_from_json,
)
from app.store.operations import View
from app.store.readers import Readers, queued
from app.store.writer import Writer


class SaveText(Struct, frozen=True):
    """A file's text; one that is there already stays."""

    hash: str
    text: AttachedText
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        db.execute("INSERT OR IGNORE INTO attached VALUES (?, ?)", (self.hash, self.text.to_text()))

    def show(self, view: View) -> None:
        view.texts[self.hash] = self.text


class SaveImage(Struct, frozen=True):
    """An image; one that is there already stays."""

    image: StoredImage
    slot: str | None = None
    urgent: bool = True

    def write(self, db: sqlite3.Connection) -> None:
        values = (self.image.hash, self.image.thumbnail, self.image.data)
        db.execute("INSERT OR IGNORE INTO images VALUES (?, ?, ?)", values)

    def show(self, view: View) -> None:
        view.images[self.image.hash] = self.image


class ForgetUnused(Struct, frozen=True):
    """The texts and images that nothing has any more, out of the file."""

    slot: str | None = None
    urgent: bool = False

    def write(self, db: sqlite3.Connection) -> None:
        forget_unused(db)

    def show(self, view: View) -> None:
        pass


class Texts:
    """The texts of attached files by their hashes."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def save(self, text: AttachedText) -> str:
        """Keeps a file's text; returns its hash.

        Within `Store.together` with what refers to it: a text that nothing refers to may be erased.
        """
        key = text.hash
        self._writer.add(SaveText(key, text))
        return key

    def get(self, key: str) -> AttachedText | None:
        """The text of this hash; None if it is not there, or damaged."""
        if (waiting := queued(self._writer).texts.get(key)) is not None:
            return waiting
        with self._readers.reading() as db:
            one = "SELECT content FROM attached WHERE hash = ?"
            row = db.execute(one, (key,)).fetchone()
        try:
            return None if row is None else text_from_json(json.loads(row[0]))
        except (TypeError, ValueError):
            return None

    def of(self, attached: Iterable[Attachments]) -> dict[str, AttachedText]:
        """The texts that these have, by their hashes."""
        wanted = dict.fromkeys(one.hash for many in attached for one in many)
        found = {key: self.get(key) for key in wanted}
        return {key: text for key, text in found.items() if text is not None}

    def forget_unused(self) -> None:
        """Erases the texts, and images, of files that were taken off drafts before this run."""
        with self._readers.reading() as db:
            unused = has_unused(db)
        if unused:
            self._writer.add(ForgetUnused())


class Images:
    """The images of attached files by their hashes.

    Thumbnails that were used last stay in memory: each pane that shows a message asks for them.
    """

    MOST_HELD = 16_000_000  # bytes of thumbnails

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers
        self._held: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def save(self, image: StoredImage) -> str:
        """Keeps an image; returns its hash.

        Within `Store.together` with what refers to it, as a text.
        """
        self._writer.add(SaveImage(image))
        self._hold(image.hash, image.thumbnail)
        return image.hash

    def get(self, key: str) -> bytes | None:
        """The file of this hash; None if it is not there. Megabytes: not on the GUI thread."""
        return self._of(key, "data")

    def thumbnail(self, key: str) -> bytes | None:
        """The small one of this hash, empty where none could be made; None if it is not there."""
        if (held := self.held(key)) is not None:
            return held
        found = self._of(key, "thumbnail")
        if found is not None:
            self._hold(key, found)
        return found

    def held(self, key: str) -> bytes | None:
        """Return the thumbnail of this hash if it is in memory."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def of(self, attached: Iterable[Attachments]) -> dict[str, bytes]:
        """The images that these have, by their hashes."""
        wanted = dict.fromkeys(one.hash for many in attached for one in many if one.is_medium)
        found = {key: self._of(key, "data") for key in wanted}
        return {key: data for key, data in found.items() if data is not None}

    def _of(self, key: str, column: str) -> bytes | None:
        if (waiting := queued(self._writer).images.get(key)) is not None:
            return waiting.data if column == "data" else waiting.thumbnail
        with self._readers.reading() as db:
            one = f"SELECT {column} FROM images WHERE hash = ?"
            row = db.execute(one, (key,)).fetchone()
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def _hold(self, key: str, thumbnail: bytes) -> None:
        with self._lock:
            self._held[key] = thumbnail
            self._held.move_to_end(key)
            while sum(map(len, self._held.values())) > self.MOST_HELD and len(self._held) > 1:
                self._held.popitem(last=False)
