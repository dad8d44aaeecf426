"""Conversion of files to plain text with page boundaries, for attachments.

`read` must run in a sandboxed child (`engine.sandbox`), because the parsers are large and files
are untrusted. Libraries are imported on first use.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from engine.messages import SAVE_HEIC, Image, is_heic
from engine.text import opendocument, rtf, slides, webpages, word
from engine.text.document_base import (
    DAMAGED,
    LOCKED,
    MAX_CHARACTERS,
    Archive,
    Budget,
    Document,
    LeftOut,
    UnreadableError,
    build_document,
    clean,
    join_path,
)
from engine.text.encodings import NotTextError, decode
from engine.text.hyphens import rejoin_words

__all__ = ["MAX_CHARACTERS", "Document", "DrawnPage", "UnreadableError", "draw", "read"]

_MAX_FILE_BYTES = 300_000_000
_MAX_TEXT_BYTES = 40_000_000  # limit in bytes for text files
_MAX_TABS = 100  # limit for empty columns between two cells
_MAX_SIDE_PX = 4_000  # pixels of a rendered page, well below JPEG's limit of 65,535
_MAX_SCALE = 4.0  # pixels per point, i.e. 288 dpi
_QUALITY = 85
_MAX_OBJECTS = 2_000  # per page, when looking for images
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}

PICTURE = "is an image without text"
_BINARY = "is in an unknown format. Save it as text or PDF and attach that"

_KINDS = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".json": "JSON",
    ".txt": "text",
    ".log": "text",
}
_PROSE = {"", ".txt", ".log", ".text", ".rst", ".org", ".tex"}
_ARCHIVE = "is an archive. Unpack it and attach the files in it"
_TABLES = "is a database. Export its tables as CSV and attach those"
_NAMED = (  # names of unsupported formats by magic number
    (b"SQLite format 3\0", _TABLES),
    (b"PAR1", _TABLES),
    (b"Rar!", _ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", _ARCHIVE),
    (b"\x1f\x8b", _ARCHIVE),
    (b"BZh", _ARCHIVE),
    (b"\xfd7zXZ\0", _ARCHIVE),
    (b"\x28\xb5\x2f\xfd", _ARCHIVE),
    (b"%!PS", "is a PostScript file. Convert it to PDF and attach that"),
    (b"AT&TFORM", "is a DjVu file. Convert it to PDF and attach that"),
    (b"\xffWPC", "is a WordPerfect file. Save it as DOCX or PDF and attach that"),
)
_IN_OLD_OFFICE = (  # names of entries in an old Office file's directory
    ("EncryptedPackage", LOCKED),
    ("__substg1.0_", "is an Outlook message. Save it as text or PDF and attach that"),
    ("WordDocument", "was saved by an old version of Word. Save it as DOCX and attach that"),
    ("Workbook", "was saved by an old version of Excel. Save it as XLSX and attach that"),
    ("PowerPoint Document", "was saved by an old version of PowerPoint. Save it as PPTX"),
)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # Excel's character escapes
_HTML = re.compile(r"\s*(?:<!--.*?-->\s*)?(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.I)


class DrawnPage(Struct, frozen=True):
    number: int  # page number, starting at 1
    # Size in pixels.
    width: int
    height: int
    jpeg: bytes
    thumbnail: bytes


def read(path: Path, encoding: str = "") -> Document:
    """Convert a file to text with page boundaries. The file type is detected from the content.

    The text is only empty if all pages of a PDF are scans.

    Args:
        encoding: encoding of a text file, if the user chose it or a server stated it.

    Raises:
        UnreadableError: the message completes a sentence.
    """
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise UnreadableError("is not a file")
        if size > _MAX_FILE_BYTES:
            raise UnreadableError(
                f"is larger than {_MAX_FILE_BYTES // 10**6} MB. Attach a part of it"
            )
        with path.open("rb") as file:
            head = file.read(4096)
    except FileNotFoundError:
        raise UnreadableError("no longer exists") from None
    except OSError as error:
        raise UnreadableError(f"cannot be opened: {error.strerror or error}") from None
    if not head:
        raise UnreadableError("is empty")
    ending = path.suffix.lower()
    if b"%PDF-" in head[:1024]:
        return _read_pdf(path)
    if head.startswith(b"PK\x03\x04"):
        return _read_archive(path)
    if head.startswith(_OLD_OFFICE):
        raise UnreadableError(_old_office_reason(path))
    if head[60:68] == b"BOOKMOBI":
        raise UnreadableError("is a Kindle book. Convert it to EPUB and attach that")
    for start, reason in _NAMED:
        if head.startswith(start):
            raise UnreadableError(reason)
    if Image(head).media_type.startswith("image/"):
        raise UnreadableError(PICTURE)
    if is_heic(head):
        raise UnreadableError(f"is {SAVE_HEIC}")
    if size > _MAX_TEXT_BYTES:
        raise UnreadableError("is too large. Attach a part of it")
    data = path.read_bytes()
    if head.startswith(b"{\\rtf"):
        return rtf.read(data)
    if opendocument.is_flat(head):
        return opendocument.read_flat(data)
    text, encoding_name = _decode(data, encoding)
    if ending in {".html", ".htm", ".xhtml"} or _HTML.match(text[:4096]):
        left_out = LeftOut()
        page = Budget().add(webpages.to_markdown(text, left_out))
        return build_document("web page", "", [page], left_out=left_out, encoding=encoding_name)
    kind = _KINDS.get(ending, "text" if ending in _PROSE else "code")
    return build_document(kind, "", [Budget().add(text)], encoding=encoding_name)


def _decode(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        text, encoding_name = decode(data, encoding)
    except NotTextError:
        raise UnreadableError(_BINARY) from None
    sample = text[:100_000]
    odd = sum((c < " " and c not in "\t\n\r\f\x1b") or c == "\ufffd" for c in sample)
    if not encoding and ("\0" in text or odd * 50 > len(sample)):
        raise UnreadableError(_BINARY)
    return text, encoding_name


def _old_office_reason(path: Path) -> str:
    data = path.read_bytes()
    for name, reason in _IN_OLD_OFFICE:
        if name.encode("utf-16-le") in data:
            return reason
    return (
        "is locked with a password, or was saved by an old version of Office. Save it as DOCX, "
        "XLSX or PPTX without a password"
    )


def _read_pdf(path: Path) -> Document:
    """Return the text of each page. pdfium reads 500 pages per second, more than other parsers."""
    import pypdfium2

    opened = _open_pdf(path)
    budget = Budget()
    budget.add("", len(opened))
    pages, page_count, filled, left_out = [], 0, set[int](), LeftOut()
    for number in range(len(opened)):
        try:
            page = opened[number]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            pages.append("")  # the page is damaged
            continue
        page_count += 1
        pages.append(budget.add(text.get_text_range()))
        if (count := pypdfium2.raw.FPDFPage_CountObjects(page)) > 0:
            filled.add(number + 1)
        if pages[-1].strip() and (images := _images_on(page, count)):
            left_out.add("image", images)
        text.close()
        page.close()
    if not page_count:
        raise UnreadableError(DAMAGED)
    cleaned = [clean(page.translate(_LIGATURES)) for page in rejoin_words(pages)]
    scans = tuple(n for n, words in enumerate(cleaned, 1) if not words and n in filled)
    if note := left_out.note():
        last = max(n for n, words in enumerate(cleaned) if words)
        cleaned[last] += f"\n\n{note}"
    return Document("PDF", "page", tuple(cleaned), scans=scans)


def _images_on(page: Any, count: int) -> int:
    from pypdfium2 import raw

    objects = (raw.FPDFPage_GetObject(page, n) for n in range(min(count, _MAX_OBJECTS)))
    return sum(raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_IMAGE for item in objects)


def _open_pdf(path: Path) -> Any:
    import pypdfium2
    from pypdfium2 import raw

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD or "password" in str(error):
            raise UnreadableError(LOCKED) from None
        raise UnreadableError("is damaged or not a PDF") from None


def draw(path: Path, numbers: Sequence[int], pixels: int, small: int) -> list[DrawnPage]:
    """Render PDF pages as images, with filled-in forms.

    Skips pages that are damaged or don't exist.

    Args:
        numbers: page numbers, from 1.
        pixels: maximum number of pixels per page.
        small: longer side of the thumbnails, in pixels.

    Raises:
        UnreadableError: if the file is locked or damaged.
    """
    import pypdfium2

    opened, pages = _open_pdf(path), list[DrawnPage]()
    with contextlib.suppress(pypdfium2.PdfiumError):
        opened.init_forms()
    for number in numbers:
        try:
            page = opened[number - 1]
            width, height = page.get_size()
            scale = math.sqrt(pixels / (width * height))
            scale = min(scale, _MAX_SIDE_PX / width, _MAX_SIDE_PX / height, _MAX_SCALE)
            image = page.render(scale=scale).to_pil()
            page.close()
        except (pypdfium2.PdfiumError, ArithmeticError, IndexError, ValueError):
            continue
        image = image.convert("RGB")
        jpeg, (wide, high) = _as_jpeg(image), image.size
        image.thumbnail((small, small))
        pages.append(DrawnPage(number, wide, high, jpeg, _as_jpeg(image)))
    return pages


def _as_jpeg(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _read_sheets(path: Path, archive: Archive) -> Document:
    """Convert each sheet to tab-separated lines, followed by its comments.

    A formula is replaced by its result, or kept if the file has no saved result.
    """
    import openpyxl

    budget, left_out = Budget(), LeftOut()
    pages, labels = [], []
    try:
        with path.open("rb") as file:  # openpyxl doesn't close damaged files
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            for index, sheet in enumerate(book.worksheets):
                try:
                    lines = [*_rows_of(sheet, book, budget)]
                    lines += _comments_and_shapes(archive, sheet._worksheet_path, budget)
                except UnreadableError:
                    if not index:
                        raise
                    left_out.add("sheet", len(book.worksheets) - index)
                    break
                pages.append("\n".join(lines))
                labels.append(str(sheet.title))
                budget.add("", 1)
    except (UnreadableError, MemoryError):
        raise
    except Exception:  # a damaged file; openpyxl uses defusedxml, which has its own exceptions
        raise UnreadableError(DAMAGED) from None
    for folder, kind in (("media", "image"), ("charts/chart", "chart"), ("embeddings", "object")):
        if count := sum(name.startswith(f"xl/{folder}") for name in archive.names):
            left_out.add("embedded object" if kind == "object" else kind, count)
    if "xl/vbaProject.bin" in archive:
        left_out.add("macros", 0)
    return build_document("Excel", "sheet", pages, labels, left_out)


def _comments_and_shapes(archive: Archive, sheet: str, budget: Budget) -> list[str]:
    parts = [name for name in archive.targets(sheet).values() if name in archive]
    has_threads = any("/threadedComments/" in name for name in parts)
    lines = []
    for name in parts:
        if "/threadedComments/" in name or ("/comments" in name and not has_threads):
            for item in archive.parse_xml(name).iter():
                if item.get("ref") and str(item.tag).endswith(("}comment", "}threadedComment")):
                    texts = (
                        e.text or "" for e in item.iter() if str(e.tag).endswith(("}t", "}text"))
                    )
                    lines.append(
                        f"[comment on {item.get('ref')}] {' '.join(''.join(texts).split())}"
                    )
        elif "/drawings/" in name and name.endswith(".xml"):
            for paragraph in archive.parse_xml(name).iter(f"{word.A}p"):
                text = "".join(item.text or "" for item in paragraph.iter(f"{word.A}t"))
                lines += [text] if text.strip() else []
    return ["", *map(budget.add, lines)] if lines else []


def _rows_of(sheet: Any, book: Any, budget: Budget) -> list[str]:
    """Convert a sheet to lines. Consecutive empty rows are collapsed.

    `iter_rows` creates every cell in between, so a 1 KB file with two distant cells would take a
    minute.
    """
    from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

    class Parser(WorkSheetParser):  # type: ignore[misc]
        def parse_cell(self, element: Any) -> Any:
            cell = super().parse_cell(element)
            if cell["value"] is None and element.find(FORMULA_TAG) is not None:
                formula = self.parse_formula(element)
                cell["value"] = getattr(formula, "text", formula)
            return cell

    lines: list[str] = []
    with sheet._get_source() as source:
        parser = Parser(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        before = 0
        for number, row in parser.parse():
            line = _line_of({cell["column"]: cell["value"] for cell in row})
            if lines and lines[-1] and (number > before + 1 or not line):
                lines.append("")
            if line:
                lines.append(budget.add(line))
            before = number
    return lines


def _line_of(cells: dict[int, Any]) -> str:
    line, last = "", 1
    for column in sorted(cells):
        value = cells[column]
        text = "" if value is None else _ESCAPED.sub(lambda m: chr(int(m[1], 16)), str(value))
        text = " ".join(text.split())
        if isinstance(value, datetime):
            text = text.removesuffix(" 00:00:00")
        if text:
            line += "\t" * min(column - last, _MAX_TABS) + text
            last = column
    return line


def _read_archive(path: Path) -> Document:
    archive = Archive(path)
    main = archive.main_part()
    for main_part in ("word/document.xml", "ppt/presentation.xml", "xl/workbook.xml"):
        if not main and main_part in archive:
            main = main_part
    if main in archive:
        if main.startswith("word/"):
            return word.read(archive, main)
        if main.startswith("ppt/"):
            return slides.read(archive, main)
        if main.endswith(".bin"):
            raise UnreadableError("is a binary Excel workbook. Save it as XLSX and attach that")
        if main.startswith("xl/"):
            return _read_sheets(path, archive)
    if "META-INF/container.xml" in archive:
        return _read_epub(archive)
    if "content.xml" in archive and b"opendocument" in archive.read("content.xml")[:4096]:
        return opendocument.read(archive)
    if any(name.endswith((".iwa", "index.apxl")) for name in archive.names):
        raise UnreadableError(
            "is a file of Pages, Numbers or Keynote. Export it as PDF or as an Office file"
        )
    if any(name.endswith(".fdseq") for name in archive.names):
        raise UnreadableError("is an XPS file. Save it as PDF and attach that")
    raise UnreadableError(_ARCHIVE)


def _read_epub(archive: Archive) -> Document:
    if "META-INF/encryption.xml" in archive and "META-INF/rights.xml" in archive:
        raise UnreadableError("is copy-protected and cannot be read")

    def find_all(root: Any, name: str) -> list[Any]:
        return [e for e in root.iter() if str(e.tag).rpartition("}")[2] == name]

    roots = find_all(archive.parse_xml("META-INF/container.xml"), "rootfile")
    package = str(roots[0].get("full-path")) if roots else ""
    root = archive.parse_xml(package)
    folder = package.rpartition("/")[0]
    files = {
        str(e.get("id")): join_path(folder, unquote(str(e.get("href"))))
        for e in find_all(root, "item")
    }
    budget, pages, left_out = Budget(), [], LeftOut()
    for item in find_all(root, "itemref"):
        name = files.get(str(item.get("idref")), "")
        if name in archive:
            source, _ = _decode(archive.read(name), "")
            pages.append(budget.add(webpages.to_markdown(source, left_out), 1))
    # Covers and title pages often have no text.
    filled_pages = [page for page in pages if page.strip()]
    return build_document("EPUB", "chapter", filled_pages, left_out=left_out)
