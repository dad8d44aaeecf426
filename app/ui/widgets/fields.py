"""Fields for searches, multi-line text and choices."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QWidget

from app.settings.language import tr
from app.ui.style.icons import theme_icon
from app.ui.style.theme import code_font


def make_combo_box(
    parent: QWidget, name: str, choices: Iterable[tuple[str, object]], current: object = None
) -> QComboBox:
    """Make a box with (text, value) choices. Selects ``current``, or the first if it's missing."""
    box = QComboBox(parent)
    box.setAccessibleName(name)
    for words, value in choices:
        box.addItem(words, value)
    box.setCurrentIndex(max(0, box.findData(current)))
    return box


def make_search_field(parent: QWidget, name: str, hint: str = "") -> QLineEdit:
    """Make a field with a clear button. ``hint`` is the placeholder, by default ``name``."""
    field = QLineEdit(parent)
    field.setAccessibleName(name)
    field.setPlaceholderText(hint or name)
    field.setClearButtonEnabled(True)
    for clear in field.findChildren(QAbstractButton):
        clear.setAccessibleName(tr("Clear search"))
        clear.setIcon(theme_icon("x", "muted"))
    return field


def make_text_field(
    parent: QWidget, name: str, text: str = "", *, hint: str = "", height: int = 0
) -> QPlainTextEdit:
    """Return a field in which Tab moves the focus. ``height`` is in pixels, or 0 if flexible."""
    field = QPlainTextEdit(text, parent)
    field.setObjectName("field")
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setTabChangesFocus(True)
    if height:
        field.setFixedHeight(height)
    return field


def make_code_field(
    parent: QWidget, name: str, text: str = "", *, height: int = 0, wrap: bool = False
) -> QPlainTextEdit:
    """Return a field that only displays code. ``wrap`` allows breaks within words."""
    field = make_text_field(parent, name, text, height=height)
    field.setReadOnly(True)
    field.setFont(code_font())
    if wrap:
        field.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
    return field
