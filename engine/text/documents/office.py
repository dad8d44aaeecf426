"""Word's and PowerPoint's files.

python-docx and python-pptx need lxml, 15 MB; mammoth does not tell where pages end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.text.documents.archive import DAMAGED, Archive
from engine.text.documents.document import Budget, Document, UnreadableError, document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

_PAGE = "\f"
_SKIPPED = {f"{_W}del", f"{_W}instrText", f"{_W}delText"}
"""Of a text with tracked changes: what is no longer in it; and the code of fields."""
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""The same for older programs, a second time."""
_DEEPEST = 200


def word(archive: Archive) -> Document:
    """Paragraphs, headings and tables; pages end where Word has put their ends on paper."""
    body = archive.xml("word/document.xml").find(f"{_W}body")
    if body is None:
        raise UnreadableError(DAMAGED)
    budget = Budget()
    text = budget.take("\n\n".join(_blocks(body, 0)))
    notes = _notes(archive, "footnotes", budget) + _notes(archive, "endnotes", budget)
    pages = text.split(_PAGE)
    if notes:
        pages[-1] += "\n\n" + "\n".join(notes)
    budget.take("", len(pages))
    return document("Word", "page" if len(pages) > 1 else "", pages)


def _blocks(parent: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise UnreadableError("is nested too deeply")
    for child in parent:
        if child.tag == f"{_W}p":
            if text := _paragraph(child):
                yield text
        elif child.tag == f"{_W}tbl":
            if text := _table(child, depth):
                yield text
        elif child.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _blocks(child, depth + 1)


def _paragraph(paragraph: Any) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    name = str(style.get(f"{_W}val", "")) if style is not None else ""
    listed = paragraph.find(f"{_W}pPr/{_W}numPr") is not None
    text = "".join(_run(paragraph, 0))
    if not text.strip(" \t\n"):
        return text.strip(" \t\n")
    level = name.removeprefix("Heading")
    if level.isdecimal() and name != level:
        return _begun(text, "#" * min(int(level), 6) + " ")
    if name == "Title":
        return _begun(text, "# ")
    return _begun(text, "- ") if listed else text


def _begun(text: str, mark: str) -> str:
    """The text with a mark before its first letter; a page may end before that."""
    rest = text.lstrip(_PAGE)
    return text[: len(text) - len(rest)] + (mark + rest if rest else "")


def _run(parent: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise UnreadableError("is nested too deeply")
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
        elif tag not in _SKIPPED and tag != _FALLBACK:
            yield from _run(child, depth + 1)


def _table(table: Any, depth: int) -> str:
    rows = []
    for row in table.iter(f"{_W}tr"):
        cells = [" ".join(" ".join(_blocks(c, depth + 1)).split()) for c in row.iter(f"{_W}tc")]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _notes(archive: Archive, kind: str, budget: Budget) -> list[str]:
    name = f"word/{kind}.xml"
    if name not in archive:
        return []
    found = (" ".join(" ".join(_blocks(note, 0)).split()) for note in archive.xml(name))
    return [budget.take(f"[{number}] {text}") for number, text in enumerate(filter(None, found), 1)]


def slides(archive: Archive) -> Document:
    """Each slide's text as its boxes stand in the file, its tables, and the speaker's notes."""
    name = "ppt/presentation.xml"
    targets = archive.targets(name)
    ids = [each.get(f"{_R}id") for each in archive.xml(name).iter(f"{_P}sldId")]
    budget, pages = Budget(), []
    for target in (targets[each] for each in ids if each in targets):
        budget.take("", 1)
        if target not in archive:
            raise UnreadableError(DAMAGED)
        text = _drawn(archive.xml(target))
        for notes in archive.targets(target).values():
            if "/notesSlides/" in notes and notes in archive:
                said = _drawn(archive.xml(notes), without=("sldNum", "sldImg"))
                text += f"\n\nNotes: {said}" if said else ""
        pages.append(budget.take(text))
    return document("PowerPoint", "slide", pages)


def _drawn(root: Any, without: tuple[str, ...] = ("sldNum", "ftr", "dt")) -> str:
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
