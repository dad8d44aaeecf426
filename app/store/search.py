"""Full-text search of titles, messages and files."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from app.store.database import note_damage, open_reader
from app.store.errors import UNREADABLE, StoreError, to_store_error
from app.store.file_index import list_files, search_files
from app.store.filters import Filter, split
from app.store.index import APART, CHAT_BITS, MESSAGE_BITS, UNSPACED, separate_letters
from app.store.operations import CHAT_COLUMNS, chat_from_row
from app.store.records import Folder, SearchHit

log = logging.getLogger(__name__)


class _Folding(dict[int, str]):
    """Translation table that removes case and accents without changing string positions."""

    def __missing__(self, letter: int) -> str:
        folded = normalize("NFD", chr(letter))[0].lower()
        self[letter] = folded if len(folded) == 1 else chr(letter)
        return self[letter]


@lru_cache(1)
def _folding() -> _Folding:
    return _Folding()


def fold(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_folding())


# Compiled by the first search, because such large character classes take milliseconds.
_WORD = f"[{UNSPACED}]+|[^\\W_{UNSPACED}]+"
_UNSPACED = f"[{UNSPACED}]"
# In characters: offset below which a snippet starts at 0, text before the hit, total length.
_SEEN, _BEFORE, _LENGTH = 20, 14, 160

OnHits = Callable[[list[SearchHit]], object]


class Term(Struct, frozen=True):
    word: str
    begins: bool = False  # the term may be just the start of a word
    # Script without spaces, so the term may match in the middle of a run of letters.
    anywhere: bool = False

    @property
    def match(self) -> str:
        return (
            f'"{separate_letters(self.word) if self.anywhere else self.word}"' + "*" * self.begins
        )


def terms_of(query: str) -> list[Term]:
    """Split a query into words. The last word may be incomplete."""
    words: list[str] = re.findall(_WORD, query)
    unfinished = len(words) - 1 if query[-1:].isalnum() else -1
    letters = [bool(re.match(_UNSPACED, word)) for word in words]
    pairs = enumerate(zip(words, letters, strict=True))
    return [
        Term(word, at == unfinished and not unspaced, unspaced) for at, (word, unspaced) in pairs
    ]


def find(
    db: sqlite3.Connection, query: str, limit: int, on_hits: OnHits = lambda _: None
) -> list[SearchHit]:
    """Search titles, then messages (one per chat), most recently used chats first.

    All words must occur, in any order. The last word may be incomplete, so that results narrow down
    during typing. Case, accents and deleted chats are ignored. The hit of a chat is the newest
    message in which the words are close together.

    ``on_hits`` is called with the hits found so far. Titles take a fraction of the time.
    """
    query, filters = split(query.replace("\0", ""))
    terms = terms_of(query)
    if limit <= 0 or not (terms or filters):
        return []
    chats = _load_chats(db, filters)
    if not terms and filters is not None:
        return _find_by_filter(db, chats, filters, limit)
    hits = []
    if filters is None or not filters.has_message_conditions:
        chat_ids = {chat for _, chat in chats.values()}
        max_hits = limit if filters is None else -1
        hits = [
            h for h in _find_titles(db, query.strip(), terms, max_hits) if h.chat_id in chat_ids
        ][:limit]
    if hits:
        on_hits(list(hits))
    places = _find_near(db, terms, filters)
    texts = _load_hits(db, places, chats, terms, limit - len(hits))
    if len(terms) > 1 and len(texts) < limit - len(hits):
        if texts:
            on_hits(hits + texts)
        places = (_find_apart(db, terms) if filters is None else {}) | places
        texts = _load_hits(db, places, chats, terms, limit - len(hits))
    if len(texts) < limit - len(hits):
        if texts:
            on_hits(hits + texts)
        hit_chat_ids = {hit.chat_id for hit in texts}
        texts += _search_in_files(db, terms, filters, hit_chat_ids, chats)[
            : limit - len(hits) - len(texts)
        ]
    return hits + texts


def _search_in_files(
    db: sqlite3.Connection,
    terms: list[Term],
    filters: Filter | None,
    hit_chat_ids: set[str],
    chats: dict[int, tuple[float, str]],
) -> list[SearchHit]:
    used = {chat: when for when, chat in chats.values() if chat not in hit_chat_ids}
    match = " ".join(term.match for term in terms)
    files = list_files(db, filters)
    texts = {hit.chat_id: (text, hit) for text, hit in search_files(db, match, files)}
    by_chat = _find_named(files, terms) | texts
    pairs = [pair for chat, pair in by_chat.items() if chat in used]
    pairs.sort(key=lambda pair: (used[pair[1].chat_id], pair[1].chat_id), reverse=True)
    hits = []
    for text, hit in pairs:
        text_hit = _make_hit(hit.chat_id, hit.message_id, text, terms)
        hits.append(replace(hit, snippet=text_hit.snippet, marks=text_hit.marks))
    return hits


def _find_named(
    files: Sequence[tuple[str, SearchHit]], terms: list[Term]
) -> dict[str, tuple[str, SearchHit]]:
    return {
        hit.chat_id: (hit.file, replace(hit, unit=""))
        for _, hit in files
        if all(_find_marks(hit.file, [term]) for term in terms)
    }


def _load_hits(
    db: sqlite3.Connection,
    places: dict[int, int],
    chats: dict[int, tuple[float, str]],
    terms: list[Term],
    limit: int,
) -> list[SearchHit]:
    hits: list[SearchHit] = []
    order = sorted((chat for chat in places if chat in chats), key=chats.__getitem__, reverse=True)
    for chat in order:
        if len(hits) >= limit:
            break
        message = places[chat] >> MESSAGE_BITS & (1 << CHAT_BITS - MESSAGE_BITS) - 1
        row = db.execute(
            "SELECT m.id, p.text FROM passages p, messages m WHERE p.place = ? AND m.seq = ?",
            (places[chat], message),
        ).fetchone()
        if row is not None:
            hits.append(_make_hit(chats[chat][1], row[0], row[1], terms))
    return hits


def _find_titles(
    db: sqlite3.Connection, query: str, terms: list[Term], limit: int
) -> list[SearchHit]:
    if any(term.anywhere for term in terms):
        pattern = "%" + re.sub(r"([\\%_])", r"\\\1", query) + "%"
        rows = db.execute(
            "SELECT id, title FROM chats WHERE title LIKE ? ESCAPE '\\' AND deleted_at IS NULL "
            "ORDER BY updated_at DESC LIMIT ?",
            (pattern, limit),
        )
    else:
        rows = db.execute(
            "SELECT c.id, c.title FROM chats_fts f JOIN chats c ON c.seq = f.rowid "
            "WHERE chats_fts MATCH ? AND c.deleted_at IS NULL ORDER BY c.updated_at DESC LIMIT ?",
            (" ".join(term.match for term in terms), limit),
        )
    return [_make_hit(chat, None, title, terms) for chat, title in rows]


def _load_chats(db: sqlite3.Connection, filters: Filter | None) -> dict[int, tuple[float, str]]:
    if filters is None:
        rows = db.execute("SELECT seq, id, updated_at FROM chats WHERE deleted_at IS NULL")
        return {seq: (updated, chat) for seq, chat, updated in rows}
    folders = {row[0]: Folder(*row) for row in db.execute("SELECT * FROM folders")}
    chats = {}
    for seq, *row in db.execute(f"SELECT seq, {CHAT_COLUMNS} FROM chats WHERE deleted_at IS NULL"):
        chat = chat_from_row(tuple(row))
        if filters.matches(chat, folders):
            chats[seq] = (chat.updated_at, chat.id)
    return chats


def _find_by_filter(
    db: sqlite3.Connection, chats: dict[int, tuple[float, str]], filters: Filter, limit: int
) -> list[SearchHit]:
    """Return the chats that match a filter without words, most recently used first."""
    condition, values = filters.condition()
    query = f"SELECT 1 FROM messages m WHERE m.chat_id = ? AND m.deleted_at IS NULL AND {condition}"
    hits: list[SearchHit] = []
    for seq, (_, chat_id) in sorted(chats.items(), key=lambda item: item[1], reverse=True):
        if len(hits) >= limit:
            break
        if filters.has_message_conditions and not db.execute(query, (chat_id, *values)).fetchone():
            continue
        (title,) = db.execute("SELECT title FROM chats WHERE seq = ?", (seq,)).fetchone()
        hits.append(SearchHit(chat_id, None, title))
    return hits


def _find_near(
    db: sqlite3.Connection, terms: list[Term], filters: Filter | None = None
) -> dict[int, int]:
    """Return each chat's newest passage that has all words, in one pass over the index."""
    if filters is not None and filters.has_message_conditions:
        condition, values = filters.condition()
        number = f"(f.rowid >> {MESSAGE_BITS}) & {(1 << CHAT_BITS - MESSAGE_BITS) - 1}"
        rows = db.execute(
            f"SELECT f.rowid >> {CHAT_BITS}, max(f.rowid) FROM messages_fts f JOIN messages m "
            f"ON m.seq = {number} WHERE messages_fts MATCH ? AND {condition} GROUP BY 1",
            (" ".join(term.match for term in terms), *values),
        )
        return dict(rows.fetchall())
    rows = db.execute(
        f"SELECT rowid >> {CHAT_BITS}, max(rowid) FROM messages_fts WHERE messages_fts MATCH ? "
        "GROUP BY 1",
        (" ".join(term.match for term in terms),),
    )
    return dict(rows.fetchall())


