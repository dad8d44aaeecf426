"""The form of a chat's answers as rows of its panel, checked as it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.chats.forms import fault
from app.chats.options import ChatOptions
from app.language import mark, tr
from app.ui.style.theme import repolish
from app.ui.widgets.mirror import begin_at_edge

_CHOICES = (
    (None, mark("Free text")),
    ("json", "JSON"),
    ("schema", mark("JSON of a schema")),
    ("choices", mark("One of a list")),
    ("pattern", mark("Pattern")),
)


class AnswerForm(QObject):
    """A choice of forms, and below it the field that the chosen one needs.

    Each form has a field of its own: going to another and back loses nothing.

    Signals:
        resized(): a field or a line of words came or went.
    """

    resized = Signal()

    def __init__(self, form: QFormLayout, parent: QWidget, labels: int) -> None:
        super().__init__(parent)
        self.kind = QComboBox(parent)
        self.kind.setAccessibleName(tr("Answer as"))
        self.kind.setToolTip(tr("What answers have to be; the model can write nothing else"))
        self.kind.setMinimumWidth(180)
        for kind, words in _CHOICES:
            self.kind.addItem(tr(words), kind)
        label = QLabel(tr("Answer as"), parent)
        label.setMinimumSize(labels, 30)
        label.setBuddy(self.kind)
        form.addRow(label, self.kind)
        self.schema = _field(tr("Schema"), '{"type": "object", "properties": {…}}', 116, parent)
        self.choices = _field(tr("Choices"), tr("One choice a line"), 84, parent)
        self.choices.setToolTip(tr("One choice a line; \\n stands for a line break"))
        self.pattern = QLineEdit(parent)
        self.pattern.setPlaceholderText("[0-9]{4}-[0-9]{2}")
        self.pattern.setMinimumHeight(30)
        self.pattern.setAccessibleName(tr("Pattern"))
        self.pattern.setToolTip(tr("A regular expression; the whole answer matches it"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        for field in (self.schema, self.pattern):
            field.setStyleSheet(f'font-family: "{fixed}"; font-size: 13px;')
        self._fields: dict[str | None, QWidget] = {
            "schema": self.schema,
            "choices": self.choices,
            "pattern": self.pattern,
        }
        self.wrong = QLabel(parent)
        self.wrong.setProperty("danger", True)
        self.wrong.setWordWrap(True)
        self._shape: tuple[str | None, str] = (None, "")
        self._below = QWidget(parent)
        self._column = below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 4)
        below.setSpacing(4)
        for widget in (*self._fields.values(), self.wrong):
            below.addWidget(widget)
        form.addRow(self._below)
        self.kind.currentIndexChanged.connect(self._check)
        self.schema.textChanged.connect(self._check)
        self.choices.textChanged.connect(self._check)
        self.pattern.textChanged.connect(self._check)
        self._check()

    def show_options(self, options: ChatOptions) -> None:
        """Show what was chosen, with the texts of the other forms kept behind it."""
        self.schema.setPlainText(options.schema)
        self.choices.setPlainText(lines_of(options.choices))
        self.pattern.setText(options.pattern)
        self.kind.setCurrentIndex([k for k, _ in _CHOICES].index(options.answer_as))

    def values(self) -> dict[str, Any]:
        """What stands in the rows, by the options' names, right or wrong."""
        return {
            "answer_as": self.kind.currentData(),
            "schema": self.schema.toPlainText(),
            "choices": texts_of(self.choices.toPlainText()),
            "pattern": self.pattern.text(),
        }

    @Slot()
    def _check(self) -> None:
        kind = self.kind.currentData()
        wrong = fault(replace(ChatOptions(), **self.values()))
        for name, field in self._fields.items():
            field.setVisible(name == kind)
            bad = bool(wrong) and name == kind
            field.setAccessibleDescription(wrong if bad else "")
            if field.property("wrong") != bad:
                field.setProperty("wrong", bad)
                repolish(field)
        shape = (kind, wrong)
        self.wrong.setText(wrong)
        self.wrong.setVisible(bool(wrong))
        self._below.setVisible(kind in self._fields)
        if shape != self._shape:
            self._shape = shape
            self._column.activate()  # or the panel would be told the height of before
            self.resized.emit()


def lines_of(texts: Sequence[str]) -> str:
    """Texts as lines of a field; a line break in one is written as ``\\n``."""
    return "\n".join(text.replace("\n", "\\n") for text in texts)


def texts_of(lines: str) -> tuple[str, ...]:
    """The lines of a field as texts, empty ones left out."""
    return tuple(line.replace("\\n", "\n") for line in lines.split("\n") if line)


def _field(name: str, hint: str, height: int, parent: QWidget) -> QPlainTextEdit:
    field = QPlainTextEdit(parent)
    begin_at_edge(field)
    field.setObjectName("field")
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setTabChangesFocus(True)
    field.setFixedHeight(height)
    return field
