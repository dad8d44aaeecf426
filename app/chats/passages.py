"""What of a long file a model is given: named pages, its beginning, or passages that match."""

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
    """All of these pages, in their order."""
    return tuple((n, 0, len(text.pages[n - 1])) for n in numbers)


def pages_in(words: str, count: int) -> list[int]:
    """The numbers that "1-3, 7" means.

    Raises:
        ValueError: a sentence that says what is wrong.
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
    """The first pages, and of the last of them as many whole lines, so long in all."""
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


def passages_of(key: str, texts: Callable[[str], AttachedText | None]) -> Passages | None:
    """The passages of the text of this hash, made once for all chats; on any thread.

    A long text takes a second. Who waits for it keeps nobody else waiting.

    Args:
        texts: gives a text by its hash; None where it is not there.
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
    for page, begin, end in spans:
        if made and made[-1][0] == page and made[-1][2] == begin:
            made[-1] = (page, made[-1][1], end)
        else:
            made.append((page, begin, end))
    return tuple(made)


def are_made(key: str) -> bool:
    """Whether `passages_of` would answer at once."""
    return key in _kept
