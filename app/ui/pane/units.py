"""What is said of choosing pages of a file, by what its pages are called."""

from __future__ import annotations

from typing import NamedTuple

from app.language import counted, mark, number


class UnitWords(NamedTuple):
    """Texts as `mark` gives them.

    Attributes:
        title: of the dialog; takes ``name``, the file's.
        numbers: the name of the field for their numbers.
        question: what stands above the field.
        entry: of the menu that opens the dialog.
    """

    title: str
    numbers: str
    question: str
    entry: str


_PAGES = UnitWords(
    mark("Pages of {name}"),
    mark("Numbers of pages"),
    mark("Which pages does the model get?"),
    mark("Chosen Pages…"),
)
_OTHERS = {
    "slide": UnitWords(
        mark("Slides of {name}"),
        mark("Numbers of slides"),
        mark("Which slides does the model get?"),
        mark("Chosen Slides…"),
    ),
    "sheet": UnitWords(
        mark("Sheets of {name}"),
        mark("Numbers of sheets"),
        mark("Which sheets does the model get?"),
        mark("Chosen Sheets…"),
    ),
    "chapter": UnitWords(
        mark("Chapters of {name}"),
        mark("Numbers of chapters"),
        mark("Which chapters does the model get?"),
        mark("Chosen Chapters…"),
    ),
}


def unit_words(unit: str) -> UnitWords:
    """Those for this ``Attachment.unit``; what has another name is called a page."""
    return _OTHERS.get(unit, _PAGES)


def has_line(unit: str, pages: int) -> str:
    """How many of them the file has, as a sentence."""
    count = number(pages)
    if unit == "slide":
        return counted(
            "The file has {count} slide.", "The file has {count} slides.", pages, count=count
        )
    if unit == "sheet":
        return counted(
            "The file has {count} sheet.", "The file has {count} sheets.", pages, count=count
        )
    if unit == "chapter":
        return counted(
            "The file has {count} chapter.", "The file has {count} chapters.", pages, count=count
        )
    return counted("The file has {count} page.", "The file has {count} pages.", pages, count=count)
