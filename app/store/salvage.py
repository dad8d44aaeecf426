"""What can still be read of a damaged file, in a new one; the damaged one is set aside."""

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from app.settings.language import tr
from app.store.database import open_writer, put_in_place
from app.store.errors import UNREADABLE, translate, unreadable
from app.store.file_index import index_some
from app.store.migrations import chats_messages_layouts, deleted_messages, edited_messages
from app.store.operations import SaveChat, SaveMessage, chat_from_row, message_from_row
from app.store.records import ChatRecord, Message, storable_chat, storable_message

log = logging.getLogger(__name__)

_PAGE = 4096  # bytes; what SQLite gives a new file
_MAGIC = b"SQLite format 3\0"
_PIECES = 10  # of the index: a third of a second
_MOST_LOOKUPS = 200_000  # rows asked for one by one where a table cannot be walked: a second or two

_MAY_LACK = {"deleted_at", "leaf_id", "parent_id", "edited_id"}
_MAY_LACK |= {"folder_id", "pinned_at", "archived_at", "group_id"}

R = TypeVar("R", ChatRecord, Message)


@dataclass(frozen=True)
class Salvaged:
    """What was saved.

    Attributes:
        aside: the damaged file, under its new name.
    """

    chats: int
    messages: int
    aside: Path


def salvage(path: Path) -> Salvaged:
    """Put a file in the damaged one's place that holds every chat and message still readable.

    Answers whose question is lost follow what was said before it. Raises StoreError: "corrupt" when
    nothing can be read, else what kept the new file from being written; the damaged file is then as
    it was.
    """
    try:
        with TemporaryDirectory(prefix="chats-", dir=path.parent) as folder:
            copy, made = Path(folder, "damaged.db"), Path(folder, "made.db")
            # Only a copy is opened: SQLite writes a journal back where it finds one.
            for suffix in ("", "-wal"):
                part = path.with_name(path.name + suffix)
                if part.exists():
                    shutil.copyfile(part, copy.with_name(copy.name + suffix))
            chats, messages = _copy(copy, made, path)
            aside = put_in_place(made, path)
            assert aside is not None
    except (sqlite3.Error, OSError, *UNREADABLE) as error:
        failure = translate(error, path)
        raise (unreadable(path) if failure.code == "corrupt" else failure) from None
    log.info("%d messages of a damaged file were saved", messages)
    return Salvaged(chats, messages, aside)


def _copy(damaged: Path, made: Path, path: Path) -> tuple[int, int]:
    """How many chats and messages went from one file to the other."""
    with closing(_open(damaged)) as source:
        size = damaged.stat().st_size
        chats = {c.id: c for c in _records(source, "chats", ChatRecord, size)}
        messages = _connected(list(_records(source, "messages", Message, size)))
        layouts = list(_rows(source, "layouts", size))
        kept = list(_rows(source, "folders", size))
        texts = list(_rows(source, "attached", size))
    if not messages and not chats:
        raise unreadable(path)
    for message in messages:
        if message.chat_id not in chats:
            chats[message.chat_id] = ChatRecord(
                message.chat_id,
                title=tr("Recovered chat"),
                created_at=message.created_at,
                updated_at=message.created_at,
            )
    shown = {m.chat_id: m.id for m in messages if m.deleted_at is None}
    live = {m.id for m in messages if m.deleted_at is None}
    with closing(open_writer(made)) as target:
        target.execute("BEGIN")
        for chat in chats.values():
            leaf = chat.leaf_id if chat.leaf_id in live else shown.get(chat.id)
            SaveChat(storable_chat(replace(chat, leaf_id=leaf))).write(target)
        for message in messages:
            SaveMessage(storable_message(message)).write(target)
        for row in layouts:
            with suppress(KeyError, sqlite3.Error):
                values = (str(row["name"]), str(row["data"]))
                target.execute("INSERT OR IGNORE INTO layouts (name, data) VALUES (?, ?)", values)
        for row in kept:
            with suppress(KeyError, IndexError, sqlite3.Error):
                folder = (str(row["id"]), str(row["name"]), row["parent_id"])
                target.execute("INSERT OR IGNORE INTO folders VALUES (?, ?, ?)", folder)
        for row in texts:
            with suppress(KeyError, IndexError, sqlite3.Error):
                text = (str(row["hash"]), str(row["content"]))
                target.execute("INSERT OR IGNORE INTO attached VALUES (?, ?)", text)
        with closing(_open(damaged)) as source:  # one by one: all of them may be gigabytes
            for row in _rows(source, "images", size):
                with suppress(KeyError, IndexError, TypeError, sqlite3.Error):
                    image = (str(row["hash"]), bytes(row["thumbnail"]), bytes(row["data"]))
                    target.execute("INSERT OR IGNORE INTO images VALUES (?, ?, ?)", image)
        for _ in range(_PIECES):  # what was said last is found at once, the rest a little later
            if not index_some(target):
                break
        target.execute("COMMIT")
    return len(chats), len(messages)


