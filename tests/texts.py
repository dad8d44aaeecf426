"""Texts of the program, found in its code by `ast` and in the translation files."""

from __future__ import annotations

import ast
import importlib
import re
import string
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]


@cache
def languages() -> ModuleType:
    folder = str(ROOT / "packaging")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("languages")
    finally:
        sys.path.remove(folder)


@cache
def all_texts() -> list[Any]:
    """Return the texts found by ``packaging/languages.py``."""
    return list(languages().texts())


@cache
def sources() -> dict[str, ast.Module]:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "app").rglob("*.py"))
    }


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def places(text: str) -> set[str]:
    """Return the ``{names}`` in a text, and "%n" if it contains a number."""
    named = {f"{{{name}}}" for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    return named | {"%n" for _ in re.findall(r"%L?n", text)}


@dataclass(frozen=True)
class Translated:
    """An entry of a translation file.

    Attributes:
        forms: the translation, or its plural forms. Missing forms are empty.
    """

    text: str
    comment: str
    counts: bool
    finished: bool
    forms: tuple[str, ...]

    def faults(self, numbers: int) -> Iterator[str]:
        if self.finished and not all(self.forms):
            yield "finished, and empty"
        if self.counts and len(self.forms) != numbers:
            yield f"{len(self.forms)} forms of {numbers}"
        for form in filter(None, self.forms):
            wanted, found = self._places(), places_of(form)
            if self.counts:
                # The singular form can say "one" whether or not the English text does.
                named = places_of(self.comment) if numbers == 1 else set[str]()
                named |= places_of(self.text) & places_of(self.comment)
                named -= {"%n"}
                if not named <= found <= wanted:
                    yield f"{sorted(found)} for {sorted(wanted)}: {form}"
            elif found != wanted:
                yield f"{sorted(found)} for {sorted(wanted)}: {form}"
            if _ends(form) != _ends(self.text):
                yield f"blanks at its ends differ: {form!r}"
            if bool(_MNEMONIC.search(form)) != bool(_MNEMONIC.search(self.text)):
                yield f"one has a mnemonic and the other has none: {form}"
            if self.text.endswith("…") != form.endswith("…"):
                yield f"one ends with … and the other does not: {form}"

    def _places(self) -> set[str]:
        return places_of(self.text) | (places_of(self.comment) if self.counts else set())


_MNEMONIC = re.compile(r"&(?![&#\s]|\w+;)")


def places_of(text: str) -> set[str]:
    """Return the `places` of a text, only numbers if its braces are not placeholders."""
    try:
        return places(text)
    except ValueError:
        return {"%n" for _ in re.findall(r"%L?n", text)}


def _ends(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def translations(file: Path) -> list[Translated]:
    found = []
    for message in ET.parse(file).iter("message"):
        translation = message.find("translation")
        assert translation is not None
        counts = message.get("numerus") == "yes"
        forms = [f.text or "" for f in translation.iter("numerusform")] if counts else []
        found.append(
            Translated(
                message.findtext("source") or "",
                message.findtext("comment") or "",
                counts,
                translation.get("type") is None,
                tuple(forms or [translation.text or ""]),
            )
        )
    return found


# ---------------------------------------------------------------- untranslated texts

SHOWING = {
    *("setText", "setToolTip", "setPlaceholderText", "setWindowTitle", "setStatusTip"),
    *("setAccessibleName", "setAccessibleDescription", "setWhatsThis", "setTitle", "setSuffix"),
    *("setPrefix", "setSpecialValueText", "setInformativeText", "setLabelText", "setDetailedText"),
    *("addAction", "addMenu", "addButton", "addTab", "addRow", "addItem", "addItems", "insertItem"),
    *("setHeaderLabels", "addSection", "setButtonText", "setIconText", "showMessage"),
    *("QLabel", "QPushButton", "QCheckBox", "QRadioButton", "QGroupBox", "QAction", "QMenu"),
    *("QToolButton", "QMessageBox", "QDockWidget", "IconButton", "TextButton"),
    *("getExistingDirectory", "folder", "file", "files", "place", "line"),
    # our own functions that show their arguments
    *("show_text", "offer", "section", "note", "quiet", "announce", "command"),
}
"""Functions and classes that show their text arguments."""

_WORDS = re.compile(r"[^\W\d_]{2}")
NAMES = {"Stretto", "SHA-256", "Python", "Qt", "MLX", "mlx-lm"}
"""Texts that are the same in every language."""


def bare(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of displayed literals that bypass `app.settings.language`.

    A text contains a space or a capital letter, and at least two consecutive letters.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in SHOWING and not _is_log(node.func):
            for argument in [*node.args, *(k.value for k in node.keywords)]:
                yield from _texts(argument)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _is_log(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and _name(function.value) == "log"


def _texts(node: ast.expr) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and _is_for_people(node.value):
            yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        for value in node.values:
            if isinstance(value, ast.Constant) and not _is_neutral(str(value.value)):
                yield node.lineno, str(value.value)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _texts(value)
    elif isinstance(node, ast.BinOp):
        yield from _texts(node.left)
        yield from _texts(node.right)
    elif isinstance(node, ast.List | ast.Tuple):
        for value in node.elts:
            yield from _texts(value)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _OF_TEXTS
    ):
        yield from _texts(node.func.value)


_FORMATS = re.compile(r'(\w+ )?[ ]?\(\*?[\w*-]+\.\w+\)(;;.*)?|\{".*')
"""File types as file dialogs expect them, and JSON."""
_KEYS = re.compile(r"\+?((Ctrl|Alt|Shift|Meta)\+)+\S*|\+Tab")
_OF_TEXTS = {"join", "format", "replace", "strip", "capitalize", "lower"}


def _is_for_people(text: str) -> bool:
    return not _is_neutral(text) and bool(re.search(r"\s|[A-Z]", text.strip()))


def _is_neutral(text: str) -> bool:
    """Return True if the text is the same in every language."""
    if not _WORDS.search(text) or text.strip(" ·") in NAMES:
        return True
    return any(form.fullmatch(text) for form in (_KEYS, _FORMATS))
