"""The full-text index: messages as they are shown, in passages of bounded length.

Triggers keep it true: a message that is new, changed or restored is noted in `unindexed`, one that
is deleted leaves its passages behind at once. The writer then indexes what is noted, a bounded
piece at a time, so that neither a start (after an update that changes the index) nor a message of
many megabytes holds up what is to be saved.

A passage's number holds the chat, the message and the place in it: the best passage of every chat
is then found in one pass over the index, without looking at a single message.
"""

import re
import sqlite3

from app.store.plain import shown_text

PASSAGE = 8_000
"""Characters of a passage: what is looked through to show the words around a hit."""
PIECE = 200_000
"""Characters of Markdown that are indexed at a time: some 30 ms."""
CHAT_BITS, MESSAGE_BITS = 40, 12
_MOST = 1 << MESSAGE_BITS  # passages of a message: 32 million characters of it are found
_ROWS = 400

# Scripts written without spaces: FTS5's tokenizer takes a whole run of them for one word. A mark
# between their letters makes each a word of its own, and what is searched for a phrase.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
APART = "\u200b"
_LETTER = re.compile(f"([{UNSPACED}])")

_WAITING = """
    SELECT u.seq, u.done, u.passages, c.seq, m.role, length(m.content),
           CAST(substr(m.content, u.done + 1, ?) AS BLOB)
    FROM unindexed u
    LEFT JOIN messages m
        ON m.seq = u.seq AND m.deleted_at IS NULL AND m.status <> 'streaming'
    LEFT JOIN chats c ON c.id = m.chat_id
    ORDER BY u.seq DESC LIMIT ?
"""


def create(db: sqlite3.Connection) -> None:
    """The tables and triggers, in place of an index over the Markdown source."""
    for letter in "abcde":
        db.execute(f"DROP TRIGGER IF EXISTS messages_fts_{letter}")
    db.execute("DROP TABLE IF EXISTS messages_fts")
    db.execute("CREATE TABLE passages (place INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    db.execute(
        "CREATE TABLE unindexed (seq INTEGER PRIMARY KEY, done INTEGER NOT NULL DEFAULT 0, "
        "passages INTEGER NOT NULL DEFAULT 0)"
    )
    # With the prefixes a first letter or two are found as fast as a whole word.
    db.execute(
        "CREATE VIRTUAL TABLE messages_fts USING fts5(text, content='passages', "
        "content_rowid='place', prefix='1 2', tokenize='unicode61 remove_diacritics 2')"
    )
    db.execute(
        "CREATE TRIGGER passages_a AFTER INSERT ON passages BEGIN "
        "INSERT INTO messages_fts(rowid, text) VALUES (new.place, new.text); END"
    )
    db.execute(
        "CREATE TRIGGER passages_b AFTER DELETE ON passages BEGIN "
        "INSERT INTO messages_fts(messages_fts, rowid, text) "
        "VALUES ('delete', old.place, old.text); END"
    )
    note = "INSERT OR REPLACE INTO unindexed (seq) SELECT new.seq WHERE {live};"
    live = "({row}.status <> 'streaming' AND {row}.deleted_at IS NULL)"
    old, new = live.format(row="old"), live.format(row="new")
    first = f"((SELECT seq FROM chats WHERE id = old.chat_id) << {CHAT_BITS})"
    first = f"({first} | (old.seq << {MESSAGE_BITS}))"
    forget = (
        f"DELETE FROM unindexed WHERE seq = old.seq; "
        f"DELETE FROM passages WHERE place BETWEEN {first} AND {first} + {_MOST - 1};"
    )
    db.execute(
        f"CREATE TRIGGER messages_a AFTER INSERT ON messages WHEN {new} BEGIN "
        f"{note.format(live='1')} END"
    )
    db.execute(
        f"CREATE TRIGGER messages_b AFTER UPDATE ON messages WHEN ({old} OR {new}) AND "
        f"({old} <> {new} OR old.content IS NOT new.content) BEGIN "
        f"{forget} {note.format(live=new)} END"
    )
    db.execute(f"CREATE TRIGGER messages_c AFTER DELETE ON messages BEGIN {forget} END")
    # A chat that goes takes its messages along; they cannot ask it for its number any more.
    db.execute(
        "CREATE TRIGGER chats_c AFTER DELETE ON chats BEGIN DELETE FROM passages "
        f"WHERE place BETWEEN old.seq << {CHAT_BITS} AND ((old.seq + 1) << {CHAT_BITS}) - 1; END"
    )
    db.execute("INSERT INTO unindexed (seq) SELECT seq FROM messages")


def index_piece(db: sqlite3.Connection, most: int = PIECE) -> bool:
    """Index a piece of what is noted, the newest messages first; whether something is left.

    Within the open transaction.
    """
    taken = 0
    for seq, done, before, chat, role, length, content in db.execute(
        _WAITING, (most, _ROWS)
    ).fetchall():
        if chat is None:
            db.execute("DELETE FROM unindexed WHERE seq = ?", (seq,))
            continue
        if taken and taken + min(length - done, most) > most:
            return True
        # Damaged text is found by what is left of it; opening the chat tells of the damage.
        source = content.decode(errors="replace")
        whole = done + len(source) >= length
        if not whole:
            source = source[: _cut(source)]
        first = chat << CHAT_BITS | seq << MESSAGE_BITS
        found = passages(shown_text(source, role))[: _MOST - before]
        number = before + len(found)
        db.executemany(
            "INSERT INTO passages VALUES (?, ?)",
            [(first | at, passage) for at, passage in enumerate(found, before)],
        )
        taken += len(source)
        if whole or number >= _MOST or not source:
            db.execute("DELETE FROM unindexed WHERE seq = ?", (seq,))
        else:
            db.execute(
                "UPDATE unindexed SET done = ?, passages = ? WHERE seq = ?",
                (done + len(source), number, seq),
            )
            return True
    return waiting(db)


def waiting(db: sqlite3.Connection) -> bool:
    """Whether something is not indexed yet."""
    return db.execute("SELECT 1 FROM unindexed LIMIT 1").fetchone() is not None


def passages(text: str) -> list[str]:
    """The text in pieces of at most PASSAGE characters, cut between words where there are any."""
    found = []
    while len(text) > PASSAGE:
        cut = _cut(text[:PASSAGE])
        found.append(spaced(text[:cut]))
        text = text[cut:]
    if text.strip():
        found.append(spaced(text))
    return found


def spaced(text: str) -> str:
    """The text with a mark between the letters of scripts that have no spaces."""
    if not _LETTER.search(text):
        return text.replace(APART, "")
    return _LETTER.sub(rf"{APART}\1{APART}", text.replace(APART, ""))


def _cut(text: str) -> int:
    """Where to end a piece of a longer text: after the last line, else word, of its second half."""
    for mark in ("\n", " "):
        at = text.rfind(mark, len(text) // 2)
        if at >= 0:
            return at + 1
    return len(text)
