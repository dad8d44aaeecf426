"""Full-text index of attached files, split into passages with page numbers.

A text is indexed once for all messages, up to `MOST` characters. Triggers add new texts to
`unindexed_files` and remove the passages of erased texts. The writer indexes the queue in small
steps while there are no messages to write. SQLite extracts the pages from the stored JSON, so that
other Python threads can run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from msgspec.structs import replace

from app.store.filters import Filter
from app.store.index import PIECE, index_piece, split_passages
from app.store.records import SearchHit

MOST = 2_000_000  # characters per file, about 800 pages

_MOST_FILES = 1_000  # matching files whose messages are looked up

_PAGES = """
    SELECT each.key, substr(each.value, CASE WHEN each.key = ?1 THEN ?2 ELSE 0 END + 1, ?3),
           length(each.value)
    FROM attached a,
         json_each(CASE WHEN json_valid(a.content) THEN a.content ELSE '{}' END, '$.pages') AS each
    WHERE a.hash = ?4 AND each.key >= ?1 AND each.type = 'text' ORDER BY each.key
"""


def create_files_index(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE file_passages (seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, "
        "page INTEGER NOT NULL, text TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX file_passages_hash ON file_passages(hash)")
    db.execute(
        "CREATE TABLE unindexed_files (hash TEXT PRIMARY KEY, page INTEGER NOT NULL DEFAULT 0, "
        "done INTEGER NOT NULL DEFAULT 0, taken INTEGER NOT NULL DEFAULT 0)"
    )
    db.execute(
        "CREATE VIRTUAL TABLE files_fts USING fts5(text, content='file_passages', "
        "content_rowid='seq', prefix='1 2', tokenize='unicode61 remove_diacritics 2')"
    )
    db.execute(
        "CREATE TRIGGER file_passages_a AFTER INSERT ON file_passages BEGIN "
        "INSERT INTO files_fts(rowid, text) VALUES (new.seq, new.text); END"
    )
    db.execute(
        "CREATE TRIGGER file_passages_b AFTER DELETE ON file_passages BEGIN "
        "INSERT INTO files_fts(files_fts, rowid, text) "
        "VALUES ('delete', old.seq, old.text); END"
    )
    db.execute(
        "CREATE TRIGGER attached_a AFTER INSERT ON attached BEGIN "
        "INSERT OR REPLACE INTO unindexed_files (hash) VALUES (new.hash); END"
    )
    db.execute(
        "CREATE TRIGGER attached_b AFTER DELETE ON attached BEGIN "
        "DELETE FROM unindexed_files WHERE hash = old.hash; "
        "DELETE FROM file_passages WHERE hash = old.hash; END"
    )
    db.execute("INSERT INTO unindexed_files (hash) SELECT hash FROM attached")


def index_some(db: sqlite3.Connection, limit: int = PIECE) -> bool:
    """Do an indexing step in the open transaction, messages before files.

    Returns True if there's more to do.
    """
    return index_piece(db, limit) or _index_file(db, limit)


def _index_file(db: sqlite3.Connection, limit: int) -> bool:
    row = db.execute("SELECT hash, page, done, taken FROM unindexed_files LIMIT 1").fetchone()
    if row is None:
        return False
    key, page, offset, before = row
    room = min(limit, MOST - before)
    used, ended = 0, True
    for number, text, length in db.execute(_PAGES, (page, offset, room, key)):
        if used >= room:
            ended = False
            break
        begin = offset if number == page else 0
        part = text[: room - used]
        db.executemany(
            "INSERT INTO file_passages (hash, page, text) VALUES (?, ?, ?)",
            [(key, number + 1, passage) for passage in split_passages(part)],
        )
        used += max(len(part), 1)  # count empty pages as well, since they take time
        page, offset = number, begin + len(part)
        if offset < length:
            ended = False
            break
        page, offset = number + 1, 0
    if ended or before + used >= MOST:
        db.execute("DELETE FROM unindexed_files WHERE hash = ?", (key,))
    else:
        db.execute(
            "UPDATE unindexed_files SET page = ?, done = ?, taken = ? WHERE hash = ?",
            (page, offset, before + used, key),
        )
    return db.execute("SELECT 1 FROM unindexed_files LIMIT 1").fetchone() is not None


def search_files(
    db: sqlite3.Connection, match: str, files: Sequence[tuple[str, SearchHit]]
) -> list[tuple[str, SearchHit]]:
    """Return each chat's newest message that has a file with all words close together.

    ``match`` has the words as an FTS5 expression, and ``files`` is the result of `list_files`.
    Returns pairs of a passage and a hit without a snippet, sorted by chat ID.
    """
    rows = db.execute(
        "SELECT p.hash, min(f.rowid) FROM files_fts f JOIN file_passages p ON p.seq = f.rowid "
        "WHERE files_fts MATCH ? GROUP BY 1 LIMIT ?",
        (match, _MOST_FILES),
    )
    places: dict[str, int] = dict(rows.fetchall())
    if not places:
        return []
    newest = {
        hit.chat_id: (rowid, hit) for key, hit in files if (rowid := places.get(key)) is not None
    }
    hits = []
    for _, (rowid, hit) in sorted(newest.items()):
        query = "SELECT page, text FROM file_passages WHERE seq = ?"
        if (row := db.execute(query, (rowid,)).fetchone()) is not None:
            hits.append((str(row[1]), replace(hit, page=row[0])))
    return hits


def list_files(db: sqlite3.Connection, filters: Filter | None) -> list[tuple[str, SearchHit]]:
    """Return the files of all messages that the filter accepts, in the order they were sent.

    Returns pairs of a content hash and a hit without a snippet.
    """
    condition, values = filters.condition() if filters is not None else ("1", [])
    rows = db.execute(
        "SELECT m.chat_id, m.id, json_extract(each.value, '$.hash'), "
        "json_extract(each.value, '$.name'), json_extract(each.value, '$.unit') "
        "FROM messages m, json_each("
        "CASE WHEN json_valid(m.attachments) THEN m.attachments ELSE '[]' END) AS each "
        f"WHERE m.attachments <> '[]' AND m.deleted_at IS NULL AND {condition} ORDER BY m.seq",
        values,
    )
    return [
        (str(key), SearchHit(chat, message, "", file=str(name), unit=str(unit or "")))
        for chat, message, key, name, unit in rows
    ]
