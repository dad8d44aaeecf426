"""PDF, by pdfium: of the parsers it alone reads 500 pages within a second."""

from __future__ import annotations

from pathlib import Path

from engine.text.documents.document import Budget, Document, UnreadableError, document


def pdf(path: Path) -> Document:
    """The text of each page, in the order in which the file has it."""
    import pypdfium2
    from pypdfium2 import raw

    try:
        opened = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD or "password" in str(error):
            sentence = "is locked with a password. Save it without one and try again"
            raise UnreadableError(sentence) from None
        raise UnreadableError("is damaged, or no PDF") from None
    budget = Budget()
    budget.take("", len(opened))
    pages = []
    for number in range(len(opened)):
        try:
            page = opened[number]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            pages.append("")  # a damaged page among whole ones
            continue
        pages.append(budget.take(text.get_text_range()))
        text.close()
        page.close()
    try:
        return document("PDF", "page", pages)
    except UnreadableError:
        sentence = "holds no text: its pages are pictures. Have them read by an OCR program first"
        raise UnreadableError(sentence) from None
