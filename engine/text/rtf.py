"""Reader for Rich Text Format: paragraphs, tables, notes, comments and text boxes."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from engine.text.document_base import (
    PAGE,
    Budget,
    Document,
    LeftOut,
    UnreadableError,
    build_document,
    table_row,
    to_raised_or_lowered,
)
from engine.text.encodings import normalize
from engine.text.word import SYMBOL_LETTERS

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)
_FILE_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
    "nestcell": " | ",
    "nestrow": "\n",
    "softline": "",
}
_SIGNS = {"~": "\xa0", "-": "", "_": "-", "\n": "\n", "\r": "\n"}
_MARKS = {"footnote": "", "annotation": "comment "}  # marks of notes and comments
_SHOWN = {"shp", "shpinst", "field", "fldrslt", "ud", "mmath", "moMath", "moMathPara", "result"}
_SHOWN |= {"listtext", "pntext", "nesttableprops", "shppict"}
_HIDDEN = {
    *("fonttbl", "colortbl", "stylesheet", "info", "shprslt", "upr", "sp", "nonesttables"),
    *("xe", "tc", "rxe", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn"),
    *("private", "nonshppict"),
    *(f"{name}{pages}" for name in ("header", "footer") for pages in ("", "l", "r", "f")),
}
_MAX_GROUPS = 10_000  # maximum nesting depth


class _Flow:
    """Paragraphs and table rows, either of the main text or of a separate part."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._pieces: list[str] = []
        self._cells: list[str] = []

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def end_paragraph(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        if text.strip():
            self.blocks.append(f"\n{text}\n")

    def begin_row(self) -> None:
        """End the paragraph before a table. Some programs only write a line break there."""
        if not self._cells:
            self.end_paragraph()

    def end_cell(self) -> None:
        self._cells.append("".join(self._pieces))
        self._pieces.clear()

    def end_row(self) -> None:
        if self._cells:
            self.blocks.append(table_row(self._cells))
        self._cells.clear()

    def text(self) -> str:
        if self._cells:
            self.end_cell()
            self.end_row()
        self.end_paragraph()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.blocks)).strip("\n")


class _Group(Struct):
    """Formatting state of a group, restored when the group ends."""

    flow: _Flow
    hides: bool = False
    removed: bool = False  # hidden, or deleted by a tracked change
    position: str = ""  # "super" or "sub"
    in_table: bool = False
    fallback: int = 1  # number of fallback characters that follow a Unicode character
    mark: str | None = None  # mark of the note or comment that starts with this group


def read(data: bytes) -> Document:
    return _Rtf(data.decode("latin-1")).document()


class _Rtf:
    def __init__(self, source: str) -> None:
        self._source = source
        self._page = "cp1252"
        self._flow = _Flow()
        self._group = _Group(self._flow)
        self._outer: list[_Group] = []
        self._bytes = bytearray()  # not decoded yet, because a character can have two bytes
        self._skip = 0  # number of fallback characters to skip
        self._star = False
        self._high = 0  # high surrogate waiting for its low surrogate
        self._notes: list[str] = []
        self._comments: list[str] = []
        self._left_out = LeftOut()
        self._budget = Budget()

    def document(self) -> Document:
        at = 0
        while match := _TOKEN.match(self._source, at):
            at = match.end()
            word, number, code, sign, brace, text = match.groups()
            if word == "bin" and number:
                at += max(0, int(number))
            elif brace == "{":
                self._flush()
                if len(self._outer) > _MAX_GROUPS:
                    raise UnreadableError("is nested too deeply")
                self._outer.append(self._group)
                self._group = replace(self._group, mark=None)
            elif brace:
                self._flush()
                if not self._end_group():
                    break
            elif code:
                self._add_bytes(bytes((int(code, 16),)))
            elif text:
                self._add_bytes(text.encode("latin-1"))
            elif sign in {"\\", "{", "}"}:
                self._add_bytes(sign.encode())
            elif sign == "*":
                self._star = True
                continue
            elif sign:
                self._flush()
                if sign in _SIGNS:
                    self._add(_SIGNS[sign])
            elif word:
                self._flush()
                self._apply_word(word, int(number) if number else None)
            self._star = False
        self._flush()
        while self._outer and self._end_group():
            pass
        parts = [self._flow.text(), "\n".join([*self._notes, *self._comments])]
        pages = self._budget.add("\n\n".join(filter(None, parts))).split(PAGE)
        self._budget.add("", len(pages))
        unit = "page" if len(pages) > 1 else ""
        return build_document("RTF", unit, pages, left_out=self._left_out)

    def _end_group(self) -> bool:
        group = self._group
        if not self._outer:
            return False
        self._group = self._outer.pop()
        line = " ".join(group.flow.text().split()) if group.mark is not None else ""
        if line and not self._group.hides:
            notes = self._comments if group.mark else self._notes
            mark = f"[{group.mark}{len(notes) + 1}]"
            notes.append(f"{mark} {line}")
            self._add(mark)
        return bool(self._outer)

    def _apply_word(self, word: str, number: int | None) -> None:
        group, flow = self._group, self._group.flow
        is_on = number != 0
        match word:
            case _ if word in _MARKS:
                group.mark, group.flow, group.in_table = _MARKS[word], _Flow(), False
            case "shptxt":
                self._add("\n")
            case "pict" | "object":
                if not group.hides:
                    self._left_out.add("image" if word == "pict" else "embedded object")
                group.hides = True
            case "ud":  # Unicode version of the preceding text
                group.hides = self._outer[-2].hides if len(self._outer) > 1 else False
            case _ if word in _HIDDEN or (self._star and word not in _SHOWN):
                group.hides = True
            case _ if word.startswith("m") and word.endswith("Pr"):
                group.hides = True
            case "ansicpg":
                self._page = normalize(f"cp{number}") or self._page
            case "mac" | "pc" | "pca":
                self._page = _FILE_PAGES[word]
            case "uc":
                group.fallback = max(0, number or 0)
            case "u" if number is not None:
                self._add_unicode(number & 0xFFFF)
                self._skip = group.fallback
            case "deleted" | "v":
                group.removed = is_on
            case "plain":
                group.removed, group.position = False, ""
            case "super" | "sub" | "nosupersub":
                group.position = word
            case "pard":
                group.in_table = False
            case "intbl":
                group.in_table = True
            case _ if group.hides:
                pass
            case "par" if group.in_table:
                flow.add("\n")
            case "par" | "sect":
                flow.end_paragraph()
            case "page":
                flow.add(PAGE)
            case "trowd":
                flow.begin_row()
            case "cell":
                flow.end_cell()
            case "row":
                flow.end_row()
            case _ if word in _CHARACTERS:
                self._add(_CHARACTERS[word])

    def _add_bytes(self, data: bytes) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> None:
        self._skip = 0
        self._add(self._bytes.decode(self._page, "replace"))
        self._bytes.clear()

    def _add_unicode(self, unit: int) -> None:
        if 0xD800 <= unit < 0xDC00:
            self._high = unit
            return
        char = chr(unit)
        if 0xDC00 <= unit < 0xE000:
            char = chr(0x10000 + ((self._high - 0xD800) << 10) + unit - 0xDC00)
        elif 0xF020 <= unit <= 0xF0FF:  # character in a symbol font
            char = SYMBOL_LETTERS.get(chr(unit - 0xF000), "•")
        self._high = 0xD800
        self._add(char)

    def _add(self, text: str) -> None:
        group = self._group
        if text and not (group.hides or group.removed):
            group.flow.add(self._budget.add(to_raised_or_lowered(text, group.position)))
