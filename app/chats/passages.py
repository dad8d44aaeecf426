"""Parts of long files for the prompt: pages, the beginning, or matching passages."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator

from app.settings.language import number, tr
from app.store import AttachedText, Span

_BETWEEN = re.compile(r"[,;，、；\s]*[,;，、；]\s*|(?<=\d)\s+(?=\d)")
_RANGE = re.compile(r"(\d{1,6})(?:\s*[-–—]\s*(\d{1,6}))?")


def whole_pages(text: AttachedText, numbers: list[int]) -> tuple[Span, ...]:
    return tuple((n, 0, len(text.pages[n - 1])) for n in numbers)


def parse_page_numbers(words: str, count: int) -> list[int]:
    """Parse page numbers like "1-3, 7". Raises ValueError with a message for the user."""
    numbers: set[int] = set()
    parts = [part.strip() for part in _BETWEEN.split(words)]
    for part in filter(None, parts):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(
                tr("“{part}” isn’t a number. Enter numbers such as 1-3, 7.", part=part[:20])
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise ValueError(tr("Enter numbers from 1 to {last}.", last=number(count)))
        numbers.update(range(first, last + 1))
    if not numbers:
        raise ValueError(tr("Enter numbers such as 1-3, 7."))
    return sorted(numbers)


def beginning_of_text(text: AttachedText, characters: int) -> tuple[Span, ...]:
    """Return the spans of the first ``characters`` characters, cut after a line if possible."""
    spans: list[Span] = []
    for at, page in enumerate(text.pages, 1):
        if characters <= 0:
            break
        end = len(page)
        if end > characters:
            end = page.rfind("\n", 0, characters) + 1 or page.rfind(" ", 0, characters) + 1
            end = end or characters
        if page:
            spans.append((at, 0, end))
        characters -= len(page)
    return tuple(spans)


LENGTH = 900  # characters per passage: two or three paragraphs, about 200 tokens
_MOST_WORDS = 40
_ENOUGH = 0.1  # minimum rank of a passage, as a fraction of the best rank
_WORD = re.compile(r"\w+")
_PAGE = r"(?:{unit}|page|seite|p\.|s\.)s?\.?\s*(\d{{1,6}})"


class Passages:
    def __init__(self, text: AttachedText) -> None:
        self._text = text
        self._query_lock = threading.Lock()
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
                for begin, end in split_page(page)
            ),
        )

    def find(self, question: str, characters: int) -> tuple[Span, ...]:
        """Return the best passages, at most ``characters`` characters in total, in file order.

        Pages named in the question come first. Without matches, returns the beginning of the file.
        """
        spans: list[Span] = []
        room = characters
        for span in [*self._named_pages(question), *self._matching_passages(question)]:
            if span in spans:
                continue
            if (length := span[2] - span[1]) > room:
                break
            spans.append(span)
            room -= length
        return _joined(sorted(spans)) if spans else beginning_of_text(self._text, characters)

    def _named_pages(self, question: str) -> Iterator[Span]:
        unit = re.escape(self._text.unit or "page")
        for match in re.finditer(_PAGE.format(unit=unit), question, re.IGNORECASE):
            number = int(match[1])
            if self._text.unit and 0 < number <= len(self._text.pages):
                for begin, end in split_page(self._text.pages[number - 1]):
                    yield number, begin, end

    def _matching_passages(self, question: str) -> list[Span]:
        words = dict.fromkeys(_WORD.findall(question.casefold()))
        query = " OR ".join(f'"{word}"' for word in list(words)[:_MOST_WORDS])
        if not query:
            return []
        best = (
            "SELECT page, start, finish, rank FROM passages WHERE passages MATCH ? ORDER BY rank "
            "LIMIT 200"
        )
        with self._query_lock:
            rows = self._db.execute(best, (query,)).fetchall()
        # Better ranks are more negative. Drop passages that only share words like "the".
        enough = _ENOUGH * rows[0][3] if rows else 0.0
        return [(int(page), int(b), int(e)) for page, b, e, rank in rows if rank <= enough]


_MOST_KEPT = 8
_kept: OrderedDict[str, Passages] = OrderedDict()
_lock = threading.Lock()


def passages_of(key: str, texts: Callable[[str], AttachedText | None]) -> Passages | None:
    """Return the passage index of a text by its hash. Thread-safe.

    Indexing a long text takes a second and doesn't block other calls. Returns None if ``texts``
    doesn't have the text.
    """
    with _lock:
        cached = _kept.get(key)
    if cached is None:
        if (text := texts(key)) is None:
            return None
        cached = Passages(text)
    with _lock:
        cached = _kept.setdefault(key, cached)
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return cached


def split_page(page: str) -> Iterator[tuple[int, int]]:
    """Yield passages that end at a paragraph, line, sentence or word boundary."""
    begin = 0
    while begin < len(page):
        end = begin + LENGTH
        if end < len(page):
            for mark in ("\n\n", "\n", ". ", " "):
                position = page.rfind(mark, begin + LENGTH // 3, end)
                if position > 0:
                    end = position + len(mark)
                    break
        end = min(end, len(page))
        if page[begin:end].strip():
            yield begin, end
        begin = end


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for page, begin, end in spans:
        if merged and merged[-1][0] == page and merged[-1][2] == begin:
            merged[-1] = (page, merged[-1][1], end)
        else:
            merged.append((page, begin, end))
    return tuple(merged)


def is_indexed(key: str) -> bool:
    return key in _kept
