"""Finding words in titles and messages."""

import re
import sqlite3

from app.store.records import SearchHit

# Scripts written without spaces: FTS5's tokenizer takes a whole run of them for one word, so
# their words are found by scanning instead (26 ms for 20 MB of text).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
_AROUND = 40  # characters of a scanned text shown before the hit


def find(db: sqlite3.Connection, query: str, limit: int) -> list[SearchHit]:
    """Titles first, then messages, best match first; deleted chats are left out.

    All words must occur, in any order; the last one may be the beginning of a word, so that a
    search typed letter by letter narrows steadily. Letters match without case and accents.
    """
    query = query.strip().replace("\0", "")
    if not query or limit <= 0:
        return []
    if _UNSPACED.search(query):
        return _scan(db, query, limit)
    match = match_expression(query)
    if not match:
        return []
    titles = db.execute(
        "SELECT c.id, NULL, c.title FROM chats_fts f JOIN chats c ON c.seq = f.rowid "
        "WHERE chats_fts MATCH ? AND c.deleted_at IS NULL ORDER BY c.updated_at DESC LIMIT ?",
        (match, limit),
    ).fetchall()
    texts = db.execute(
        "SELECT m.chat_id, m.id, snippet(messages_fts, 0, '', '', '…', 16) "
        "FROM messages_fts f JOIN messages m ON m.seq = f.rowid JOIN chats c ON c.id = m.chat_id "
        "WHERE messages_fts MATCH ? AND c.deleted_at IS NULL AND m.deleted_at IS NULL "
        "ORDER BY f.rank LIMIT ?",
        (match, limit - len(titles)),
    ).fetchall()
    return [_hit(*row) for row in (*titles, *texts)]


def match_expression(query: str) -> str:
    """The words of `query` as an FTS5 expression; none of its characters is an operator."""
    words = re.findall(r"\w+", query)
    if not words:
        return ""
    return " ".join(f'"{word}"' for word in words) + ("*" if query[-1:].isalnum() else "")


def _scan(db: sqlite3.Connection, query: str, limit: int) -> list[SearchHit]:
    pattern = "%" + re.sub(r"([\\%_])", r"\\\1", query) + "%"
    titles = db.execute(
        "SELECT id, NULL, title FROM chats WHERE title LIKE ? ESCAPE '\\' AND deleted_at IS NULL "
        "ORDER BY updated_at DESC LIMIT ?",
        (pattern, limit),
    ).fetchall()
    texts = db.execute(
        "SELECT m.chat_id, m.id, m.content FROM messages m JOIN chats c ON c.id = m.chat_id "
        "WHERE m.content LIKE ? ESCAPE '\\' AND m.status <> 'streaming' AND c.deleted_at IS NULL "
        "AND m.deleted_at IS NULL ORDER BY m.seq DESC LIMIT ?",
        (pattern, limit - len(titles)),
    ).fetchall()
    return [_hit(*row) for row in titles] + [
        _hit(chat_id, message_id, _around(content, query)) for chat_id, message_id, content in texts
    ]


def _around(content: str, query: str) -> str:
    place = max(content.lower().find(query.lower()), 0)
    start, end = max(place - _AROUND, 0), place + len(query) + 2 * _AROUND
    return ("…" if start else "") + content[start:end] + ("…" if end < len(content) else "")


def _hit(chat_id: str, message_id: str | None, snippet: str) -> SearchHit:
    return SearchHit(chat_id, message_id, " ".join(snippet.split()))
