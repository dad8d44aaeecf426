"""Files to plain text with page boundaries: what a person attaches to a message.

`read` is to be called in a confined child only (`engine.sandbox`): the parsers are large and
the files come from anywhere. The libraries are imported when a file needs them. Word's and
PowerPoint's files are read here: python-docx and python-pptx need lxml, 15 MB, and mammoth does not
tell where pages end.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import math
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from engine.messages import SAVE_HEIC, Image, is_heic

MOST_CHARACTERS = 8_000_000
"""Of a file's text: twice what the longest contexts of today's models hold."""
MOST_PAGES = 20_000
_MOST_FILE = 300_000_000  # bytes
_MOST_TEXT = 40_000_000  # bytes of a file that is all text
_MOST_BYTES = 400_000_000
"""Of all that is packed in one file, unpacked. zipfile gives no more of a member than is declared,
so what is declared can be relied on."""
_MOST_PART = 150_000_000
_MOST_MEMBERS = 20_000
_DEEPEST = 200
_MOST_TABS = 100  # between two cells of a row, for the columns between them
_MOST_SIDE = 4_000  # pixels of a page that is drawn; JPEG has no more than 65,535
_MOST_SCALE = 4.0  # pixels of a point: 288 an inch
_QUALITY = 85

DAMAGED = "is damaged"
LOCKED = "is locked with a password. Save it without one and try again"
PICTURE = "is a picture, in which there is no text to be read"
_BINARY = "is no text: its bytes mean something to another program only"
_TOO_DEEP = "is nested too deeply"

_CONTROLS = {number: None for number in range(32) if chr(number) not in "\n\t"}
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
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.I)


class UnreadableError(Exception):
    """The file cannot be read: the end of a sentence that begins with its name."""


class DrawnPage(Struct, frozen=True):
    """A page as an image."""

    number: int  # from 1
    # width, height: in pixels
    width: int
    height: int
    # jpeg, thumbnail: files; the second is a small one
    jpeg: bytes
    thumbnail: bytes


class Document(Struct, frozen=True):
    """A file as text."""

    kind: str  # what it is, for people: "PDF", "Word", "text"
    # what its pages are called: "page", "slide", "sheet", "chapter"; "" for a file that is one
    # piece
    unit: str
    # the text of each. One that has none is empty, so that the numbers are right.
    pages: tuple[str, ...]
    # a name of each page, as sheets have; empty where pages have numbers only
    labels: tuple[str, ...] = ()
    # the numbers of the pages that have no text but pictures or drawings
    scans: tuple[int, ...] = ()

    @property
    def is_scan(self) -> bool:
        """Whether all that its pages have is pictures."""
        return not any(self.pages)


def read(path: Path) -> Document:
    """The file as text with page boundaries. What it is, its content tells: names may be wrong.

    A PDF may be a scan, whose pages have no text; no other file is without any.

    Raises:
        UnreadableError: why not, as the end of a sentence.
    """
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise UnreadableError("is no file")
        if size > _MOST_FILE:
            raise UnreadableError(f"is larger than {_MOST_FILE // 10**6} MB. Attach a part of it")
        with path.open("rb") as file:
            head = file.read(4096)
    except FileNotFoundError:
        raise UnreadableError("is not there any more") from None
    except OSError as error:
        raise UnreadableError(f"cannot be opened: {error.strerror or error}") from None
    if not head:
        raise UnreadableError("is empty")
    ending = path.suffix.lower()
    if b"%PDF-" in head[:1024]:
        return _pdf(path)
    if head.startswith(b"PK\x03\x04"):
        return _packed(path)
    if head.startswith(_OLD_OFFICE):
        raise UnreadableError(
            "is locked with a password, or was saved by an old version of Office. Save it anew as "
            "DOCX, XLSX or PPTX without a password"
        )
    if Image(head).media_type.startswith("image/"):
        raise UnreadableError(PICTURE)
    if is_heic(head):
        raise UnreadableError(f"is {SAVE_HEIC}")
    if size > _MOST_TEXT:
        raise UnreadableError("is too large for a text. Attach a part of it")
    text = _decoded(path.read_bytes())
    if ending in {".html", ".htm", ".xhtml"} or _HTML.match(head):
        return _document("web page", "", [_Budget().take(_as_markdown(text))])
    kind = _KINDS.get(ending, "text" if ending in _PROSE else "code")
    return _document(kind, "", [_Budget().take(text)])


def _document(kind: str, unit: str, pages: list[str], labels: list[str] | None = None) -> Document:
    """A document with its text cleaned. Raises UnreadableError where there is none."""
    cleaned = tuple(map(_clean, pages))
    if not any(cleaned):
        raise UnreadableError("holds no text")
    names = tuple(" ".join(label.split())[:200] for label in labels or ())
    return Document(kind, unit, cleaned, names)


def _clean(text: str) -> str:
    """The text with plain line ends, without control characters and blanks at lines' ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.translate(_CONTROLS)
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


