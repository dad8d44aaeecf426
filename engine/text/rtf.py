"""Reader for Rich Text Format: code pages, tables, notes, comments, headers and text boxes."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.text.document_base import (
    PAGE,
    Budget,
    Document,
    LeftOut,
    UnreadableError,
    build_paged,
    table_row,
    to_raised_or_lowered,
)
from engine.text.encodings import normalize
from engine.text.word import SYMBOL_LETTERS

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|([^\\{}\r\n]+)|[\r\n]+",
    re.DOTALL,
)
_CODE_PAGES = {  # keyed by the font's \fcharset; 0 and 1 mean the file's code page
    77: "mac_roman",
    78: "cp932",
    79: "cp949",
    80: "gb18030",
    81: "big5",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "big5hkscs",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
_SYMBOL = "symbol"
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
_SHOWN = {"shp", "shpinst", "field", "fldrslt", "ud", "mmath", "moMath", "moMathPara", "result"}
_SHOWN |= {"listtext", "pntext", "nesttableprops", "shppict"}
_HIDDEN = {
    "stylesheet", "info", "colortbl", "fldinst", "shprslt", "upr", "sp", "nonesttables", "pntxta",
    "pntxtb", "listtable", "listoverridetable", "revtbl", "filetbl", "xe", "tc", "bkmkstart",
    "bkmkend", "datafield", "formfield", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc",
    "aftncn", "pn", "template", "userprops", "themedata", "rxe", "private",
    "nonshppict", "mmathPict",
}  # fmt: skip
_ASIDE = {
    "footnote": "note",
    "annotation": "comment",
    "shptxt": "box",
    "atnauthor": "author",
    **{f"header{side}": "header" for side in ("", "l", "r", "f")},
    **{f"footer{side}": "footer" for side in ("", "l", "r", "f")},
}
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_MAX_GROUPS = 10_000  # maximum nesting depth


class _Flow:
    """Paragraphs and table rows, either of the main text or of a separate part."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._pieces: list[str] = []
        self._cells: list[str] = []

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def end_paragraph(self, mark: str = "") -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        if text.strip():
            rest = text.lstrip(PAGE)
            self.blocks.append(f"\n{text[: len(text) - len(rest)]}{mark}{rest}\n")

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
    removed: bool = False  # deleted by a tracked change
    vanished: bool = False
    position: str = ""  # "super" or "sub"
    in_table: bool = False
    font: str = ""
    style: str = ""
    fallback: int = 1  # number of fallback characters that follow a Unicode character
    fonts: bool = False  # the group is inside the font table
    styles: bool = False
    # Kind of separate part ("note", "comment", …) that starts with this group, or "".
    begins: str = ""


def read(data: bytes) -> Document:
    return _Rtf(data.decode("latin-1")).document()


