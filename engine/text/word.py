"""Reader for Word files (DOCX): paragraphs, tables, text boxes, notes, headers and formulas.

Everything that would be printed is included once, in file order. python-docx and docx2python need
lxml (15 MB), and mammoth doesn't report page breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from engine.text.document_base import (
    DAMAGED,
    MAX_DEPTH,
    PAGE,
    TOO_DEEP,
    Archive,
    Budget,
    Document,
    LeftOut,
    UnreadableError,
    build_paged,
    table_row,
    to_raised_or_lowered,
)
from engine.text.formulas import is_formula, linearize

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_VALUE = f"{W}val"
# Tracked deletions and moves, properties, and field codes.
_SKIPPED = {
    f"{W}{name}"
    for name in ("del", "moveFrom", "delText", "instrText", "delInstrText", "pPr", "rPr", "sectPr")
} | {f"{W}{name}" for name in ("tblPr", "tblGrid", "trPr", "tcPr", "sdtPr")}
_NESTING = {
    f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")
}
_OFF = {"0", "false", "off", "none"}
_HEADING = re.compile(r"heading ?([1-9])", re.I)
SYMBOL_LETTERS = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ",
        strict=True,
    )
) | {"\xb0": "°", "\xb1": "±", "\xb3": "≥", "\xa3": "≤", "\xb7": "•", "\xb9": "≠", "\xae": "→"}
_WINGDINGS = {0xFC: "✔", 0xFB: "✘", 0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0xE0: "→"}
_WINGDINGS |= {0xA7: "▪", 0x6C: "●", 0x6E: "■", 0x4A: "☺", 0xD8: "➢"}


def read(archive: Archive, main: str) -> Document:
    """Read a file with the given main part. Pages end where Word broke them."""
    return _Word(archive, main).document()


def choose_alternative(element: Any) -> Any:
    """Return the first alternative of `mc:AlternateContent` that has text."""
    choices = [*element]
    for choice in choices:
        if any(inner.text for inner in choice.iter() if inner.tag in {f"{W}t", f"{A}t"}):
            return choice
    return choices[0] if choices else element


class _Style(NamedTuple):
    name: str
    based_on: str
    numbering: Any


class _Word:
    def __init__(self, archive: Archive, main: str) -> None:
        self._archive = archive
        self._main = main
        self._folder = main.rpartition("/")[0]
        self._targets = archive.targets(main)
        self._budget = Budget()
        self._left_out = LeftOut()
        self._notes: list[str] = []
        self._comments: list[str] = []
        self._kinds = {
            kind: {str(element.get(f"{W}id")): element for element in self._part(f"{kind}s.xml")}
            for kind in ("footnote", "endnote", "comment")
        }
        self._styles = self._read_styles()
        self._numbers = _Numbers(self._part("numbering.xml"))

    def document(self) -> Document:
        root = self._archive.parse_xml(self._main)
        body = root.find(f"{W}body")
        if body is None:
            raise UnreadableError(DAMAGED)
        text = "\n\n".join(self._blocks(body))
        headers, footers = self._margins(root, "header"), self._margins(root, "footer")
        self._add_unreferenced_notes(root)
        ends = [*self._notes, *self._comments, *footers]
        if any(name.endswith("vbaProject.bin") for name in self._archive.names):
            self._left_out.add("macros", 0)
        parts = ("\n".join(headers), text, "\n".join(ends))
        return build_paged("Word", parts, self._budget, self._left_out)

    def _part(self, name: str) -> Iterable[Any]:
        path = f"{self._folder}/{name}" if self._folder else name
        return [*self._archive.parse_xml(path)] if path in self._archive else []

    def _read_styles(self) -> dict[str, _Style]:
        styles = {}
        for element in self._part("styles.xml"):
            name, base = element.find(f"{W}name"), element.find(f"{W}basedOn")
            styles[str(element.get(f"{W}styleId"))] = _Style(
                "" if name is None else str(name.get(_VALUE)),
                "" if base is None else str(base.get(_VALUE)),
                element.find(f"{W}pPr/{W}numPr"),
            )
        return styles

    def _style(self, paragraph: Any) -> tuple[str, Any]:
        """Return a paragraph's style name, independent of Word's language, and its numbering or
        None.
        """
        element = paragraph.find(f"{W}pPr/{W}pStyle")
        key = "" if element is None else str(element.get(_VALUE, ""))
        name, numbering = key, None
        for step in range(20):  # limited, because styles can be based on each other in a loop
            style = self._styles.get(key)
            if style is None:
                break
            if not step or (_HEADING.match(style.name) and not _HEADING.match(name)):
                name = style.name
            numbering = style.numbering if numbering is None else numbering
            key = style.based_on
        return name, numbering

    def _margins(self, root: Any, kind: str) -> list[str]:
        settings = {element.tag: element for element in self._part("settings.xml")}
        parts, parts_seen = dict[str, None](), set[str]()
        for section in root.iter(f"{W}sectPr"):
            page_types = {"default"}
            if _is_on(section.find(f"{W}titlePg")):
                page_types.add("first")
            if _is_on(settings.get(f"{W}evenAndOddHeaders")):
                page_types.add("even")
            for reference in section.iter(f"{W}{kind}Reference"):
                part = self._targets.get(str(reference.get(f"{R}id")), "")
                parts_seen.add(part)
                if part in self._archive and reference.get(f"{W}type", "default") in page_types:
                    parts[part] = None
        pattern = re.compile(re.escape(f"{self._folder}/{kind}".lstrip("/")) + r"[0-9]*\.xml")
        parts |= dict.fromkeys(
            name
            for name in self._archive.names
            if pattern.fullmatch(name) and name not in parts_seen
        )
        lines = dict[str, None]()
        for part in parts:
            outer, self._targets = self._targets, self._archive.targets(part)
            text = "\n".join(self._blocks(self._archive.parse_xml(part)))
            self._targets = outer
            if re.search(r"[^\W\d_]", text):  # skip plain page numbers
                lines[f"{kind.title()}: {text.replace(PAGE, '')}"] = None
        return [*lines]

    def _add_unreferenced_notes(self, root: Any) -> None:
        for kind, notes in self._kinds.items():
            marked = {str(element.get(f"{W}id")) for element in root.iter(f"{W}{kind}Reference")}
            for key, note in [*notes.items()]:
                # Other note types are separators.
                if key not in marked and note.get(f"{W}type", "normal") == "normal":
                    self._note(kind, key, 0)

    def _blocks(self, parent: Any, depth: int = 0) -> Iterator[str]:
        if depth > MAX_DEPTH:
            raise UnreadableError(TOO_DEEP)
        carried = ""  # text of paragraphs whose end mark was deleted
        for child in parent:
            if child.tag == f"{W}p":
                boxes: list[Any] = []
                text = carried + "".join(self._runs(child, boxes, depth))
                carried = text if _has_removed_end(child) else ""
                if not carried and (text := self._format_paragraph(child, text)):
                    yield self._budget.add(text)
                for box in boxes:
                    yield from self._blocks(box, depth + 1)
            elif child.tag == f"{W}tbl":
                if rows := [*self._rows(child, depth)]:
                    yield "\n".join(rows)
            elif child.tag == f"{W}altChunk":
                self._left_out.add("embedded document")
            elif child.tag == f"{MC}AlternateContent":
                yield from self._blocks(choose_alternative(child), depth + 1)
            elif child.tag in _NESTING:
                yield from self._blocks(child, depth + 1)
        if carried.strip():
            yield self._budget.add(carried)

    def _rows(self, table: Any, depth: int) -> Iterator[str]:
        # Avoid `iter`, which would include the rows of nested tables.
        for row in _iterate_members(table, "tr"):
            properties = row.find(f"{W}trPr")
            if properties is not None and properties.find(f"{W}del") is not None:
                continue
            cells = []
            for cell in _iterate_members(row, "tc"):
                cells.append(" ".join(self._blocks(cell, depth + 1)))
                span = cell.find(f"{W}tcPr/{W}gridSpan")
                wide = "" if span is None else str(span.get(_VALUE, ""))
                cells += [""] * min(int(wide) - 1 if wide.isdecimal() else 0, 100)
            yield table_row(cells)

    def _format_paragraph(self, paragraph: Any, text: str) -> str:
        numbering = paragraph.find(f"{W}pPr/{W}numPr")
        style, style_numbering = self._style(paragraph)
        if not text.strip(" \t\n"):
            return text.strip(" \t\n")
        numbering = style_numbering if numbering is None else numbering
        number = "" if numbering is None else self._numbers.next_label(numbering)
        heading = _HEADING.match(style)
        mark = "#" * min(int(heading[1]), 6) + " " if heading else "# " if style == "Title" else ""
        rest = text.lstrip(PAGE)  # the paragraph may start with a page break
        mark = mark + number.lstrip() if mark else number
        return text[: len(text) - len(rest)] + (mark + rest if rest else "")

    def _runs(self, parent: Any, boxes: list[Any], depth: int) -> Iterator[str]:
        """Yield a paragraph's text chunk by chunk, and add its text boxes to ``boxes``."""
        if depth > MAX_DEPTH:
            raise UnreadableError(TOO_DEEP)
        for child in parent:
            tag = child.tag
            if tag == f"{W}t":
                yield child.text or ""
            elif tag in {f"{W}tab", f"{W}ptab"}:
                yield "\t"
            elif tag == f"{W}lastRenderedPageBreak":
                yield PAGE
            elif tag in {f"{W}br", f"{W}cr"}:
                # Word also marks the rendered position of a manual page break.
                yield "" if child.get(f"{W}type") == "page" else "\n"
            elif tag == f"{W}noBreakHyphen":
                yield "-"
            elif tag == f"{W}sym":
                yield _symbol(str(child.get(f"{W}font")), str(child.get(f"{W}char")))
            elif is_formula(child):
                yield linearize(child)
            elif tag == f"{W}txbxContent":
                boxes.append(child)
            elif tag == f"{W}ruby":
                yield self._ruby(child, boxes, depth)
            elif tag == f"{W}r" and _is_on(child.find(f"{W}rPr/{W}vanish")):
                if child.find(f"{W}t") is not None:
                    self._left_out.add("hidden text", 0)
            elif tag == f"{W}r" and (position := child.find(f"{W}rPr/{W}vertAlign")) is not None:
                text = "".join(self._runs(child, boxes, depth + 1))
                yield to_raised_or_lowered(text, str(position.get(_VALUE)))
            elif tag == f"{MC}AlternateContent":
                yield from self._runs(choose_alternative(child), boxes, depth + 1)
            elif tag in {f"{W}{kind}Reference" for kind in self._kinds}:
                yield self._note(tag[len(W) : -len("Reference")], str(child.get(f"{W}id")), depth)
            elif tag not in _SKIPPED and not self._is_drawn(child, boxes):
                yield from self._runs(child, boxes, depth + 1)

    def _is_drawn(self, element: Any, boxes: list[Any]) -> bool:
        name = str(element.tag).rpartition("}")[2]
        if name == "object" and any(str(e.tag).endswith("}OLEObject") for e in element.iter()):
            self._left_out.add("embedded object")
        elif name in {"pic", "imagedata"}:
            self._left_out.add("image")
        elif name == "chart":
            self._left_out.add("chart")
        elif name == "relIds":
            boxes += diagram_texts(self._archive, self._targets.get(str(element.get(f"{R}dm")), ""))
        else:
            return False
        return True

    def _ruby(self, element: Any, boxes: list[Any], depth: int) -> str:
        base, reading = (
            "".join(self._runs(part, boxes, depth + 1)) if part is not None else ""
            for part in (element.find(f"{W}rubyBase"), element.find(f"{W}rt"))
        )
        return f"{base}({reading})" if reading else base

    def _note(self, kind: str, key: str, depth: int) -> str:
        element = self._kinds[kind].pop(key, None)
        if element is None:
            return ""
        is_comment = kind == "comment"
        notes = self._comments if is_comment else self._notes
        index = len(notes)
        notes.append("")  # reserve the position, because notes can contain notes
        text = " ".join(" ".join(self._blocks(element, depth + 1)).split())
        author = " ".join(str(element.get(f"{W}author", "")).split()) if is_comment else ""
        mark = f"comment {index + 1}" if is_comment else f"{index + 1}"
        notes[index] = f"[{mark}{' by ' if author else ''}{author}] {text}"
        return f"[{mark}]"


