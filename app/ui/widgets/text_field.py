from __future__ import annotations

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.ui.style.theme import code_font


def make_text_field(
    parent: QWidget, name: str, text: str = "", *, hint: str = "", height: int = 0
) -> QPlainTextEdit:
    """Return a field that Tab leaves. ``height`` is in pixels; 0 lets the layout decide."""
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
