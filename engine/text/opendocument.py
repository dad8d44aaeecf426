"""Reader for OpenDocument files (LibreOffice and others): ODT, ODS and ODP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.text.document_base import (
    DAMAGED,
    LOCKED,
    MAX_DEPTH,
    PAGE,
    TOO_DEEP,
    Archive,
    Budget,
    Document,
    LeftOut,
    UnreadableError,
    build_document,
    build_paged,
    join_path,
    parse_xml,
    table_row,
    to_raised_or_lowered,
)

_URN = "{urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE, _TEXT, _TABLE, _DRAW, _STYLE, _PRESENTATION = (
    f"{_URN}{name}:1.0}}"
    for name in ("office", "text", "table", "drawing", "style", "presentation")
)
_XLINK, _MATH = "{http://www.w3.org/1999/xlink}", "{http://www.w3.org/1998/Math/MathML}"
_DC = "{http://purl.org/dc/elements/1.1/}"
# Deleted text, which is stored outside the body, and hidden text.
_SKIPPED = {f"{_TEXT}tracked-changes", f"{_TEXT}sequence-decls", f"{_TEXT}note-citation"}
_SKIPPED |= {f"{_OFFICE}forms", f"{_TEXT}ruby-text"}
_MAX_REPEATED = 100  # maximum number of identical consecutive cells or rows
_MAX_BLANKS = 1000


def is_flat(head: bytes) -> bool:
    """Return True for the start of a single-file XML document (FODT, FODS, FODP)."""
    return b"<office:document" in head and b"opendocument" in head


def read(archive: Archive) -> Document:
    manifest = "META-INF/manifest.xml"
    if manifest in archive and b"encryption-data" in archive.read(manifest):
        raise UnreadableError(LOCKED)
    root = archive.parse_xml("content.xml")
    styles = archive.parse_xml("styles.xml") if "styles.xml" in archive else None
    reader = _OpenDocument(archive)
    if any(name.startswith("Basic/") and name.endswith(".xml") for name in archive.names):
        reader.left_out.add("macros", 0)
    return reader.document(root, styles)


def read_flat(data: bytes) -> Document:
    root = parse_xml(data)
    return _OpenDocument(None).document(root, root)


class _OpenDocument:
    def __init__(self, archive: Archive | None) -> None:
        self.left_out = LeftOut()
        self._archive = archive
        self._budget = Budget()
        self._notes: list[str] = []
        self._comments: list[str] = []
        self._positions: dict[str, str] = {}  # "super" or "sub" by style name

    def document(self, root: Any, styles: Any) -> Document:
        self._positions = _positions(root) | (_positions(styles) if styles is not None else {})
        body = root.find(f"{_OFFICE}body")
        if body is None:
            raise UnreadableError(DAMAGED)
        for content in body:
            name = str(content.tag).rpartition("}")[2]
            if name == "spreadsheet":
                tables = [*content.iter(f"{_TABLE}table")]
                pages = [self._sheet(table) for table in tables]
                labels = [str(table.get(f"{_TABLE}name", "")) for table in tables]
                self._budget.add("", len(pages))
                return build_document("OpenDocument", "sheet", pages, labels, self.left_out)
            if name in {"presentation", "drawing"}:
                pages = [self._slide(page) for page in content.iter(f"{_DRAW}page")]
                self._budget.add("", len(pages))
                unit = "slide" if name == "presentation" else "page"
                return build_document("OpenDocument", unit, pages, left_out=self.left_out)
        text = "\n\n".join(self._blocks(body, 0))
        headers, footers = self._margins(styles, "header"), self._margins(styles, "footer")
        ends = "\n".join([*self._notes, *self._comments, *footers])
        parts = ("\n".join(headers), text, ends)
        return build_paged("OpenDocument", parts, self._budget, self.left_out)

    def _margins(self, styles: Any, kind: str) -> list[str]:
        lines = dict[str, None]()
        for style in styles.iter(f"{_STYLE}{kind}") if styles is not None else ():
            text = "\n".join(self._blocks(style, 0))
            if any(char.isalpha() for char in text):
                lines[f"{kind.title()}: {text}"] = None
        return [*lines]

    def _blocks(self, parent: Any, depth: int, level: int = -1) -> Iterator[str]:
        """Yield paragraphs, tables and text boxes. ``level`` is the nesting level of lists."""
        if depth > MAX_DEPTH:
            raise UnreadableError(TOO_DEEP)
        for child in parent:
            if child.tag in {f"{_TEXT}p", f"{_TEXT}h"}:
                yield from self._paragraph(child, depth)
            elif child.tag == f"{_TEXT}list":
                yield from self._list(child, depth, level + 1)
            elif child.tag == f"{_TABLE}table":
                if rows := [*self._rows(child, depth)]:
                    yield "\n".join(rows)
            elif child.tag == f"{_TEXT}soft-page-break":
                yield PAGE
            elif child.tag == f"{_DRAW}frame":
                yield from self._frame(child, depth + 1)
            elif child.tag == f"{_OFFICE}annotation":
                yield self._note(child, self._comments, "comment ", depth)
            elif child.tag not in _SKIPPED:
                yield from self._blocks(child, depth + 1, level)

    def _list(self, element: Any, depth: int, level: int) -> Iterator[str]:
        for item in element:
            blocks = [*self._blocks(item, depth + 1, level)]
            for index, block in enumerate(blocks):
                is_inner = block.lstrip(" ").startswith("- ") and level < 8
                mark = "" if is_inner and index else "- " if not index else "  "
                yield "  " * (0 if is_inner and index else level) + mark + block

    def _paragraph(self, element: Any, depth: int) -> Iterator[str]:
        boxes: list[Any] = []
        text = "".join(self._pieces(element, boxes, depth + 1))
        if text.strip(" \t\n"):
            level = str(element.get(f"{_TEXT}outline-level", "1"))
            is_heading = element.tag == f"{_TEXT}h" and level.isdecimal()
            mark = "#" * min(int(level), 6) + " " if is_heading else ""
            rest = text.lstrip(PAGE)
            yield self._budget.add(text[: len(text) - len(rest)] + mark + rest)
        for box in boxes:
            yield from self._frame(box, depth + 1)

    def _pieces(self, parent: Any, boxes: list[Any], depth: int) -> Iterator[str]:
        """Yield a paragraph's text chunk by chunk, and add its frames to ``boxes``."""
        if depth > MAX_DEPTH:
            raise UnreadableError(TOO_DEEP)
        yield _collapse_blanks(parent.text)
        for child in parent:
            if child.tag == f"{_TEXT}s":
                count = str(child.get(f"{_TEXT}c", "1"))
                yield " " * min(int(count) if count.isdecimal() else 1, _MAX_BLANKS)
            elif child.tag == f"{_TEXT}tab":
                yield "\t"
            elif child.tag == f"{_TEXT}line-break":
                yield "\n"
            elif child.tag == f"{_TEXT}soft-page-break":
                yield PAGE
            elif child.tag == f"{_TEXT}note":
                yield self._note(child, self._notes, "", depth)
            elif child.tag == f"{_OFFICE}annotation":
                yield self._note(child, self._comments, "comment ", depth)
            elif child.tag == f"{_TEXT}ruby":
                yield from self._pieces(child, boxes, depth + 1)
                reading = child.find(f"{_TEXT}ruby-text")
                yield f"({reading.text})" if reading is not None and reading.text else ""
            elif child.tag == f"{_DRAW}frame" and (formula := self._formula(child)):
                yield formula
            elif str(child.tag).startswith(_DRAW) and child.tag != f"{_DRAW}a":
                boxes.append(child)
            elif position := self._positions.get(str(child.get(f"{_TEXT}style-name")), ""):
                yield to_raised_or_lowered("".join(self._pieces(child, boxes, depth + 1)), position)
            elif child.tag not in _SKIPPED:
                yield from self._pieces(child, boxes, depth + 1)
            yield _collapse_blanks(child.tail)

    def _note(self, element: Any, notes: list[str], word: str, depth: int) -> str:
        index = len(notes)
        notes.append("")
        author = element.find(f"{_DC}creator")
        by_author = f" by {author.text}" if author is not None and author.text else ""
        text = " ".join(" ".join(self._blocks(element, depth + 1)).split())
        mark = f"{word}{index + 1}"
        notes[index] = f"[{mark}{by_author}] {text}"
        return f"[{mark}]"

    def _frame(self, frame: Any, depth: int) -> Iterator[str]:
        if formula := self._formula(frame):
            yield formula
            return
        blocks = [*self._blocks(frame, depth)]
        yield from blocks
        names = {str(child.tag).rpartition("}")[2] for child in frame}
        if blocks or frame.tag != f"{_DRAW}frame":
            return
        if "object" in names or "object-ole" in names:
            self.left_out.add("embedded object")
        elif "image" in names:
            self.left_out.add("image")

    def _formula(self, frame: Any) -> str:
        for element in frame.iter(f"{_DRAW}object"):
            root = next(iter(element), None)
            name = f"{join_path('', str(element.get(f'{_XLINK}href', '')))}/content.xml"
            if root is None and self._archive is not None and name in self._archive:
                root = self._archive.parse_xml(name)
            if root is not None and root.tag == f"{_MATH}math":
                annotation = next(root.iter(f"{_MATH}annotation"), None)
                if annotation is not None and annotation.text:
                    return " ".join(annotation.text.split())
                return " ".join(" ".join(root.itertext()).split())
        return ""

    def _rows(self, table: Any, depth: int) -> Iterator[str]:
        for row in _members(table, "table-row"):
            cells = []
            for cell in row:
                if str(cell.tag).endswith("table-cell"):
                    text = " ".join(self._blocks(cell, depth + 1))
                    cells += [text] * _repeat_count(cell, "columns")
            yield table_row(cells)

    def _sheet(self, table: Any) -> str:
        text = "\n".join(self._lines(table))
        for shapes in table.iter(f"{_TABLE}shapes"):
            text += "".join(f"\n\n{block}" for block in self._blocks(shapes, 1))
        return self._with_notes(text)

    def _with_notes(self, text: str) -> str:
        notes, self._notes, self._comments = [*self._notes, *self._comments], [], []
        return "\n\n".join(filter(None, (text, "\n".join(notes))))

    def _lines(self, table: Any) -> Iterator[str]:
        blank = False
        for row in _members(table, "table-row"):
            line, tabs = "", 0
            for cell in row:
                if not str(cell.tag).endswith("table-cell"):
                    continue
                text = " ".join(" ".join(self._blocks(cell, 1)).split())
                if not text:
                    text = str(
                        cell.get(f"{_OFFICE}value") or cell.get(f"{_OFFICE}date-value") or ""
                    )
                for _ in range(_repeat_count(cell, "columns")):
                    if text:
                        line += "\t" * min(tabs, _MAX_REPEATED) + text
                        tabs = 0
                    tabs += 1
            if line:
                if blank:
                    yield ""
                for _ in range(_repeat_count(row, "rows")):
                    yield self._budget.add(line)
            blank = not line

    def _slide(self, page: Any) -> str:
        blocks, notes = [], ""
        for shape in page:
            if shape.tag == f"{_PRESENTATION}notes":
                notes = "\n".join(self._blocks(shape, 1))
                continue
            text = "\n".join(self._frame(shape, 1)).strip()
            is_title = shape.get(f"{_PRESENTATION}class") == "title"
            if text:
                blocks.append(f"# {text}" if is_title else text)
        blocks += [f"Notes: {notes}"] if notes.strip() else []
        return self._with_notes("\n\n".join(blocks))