class _Rtf:
    def __init__(self, source: str) -> None:
        self._source = source
        self._page = "cp1252"
        self._font_pages: dict[str, str] = {}
        self._style_names: dict[str, str] = {}
        self._default_font = ""
        self._flow = _Flow()
        self._group = _Group(self._flow)
        self._outer: list[_Group] = []
        self._bytes = bytearray()  # not decoded yet, because a character can have two bytes
        self._skip = 0  # number of fallback characters to skip
        self._star = False
        self._high = 0  # high surrogate waiting for its low surrogate
        self._notes: list[str] = []
        self._comments: list[str] = []
        self._margins = {"header": dict[str, None](), "footer": dict[str, None]()}
        self._boxes: list[str] = []
        self._author = ""
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
                self._group = replace(self._group, begins="")
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
        self._flow.end_paragraph()
        self._add_boxes(self._flow)
        parts = [
            "\n".join(self._margins["header"]),
            self._flow.text(),
            "\n".join([*self._notes, *self._comments, *self._margins["footer"]]),
        ]
        return build_paged("RTF", parts, self._budget, self._left_out)

    def _end_group(self) -> bool:
        group = self._group
        if not self._outer:
            return False
        self._group = self._outer.pop()
        if group.begins:
            self._end_aside(group.begins, group.flow.text())
        return bool(self._outer)

    def _end_aside(self, kind: str, text: str) -> None:
        line = " ".join(text.split())
        if kind == "author":
            self._author = line
        elif kind in self._margins:
            if any(char.isalpha() for char in line):
                self._margins[kind][f"{kind.title()}: {text}"] = None
        elif not line or self._group.hides:
            return
        elif kind == "box":
            self._boxes.append(text)
        else:
            notes = self._notes if kind == "note" else self._comments
            mark = f"{'' if kind == 'note' else 'comment '}{len(notes) + 1}"
            by_author = f" by {self._author}" if kind == "comment" and self._author else ""
            notes.append(f"[{mark}{by_author}] {line}")
            self._add(f"[{mark}]")

    def _apply_word(self, word: str, number: int | None) -> None:
        group, flow = self._group, self._group.flow
        is_on = number != 0
        match word:
            case _ if word in _ASIDE:
                group.begins, group.flow, group.in_table = _ASIDE[word], _Flow(), False
            case "fonttbl":
                group.fonts = group.hides = True
            case "stylesheet":
                group.styles = group.hides = True
            case "pict" | "object":
                if not group.hides and word == "pict":
                    self._left_out.add("image")
                elif not group.hides:
                    self._left_out.add("embedded object")
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
            case "deff":
                self._default_font = str(number)
                group.font = group.font or str(number)
            case "f":
                group.font = str(number)
            case "fcharset" if group.fonts:
                self._font_pages[group.font] = (
                    _SYMBOL if number == 2 else _CODE_PAGES.get(number or 0, "")
                )
            case "s" if group.styles or not group.hides:
                group.style = str(number)
            case "uc":
                group.fallback = max(0, number or 0)
            case "u" if number is not None:
                self._add_unicode(number & 0xFFFF)
                self._skip = group.fallback
            case "deleted":
                group.removed = is_on
            case "v":
                group.vanished = is_on
            case "plain":
                group.removed = group.vanished = False
                group.position = ""
                group.font = self._default_font
            case "super" | "sub" | "nosupersub":
                group.position = word
            case "pard":
                group.in_table, group.style = False, ""
            case "intbl":
                group.in_table = True
            case _ if group.hides:
                pass
            case "par" if group.in_table:
                flow.add("\n")
            case "par" | "sect":
                heading = _HEADING.match(self._style_names.get(group.style, ""))
                flow.end_paragraph("#" * min(int(heading[1]), 6) + " " if heading else "")
                self._add_boxes(flow)
            case "page":
                flow.add(PAGE)
            case "trowd":
                flow.begin_row()
            case "cell":
                self._add_boxes(flow)
                flow.end_cell()
            case "row":
                flow.end_row()
            case _ if word in _CHARACTERS:
                self._add(_CHARACTERS[word])

    def _add_boxes(self, flow: _Flow) -> None:
        if flow is self._flow:
            flow.blocks += [f"\n{box}\n" for box in self._boxes]
            self._boxes.clear()

    def _add_bytes(self, data: bytes) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> None:
        self._skip = 0
        if not self._bytes:
            return
        group, data = self._group, bytes(self._bytes)
        self._bytes.clear()
        if group.styles and not group.style:
            return
        if group.styles:
            name = data.decode("latin-1").strip().removesuffix(";")
            self._style_names.setdefault(group.style, name)
        elif not group.hides:
            page = self._font_pages.get(group.font) or self._page
            if page == _SYMBOL:
                self._add("".join(SYMBOL_LETTERS.get(c, c) for c in data.decode("latin-1")))
            else:
                self._add(data.decode(page, "replace"))

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
        group: Any = self._group
        if group.hides or group.removed:
            return
        if group.vanished:
            if text.strip():
                self._left_out.add("hidden text", 0)
            return
        group.flow.add(self._budget.add(to_raised_or_lowered(text, group.position)))
