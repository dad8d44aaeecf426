"""The field on top of Get Model: words to search for, or a model's whole name."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.language import tr
from engine import hub

_LONGEST = 100


class SearchField(QLineEdit):
    """Tells what stands in it.

    Signals:
        went_down(): the person wants into the list below.
    """

    went_down = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText(tr("Search, or owner/name, or the address of a model's page"))
        self.setAccessibleName(tr("Model"))

    @property
    def name(self) -> str:
        """What stands there, if it is a model's name or the address of its page."""
        from huggingface_hub import constants

        text = self.text()
        return text if hub.parse(text, constants.HF_URL_HOSTS) is not None else ""

    @property
    def words(self) -> str:
        """What stands there, if it can be searched for."""
        text = hub.clean_name(self.text(), _LONGEST)
        return "" if "://" in text else text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.went_down.emit()
        else:
            super().keyPressEvent(event)
