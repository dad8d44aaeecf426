"""Which words of a message are prose, whose spelling is looked at: no code, addresses or paths."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

MOST_SPAN = 2_000
"""Characters of a code span: a backtick further away belongs to another."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_CHUNK = re.compile(r"\S+")
_FRINGE = "()\"'“”‘’„‚«»‹›.,;:!?¡¿…*_~—–-"
_LETTERS = r"[^\W\d_]"
_PROSE = re.compile(rf"{_LETTERS}+(?:['’‐‑–—-]+{_LETTERS}+)*")
_WORD = re.compile(rf"{_LETTERS}+(?:['’]{_LETTERS}+)*")


@dataclass(frozen=True)
class Word:
    """A word in a text: where it begins, in characters, and what it is."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def words(text: str, begin: int = 0, end: int | None = None) -> Iterator[Word]:
    """The words of prose in ``text[begin:end]``, and in the rest of the lines around it."""
    end = len(text) if end is None else end
    begin, end = _whole_lines(text, begin, end)
    part = _without_code(text, begin, end)
    for chunk in _CHUNK.finditer(part):
        bare = chunk[0].strip(_FRINGE)
        if not bare or not _PROSE.fullmatch(bare):
            continue  # an address, a path, a name of code, a figure
        start = chunk.start() + chunk[0].index(bare)
        for word in _WORD.finditer(bare):
            if _is_word(word[0]):
                yield Word(begin + start + word.start(), word[0])


def script(word: str) -> str:
    """What the word is written in, as Unicode calls it: "LATIN", "CYRILLIC"."""
    return unicodedata.name(word[0], "").partition(" ")[0]


def _is_word(text: str) -> bool:
    """Abbreviations (HTTP) and names of code (aName) are none that a dictionary has."""
    return len(text) > 1 and text[1:] == text[1:].lower()


def _whole_lines(text: str, begin: int, end: int) -> tuple[int, int]:
    """The part with the paragraphs that it begins and ends in, as far as a code span reaches."""
    before = text.rfind("\n\n", max(0, begin - MOST_SPAN), begin)
    line = text.rfind("\n", 0, begin) + 1
    begin = min(before + 2, line) if before >= 0 else max(0, min(line, begin - MOST_SPAN))
    after = text.find("\n", end)
    return begin, min(end + MOST_SPAN, after if after >= 0 else len(text))


def _without_code(text: str, begin: int, end: int) -> str:
    """``text[begin:end]`` with blanks in the place of code."""
    part = list(text[begin:end])

    def blank(start: int, stop: int) -> None:
        start, stop = max(start, begin) - begin, min(stop, end) - begin
        if start < stop:
            part[start:stop] = [c if c == "\n" else " " for c in part[start:stop]]

    for start, stop in _fenced(text, end):
        blank(start, stop)
    for line in re.finditer(r"^(?: {4}|\t).*$", text[begin:end], re.MULTILINE):
        blank(begin + line.start(), begin + line.end())
    for start, stop in _spans("".join(part)):
        blank(begin + start, begin + stop)
    return "".join(part)


def _fenced(text: str, end: int) -> Iterator[tuple[int, int]]:
    """The blocks of code before ``end``; one that is not closed goes to the end of the text."""
    opened = ""
    start = 0
    for fence in _FENCE.finditer(text, 0, end):
        marks, rest = fence[1], fence[2]
        if not opened:
            if "`" not in rest or marks[0] == "~":
                opened, start = marks, fence.start()
        elif marks[0] == opened[0] and len(marks) >= len(opened) and not rest.strip():
            yield start, fence.end()
            opened = ""
    if opened:
        yield start, len(text)


def _spans(part: str) -> Iterator[tuple[int, int]]:
    """The code spans: from backticks to as many backticks, in one paragraph."""
    runs = list(_TICKS.finditer(part))
    done = 0
    for number, opening in enumerate(runs):
        if opening.start() < done:
            continue
        for closing in runs[number + 1 :]:
            inside = part[opening.end() : closing.start()]
            if len(inside) > MOST_SPAN or "\n\n" in inside:
                break
            if len(closing[0]) == len(opening[0]):
                done = closing.end()
                yield opening.start(), done
                break
