"""A chat's own settings, in a small panel below the pane's header."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QHideEvent, QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.chats.controller import ChatController
from app.chats.options import ChatOptions

_BY_MODEL = -0.1  # shown as "Model's own": the spin box needs a value below its least


class OptionsPopover(QFrame):
    """System prompt, temperature, seed, thinking and reproducible mode of one chat.

    What is written here is taken when the panel closes.
    """

    def __init__(self, controller: ChatController, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._controller = controller
        options = controller.options
        self.system = QPlainTextEdit(controller.chat.system, self)
        self.system.setObjectName("field")
        self.system.setPlaceholderText("How the model should behave in this chat")
        self.system.setFixedHeight(88)
        self.system.setTabChangesFocus(True)
        self.temperature = QDoubleSpinBox(self)
        self.temperature.setRange(_BY_MODEL, 2.0)
        self.temperature.setSingleStep(0.1)
        self.temperature.setDecimals(1)
        self.temperature.setSpecialValueText("Model’s own")
        self.temperature.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.temperature.setValue(_BY_MODEL if options.temperature is None else options.temperature)
        self.seed = QLineEdit("" if options.seed is None else str(options.seed), self)
        self.seed.setPlaceholderText("Another each time")
        self.seed.setValidator(QIntValidator(0, 2_147_483_647, self))
        self.thinking = QCheckBox("Think before answering", self)
        self.reproducible = QCheckBox("Reproducible, to the last bit (slower)", self)
        self.reproducible.setChecked(options.reproducible)
        model = controller.shelved.model
        thinks = bool(model is not None and model.thinking)
        self.thinking.setVisible(thinks)
        self.thinking.setChecked(bool(options.reasoning))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        form.addRow("Temperature", self.temperature)
        form.addRow("Seed", self.seed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(10)
        layout.addWidget(QLabel("Instructions", self))
        layout.addWidget(self.system)
        layout.addLayout(form)
        layout.addWidget(self.thinking)
        layout.addWidget(self.reproducible)
        note = QLabel("For this chat, from its next reply on.", self)
        note.setProperty("muted", True)
        layout.addWidget(note)
        self.setFixedWidth(320)

    def open_at(self, corner: QPoint) -> None:
        """Show it with its top right corner at a global point."""
        self.adjustSize()
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self.system.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        self._take()
        super().hideEvent(event)

    @Slot()
    def _take(self) -> None:
        controller = self._controller
        before = controller.options
        temperature = round(self.temperature.value(), 2)
        seed = self.seed.text().strip()
        options = ChatOptions(
            temperature=None if temperature < 0 else temperature,
            seed=int(seed) if seed else None,
            max_tokens=before.max_tokens,
            reasoning=self.thinking.isChecked() or None,
            reproducible=self.reproducible.isChecked(),
        )
        system = self.system.toPlainText().strip()
        if (options, system) != (before, controller.chat.system):
            controller.set_options(options, system)
