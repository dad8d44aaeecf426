"""The passages of a file that match a question, by SQLite's full-text search (FTS5, BM25)."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator

from app.chats.attached.choosing import beginning
from app.store import AttachedText, Span

LENGTH = 900
"""Characters of a passage: two or three paragraphs, about 200 tokens."""
_MOST_WORDS = 40
_ENOUGH = 0.1  # of the best passage's rank
_WORD = re.compile(r"\w+")
_PAGE = r"(?:{unit}|page|seite|p\.|s\.)s?\.?\s*(\d{{1,6}})"


class Passages:
    """An index in memory over one file; for any thread."""

    def __init__(self, text: AttachedText) -> None:
        self._text = text
        self._asked = threading.Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "CREATE VIRTUAL TABLE passages USING fts5(words, page UNINDEXED, start UNINDEXED, "
            "finish UNINDEXED, tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._db.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?)",
            (
                (page[begin:end], number, begin, end)
                for number, page in enumerate(text.pages, 1)
                for begin, end in pieces(page)
            ),
        )

    def close(self) -> None:
        self._db.close()

    def find(self, question: str, characters: int) -> tuple[Span, ...]:
        """The best ones in the order of the file, so long in all; a page that is named comes first.

        Where nothing matches it is the file's beginning.
        """
        chosen: list[Span] = []
        left = characters
        for span in [*self._named(question), *self._matching(question)]:
            if span in chosen:
                continue
            if (length := span[2] - span[1]) > left:
                break
            chosen.append(span)
            left -= length
        return _joined(sorted(chosen)) if chosen else beginning(self._text, characters)

    def _named(self, question: str) -> Iterator[Span]:
        """The passages of pages that the question names."""
        unit = re.escape(self._text.unit or "page")
        for match in re.finditer(_PAGE.format(unit=unit), question, re.IGNORECASE):
            number = int(match[1])
            if self._text.unit and 0 < number <= len(self._text.pages):
                for begin, end in pieces(self._text.pages[number - 1]):
                    yield number, begin, end

    def _matching(self, question: str) -> list[Span]:
        words = dict.fromkeys(_WORD.findall(question.casefold()))
        query = " OR ".join(f'"{word}"' for word in list(words)[:_MOST_WORDS])
        if not query:
            return []
        best = (
            "SELECT page, start, finish, rank FROM passages WHERE passages MATCH ? ORDER BY rank "
            "LIMIT 200"
        )
        with self._asked:
            found = self._db.execute(best, (query,)).fetchall()
        # A rank is the more negative the better. What shares nothing but "the" is left out.
        enough = _ENOUGH * found[0][3] if found else 0.0
        return [(int(page), int(b), int(e)) for page, b, e, rank in found if rank <= enough]


_MOST_KEPT = 8
_kept: OrderedDict[str, Passages] = OrderedDict()
_lock = threading.Lock()


def passages_of(key: str, text: AttachedText) -> Passages:
    """The passages of the text of this hash, made once for all chats; on any thread."""
    with _lock:
        if key not in _kept:
            _kept[key] = Passages(text)
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
        return _kept[key]


def pieces(page: str) -> Iterator[tuple[int, int]]:
    """A page in passages that end where a paragraph does, or a line, or a sentence, or a word."""
    begin = 0
    while begin < len(page):
        end = begin + LENGTH
        if end < len(page):
            for mark in ("\n\n", "\n", ". ", " "):
                place = page.rfind(mark, begin + LENGTH // 3, end)
                if place > 0:
                    end = place + len(mark)
                    break
        end = min(end, len(page))
        if page[begin:end].strip():
            yield begin, end
        begin = end


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    """Neighbours as one."""
    made: list[Span] = []
    for number, begin, end in spans:
        if made and made[-1][0] == number and made[-1][2] == begin:
            made[-1] = (number, made[-1][1], end)
        else:
            made.append((number, begin, end))
    return tuple(made)
