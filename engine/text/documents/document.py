"""What a file says: its text in pages, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass

MOST_CHARACTERS = 8_000_000
"""Of a file's text: twice what the longest contexts of today's models hold."""

MOST_PAGES = 20_000

_CONTROLS = {number: None for number in range(32) if chr(number) not in "\n\t"}


class UnreadableError(Exception):
    """The file cannot be read: the end of a sentence that begins with its name."""


@dataclass(frozen=True)
class Document:
    """A file as text.

    Attributes:
        kind: what it is, for people: "PDF", "Word", "text".
        unit: what its pages are called: "page", "slide", "sheet", "chapter"; "" for a file that
            is one piece.
        pages: the text of each. One that has none is empty, so that the numbers are right.
        labels: a name of each page, as sheets have; empty where pages have numbers only.
    """

    kind: str
    unit: str
    pages: tuple[str, ...]
    labels: tuple[str, ...] = ()


def document(kind: str, unit: str, pages: list[str], labels: list[str] | None = None) -> Document:
    """A document with its text cleaned.

    Raises:
        UnreadableError: there is no text in it.
    """
    cleaned = tuple(map(clean, pages))
    if not any(cleaned):
        raise UnreadableError("holds no text")
    names = tuple(" ".join(label.split())[:200] for label in labels or ())
    return Document(kind, unit, cleaned, names)


def clean(text: str) -> str:
    """The text with plain line ends, without control characters and blanks at lines' ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.translate(_CONTROLS)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


class Budget:
    """Counts a file's characters and pages, and refuses what has too many."""

    def __init__(self) -> None:
        self._characters = self._pages = 0

    def take(self, text: str, pages: int = 0) -> str:
        """The text itself.

        Raises:
            UnreadableError: there is more than anybody has a use for.
        """
        self._characters += len(text)
        self._pages += pages
        if self._characters > MOST_CHARACTERS:
            raise UnreadableError(
                f"holds more than {MOST_CHARACTERS:,} characters of text. Attach a part of it"
            )
        if self._pages > MOST_PAGES:
            raise UnreadableError(f"has more than {MOST_PAGES:,} pages. Attach a part of it")
        return text
