"""Text shown as it was typed, where parsing it would take too long or has stopped."""

from collections.abc import Iterator

from app.markdown.inline import shown
from app.markdown.rows import Row, Span, TextRow
from app.markdown.spacing import gap

_LONGEST = 2_000  # characters of a row: Qt lays out a changed row whole


def raw_rows(text: str, previous: Row | None) -> list[Row]:
    """The lines of a text as rows at the left edge, long lines cut."""
    rows: list[Row] = []
    for line in text.strip("\n").split("\n"):
        for spans in pieces(line):
            space = 0 if rows else gap(previous, "raw", False)
            rows.append(TextRow("raw", spans, space))
    return rows


def pieces(line: str) -> Iterator[tuple[Span, ...]]:
    """A line, cut where it is too long for a row."""
    for start in range(0, max(len(line), 1), _LONGEST):
        part = shown(line[start : start + _LONGEST])
        yield (Span(part),) if part else ()
