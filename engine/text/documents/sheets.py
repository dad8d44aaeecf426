"""Excel's files, by openpyxl."""

from __future__ import annotations

from pathlib import Path

from engine.text.documents.archive import DAMAGED
from engine.text.documents.document import Budget, Document, UnreadableError, document


def sheets(path: Path) -> Document:
    """Each sheet as lines of cells with tabs between them; of formulas what they came to."""
    import openpyxl

    budget = Budget()
    pages, labels = [], []
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            lines: list[str] = []
            for row in sheet.iter_rows(values_only=True):
                cells = ["" if cell is None else str(cell) for cell in row]
                while cells and not cells[-1]:
                    cells.pop()
                line = "\t".join(" ".join(cell.split()) for cell in cells)
                if line or (lines and lines[-1]):
                    lines.append(budget.take(line))
            pages.append("\n".join(lines))
            labels.append(str(sheet.title))
            budget.take("", 1)
    except (UnreadableError, MemoryError):
        raise
    except Exception:  # of a damaged file, and of defusedxml, which openpyxl uses for its XML
        raise UnreadableError(DAMAGED) from None
    return document("Excel", "sheet", pages, labels)
