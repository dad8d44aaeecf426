"""Asks what to compare: one prompt for several models, seeds or temperatures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.chats.options import ChatOptions
from app.ui.widgets.wheel import WheelGuard

TEMPERATURES = (0.0, 0.7, 1.2, 0.4, 1.0, 1.5)
"""Of n columns the first n, in rising order."""


@dataclass(frozen=True)
class Column:
    """One answer to be had: a model and its settings, and the few words that tell it apart."""

    model: str
    options: ChatOptions
    words: str


class CompareDialog(QDialog):
    """What to say, what differs, and how many columns."""

    def __init__(
        self,
        models: list[tuple[str, str]],
        current: str,
        options: ChatOptions,
        prompt: str,
        parent: QWidget,
    ) -> None:
        """``models``: pairs of reference and name."""
        super().__init__(parent)
        self.setObjectName("compare")
        self.setWindowTitle("Compare")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._current = current
        self._options = options
        self._names = dict(models)
        self.prompt = QPlainTextEdit(prompt, self)
        self.prompt.setObjectName("field")
        self.prompt.setPlaceholderText("One message for all columns")
        self.prompt.setTabChangesFocus(True)
        self.prompt.setFixedHeight(104)
        self.kinds = {
            kind: QRadioButton(kind, self) for kind in ("Seeds", "Temperatures", "Models")
        }
        self.kinds["Seeds"].setChecked(True)
        self.count = QSpinBox(self)
        self.count.setRange(2, 6)
        self.count.setValue(3)
        self.count.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.count.setSuffix(" columns")
        self.models = [QCheckBox(name, self) for _, name in models]
        for (ref, _), box in zip(models, self.models, strict=True):
            box.setToolTip(ref)
            box.setChecked(True)
            box.toggled.connect(self._refresh)
        self._few = QLabel("Open a second model first, with File > Open Model Folder.", self)
        self._few.setProperty("muted", True)
        self._few.setWordWrap(True)
        buttons = QDialogButtonBox(self)
        self.go = buttons.addButton("Compare", QDialogButtonBox.ButtonRole.AcceptRole)
        # Enter breaks the line in the message, where the keys go.
        self.go.setShortcut(QKeySequence("Ctrl+Return"))
        buttons.addButton("Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(10)
        rows: list[QWidget] = [QLabel("Message", self), self.prompt]
        rows += [
            QLabel("What differs", self),
            *self.kinds.values(),
            self.count,
            *self.models,
            self._few,
        ]
        for widget in rows:
            layout.addWidget(widget)
        layout.addSpacing(6)
        layout.addWidget(buttons)
        self.setFixedWidth(420)
        for button in self.kinds.values():
            button.toggled.connect(self._refresh)
        self.prompt.textChanged.connect(self._refresh)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        WheelGuard(self)
        self._refresh()
        self.prompt.setFocus()

    @property
    def kind(self) -> str:
        """What differs between the columns."""
        return next(kind for kind, button in self.kinds.items() if button.isChecked())

    def columns(self) -> list[Column]:
        """What was chosen, from left to right."""
        kind, count = self.kind, self.count.value()
        if kind == "Models":
            chosen = [box.toolTip() for box in self.models if box.isChecked()]
            return [Column(ref, self._options, self._names[ref]) for ref in chosen]
        if kind == "Seeds":
            return [
                Column(self._current, replace(self._options, seed=n), f"Seed {n}")
                for n in range(1, count + 1)
            ]
        return [
            Column(self._current, replace(self._options, temperature=t), f"Temperature {t}")
            for t in sorted(TEMPERATURES[:count])
        ]

    @Slot()
    def _refresh(self) -> None:
        by_model = self.kind == "Models"
        self.count.setVisible(not by_model)
        for box in self.models:
            box.setVisible(by_model)
        self._few.setVisible(by_model and len(self.models) < 2)
        self.go.setEnabled(
            bool(self.prompt.toPlainText().strip()) and 2 <= len(self.columns()) <= 6
        )
        self.adjustSize()
