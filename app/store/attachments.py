"""Attachments of messages. A text or image is stored once for all messages."""

import base64
import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, ValidationError, convert, structs

Use = Literal["all", "beginning", "pages", "passages"]
News = Literal["", "new", "changed"]
Count = Annotated[int, Meta(ge=0)]
Side = Annotated[int, Meta(ge=0, le=1_000_000_000)]  # pixels; more is too much for Qt
Span = tuple[Count, Count, Count]
T = TypeVar("T")


class AttachedText(Struct, frozen=True, dict=True):
    unit: str = ""  # "page", "slide", "sheet", "chapter", or "" for a text without pages
    pages: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()  # names of the sheets

    @cached_property
    def hash(self) -> str:
        """Return the key of the text in the store. Equal texts have equal keys.

        The key is cached, because it takes 15 ms for 500 pages.
        """
        return hashlib.sha256(self.to_text().encode()).hexdigest()

    def to_text(self) -> str:
        return json.dumps(structs.asdict(self), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class StoredImage:
    data: bytes = field(repr=False)
    thumbnail: bytes = field(default=b"", repr=False)

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class Attachment:
    name: str = ""
    kind: str = ""  # file type for the user: "PDF", "Word", "text", "PNG"
    # Hash of the text (see `AttachedText`), image or recording (see `StoredImage`).
    hash: str = ""
    unit: str = ""
    pages: Count = 1
    characters: Count = 0  # length of the entire text
    # Part to send. "passages" are selected when the question is sent.
    use: Use = "all"
    # Parts to send: page (from 1), start and end character. Empty means everything. For an image of
    # a page, this is the page.
    spans: tuple[Span, ...] = ()
    # Image size in pixels, or 0.
    width: Side = 0
    height: Side = 0
    seconds: Count = 0  # length of a recording
    # Pages (from 1) without text, which could be sent as images.
    scans: tuple[Count, ...] = ()
    # Encoding of a text file in Python's spelling, or "" if the format defines it.
    encoding: str = ""
    # Path of a PDF (to render its pages) or text file (to read it in another encoding). Only valid
    # on this computer.
    path: str = field(default="", compare=False)
    chat: str = ""  # ID of the attached chat, whose messages are the pages; "" for a file
    before: Count = 0  # number of messages in that chat before the attached messages
    # "new" for messages since the last read. "changed" messages replace everything read from that
    # point on.
    news: News = ""

    @property
    def is_image(self) -> bool:
        return self.width > 0 and self.height > 0

    @property
    def is_sound(self) -> bool:
        return self.seconds > 0

    @property
    def is_medium(self) -> bool:
        """Return True for images and recordings, which models receive directly instead of as
        text.
        """
        return self.is_image or self.is_sound


Attachments = tuple[Attachment, ...]


class Queued(Struct, frozen=True):
    """Message that waits for the replies to all earlier messages."""

    id: str
    text: str
    attachments: Attachments = ()


def has_images(attachments: Attachments) -> bool:
    return any(attachment.is_image for attachment in attachments)


def has_sounds(attachments: Attachments) -> bool:
    return any(attachment.is_sound for attachment in attachments)


def attachments_to_json(attachments: Attachments) -> list[dict[str, Any]]:
    return [asdict(replace(attachment, path="")) for attachment in attachments]


def attachments_from_json(value: object) -> Attachments:
    return tuple(replace(attachment, path="") for attachment in _attachments(value))


def to_column(attachments: Attachments) -> str:
    return json.dumps([asdict(attachment) for attachment in attachments], ensure_ascii=False)


def from_column(text: str | None) -> Attachments:
    return () if text is None or text == "[]" else _attachments(json.loads(text))


def from_json(value: object, kind: type[T]) -> T:
    """Convert a JSON value. Raises ValueError without quoting the value, which may be private."""
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise ValueError(str(error)) from None


def _attachments(value: object) -> Attachments:
    return tuple(map(_with_valid_texts, from_json(value, list[Attachment])))


def _with_valid_texts(attachment: Attachment) -> Attachment:
    values = vars(attachment).items()
    texts: Any = {name: _remove_surrogates(v) for name, v in values if isinstance(v, str)}
    return replace(attachment, **texts)


def queued_to_json(queue: tuple[Queued, ...]) -> list[dict[str, Any]]:
    return [{**structs.asdict(q), "attachments": attachments_to_json(q.attachments)} for q in queue]


def queued_from_json(value: object) -> tuple[Queued, ...]:
    queue: dict[str, Queued] = {}
    for entry in from_json(value, list[Queued]):
        if entry.id in queue:
            raise ValueError("two queued messages have the same id")
        files = tuple(replace(_with_valid_texts(file), path="") for file in entry.attachments)
        key = entry.id
        queue[key] = Queued(_remove_surrogates(key), _remove_surrogates(entry.text), files)
    return tuple(queue.values())


def text_from_json(value: object) -> AttachedText:
    text = from_json(value, AttachedText)
    if not text.pages:
        raise ValueError("a file's text has no pages")
    return AttachedText(
        _remove_surrogates(text.unit),
        tuple(map(_remove_surrogates, text.pages)),
        tuple(map(_remove_surrogates, text.labels)),
    )


def texts_from_json(value: object) -> dict[str, AttachedText]:
    """Return the texts in an imported file by hash, skipping damaged texts."""
    texts: dict[str, AttachedText] = {}
    for key, entry in value.items() if isinstance(value, dict) else ():
        try:
            text = text_from_json(entry)
        except ValueError:
            continue
        if text.hash == key:  # with a wrong hash, it would replace another file's text
            texts[key] = text
    return texts


def images_to_json(images: Mapping[str, bytes]) -> dict[str, str]:
    return {key: base64.b64encode(data).decode() for key, data in images.items()}


def images_from_json(value: object) -> list[StoredImage]:
    """Return the undamaged images in an imported file, without thumbnails."""
    images = []
    for key, entry in value.items() if isinstance(value, dict) else ():
        try:
            image = StoredImage(base64.b64decode(entry, validate=True))
        except (TypeError, ValueError):
            continue
        if image.hash == key:
            images.append(image)
    return images


def _remove_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def create(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE attached (hash TEXT PRIMARY KEY, content TEXT NOT NULL)")
    db.execute("ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]'")
    for column in ("draft_attachments", "edited_attachments"):
        db.execute(f"ALTER TABLE chats ADD COLUMN {column} TEXT NOT NULL DEFAULT '[]'")
    db.execute("CREATE INDEX messages_attached ON messages(id) WHERE attachments <> '[]'")


def create_queue(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE chats ADD COLUMN queued TEXT NOT NULL DEFAULT '[]'")


def create_images(db: sqlite3.Connection) -> None:
    """Create the table for images.

    The thumbnail comes first, because columns after a long value are slow to read.
    """
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
    unused = _unused_condition(db)
    queries = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE {unused}" for table in _TABLES)
    return db.execute(f"{queries} LIMIT 1").fetchone() is not None


def forget_unused(db: sqlite3.Connection) -> None:
    # Backups may be older than these tables.
    query = "SELECT name FROM sqlite_master WHERE name IN (?, ?)"
    for (table,) in db.execute(query, _TABLES).fetchall():
        db.execute(f"DELETE FROM {table} WHERE {_unused_condition(db)}")


def _unused_condition(db: sqlite3.Connection) -> str:
    queues = any(row[1] == "queued" for row in db.execute("PRAGMA table_info(chats)"))
    return f"hash NOT IN ({_REFERRED}{_IN_QUEUES if queues else ''})"
