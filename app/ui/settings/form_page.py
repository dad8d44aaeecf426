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

from app.ui.style.theme import ui_font

LABELS = 150


class FormPage(QWidget):
    """What is added to it stands one below the other."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(28, 22, 28, 26)
        self._column.setSpacing(12)

    def section(self, title: str) -> QFormLayout:
        """Begin a section; returns the form for its rows."""
        if self._column.count():
            self._column.addSpacing(10)
        heading = QLabel(title, self)
        heading.setFont(ui_font(15, QFont.Weight.DemiBold))
        self._column.addWidget(heading)
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(10)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        form.setFormAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._column.addLayout(form)
        return form

    def row(self, form: QFormLayout, words: str, field: QWidget | QHBoxLayout) -> None:
        """A row whose field begins where those of all sections do."""
        label = QLabel(words, self)
        label.setFixedWidth(LABELS)
        label.setMinimumHeight(30)
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
        area = QScrollArea(parent)
        area.setWidget(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def gigabytes(self, name: str, nothing: str, value: float) -> QDoubleSpinBox:
        """A number of gigabytes; 0 shows the words for ``nothing``."""
        return self._number(name, nothing, value, " GB", 1, 0.5)

    def minutes(self, name: str, nothing: str, value: float) -> QDoubleSpinBox:
        """A number of minutes; 0 shows the words for ``nothing``."""
        return self._number(name, nothing, value, " min", 0, 5)

    def _number(
        self, name: str, nothing: str, value: float, unit: str, decimals: int, step: float
    ) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setRange(0, 4096)
        box.setDecimals(decimals)
        box.setSingleStep(step)
        box.setSuffix(unit)
        box.setSpecialValueText(nothing)
        box.setMinimumWidth(190)
        box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        box.setValue(value)
        box.setAccessibleName(name)
        return box
