"""Text shown as it was typed, where parsing it would take too long or has stopped."""

from collections.abc import Iterator

from app.markdown.inline import shown
from app.markdown.rows import LONGEST, Row, Span, TextRow
from app.markdown.spacing import gap


def raw_rows(text: str, previous: Row | None) -> list[Row]:
    """The lines of a text as rows at the left edge, long lines cut."""
    rows: list[Row] = []
    goes_on = previous is not None and previous.kind == "raw"
    for line in text.split("\n"):
        for number, spans in enumerate(pieces(line)):
            space = 0 if rows or goes_on else gap(previous, "raw", False)
            rows.append(TextRow("raw", spans, space, joined=number > 0))
    return rows


def pieces(line: str) -> Iterator[tuple[Span, ...]]:
    """A line, cut where it is too long for a row."""
    for start in range(0, max(len(line), 1), LONGEST):
        part = shown(line[start : start + LONGEST])
        yield (Span(part),) if part else ()
