"""A page of settings: headings, rows whose fields begin at one line, and quiet notes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.settings.language import mark, tr
from app.ui.style.theme import grown, keep_font, scaled

LABELS = 150


class FormPage(QWidget):
    """What is added to it stands one below the other.

    Attributes:
        places: the section and the words of each row, and each section with "", in English.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(28, 22, 28, 26)
        self._column.setSpacing(12)
        self._area: QScrollArea | None = None
        self.places: list[tuple[str, str]] = []
        self._fields: dict[str, QWidget | QHBoxLayout] = {}

    def show_row(self, words: str) -> bool:
        """Scroll to the row (or section) that is called so in English, and give it the focus."""
        field = self._fields.get(words)
        if isinstance(field, QHBoxLayout):
            inside = (item.widget() for n in range(field.count()) if (item := field.itemAt(n)))
            takes = (w for w in inside if w and w.focusPolicy() != Qt.FocusPolicy.NoFocus)
            field = next(takes, None)
        if field is None:
            return False
        if self._area is not None:
            self._area.ensureWidgetVisible(field, 0, 80)
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def section(self, title: str) -> QFormLayout:
        """Begin a section; returns the form for its rows.

        Args:
            title: marked, and shown translated.
        """
        if self._column.count():
            self._column.addSpacing(10)
        heading = QLabel(tr(title), self)
        keep_font(heading, 15, QFont.Weight.DemiBold)
        self._column.addWidget(heading)
        self.places.append((title, ""))
        self._fields[title] = heading
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(10)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        form.setFormAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._column.addLayout(form)
        return form

    def row(self, form: QFormLayout, words: str, field: QWidget | QHBoxLayout) -> None:
        """A row whose field begins where those of all sections do.

        Args:
            words: marked, and shown translated; "" for none.
        """
        label = QLabel(tr(words) if words else "", self)
        label.setFixedWidth(scaled(LABELS))
        label.setWordWrap(True)  # other languages say it at greater length
        label.setMinimumHeight(grown(30))
        if words:
            self.places.append((self.places[-1][0] if self.places else "", words))
            self._fields[words] = field
        if isinstance(field, QWidget):
            label.setBuddy(field)
        form.addRow(label, field)

    def note(self, words: str) -> None:
        """A few quiet words under a section."""
        note = self.quiet(words)
        note.setWordWrap(True)
        self._column.addWidget(note)

    def quiet(self, words: str) -> QLabel:
        """Muted words, to be put into a row."""
        label = QLabel(words, self)
        label.setProperty("muted", True)
        return label

    def add(self, widget: QWidget) -> None:
        """A widget of the page's whole width."""
        self._column.addWidget(widget)

    def in_scroll_area(self, parent: QWidget) -> QScrollArea:
        """The page is complete: the area that it scrolls in."""
        self._column.addStretch(1)
        area = self._area = QScrollArea(parent)
        area.setAccessibleName(tr("Settings"))
        area.setWidget(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def gigabytes(self, name: str, nothing: str, value: float) -> QDoubleSpinBox:
        """A number of gigabytes; 0 shows the words for ``nothing``."""
        return self._number(name, nothing, value, tr(" GB"), 1, 0.5)

    def minutes(self, name: str, nothing: str, value: float) -> QDoubleSpinBox:
        """A number of minutes; 0 shows the words for ``nothing``."""
        return self._number(name, nothing, value, tr(" min"), 0, 5)

    def characters(self, name: str, nothing: str, value: int) -> QDoubleSpinBox:
        """A number of characters; 0 shows the words for ``nothing``."""
        box = self._number(name, nothing, 0, tr(" characters"), 0, 500)
        box.setRange(0, 1_000_000)
        box.setGroupSeparatorShown(True)
        box.setValue(value)
        return box

    def _number(
        self, name: str, nothing: str, value: float, unit: str, decimals: int, step: float
    ) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setRange(0, 4096)
        box.setDecimals(decimals)
        box.setSingleStep(step)
        box.setSuffix(unit)
        box.setSpecialValueText(nothing)
        box.setMinimumWidth(scaled(190))
        box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        box.setValue(value)
        box.setAccessibleName(name)
        return box


PLACES: tuple[tuple[str, str], ...] = (
    (mark("Look"), mark("Appearance")),
    (mark("Look"), mark("Contrast")),
    (mark("Look"), mark("All text")),
    (mark("Look"), mark("Text size")),
    (mark("Look"), mark("Motion")),
    (mark("Writing"), mark("Send with")),
    (mark("Writing"), mark("Spelling")),
    (mark("Writing"), mark("Notifications")),
    (mark("New chats"), mark("Model")),
    (mark("New chats"), mark("Instructions")),
    (mark("Models"), ""),
    (mark("Memory"), mark("Models and chats")),
    (mark("Memory"), mark("KV caches on disk")),
    (mark("Other programs"), ""),
    (mark("From elsewhere"), mark("Icon")),
    (mark("Updates"), mark("New versions")),
    (mark("Where things are"), ""),
    (mark("Advanced"), "mlx-lm"),
)
"""The section, and the words of a row; "" for the section itself. In English: `FormPage.show_row`
finds them by it."""
