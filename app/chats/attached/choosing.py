"""Which part of a file is given to the model, where all of it is too much."""

from __future__ import annotations

import re

from app.language import number, tr
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
            raise ValueError(tr("“{part}” is no number. Write 1-3, 7.", part=part[:20]))
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise ValueError(tr("There are numbers from 1 to {last}.", last=number(count)))
        found.update(range(first, last + 1))
    if not found:
        raise ValueError(tr("Write the numbers, for example 1-3, 7."))
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
