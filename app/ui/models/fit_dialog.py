"""The dialog for a model that does not fit into memory: what would."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.language import tr
from app.ui.models.fit_choices import Choice
from app.ui.style.theme import scaled, ui_font
from app.ui.widgets.width import keep_wide


class FitDialog(QDialog):
    """Says what it takes, and offers the ways on.

    Signals:
        taken(choice): the person takes this one.
    """

    WIDTH = 480

    taken = Signal(object)

    def __init__(self, name: str, words: str, choices: Sequence[Choice], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("fit-dialog")
        self.setWindowTitle(tr("Memory"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(tr("{name} does not fit into memory", name=name), self)
        title.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.words = QLabel(words, self)
        self.words.setProperty("muted", True)
        for label in (title, self.words):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = [self._offer(choice) for choice in choices]
        cancel = QPushButton(tr("Cancel"), self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(8)
        layout.addWidget(title)
        layout.addWidget(self.words)
        layout.addSpacing(6)
        for button in self.buttons:
            layout.addWidget(button)
        layout.addSpacing(6)
        layout.addLayout(foot)
        keep_wide(self, self.WIDTH)

    def _offer(self, choice: Choice) -> QPushButton:
        """A button of two lines. Its labels take no clicks, so that all of it is the button."""
        button = QPushButton(self)
        button.setObjectName("suggestion")
        button.setAutoDefault(False)
        button.setAccessibleName(choice.words)
        button.setAccessibleDescription(choice.detail)
        inner = QVBoxLayout(button)
        inner.setContentsMargins(14, 9, 14, 9)
        inner.setSpacing(2)
        for text, quiet in ((choice.words, False), (choice.detail, True)):
            label = QLabel(text, button)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setFont(ui_font(13 if quiet else 14, QFont.Weight.Normal))
            label.setProperty("muted", quiet)
            inner.addWidget(label)
        wide = scaled(self.WIDTH) - 48 - 28
        lines = [button.findChildren(QLabel)[i].heightForWidth(wide) for i in range(2)]
        button.setFixedHeight(sum(lines) + 20)
        button.clicked.connect(lambda: self._take(choice))
        return button

    def _take(self, choice: Choice) -> None:
        self.accept()
        self.taken.emit(choice)
