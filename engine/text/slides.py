"""Reader for PowerPoint files (PPTX): text, tables, comments and speaker notes of each slide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from engine.text.document_base import (
    DAMAGED,
    MAX_DEPTH,
    TOO_DEEP,
    Archive,
    Budget,
    Document,
    LeftOut,
    UnreadableError,
    build_document,
    table_row,
)
from engine.text.formulas import is_formula, linearize
from engine.text.word import MC, A, R, W, choose_alternative, diagram_texts

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"


def read(archive: Archive, main: str) -> Document:
    targets = archive.targets(main)
    ids = [element.get(f"{R}id") for element in archive.parse_xml(main).iter(f"{_P}sldId")]
    budget, pages, left_out = Budget(), [], LeftOut()
    for target in (targets[element] for element in ids if element in targets):
        budget.add("", 1)
        if target not in archive:
            raise UnreadableError(DAMAGED)
        parts = archive.targets(target)
        slide = _Slide(archive, parts, left_out, ("sldNum", "ftr", "dt"))
        text = slide.text(archive.parse_xml(target))
        for name in parts.values():
            if "/notesSlides/" in name and name in archive:
                notes = _Slide(archive, {}, LeftOut(), ("sldNum", "sldImg", "hdr", "ftr"))
                words = notes.text(archive.parse_xml(name))
                text += f"\n\nNotes: {words}" if words else ""
            elif "/comments/" in name and name in archive:
                text += "".join(
                    f"\n\nComment: {words}" for words in _comments(archive.parse_xml(name))
                )
        pages.append(budget.add(text))
    if any(name.endswith("vbaProject.bin") for name in archive.names):
        left_out.add("macros", 0)
    return build_document("PowerPoint", "slide", pages, left_out=left_out)


class _Slide(Struct):
    _archive: Archive
    _parts: dict[str, str]
    _left_out: LeftOut
    _without: tuple[str, ...]  # placeholder types to skip

    def text(self, root: Any) -> str:
        return "\n\n".join(self._blocks(root, 0))

    def _blocks(self, parent: Any, depth: int) -> Iterator[str]:
        if depth > MAX_DEPTH:
            raise UnreadableError(TOO_DEEP)
        for child in parent:
            name = str(child.tag).rpartition("}")[2]
            if child.tag == f"{A}tbl":
                yield "\n".join(
                    table_row(" ".join(_lines(cell)) for cell in row.iter(f"{A}tc"))
                    for row in child.iter(f"{A}tr")
                )
            elif child.tag == f"{_P}sp":
                placeholder = child.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
                kind = placeholder.get("type", "") if placeholder is not None else ""
                text = "\n".join(_lines(child)).strip()
                if text and kind not in self._without:
                    yield f"# {text}" if kind in {"title", "ctrTitle"} else text
            elif child.tag == f"{MC}AlternateContent":
                yield from self._blocks(choose_alternative(child), depth + 1)
            elif name == "pic":
                self._left_out.add("image")
            elif name == "oleObj":
                self._left_out.add("embedded object")
            elif name == "chart":
                self._left_out.add("chart")
            elif name == "relIds":
                (box,) = diagram_texts(self._archive, self._parts.get(str(child.get(f"{R}dm")), ""))
                texts = [element.text or "" for element in box.iter(f"{W}t")]
                if any(texts):
                    yield "\n".join(filter(None, texts))
            else:
                yield from self._blocks(child, depth + 1)


def _comments(root: Any) -> Iterator[str]:
    """Yield a slide's comments. Old and new versions of PowerPoint store them differently."""
    for element in root.iter():
        if element.tag == f"{_P}text" and element.text:
            yield " ".join(element.text.split())
        elif str(element.tag).endswith("}txBody") and (text := " ".join(_lines(element)).strip()):
            yield text


def _lines(shape: Any) -> Iterator[str]:
    for paragraph in shape.iter(f"{A}p"):
        yield "".join(_pieces(paragraph, 0))


def _pieces(parent: Any, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise UnreadableError(TOO_DEEP)
    for child in parent:
        if child.tag == f"{A}t":
            yield child.text or ""
        elif child.tag == f"{A}br":
            yield "\n"
        elif is_formula(child):
            yield linearize(child)
        elif child.tag == f"{MC}AlternateContent":
            yield from _pieces(next(iter(child), child), depth + 1)
        else:
            yield from _pieces(child, depth + 1)