def _find_apart(db: sqlite3.Connection, terms: list[Term]) -> dict[int, int]:
    """Return each chat's newest message that has all words, but in different passages."""
    newest: dict[int, int] = {}
    # The longest word is probably the rarest, so search for it first, and check only those messages
    # for the other words.
    for number, term in enumerate(sorted(terms, key=lambda t: len(t.word), reverse=True)):
        within = json.dumps(list(newest))
        rows = db.execute(
            f"SELECT rowid >> {MESSAGE_BITS}, max(rowid) FROM messages_fts "
            f"WHERE messages_fts MATCH ?1 AND (?2 OR rowid >> {MESSAGE_BITS} IN "
            "(SELECT value FROM json_each(?3))) GROUP BY 1",
            (term.match, not number, within),
        )
        newest = dict(rows.fetchall())
        if not newest:
            break
    return {rowid >> CHAT_BITS: rowid for rowid in sorted(newest.values())}


def _make_hit(chat: str, message: str | None, text: str, terms: list[Term]) -> SearchHit:
    text = text.replace(APART, "")
    if message is None:
        return SearchHit(chat, None, text, tuple(_find_marks(text, terms)))
    begin, end = _excerpt_span(text, terms)
    words = text[begin:end].split()
    snippet = ("…" if begin else "") + " ".join(words) + ("…" if end < len(text) else "")
    return SearchHit(chat, message, snippet, tuple(_find_marks(snippet, terms)))