def _positions(root: Any) -> dict[str, str]:
    positions = {}
    for style in root.iter(f"{_STYLE}style"):
        for element in style.iter(f"{_STYLE}text-properties"):
            position = str(element.get(f"{_STYLE}text-position", ""))
            if position.startswith(("super", "sub")):
                positions[str(style.get(f"{_STYLE}name"))] = position
            elif re.match(r"-?[1-9]", position):  # a percentage of the font height
                positions[str(style.get(f"{_STYLE}name"))] = (
                    "sub" if position[0] == "-" else "super"
                )
    return positions


def _collapse_blanks(text: str | None) -> str:
    if not text:
        return ""
    words = " ".join(text.split())
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{words}{' ' if after and words else ''}"


def _repeat_count(element: Any, kind: str) -> int:
    count = str(element.get(f"{_TABLE}number-{kind}-repeated", "1"))
    return min(int(count), _MAX_REPEATED) if count.isdecimal() else 1


def _members(table: Any, name: str, depth: int = 0) -> Iterator[Any]:
    if depth > MAX_DEPTH:
        raise UnreadableError(TOO_DEEP)
    for child in table:
        if child.tag == f"{_TABLE}{name}":
            yield child
        elif str(child.tag).startswith(_TABLE) and "row" in str(child.tag):
            yield from _members(child, name, depth + 1)
