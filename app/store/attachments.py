"""Files that go with a message: what is said of each, and its text or image, kept once for all."""

import base64
import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

from msgspec import Struct, structs

Use = Literal["all", "beginning", "pages", "passages"]
News = Literal["", "new", "changed"]
_USES, _NEWS = get_args(Use), get_args(News)
_MOST_SIDE = 1_000_000_000  # pixels
Span = tuple[int, int, int]


class AttachedText(Struct, frozen=True, dict=True):
    """What a file says."""

    unit: str  # what its pages are called: "page", "slide", "sheet", "chapter"; "" for one piece
    pages: tuple[str, ...]  # the text of each
    labels: tuple[str, ...] = ()  # the name of each, as sheets have; empty where they have none

    @cached_property
    def hash(self) -> str:
        """By which it is kept: the same text has the same, whatever file it came from.

        Made once: it takes 15 ms for 500 pages.
        """
        return hashlib.sha256(self.to_text().encode()).hexdigest()

    def to_text(self) -> str:
        return json.dumps(structs.asdict(self), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class StoredImage:
    """An image: its file, and a small JPEG of it, empty where there is none."""

    data: bytes = field(repr=False)
    thumbnail: bytes = field(default=b"", repr=False)

    @cached_property
    def hash(self) -> str:
        """By which it is kept, as the engine names it: SHA-256 of the file."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class Attachment:
    """A file that goes with a message."""

    name: str  # the file's
    kind: str  # what it is, for people: "PDF", "Word", "text", "PNG"
    # of its text: see `AttachedText`. Of an image or a recording: see `StoredImage`.
    hash: str
    # unit, pages: what its pages are called, and how many it has
    unit: str = ""
    pages: int = 1
    characters: int = 0  # of its whole text
    # how much of it is sent. "passages" are found by the question when that is sent.
    use: Use = "all"
    # what is sent unless it is all: of which page, counted from 1, from which character to which.
    # Of an image that is a document's page, which one.
    spans: tuple[Span, ...] = ()
    # width, height: of an image in pixels; 0 for what has a text
    width: int = 0
    height: int = 0
    seconds: int = 0  # of a recording; 0 for what is none
    # pages of it, counted from 1, that have no text but could be given as images
    scans: tuple[int, ...] = ()
    # Python's name of a text file's encoding; "" for a format that has its own
    encoding: str = ""
    # where a PDF was found, whose other pages may be wanted, or a text file, which may be read in
    # another encoding; on this computer only
    path: str = field(default="", compare=False)
    chat: str = ""  # the id of the chat that was read, whose messages are its pages; "" for a file
    before: int = 0  # how many of that chat's messages stand before them
    # whether they are "new" since it was read last in this chat, or "changed": then they take the
    # place of all that was read from the first of them on
    news: News = ""

    @property
    def is_image(self) -> bool:
        return self.width > 0 and self.height > 0

    @property
    def is_sound(self) -> bool:
        return self.seconds > 0

    @property
    def is_medium(self) -> bool:
        """Whether a model takes it as it is, an image or a recording; else it is read."""
        return self.is_image or self.is_sound


Attachments = tuple[Attachment, ...]


class Queued(Struct, frozen=True):
    """A message that is to be sent once what is before it has been answered."""

    id: str
    text: str
    attachments: Attachments = ()


def has_images(attachments: Attachments) -> bool:
    """Whether there is an image among them."""
    return any(each.is_image for each in attachments)


def has_sounds(attachments: Attachments) -> bool:
    """Whether there is a recording among them."""
    return any(each.is_sound for each in attachments)


def attachments_to_json(attachments: Attachments) -> list[dict[str, Any]]:
    """For elsewhere: without paths."""
    return [asdict(replace(each, path="")) for each in attachments]


def attachments_from_json(value: object) -> Attachments:
    """From elsewhere. Raises TypeError or ValueError for what is no list of attachments."""
    return tuple(replace(each, path="") for each in _attachments(value))


def to_column(attachments: Attachments) -> str:
    return json.dumps([asdict(each) for each in attachments], ensure_ascii=False)


def from_column(text: str | None) -> Attachments:
    """Raises TypeError or ValueError for a damaged one."""
    return () if text is None or text == "[]" else _attachments(json.loads(text))


def _attachments(value: object) -> Attachments:
    if not isinstance(value, list):
        raise TypeError("attachments is not a list")
    return tuple(map(_attachment, value))


_TEXTS = ("name", "kind", "hash", "unit", "path", "chat", "encoding")
_COUNTS = ("pages", "characters", "width", "height", "seconds", "before")


def _attachment(value: Any) -> Attachment:
    if not isinstance(value, dict):
        raise TypeError("an attachment is not an object")
    texts = {n: value.get(n, "") for n in _TEXTS}
    counts = {n: value.get(n, 0) for n in _COUNTS}
    spans, use = value.get("spans", []), value.get("use", "all")
    scans, news = value.get("scans", []), value.get("news", "")
    if not all(isinstance(each, str) for each in texts.values()):
        raise TypeError("an attachment is damaged")
    if not isinstance(spans, list) or not isinstance(scans, list):
        raise TypeError("an attachment is damaged")
    numbers = [
        *counts.values(),
        *scans,
        *(n for s in spans for n in (s if len(s) == 3 else (None,))),
    ]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError("an attachment is damaged")
    if use not in _USES or news not in _NEWS:
        raise ValueError("an attachment is damaged")
    if max(counts["width"], counts["height"]) > _MOST_SIDE:  # Qt has no larger sizes
        raise ValueError("an attachment is damaged")
    cleaned = {name: _sound(text) for name, text in texts.items()}
    taken: dict[str, Any] = {**cleaned, **counts, "scans": tuple(scans)}
    return Attachment(**taken, use=use, news=news, spans=tuple((a, b, c) for a, b, c in spans))


def queued_to_json(queue: tuple[Queued, ...]) -> list[dict[str, Any]]:
    return [{**structs.asdict(q), "attachments": attachments_to_json(q.attachments)} for q in queue]


def queued_from_json(value: object) -> tuple[Queued, ...]:
    """Raises TypeError or ValueError for what is no list of messages, each with another id."""
    found: dict[str, Queued] = {}
    for each in value if isinstance(value, list) else [None]:
        if not isinstance(each, dict):
            raise TypeError("a queued message is damaged")
        key, text = each.get("id"), each.get("text")
        if not isinstance(key, str) or not isinstance(text, str) or key in found:
            raise TypeError("a queued message is damaged")
        files = attachments_from_json(each.get("attachments", []))
        found[key] = Queued(_sound(key), _sound(text), files)
    return tuple(found.values())


def text_from_json(value: object) -> AttachedText:
    """Raises TypeError for what is no text of a file."""
    if not isinstance(value, dict):
        raise TypeError("a file's text is not an object")
    unit, pages, labels = value.get("unit", ""), value.get("pages"), value.get("labels", [])
    if not isinstance(unit, str) or not isinstance(pages, list) or not isinstance(labels, list):
        raise TypeError("a file's text is damaged")
    if not pages or not all(isinstance(each, str) for each in (*pages, *labels)):
        raise TypeError("a file's text is damaged")
    return AttachedText(_sound(unit), tuple(map(_sound, pages)), tuple(map(_sound, labels)))


def texts_from_json(value: object) -> dict[str, AttachedText]:
    """The texts of a file of chats, by the hashes that they have there; damaged ones left out."""
    found: dict[str, AttachedText] = {}
    for key, each in value.items() if isinstance(value, dict) else ():
        try:
            text = text_from_json(each)
        except TypeError:
            continue
        if text.hash == key:  # another one would be taken for the text of somebody else's file
            found[key] = text
    return found


def images_to_json(images: Mapping[str, bytes]) -> dict[str, str]:
    return {key: base64.b64encode(data).decode() for key, data in images.items()}


def images_from_json(value: object) -> list[StoredImage]:
    """The images of a file of chats; damaged ones left out. What makes thumbnails reads them."""
    found = []
    for key, each in value.items() if isinstance(value, dict) else ():
        try:
            image = StoredImage(base64.b64decode(each, validate=True))
        except (TypeError, ValueError):
            continue
        if image.hash == key:
            found.append(image)
    return found


def _sound(text: str) -> str:
    """Without lone surrogates, which have no UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def create(db: sqlite3.Connection) -> None:
    """The texts, and who refers to them."""
    db.execute("CREATE TABLE attached (hash TEXT PRIMARY KEY, content TEXT NOT NULL)")
    db.execute("ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]'")
    for column in ("draft_attachments", "edited_attachments"):
        db.execute(f"ALTER TABLE chats ADD COLUMN {column} TEXT NOT NULL DEFAULT '[]'")
    db.execute("CREATE INDEX messages_attached ON messages(id) WHERE attachments <> '[]'")


def create_queue(db: sqlite3.Connection) -> None:
    """What waits to be sent, see `Queued`."""
    db.execute("ALTER TABLE chats ADD COLUMN queued TEXT NOT NULL DEFAULT '[]'")


def create_images(db: sqlite3.Connection) -> None:
    """The images; each one's thumbnail first, as what comes after a long value is read slowly."""
    db.execute(
        "CREATE TABLE images (hash TEXT PRIMARY KEY, thumbnail BLOB NOT NULL, data BLOB NOT NULL)"
    )


_HASH = "SELECT COALESCE(json_extract(each.value, '$.hash'), '') FROM"
_REFERRED = " UNION ".join(
    f"{_HASH} {table}, json_each("
    f"CASE WHEN json_valid({column}) THEN {column} ELSE '[]' END) AS each WHERE {column} <> '[]'"
    for table, column in (
        ("messages", "attachments"),
        ("chats", "draft_attachments"),
        ("chats", "edited_attachments"),
    )
)
_IN_QUEUES = (
    f" UNION {_HASH} (SELECT queued FROM chats WHERE queued <> '[]' AND json_valid(queued)), "
    "json_each(queued) AS one, json_each(queued, one.fullkey || '.attachments') AS each"
)
_TABLES = ("attached", "images")


def has_unused(db: sqlite3.Connection) -> bool:
    """Whether there are texts or images that no message and no draft has any more."""
    unused = _unused(db)
    some = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE {unused}" for table in _TABLES)
    return db.execute(f"{some} LIMIT 1").fetchone() is not None


def forget_unused(db: sqlite3.Connection) -> None:
    """Erase the texts and images that no message and no draft has any more."""
    there = "SELECT name FROM sqlite_master WHERE name IN (?, ?)"  # a copy may be older than these
    for (table,) in db.execute(there, _TABLES).fetchall():
        db.execute(f"DELETE FROM {table} WHERE {_unused(db)}")


def _unused(db: sqlite3.Connection) -> str:
    queues = any(row[1] == "queued" for row in db.execute("PRAGMA table_info(chats)"))
    return f"hash NOT IN ({_REFERRED}{_IN_QUEUES if queues else ''})"
