"""One field of a form that a tool's server asks the person to fill in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.language import mark, tr
from app.tools.questions import LONGEST_TEXT, Field, Kind, Value
from app.ui.style import tokens as t
from app.ui.style.theme import keep_font, repolish

_HINTS = {
    "email": "name@example.org",
    "uri": "https://example.org",
    "date": "2026-05-31",
    "date-time": "2026-05-31T14:30:00Z",
}
_OPTIONAL = mark("{field} (optional)")


class QuestionField(QWidget):
    """The field's title, what is said about it, and what takes its value.

    Attributes:
        editors: what the keys go to, in order.

    Signals:
        changed(): another value stands in it.
    """

    changed = Signal()

    def __init__(self, field: Field, value: Value | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = field
        self.editors: list[QWidget] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        optional = not field.required and field.kind is not Kind.BOOLEAN
        self._words = tr(_OPTIONAL, field=field.title) if optional else field.title
        if field.kind is not Kind.BOOLEAN:
            title = QLabel(self._words, self)
            title.setTextFormat(Qt.TextFormat.PlainText)
            title.setWordWrap(True)
            keep_font(title, t.UI_PX, QFont.Weight.Medium)
            column.addWidget(title)
        make = {
            Kind.BOOLEAN: self._make_box,
            Kind.CHOICE: self._make_list,
            Kind.CHOICES: self._make_boxes,
        }
        make.get(field.kind, self._make_line)(value)
        for editor in self.editors:
            column.addWidget(editor)
        if field.about and field.about != field.title:
            about = QLabel(field.about, self)
            about.setTextFormat(Qt.TextFormat.PlainText)
            about.setWordWrap(True)
            about.setProperty("muted", True)
            keep_font(about, t.SMALL_PX)
            column.addWidget(about)

    @property
    def value(self) -> Value | None:
        """What stands in it: text of a line, also of a number's; None for nothing."""
        first = self.editors[0]
        if isinstance(first, QLineEdit):
            return first.text() or None
        if isinstance(first, QComboBox):
            chosen = first.currentData()
            return chosen if isinstance(chosen, str) else None
        boxes = [each for each in self.editors if isinstance(each, QCheckBox)]
        if self.field.kind is Kind.BOOLEAN:
            return boxes[0].isChecked()
        pairs = zip(boxes, self.field.choices, strict=True)
        return [value for box, (value, _) in pairs if box.isChecked()]

    def set_wrong(self, words: str) -> None:
        """Mark it as what keeps the form from being sent, and say why; or ("") no longer."""
        for editor in self.editors:
            editor.setAccessibleDescription(words or self.field.about)
            if bool(editor.property("wrong")) != bool(words):
                editor.setProperty("wrong", bool(words))
                repolish(editor)

    def _make_line(self, value: Value | None) -> None:
        line = QLineEdit(self)
        line.setMinimumHeight(30)
        line.setMaxLength(LONGEST_TEXT)
        line.setText("" if value is None else str(value))
        line.setPlaceholderText(_HINTS.get(self.field.format, self._range()))
        line.textChanged.connect(self.changed)
        self._take(line, self._words)

    def _make_box(self, value: Value | None) -> None:
        box = QCheckBox(self.field.title.replace("&", "&&"), self)
        box.setChecked(value is True)
        box.toggled.connect(self._on_toggled)
        self._take(box, self.field.title)

    def _make_list(self, value: Value | None) -> None:
        listed = QComboBox(self)
        listed.setMinimumContentsLength(8)
        listed.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        listed.addItem(tr("Choose…"), None)
        for choice, title in self.field.choices:
            listed.addItem(title, choice)
        listed.setCurrentIndex(max(0, listed.findData(value)))
        listed.currentIndexChanged.connect(self._on_chosen)
        self._take(listed, self._words)

    def _make_boxes(self, value: Value | None) -> None:
        chosen = value if isinstance(value, list) else []
        for choice, title in self.field.choices:
            box = QCheckBox(title.replace("&", "&&"), self)
            box.setChecked(choice in chosen)
            box.toggled.connect(self._on_toggled)
            self._take(box, f"{self._words}: {title}")

    def _take(self, editor: QWidget, name: str) -> None:
        editor.setAccessibleName(name)
        editor.setAccessibleDescription(self.field.about)
        self.editors.append(editor)

    def _range(self) -> str:
        least, most = self.field.least, self.field.most
        if self.field.kind not in (Kind.NUMBER, Kind.INTEGER):
            return ""
        if least is not None and most is not None:
            return tr("{least} to {most}", least=f"{least:g}", most=f"{most:g}")
        if least is not None:
            return tr("at least {least}", least=f"{least:g}")
        return tr("at most {most}", most=f"{most:g}") if most is not None else ""

    @Slot(bool)
    def _on_toggled(self, on: bool) -> None:
        self.changed.emit()

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        self.changed.emit()