def diagram_texts(archive: Archive, part: str) -> list[Any]:
    from xml.etree.ElementTree import Element, SubElement

    box = Element("box")
    for paragraph in archive.parse_xml(part).iter(f"{A}p") if part in archive else ():
        text = "".join(element.text or "" for element in paragraph.iter(f"{A}t"))
        SubElement(SubElement(box, f"{W}p"), f"{W}t").text = text
    return [box]


def _is_on(element: Any) -> bool:
    return element is not None and str(element.get(_VALUE, "1")).lower() not in _OFF


def _has_removed_end(paragraph: Any) -> bool:
    marks = paragraph.find(f"{W}pPr/{W}rPr")
    if marks is None:
        return False
    return any(marks.find(f"{W}{name}") is not None for name in ("del", "moveFrom"))


def _symbol(font: str, code: str) -> str:
    try:
        number = int(code, 16)
        char = chr(number & 0xFF if 0xF000 <= number <= 0xF0FF else number)
    except (ValueError, OverflowError):
        return ""
    if font.startswith("Wingdings"):
        return _WINGDINGS.get(ord(char), "▯")
    return SYMBOL_LETTERS.get(char, char) if font == "Symbol" else char


def _iterate_members(parent: Any, name: str, depth: int = 0) -> Iterator[Any]:
    """Yield a table's rows or a row's cells, including those in content controls."""
    if depth > MAX_DEPTH:
        raise UnreadableError(TOO_DEEP)
    for child in parent:
        if child.tag == f"{W}{name}":
            yield child
        elif child.tag in _NESTING:
            yield from _iterate_members(child, name, depth + 1)


