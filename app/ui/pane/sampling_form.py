from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QLabel, QLayout, QWidget

from app.chats.options import ChatOptions
from app.settings.language import mark, number, tr
from app.ui.style.theme import repolish


class Number(Struct, frozen=True):
    name: str
    words: str
    low: float
    high: float
    step: float
    decimals: int
    engine: float  # value used if the model has no default
    tip: str


TEMPERATURE = Number(
    *("temperature", mark("Temperature"), 0, 2, 0.1, 2, 0.7),
    mark("Higher is more random. 0 always picks the most likely token."),
)
LENGTH = Number(
    *("max_tokens", mark("Longest reply"), 1, 1_000_000, 256, 0, 2048),
    mark("In tokens, including thinking"),
)
MORE = (
    Number(
        *("top_p", mark("Top-p"), 0.01, 1, 0.05, 2, 1),
        mark("Only the most likely tokens, up to this total probability"),
    ),
    Number(
        *("top_k", mark("Top-k"), 0, 10_000, 10, 0, 0),
        mark("Only this many of the most likely tokens. 0 means all."),
    ),
    Number(
        *("min_p", mark("Min-p"), 0, 1, 0.05, 2, 0),
        mark("Only tokens at least this likely, relative to the first"),
    ),
    Number(
        *("typical_p", mark("Typical-p"), 0.01, 1, 0.05, 2, 1),
        mark("Only tokens of typical probability, up to this total"),
    ),
    Number(
        *("xtc_probability", mark("XTC probability"), 0, 1, 0.1, 2, 0),
        mark("How often the most likely tokens are excluded"),
    ),
    Number(
        *("xtc_threshold", mark("XTC threshold"), 0, 1, 0.05, 2, 0.1),
        mark("Excludes tokens at least this likely"),
    ),
    Number(
        *("repetition_penalty", mark("Repetition penalty"), 0.1, 10, 0.05, 2, 1),
        mark("Above 1, recent tokens become less likely"),
    ),
    Number(
        *("presence_penalty", mark("Presence penalty"), -2, 2, 0.1, 2, 0),
        mark("Applied once to each recent token"),
    ),
    Number(
        *("frequency_penalty", mark("Frequency penalty"), -2, 2, 0.1, 2, 0),
        mark("Applied each time a token was used"),
    ),
)


class NumberBox(QDoubleSpinBox):
    def __init__(self, number: Number, parent: QWidget) -> None:
        super().__init__(parent)
        self.setDecimals(number.decimals)
        self.setSingleStep(number.step)
        self.setRange(number.low - number.step, number.high)
        self.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.setToolTip(tr(number.tip))
        self.setAccessibleName(tr(number.words))
        self._low = number.low
        self.setProperty("default", False)
        self.valueChanged.connect(self._on_value)

    def set_default(self, value: float) -> None:
        is_integer = value == int(value)
        text = number(int(value)) if is_integer else self.locale().toString(float(value), "g", 8)
        self.setSpecialValueText(tr("Default {value}", value=text))

    @Slot()
    def _on_value(self) -> None:
        default = self.value() == self.minimum()
        if self.property("default") != default:
            self.setProperty("default", default)
            repolish(self)

    @property
    def number(self) -> float | None:
        value = self.value()
        if value == self.minimum():
            return None
        value = max(value, self._low)
        return int(value) if self.decimals() == 0 else round(value, self.decimals())

    def set_number(self, value: float | None) -> None:
        self.setValue(self.minimum() if value is None else value)
        self._on_value()


def add_row(form: QFormLayout, words: str, field: QWidget | QLayout, parent: QWidget) -> QLabel:
    """Add a field and return its label, which has the width of the other labels."""
    label = QLabel(words, parent)
    label.setMinimumSize(110, 30)
    if isinstance(field, QWidget):
        label.setBuddy(field)
    form.addRow(label, field)
    return label


class SamplingForm:
    def __init__(self, form: QFormLayout, numbers: tuple[Number, ...], parent: QWidget) -> None:
        self._numbers = numbers
        self.boxes: dict[str, NumberBox] = {}
        for spec in numbers:
            box = self.boxes[spec.name] = NumberBox(spec, parent)
            add_row(form, tr(spec.words), box, parent).setToolTip(tr(spec.tip))

    def show_options(self, options: ChatOptions, defaults: Mapping[str, Any] | None) -> None:
        """Show the values. ``defaults`` is None if the model's defaults aren't known."""
        for spec in self._numbers:
            box = self.boxes[spec.name]
            default = defaults.get(spec.name) if defaults is not None else None
            box.set_default(float(default) if default is not None else spec.engine)
            if defaults is None:
                box.setSpecialValueText(tr("Model default"))
            box.set_number(getattr(options, spec.name))

    def values(self) -> dict[str, Any]:
        return {name: box.number for name, box in self.boxes.items()}