def _connected(messages: list[Message]) -> list[Message]:
    """Each message once; one whose parent is lost follows the one before it in its chat."""
    seen: dict[str, Message] = {}
    last: dict[str, str] = {}
    for found in messages:
        if found.id in seen:
            continue
        message = found
        parent = seen.get(found.parent_id) if found.parent_id else None
        if found.parent_id is not None and (parent is None or parent.chat_id != found.chat_id):
            message = replace(found, parent_id=last.get(found.chat_id))
        seen[message.id] = message
        if message.deleted_at is None:
            last[message.chat_id] = message.id
    return list(seen.values())


def _open(damaged: Path) -> sqlite3.Connection:
    """A connection that forgives a file shorter than it should be, and a lost first page."""
    db = _connect(damaged)
    with damaged.open("rb") as file:
        whole = file.read(len(_MAGIC)) == _MAGIC
    if whole:
        try:
            for table in ("chats", "messages"):
                db.execute(f"SELECT id FROM {table} LIMIT 0")
        except (sqlite3.Error, *UNREADABLE):
            pass
        else:
            return db
    db.close()
    # The first page says what the tables are and where they begin, which is the same in all of our
    # files; only these, as more would not fit on it.
    template = damaged.with_name("template.db")
    with closing(sqlite3.connect(template, isolation_level=None)) as made:
        chats_messages_layouts(made)
        deleted_messages(made)
        edited_messages(made)
    with template.open("rb") as fresh, damaged.open("r+b") as file:
        page = bytearray(fresh.read(_PAGE))
        page[28:32] = (damaged.stat().st_size // _PAGE).to_bytes(4, "big")  # pages in the file
        file.write(page)
    return _connect(damaged)


def _connect(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, isolation_level=None)
    db.row_factory = sqlite3.Row
    db.text_factory = lambda text: text.decode(errors="replace")
    db.execute("PRAGMA writable_schema = ON")
    return db


def _records(db: sqlite3.Connection, table: str, kind: type[R], size: int) -> Iterator[R]:
    """The table's rows that make sense, in the order of first saving."""
    make: Any = chat_from_row if kind is ChatRecord else message_from_row
    names = [f.name for f in fields(kind)]
    for row in _rows(db, table, size):
        known = set(row.keys())
        try:
            record = make(tuple(row[n] if n in known else None for n in names))
            if all(_fits(n, getattr(record, n)) for n in names):
                yield record
        except (ValueError, TypeError, AttributeError):
            continue


def _fits(name: str, value: object) -> bool:
    """Whether a field holds what fields of that name hold."""
    if name in {"params", "stats"}:
        return isinstance(value, dict)
    if name in {"tags", "queued"} or name.endswith("attachments"):
        return isinstance(value, tuple)
    if value is None:
        return name in _MAY_LACK
    return isinstance(value, float) if name.endswith("_at") else isinstance(value, str)


def _rows(db: sqlite3.Connection, table: str, size: int) -> Iterator[sqlite3.Row]:
    """Rows from the front up to the damage, from the end down to it, and one by one between."""
    key = "rowid" if table in {"layouts", "folders", "attached", "images"} else "seq"
    first = 0
    try:
        for row in db.execute(f"SELECT {key} AS place, * FROM {table} ORDER BY {key}"):
            first = row["place"]
            yield row
    except sqlite3.Error:
        pass
    else:
        return
    after: list[sqlite3.Row] = []
    with suppress(sqlite3.Error):
        backwards = f"SELECT {key} AS place, * FROM {table} WHERE {key} > ? ORDER BY {key} DESC"
        for row in db.execute(backwards, (first,)):
            after.append(row)
    end = after[-1]["place"] if after else first + size // 50
    for place in range(first + 1, min(end, first + _MOST_LOOKUPS)):
        with suppress(sqlite3.Error):
            one = f"SELECT {key} AS place, * FROM {table} WHERE {key} = ?"
            row = db.execute(one, (place,)).fetchone()
            if row is not None:
                yield row
    yield from reversed(after)
