"""Recovery of a damaged file's readable rows."""

import json
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from app.settings.language import tr
from app.store.attachments import attachments_from_json, queued_from_json
from app.store.database import open_writer, replace_database
from app.store.database_pages import DatabasePages
from app.store.erase import erase_ids, ids_to_erase
from app.store.errors import UNREADABLE, to_store_error, unreadable_error
from app.store.file_index import index_some
from app.store.operations import OPTIONAL, SaveChat, SaveMessage, chat_from_row, message_from_row
from app.store.records import ChatRecord, Message, storable_chat, storable_message

log = logging.getLogger(__name__)

_PIECES = 10  # index steps that run immediately, within a third of a second
# Column counts in the original schema. Later versions added columns.
_COLUMNS_ONCE = {"chats": 11, "messages": 12}
_KINDS = {"TEXT": str, "REAL": float, "BLOB": bytes, "INTEGER": int}
# Tables with two text columns. True if the first column is a SHA-256.
_BY_HASH = {"attached": True, "layouts": False}

R = TypeVar("R", ChatRecord, Message)


class Salvaged(Struct, frozen=True):
    chats: int
    messages: int
    aside: Path  # new path of the damaged file


def salvage(path: Path) -> Salvaged:
    """Replace a damaged file with a new file that has all readable chats and messages.

    The damaged file is kept. Messages without a parent are attached to the previous message. Raises
    StoreError: "corrupt" if nothing is readable, otherwise the reason why the new file can't be
    written. The damaged file is then unchanged.
    """
    try:
        with TemporaryDirectory(prefix="chats-", dir=path.parent) as folder:
            copy, repaired = Path(folder, "damaged.db"), Path(folder, "made.db")
            # Work on a copy, because SQLite writes an existing journal back when it opens the file.
            for suffix in ("", "-wal"):
                part = path.with_name(path.name + suffix)
                if part.exists():
                    shutil.copyfile(part, copy.with_name(copy.name + suffix))
            chats, messages = _copy(copy, repaired, path)
            aside = replace_database(repaired, path)
            assert aside is not None
    except (sqlite3.Error, OSError, *UNREADABLE) as error:
        failure = to_store_error(error, path)
        raise (unreadable_error(path) if failure.code == "corrupt" else failure) from None
    log.info("recovered %d messages of a damaged file", messages)
    return Salvaged(chats, messages, aside)


def _copy(damaged: Path, target_path: Path, path: Path) -> tuple[int, int]:
    """Copy what can be read. Return the number of chats and messages."""
    with suppress(sqlite3.Error), closing(_open(damaged)) as db:
        # The query result doesn't matter. Closing the connection merges the journal into the file.
        db.execute("SELECT 1 FROM sqlite_master").fetchall()
    with (
        closing(open_writer(target_path)) as target,
        closing(_open(damaged)) as db,
        damaged.open("rb") as file,
        closing(mmap(file.fileno(), 0, access=ACCESS_READ)) as content,
    ):
        source = _Source(db, DatabasePages(content), target)
        chats: dict[str, ChatRecord] = {}
        for chat in source.records("chats", ChatRecord):
            chats.setdefault(chat.id, chat)
        messages = _connect_messages(source.records("messages", Message))
        if not messages and not chats:
            raise unreadable_error(path)
        for message in messages:
            if message.chat_id not in chats:
                chats[message.chat_id] = ChatRecord(
                    message.chat_id,
                    title=tr("Recovered chat"),
                    created_at=message.created_at,
                    updated_at=message.created_at,
                )
        last_ids = {m.chat_id: m.id for m in messages if m.deleted_at is None}
        live = {m.id for m in messages if m.deleted_at is None}
        target.execute("BEGIN")
        for chat in chats.values():
            leaf = chat.leaf_id if chat.leaf_id in live else last_ids.get(chat.id)
            SaveChat(storable_chat(replace(chat, leaf_id=leaf))).write(target)
        for message in messages:
            SaveMessage(storable_message(message)).write(target)
        for table in ("layouts", "folders", "attached", "images", "erased"):
            # Copy row by row, because all images together may be gigabytes.
            for _, row in source.rows(table):
                with suppress(sqlite3.Error):
                    marks = ", ".join("?" * len(row))
                    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({marks})"
                    target.execute(insert, tuple(row.values()))
        erase_ids(
            target, ids_to_erase(target)
        )  # rows recovered from unused pages may have been erased
        # Index the latest messages now, so that they can be found immediately.
        for _ in range(_PIECES):
            if not index_some(target):
                break
        target.execute("COMMIT")
    return len(chats), len(messages)