class _Budget:
    """Counts a file's characters and pages, and refuses what has too many."""

    def __init__(self) -> None:
        self._characters = self._pages = 0

    def take(self, text: str, pages: int = 0) -> str:
        """The text itself. Raises UnreadableError where there is more than anybody can use."""
        self._characters += len(text)
        self._pages += pages
        if self._characters > MOST_CHARACTERS:
            raise UnreadableError(
                f"holds more than {MOST_CHARACTERS:,} characters of text. Attach a part of it"
            )
        if self._pages > MOST_PAGES:
            raise UnreadableError(f"has more than {MOST_PAGES:,} pages. Attach a part of it")
        return text


def _decoded(data: bytes) -> str:
    """Text of any usual encoding. Raises UnreadableError for what is none."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if b"\0" in data:
            raise UnreadableError(_BINARY) from None
        text = data.decode("cp1252", "replace")
    sample = text[:100_000]
    odd = sum((c < " " and c not in "\t\n\r\f\x1b") or c == "\ufffd" for c in sample)
    if "\0" in text or odd * 50 > len(sample):
        raise UnreadableError(_BINARY)
    return text


# -- PDF and Excel ------------------------------------------------------------------------------


def _pdf(path: Path) -> Document:
    """The text of each page. Of the parsers pdfium alone reads 500 pages within a second."""
    import pypdfium2

    opened = _opened(path)
    budget = _Budget()
    budget.take("", len(opened))
    pages, whole, filled = [], 0, set[int]()
    for number in range(len(opened)):
        try:
            page = opened[number]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            pages.append("")  # a damaged page among whole ones
            continue
        whole += 1
        pages.append(budget.take(text.get_text_range()))
        if pypdfium2.raw.FPDFPage_CountObjects(page) > 0:
            filled.add(number + 1)
        text.close()
        page.close()
    if not whole:
        raise UnreadableError(DAMAGED)
    cleaned = tuple(map(_clean, pages))
    scans = tuple(n for n, words in enumerate(cleaned, 1) if not words and n in filled)
    return Document("PDF", "page", cleaned, scans=scans)


def _opened(path: Path) -> Any:
    """A PDF, by pdfium. Raises UnreadableError."""
    import pypdfium2
    from pypdfium2 import raw

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD or "password" in str(error):
            raise UnreadableError(LOCKED) from None
        raise UnreadableError("is damaged, or no PDF") from None


def draw(path: Path, numbers: Sequence[int], pixels: int, small: int) -> list[DrawnPage]:
    """Pages of a PDF as images, one after the other, with what was written into its forms.

    Damaged pages, and those that there are not, are left out.

    Args:
        numbers: of the pages, from 1.
        pixels: that each has at most.
        small: pixels of the longer side of a thumbnail.

    Raises:
        UnreadableError: it is locked or damaged.
    """
    import pypdfium2

    opened, found = _opened(path), list[DrawnPage]()
    with contextlib.suppress(pypdfium2.PdfiumError):
        opened.init_forms()
    for number in numbers:
        try:
            page = opened[number - 1]
            width, height = page.get_size()
            scale = math.sqrt(pixels / (width * height))
            scale = min(scale, _MOST_SIDE / width, _MOST_SIDE / height, _MOST_SCALE)
            image = page.render(scale=scale).to_pil()
            page.close()
        except (pypdfium2.PdfiumError, ArithmeticError, IndexError, ValueError):
            continue
        image = image.convert("RGB")
        jpeg, (wide, high) = _as_jpeg(image), image.size
        image.thumbnail((small, small))
        found.append(DrawnPage(number, wide, high, jpeg, _as_jpeg(image)))
    return found


def _as_jpeg(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=_QUALITY)
    return file.getvalue()


def _sheets(path: Path) -> Document:
    """Each sheet as lines of cells with tabs between them; of formulas what they came to."""
    import openpyxl

    budget = _Budget()
    pages, labels = [], []
    try:
        with path.open("rb") as file:  # of a damaged one openpyxl would leave it open
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            for sheet in book.worksheets:
                pages.append("\n".join(_rows_of(sheet, book, budget)))
                labels.append(str(sheet.title))
                budget.take("", 1)
    except (UnreadableError, MemoryError):
        raise
    except Exception:  # of a damaged file, and of defusedxml, which openpyxl uses for its XML
        raise UnreadableError(DAMAGED) from None
    return _document("Excel", "sheet", pages, labels)


def _rows_of(sheet: Any, book: Any, budget: _Budget) -> list[str]:
    """Return the lines of a sheet, with one empty line for any number of empty rows.

    `iter_rows` makes every cell between the first and the last: two far-apart cells in a file of
    1 KB took a minute. The parser below it gives those that are there.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    lines: list[str] = []
    with sheet._get_source() as source:
        parser = WorkSheetParser(
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
                lines.append(budget.take(line))
            before = number
    return lines


def _line_of(cells: dict[int, Any]) -> str:
    """Return a row's texts, each behind a tab for every column before it, up to a limit."""
    line, last = "", 1
    for column in sorted(cells):
        text = "" if cells[column] is None else " ".join(str(cells[column]).split())
        if text:
            line += "\t" * min(column - last, _MOST_TABS) + text
            last = column
    return line


# -- zip files: Word, PowerPoint, EPUB ----------------------------------------------------------


def _packed(path: Path) -> Document:
    archive = _Archive(path)
    if "word/document.xml" in archive:
        return _word(archive)
    if "ppt/presentation.xml" in archive:
        return _slides(archive)
    if "xl/workbook.xml" in archive:
        return _sheets(path)
    if "META-INF/container.xml" in archive:
        return _epub(archive)
    raise UnreadableError("is an archive. Unpack it and attach the files in it")


class _Archive:
    """A zip file whose members together are small enough to be unpacked.

    All methods raise UnreadableError.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise UnreadableError(DAMAGED) from None
        members = self._zip.infolist()
        self._sizes = {member.filename: member.file_size for member in members}
        if len(members) > _MOST_MEMBERS or sum(m.file_size for m in members) > _MOST_BYTES:
            raise UnreadableError("unpacks to more than can be read")
        if any(member.flag_bits & 1 for member in members):
            raise UnreadableError(LOCKED)

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        if self._sizes.get(name, _MOST_PART + 1) > _MOST_PART:
            raise UnreadableError(DAMAGED if name not in self else "has too large a part")
        try:
            return self._zip.read(name)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, KeyError):
            raise UnreadableError(DAMAGED) from None
        except Exception as error:  # zlib's and lzma's own
            if "error" in type(error).__name__.lower():
                raise UnreadableError(DAMAGED) from None
            raise

    def xml(self, name: str) -> Any:
        """The root element of a member. Entities and references to other files are refused."""
        from defusedxml import ElementTree
        from defusedxml.common import DefusedXmlException

        try:
            return ElementTree.fromstring(self.read(name), forbid_dtd=False)
        except DefusedXmlException:
            raise UnreadableError("holds XML that is not safe to read") from None
        except (ElementTree.ParseError, ValueError, RecursionError):
            raise UnreadableError(DAMAGED) from None

    def targets(self, name: str) -> dict[str, str]:
        """By their ids, what a member refers to: names of other members."""
        folder, _, last = name.rpartition("/")
        rels = f"{folder}/_rels/{last}.rels" if folder else f"_rels/{last}.rels"
        if rels not in self:
            return {}
        return {
            str(each.get("Id")): _joined(folder, str(each.get("Target")))
            for each in self.xml(rels)
            if each.get("TargetMode") != "External"
        }


def _joined(folder: str, target: str) -> str:
    """A member's name, from a folder's and a path within it."""
    parts = [] if target.startswith("/") else [p for p in folder.split("/") if p]
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_PAGE = "\f"
# What tracked changes have removed, the code of fields, and texts that are there a second time for
# older programs.
_SKIPPED = {
    *(f"{_W}del", f"{_W}instrText", f"{_W}delText"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_NESTING = {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}


def _word(archive: _Archive) -> Document:
    """Paragraphs, headings and tables; pages end where Word has put their ends on paper."""
    body = archive.xml("word/document.xml").find(f"{_W}body")
    if body is None:
        raise UnreadableError(DAMAGED)
    budget = _Budget()
    text = budget.take("\n\n".join(_blocks(body)))
    pages = text.split(_PAGE)
    notes = []
    for name in ("word/footnotes.xml", "word/endnotes.xml"):
        found = (_one_line(note) for note in (archive.xml(name) if name in archive else ()))
        notes += [budget.take(f"[{n}] {text}") for n, text in enumerate(filter(None, found), 1)]
    if notes:
        pages[-1] += "\n\n" + "\n".join(notes)
    budget.take("", len(pages))
    return _document("Word", "page" if len(pages) > 1 else "", pages)


def _blocks(parent: Any, depth: int = 0) -> Iterator[str]:
    if depth > _DEEPEST:
        raise UnreadableError(_TOO_DEEP)
    for child in parent:
        if child.tag == f"{_W}p":
            if text := _paragraph(child):
                yield text
        elif child.tag == f"{_W}tbl":
            # Not `iter`: rows of a table inside a cell are that cell's text.
            rows = [
                f"| {' | '.join(_one_line(cell, depth + 1) for cell in _members(row, 'tc'))} |"
                for row in _members(child, "tr")
            ]
            if rows:
                yield "\n".join(rows)
        elif child.tag in _NESTING:
            yield from _blocks(child, depth + 1)


def _members(parent: Any, name: str, depth: int = 0) -> Iterator[Any]:
    """Yield the rows of a table or the cells of a row, also those in content controls."""
    if depth > _DEEPEST:
        raise UnreadableError(_TOO_DEEP)
    for child in parent:
        if child.tag == f"{_W}{name}":
            yield child
        elif child.tag in _NESTING:
            yield from _members(child, name, depth + 1)


def _one_line(parent: Any, depth: int = 0) -> str:
    return " ".join(" ".join(_blocks(parent, depth)).split())


def _paragraph(paragraph: Any) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    name = str(style.get(f"{_W}val", "")) if style is not None else ""
    listed = paragraph.find(f"{_W}pPr/{_W}numPr") is not None
    text = "".join(_run(paragraph, 0))
    if not text.strip(" \t\n"):
        return text.strip(" \t\n")
    level = name.removeprefix("Heading")
    if level.isdecimal() and name != level:
        mark = "#" * min(int(level), 6) + " "
    else:
        mark = "# " if name == "Title" else "- " if listed else ""
    rest = text.lstrip(_PAGE)  # a page may end before the first letter
    return text[: len(text) - len(rest)] + (mark + rest if rest else "")


def _run(parent: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise UnreadableError(_TOO_DEEP)
    for child in parent:
        tag = child.tag
        if tag == f"{_W}t":
            yield child.text or ""
        elif tag == f"{_W}tab":
            yield "\t"
        elif tag == f"{_W}lastRenderedPageBreak":
            yield _PAGE
        elif tag in {f"{_W}br", f"{_W}cr"}:
            # Word writes the end of a page that was asked for a second time where it came to be.
            yield "" if child.get(f"{_W}type") == "page" else "\n"
        elif tag not in _SKIPPED:
            yield from _run(child, depth + 1)


def _slides(archive: _Archive) -> Document:
    """Each slide's text as its boxes stand in the file, its tables, and the speaker's notes."""
    name = "ppt/presentation.xml"
    targets = archive.targets(name)
    ids = [each.get(f"{_R}id") for each in archive.xml(name).iter(f"{_P}sldId")]
    budget, pages = _Budget(), []
    for target in (targets[each] for each in ids if each in targets):
        budget.take("", 1)
        if target not in archive:
            raise UnreadableError(DAMAGED)
        text = _drawn(archive.xml(target), without=("sldNum", "ftr", "dt"))
        for notes in archive.targets(target).values():
            if "/notesSlides/" in notes and notes in archive:
                said = _drawn(archive.xml(notes), without=("sldNum", "sldImg"))
                text += f"\n\nNotes: {said}" if said else ""
        pages.append(budget.take(text))
    return _document("PowerPoint", "slide", pages)


def _drawn(root: Any, without: tuple[str, ...]) -> str:
    blocks = []
    for shape in root.iter():
        if shape.tag == f"{_A}tbl":
            rows = (
                [" ".join(_lines(cell)).strip() for cell in row.iter(f"{_A}tc")]
                for row in shape.iter(f"{_A}tr")
            )
            blocks.append("\n".join("| " + " | ".join(cells) + " |" for cells in rows))
        elif shape.tag == f"{_P}sp":
            place = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
            kind = place.get("type", "") if place is not None else ""
            text = "\n".join(_lines(shape)).strip()
            if text and kind not in without:
                blocks.append(f"# {text}" if kind in {"title", "ctrTitle"} else text)
    return "\n\n".join(blocks)


def _lines(shape: Any) -> Iterator[str]:
    for paragraph in shape.iter(f"{_A}p"):
        pieces = (
            "\n" if piece.tag == f"{_A}br" else piece.text or ""
            for piece in paragraph.iter()
            if piece.tag in {f"{_A}t", f"{_A}br"}
        )
        yield "".join(pieces)


def _epub(archive: _Archive) -> Document:
    """Each part of the book's spine, a chapter in most of them."""
    if "META-INF/encryption.xml" in archive and "META-INF/rights.xml" in archive:
        raise UnreadableError("is locked by its seller and cannot be read")

    def named(root: Any, name: str) -> list[Any]:
        return [e for e in root.iter() if str(e.tag).rpartition("}")[2] == name]

    found = named(archive.xml("META-INF/container.xml"), "rootfile")
    package = str(found[0].get("full-path")) if found else ""
    root = archive.xml(package)
    folder = package.rpartition("/")[0]
    files = {
        str(e.get("id")): _joined(folder, unquote(str(e.get("href")))) for e in named(root, "item")
    }
    budget, pages = _Budget(), []
    for each in named(root, "itemref"):
        name = files.get(str(each.get("idref")), "")
        if name in archive:
            source = archive.read(name).decode(errors="replace")
            pages.append(budget.take(_as_markdown(source), 1))
    # Covers and title pages without a word have no number of their own.
    return _document("EPUB", "chapter", [page for page in pages if page.strip()])


def _as_markdown(source: str) -> str:
    """A web page without scripts, styles and pictures."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what looks like XML or a file's name
            soup: Any = BeautifulSoup(source, "html.parser")
            for tag in soup(("script", "style", "noscript", "template", "svg", "iframe", "object")):
                tag.decompose()
            converter: Any = MarkdownConverter(
                heading_style="ATX",
                bullets="-",
                strip=["a", "img"],
                escape_asterisks=False,
                escape_underscores=False,
                escape_misc=False,
            )
            return str(converter.convert_soup(soup.body or soup))
    except RecursionError:
        raise UnreadableError(_TOO_DEEP) from None
