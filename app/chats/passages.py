"""Selection of parts of long files for the prompt: pages, the beginning, or matching passages."""

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
    """Return the full pages, in order."""
    return tuple((n, 0, len(text.pages[n - 1])) for n in numbers)


def pages_in(words: str, count: int) -> list[int]:
    """Return the numbers in a text such as "1-3, 7".

    Raises:
        ValueError: the text is invalid; the message is for the user.
    """
    found: set[int] = set()
    parts = [part.strip() for part in _BETWEEN.split(words)]
    for part in filter(None, parts):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(
                tr("“{part}” is not a number. Enter numbers such as 1-3, 7.", part=part[:20])
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise ValueError(tr("Enter numbers from 1 to {last}.", last=number(count)))
        found.update(range(first, last + 1))
    if not found:
        raise ValueError(tr("Enter numbers such as 1-3, 7."))
    return sorted(found)


def beginning(text: AttachedText, characters: int) -> tuple[Span, ...]:
    """Return the first pages up to a number of characters, with whole lines of the last one."""
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


LENGTH = 900  # characters of a passage: two or three paragraphs, about 200 tokens
_MOST_WORDS = 40
_ENOUGH = 0.1  # of the best passage's rank
_WORD = re.compile(r"\w+")
_PAGE = r"(?:{unit}|page|seite|p\.|s\.)s?\.?\s*(\d{{1,6}})"


class Passages:
    """Full-text index of one file in memory. Thread-safe."""

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

    def find(self, question: str, characters: int) -> tuple[Span, ...]:
        """Return the best passages in the file's order, up to a number of characters.

        Pages named in the question come first. If nothing matches, it is the beginning of the file.
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
        """Yield the passages of pages that the question names."""
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
        # Better ranks are more negative. Passages that share only words such as "the" are left out.
        enough = _ENOUGH * found[0][3] if found else 0.0
        return [(int(page), int(b), int(e)) for page, b, e, rank in found if rank <= enough]


_MOST_KEPT = 8
_kept: OrderedDict[str, Passages] = OrderedDict()
_lock = threading.Lock()


def passages_of(key: str, texts: Callable[[str], AttachedText | None]) -> Passages | None:
    """Return the passages of the text with this hash, indexed once for all chats. Thread-safe.

    Indexing a long text takes a second, and blocks only this call.

    Args:
        texts: returns a text by its hash, or None if it is missing.
    """
    with _lock:
        made = _kept.get(key)
    if made is None:
        if (text := texts(key)) is None:
            return None
        made = Passages(text)
    with _lock:
        made = _kept.setdefault(key, made)
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return made


def pieces(page: str) -> Iterator[tuple[int, int]]:
    """Yield passages of a page that end with a paragraph, line, sentence or word."""
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
    """Join adjacent passages."""
    made: list[Span] = []
    for page, begin, end in spans:
        if made and made[-1][0] == page and made[-1][2] == begin:
            made[-1] = (page, made[-1][1], end)
        else:
            made.append((page, begin, end))
    return tuple(made)


def are_made(key: str) -> bool:
    """Return True if `passages_of` has an index of this text."""
    return key in _kept