def _connect_messages(messages: list[Message]) -> list[Message]:
    """Remove duplicates. Messages without a parent are attached to the previous message."""
    by_id: dict[str, Message] = {}
    last: dict[str, str] = {}
    for original in messages:
        if original.id in by_id:
            continue
        message = original
        parent = by_id.get(original.parent_id) if original.parent_id else None
        if original.parent_id is not None and (
            parent is None or parent.chat_id != original.chat_id
        ):
            message = replace(original, parent_id=last.get(original.chat_id))
        by_id[message.id] = message
        if message.deleted_at is None:
            last[message.chat_id] = message.id
    return list(by_id.values())


def _open(damaged: Path) -> sqlite3.Connection:
    db = sqlite3.connect(damaged, isolation_level=None)
    db.text_factory = lambda text: text.decode(errors="replace")
    db.execute("PRAGMA writable_schema = ON")
    return db


class _Source:
    """Rows of a damaged file. Tables that SQLite can't read are read from the pages.

    ``repaired`` is a new file. Its tables begin with the same columns in the same order.
    """

    def __init__(
        self, db: sqlite3.Connection, pages: DatabasePages, repaired: sqlite3.Connection
    ) -> None:
        self._db, self._pages, self._repaired = db, pages, repaired

    def records(self, table: str, kind: type[R]) -> list[R]:
        """Return a table's valid rows in insertion order, possibly with duplicates."""
        make: Any = chat_from_row if kind is ChatRecord else message_from_row
        names = kind.__struct_fields__
        pairs: list[tuple[int, R]] = []
        for rowid, row in self.rows(table):
            with suppress(ValueError, TypeError, AttributeError):
                record = make(tuple(_remove_damage(name, row.get(name)) for name in names))
                if all(_is_valid(n, getattr(record, n)) for n in names):
                    pairs.append((rowid, record))
        return [record for _, record in sorted(pairs, key=lambda each: each[0])]

    def rows(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number and values by column of each row, possibly with duplicates."""
        columns = self._repaired.execute(f"PRAGMA table_info({table})").fetchall()
        try:
            walk = self._db.execute(f"SELECT rowid, * FROM {table}")
            names = [name for name, *_ in walk.description[1:]]
            for rowid, *values in walk:
                row = dict(zip(names, values, strict=True))
                if (sound := _valid_columns(row, columns)) is not None:
                    yield rowid, sound
        except sqlite3.Error:
            names = [column[1] for column in columns]
            counts = range(_COLUMNS_ONCE.get(table, len(names)), len(names) + 1)
            for rowid, values in self._pages.rows(counts.__contains__):
                sound = _valid_columns(dict(zip(names, values, strict=False)), columns)
                first = str(values[0])
                by_hash = table not in _BY_HASH or _BY_HASH[table] == (
                    len(first) == 64 and first.isalnum()
                )
                if sound is not None and by_hash:
                    yield rowid, sound


def _valid_columns(row: dict[str, Any], columns: list[Any]) -> dict[str, Any] | None:
    sound: dict[str, Any] = {}
    for _, name, kind, not_null, _, key in columns:
        if name not in row:
            continue
        value = row[name]
        if kind == "REAL" and isinstance(value, int):  # SQLite stores 1.0 as an integer
            value = float(value)
        if value is None and (not_null or key) and kind != "INTEGER":  # a rowid key may be missing
            return None
        if value is not None and not isinstance(value, _KINDS[kind]):
            return None
        sound[name] = value
    return sound


_JSON_OBJECTS = {"params", "stats"}
_JSON_LISTS = {"attachments", "draft_attachments", "edited_attachments", "queued", "tags"}


def _remove_damage(name: str, value: Any) -> Any:
    """Remove damaged parts of a JSON column, so that the text in the other columns is kept."""
    if name not in _JSON_OBJECTS | _JSON_LISTS or not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    if name in _JSON_OBJECTS:
        return value if isinstance(parsed, dict) else "{}"
    entries = parsed if isinstance(parsed, list) else []
    if name == "tags":
        return json.dumps([entry for entry in entries if isinstance(entry, str)])
    if name != "queued":
        return json.dumps(_valid_entries(entries, attachments_from_json))
    queued: dict[str, Any] = {}
    for entry in entries:
        if isinstance(entry, dict):
            files = entry.get("attachments")
            files = files if isinstance(files, list) else []
            whole = {**entry, "attachments": _valid_entries(files, attachments_from_json)}
            if _valid_entries([whole], queued_from_json):
                queued.setdefault(whole["id"], whole)
    return json.dumps(list(queued.values()))


def _valid_entries(entries: list[Any], parse: Callable[[object], object]) -> list[Any]:
    valid = []
    for entry in entries:
        with suppress(ValueError):
            parse([entry])
            valid.append(entry)
    return valid


def _is_valid(name: str, value: object) -> bool:
    if name in {"params", "stats"}:
        return isinstance(value, dict)
    if name in {"tags", "queued"} or name.endswith("attachments"):
        return isinstance(value, tuple)
    if value is None:
        return name in OPTIONAL
    return isinstance(value, float) if name.endswith("_at") else isinstance(value, str)
