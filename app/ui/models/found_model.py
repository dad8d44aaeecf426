"""What the hub said of a model: name, size and architecture, and whether there is room for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.ui.style.figures import bytes_line
from app.ui.style.theme import apply_style, ui_font
from engine import EngineError, hub

if TYPE_CHECKING:
    from engine.hub import HubModel

DOWNLOAD, OPEN = "Download", "Open"


class FoundModel(QWidget):
    """Three lines, of which those without words take no room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.name = QLabel(self)
        self.name.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.about = QLabel(self)
        self.fits = QLabel(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for label in (self.name, self.about, self.fits):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            layout.addWidget(label)

    def clear(self) -> None:
        for label in (self.name, self.about, self.fits):
            self._say(label, "")

    def say(self, words: str, *, danger: bool = False) -> None:
        """Nothing was found (yet): say why."""
        self.clear()
        self._say(self.about, words, danger=danger)

    def show_model(self, model: HubModel, budget: int) -> str:
        """Say what it is. Returns the verb for what can be done with it, empty for nothing.

        Args:
            budget: bytes that models and chats may take, 0 where that is not known.
        """
        bits = f"{model.bits}-bit" if model.bits else ""
        at = "" if model.revision == "main" else f"at {model.revision}"
        parts = (bytes_line(model.size), model.architecture, bits, at)
        self._say(self.name, model.repo.rpartition("/")[2])
        self._say(self.about, " · ".join(part for part in parts if part))
        self.name.setToolTip(model.repo)
        if hub.whole(model) is not None:
            self._say(self.fits, "It is on this machine already.")
            return OPEN
        problem = _problem(model)
        if problem:
            self._say(self.fits, problem, danger=True)
            return ""
        room = f"models and chats may take {bytes_line(budget)} of memory."
        if budget:
            small = model.weights <= budget
            self._say(self.fits, f"{'Fits' if small else 'Too large'}: {room}", danger=not small)
        else:
            self._say(self.fits, "")
        return DOWNLOAD

    def _say(self, label: QLabel, words: str, *, danger: bool = False) -> None:
        label.setText(words)
        label.setVisible(bool(words))
        label.setProperty("danger", danger)
        label.setProperty("muted", not danger and label is not self.name)
        apply_style(label)


def _problem(model: HubModel) -> str:
    """Why it cannot be downloaded, in a sentence; empty if it can."""
    if not model.known:
        return "This version does not know its architecture. A newer one may."
    try:
        hub.check_space(model)
    except EngineError as error:
        return error.message
    return ""
