"""A table of answers as a file: CSV for spreadsheets, or Markdown. Pure, no Qt."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from app.language import mark, tr

MESSAGE = mark("Message")


def as_csv(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """RFC 4180, with a byte order mark: Excel takes it for another encoding without.

    What a spreadsheet would reckon out (=, +, - and @ at the beginning) has an apostrophe before
    it, as OWASP advises ("CSV Injection"): a model's answer may be anything.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    for row in ((tr(MESSAGE), *heads), *rows):
        writer.writerow([f"'{cell}" if cell[:1] in set("=+-@\t\r") else cell for cell in row])
    return "\ufeff" + text.getvalue()


def as_markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as GitHub's Markdown has them; lines of a cell are parted by <br>."""
    lines = [_line((tr(MESSAGE), *heads)), _line(["---"] * (len(heads) + 1))]
    return "\n".join([*lines, *map(_line, rows)]) + "\n"


def _line(cells: Sequence[str]) -> str:
    told = (
        cell.strip().replace("\\", "\\\\").replace("|", "\\|").replace("\r", "") for cell in cells
    )
    return "| " + " | ".join("<br>".join(cell.split("\n")) for cell in told) + " |"