class _Numbers:
    def __init__(self, numbering: Iterable[Any]) -> None:
        # List number -> definition, start values.
        self._lists = dict[str, tuple[str, dict[str, str]]]()
        # List and level -> format, text, start.
        self._levels = dict[tuple[str, str], tuple[str, str, int]]()
        self._counts = dict[str, dict[int, int]]()
        for element in numbering:
            if element.tag == f"{W}abstractNum":
                key = str(element.get(f"{W}abstractNumId"))
                for level in element.iter(f"{W}lvl"):
                    form, text, start = (
                        "" if (child := level.find(f"{W}{name}")) is None else child.get(_VALUE, "")
                        for name in ("numFmt", "lvlText", "start")
                    )
                    first = int(start) if start.isdecimal() else 1
                    self._levels[key, str(level.get(f"{W}ilvl"))] = form, text, first
            elif element.tag == f"{W}num":
                used = element.find(f"{W}abstractNumId")
                starts = {
                    str(level.get(f"{W}ilvl")): str(start.get(_VALUE))
                    for level in element.iter(f"{W}lvlOverride")
                    if (start := level.find(f"{W}startOverride")) is not None
                }
                key = "" if used is None else str(used.get(_VALUE))
                self._lists[str(element.get(f"{W}numId"))] = key, starts

    def next_label(self, numbering: Any) -> str:
        """Return the number or bullet for the next paragraph of a list, with a space after it."""
        number, level = (
            "" if (child := numbering.find(f"{W}{name}")) is None else str(child.get(_VALUE, ""))
            for name in ("numId", "ilvl")
        )
        if number == "0":  # removes the paragraph from its style's list
            return ""
        at = int(level) if level.isdecimal() else 0
        indent = "  " * min(at, 8)
        definition, starts = self._lists.get(number, ("", {}))
        form, text, first = self._levels.get((definition, str(at)), ("bullet", "", 1))
        if form in {"bullet", ""}:
            return f"{indent}- "
        if form == "none" and "%" not in text:
            return f"{indent}{text} " if text else ""
        key = number if starts else definition
        counts = self._counts.setdefault(key, {})
        start = starts.get(str(at), "")
        counts[at] = counts.get(at, (int(start) if start.isdecimal() else first) - 1) + 1
        for deeper in [n for n in counts if n > at]:
            del counts[deeper]

        def numbered(match: re.Match[str]) -> str:
            above = int(match[1]) - 1
            its_form, _, its_first = self._levels.get((definition, str(above)), ("", "", 1))
            return _number(counts.get(above, its_first), its_form)

        return f"{indent}{re.sub('%([1-9])', numbered, text)} "


def _number(n: int, form: str) -> str:
    if form in {"lowerLetter", "upperLetter"} and n > 0:
        letters = chr(ord("a") + (n - 1) % 26) * min((n - 1) // 26 + 1, 10)
        return letters if form == "lowerLetter" else letters.upper()
    if form in {"lowerRoman", "upperRoman"} and 0 < n < 4000:
        numeral = ""
        values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
        signs = ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i")
        for value, sign in zip(values, signs, strict=True):
            numeral += sign * (n // value)
            n %= value
        return numeral if form == "lowerRoman" else numeral.upper()
    return f"{n:02}" if form == "decimalZero" else str(n)
