"""Which kind of file it is, by what is in it: a name's ending may be wrong."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from engine.text.documents import office, pages, sheets, web
from engine.text.documents.archive import Archive
from engine.text.documents.document import Budget, Document, UnreadableError, document

MOST_BYTES = 300_000_000
_MOST_TEXT = 40_000_000  # bytes of a file that is all text

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
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.I)
_BINARY = "is no text: its bytes mean something to another program only"
PICTURE = "is a picture, which the models here cannot see. Describe it, or paste the text in it"


def read(path: Path) -> Document:
    """The file as text with page boundaries.

    Raises:
        UnreadableError: why not, as the end of a sentence.
    """
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise UnreadableError("is no file")
        if size > MOST_BYTES:
            raise UnreadableError(f"is larger than {MOST_BYTES // 10**6} MB. Attach a part of it")
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
        return pages.pdf(path)
    if head.startswith(b"PK\x03\x04"):
        return _packed(path)
    if head.startswith(_OLD):
        raise UnreadableError(
            "is locked with a password, or was saved by an old version of Office. Save it anew as "
            "DOCX, XLSX or PPTX without a password"
        )
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        raise UnreadableError(PICTURE)
    if size > _MOST_TEXT:
        raise UnreadableError("is too large for a text. Attach a part of it")
    text = _decoded(path.read_bytes())
    if ending in {".html", ".htm", ".xhtml"} or _HTML.match(head):
        return web.html(text)
    kind = _KINDS.get(ending, "text" if ending in _PROSE else "code")
    return document(kind, "", [Budget().take(text)])


def _packed(path: Path) -> Document:
    archive = Archive(path)
    if "word/document.xml" in archive:
        return office.word(archive)
    if "ppt/presentation.xml" in archive:
        return office.slides(archive)
    if "xl/workbook.xml" in archive:
        return sheets.sheets(path)
    if "META-INF/container.xml" in archive:
        return web.epub(archive)
    raise UnreadableError("is an archive. Unpack it and attach the files in it")


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