def places_in(text: str, query: str) -> list[tuple[int, int]]:
    """Return the spans of a query's words in a text, starting at the best position.

    At the best position most of the words are close together. Earlier matches come last. The
    query's filters are ignored.
    """
    terms = terms_of(split(query)[0])
    marks = _find_marks(text, terms) if terms else []
    best = _find_best(text, marks, terms)
    return [mark for mark in marks if mark[0] >= best] + [m for m in marks if m[0] < best]


def _find_best(text: str, marks: list[tuple[int, int]], terms: list[Term]) -> int:
    folded = fold(text)
    best, most_words, width = 0, 0, 0
    for number, (start, _) in enumerate(marks):
        words: set[str] = set()
        reach = start
        for s, e in marks[number : number + 12]:
            if e <= start + _LENGTH // 2 and folded[s:e] not in words:
                words.add(folded[s:e])
                reach = e
        if len(words) > most_words or (len(words) == most_words and reach - start < width):
            best, most_words, width = start, len(words), reach - start
        if most_words >= len(terms) and start > best + _LENGTH // 2:
            break
    return best


def _excerpt_span(text: str, terms: list[Term]) -> tuple[int, int]:
    best = _find_best(text, _find_marks(text, terms), terms)
    begin = best - _BEFORE if best > _SEEN else 0
    if begin:  # start at a nearby word boundary if possible
        space = max(text.find(" ", begin, best), text.find("\n", begin, best))
        begin = space + 1 if space >= 0 else begin
    end = min(len(text), begin + _LENGTH)
    if end < len(text) and (space := text.rfind(" ", best + _LENGTH // 2, end)) > 0:
        end = space
    return begin, end


def _find_marks(text: str, terms: list[Term]) -> list[tuple[int, int]]:
    folded = fold(text)
    marks = []
    for term in {Term(fold(t.word), t.begins, t.anywhere) for t in terms}:
        word = re.escape(term.word)
        if not term.anywhere:
            word = rf"(?<![^\W_]){word}" + ("[^\\W_]*" if term.begins else r"(?![^\W_])")
        marks += [match.span() for match in re.finditer(word, folded)]
    return sorted(marks)


_JOIN_S = 3.0  # longer than `prepare` takes

ReportHits = Callable[[list[SearchHit], bool], object]
"""Called on the search thread with the hits so far, and True if the search is complete."""


class Searcher:
    """Search thread with its own read connection. Only the latest query is answered.

    ``prepare`` is called before each search to include the latest writes.
    """

    def __init__(self, path: Path, prepare: Callable[[], None]) -> None:
        self._path = path
        self._prepare = prepare
        self._changed = threading.Condition()
        self._next: tuple[str, int, ReportHits] | None = None
        self._running: sqlite3.Connection | None = None
        self._number = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def ask(self, query: str, limit: int, report: ReportHits) -> None:
        """Search in a thread, and drop an earlier query that hasn't been answered.

        Calls ``report`` with the titles first, and then with all hits.
        """
        with self._changed:
            if self._closing:
                return
            self._number += 1
            self._next = (query, limit, report)
            self._stop_running()
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="store-search", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        with self._changed:
            self._number += 1
            self._next = None
            self._stop_running()

    def close(self) -> None:
        """Cancel the search and join the thread, unless the disk doesn't respond."""
        with self._changed:
            self._closing = True
            self._next = None
            self._stop_running()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_JOIN_S)

    def _stop_running(self) -> None:
        if self._running is not None:
            self._running.interrupt()

    def _run(self) -> None:
        db: sqlite3.Connection | None = None
        while True:
            with self._changed:
                while self._next is None and not self._closing:
                    self._changed.wait()
                if self._closing or self._next is None:
                    break
                (query, limit, report), number = self._next, self._number
                self._next = None
            try:
                self._prepare()
                db = db or open_reader(self._path)
                self._search(db, query, limit, report, number)
            except StoreError as error:
                log.warning("search failed: %s", error.code)
                self._report(report, [], True, number)
            except BaseException:  # keep the thread alive for the next search
                log.exception("search failed")
                self._report(report, [], True, number)
        if db is not None:
            db.close()

    def _search(
        self, db: sqlite3.Connection, query: str, limit: int, report: ReportHits, number: int
    ) -> None:
        with self._changed:
            if number != self._number or self._closing:
                return
            self._running = db
        hits: list[SearchHit] = []
        try:
            hits = find(
                db, query, limit, lambda title_hits: self._report(report, title_hits, False, number)
            )
        except (sqlite3.Error, *UNREADABLE) as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                return
            failure = to_store_error(error, self._path)
            log.warning("search aborted: %s", failure.code)
            if failure.code == "corrupt":
                note_damage(self._path)
        finally:
            with self._changed:
                self._running = None
        self._report(report, hits, True, number)

    def _report(
        self, report: ReportHits, hits: list[SearchHit], is_complete: bool, number: int
    ) -> None:
        with self._changed:
            if number != self._number or self._closing:
                return
        report(hits, is_complete)
