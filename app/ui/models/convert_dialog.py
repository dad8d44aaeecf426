"""Asks in how many bits a smaller copy of a model is to be kept."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QGridLayout,
    QLabel,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.conversion import RECIPES, Recipe
from app.language import tr
from app.ui.style.figures import bytes_line
from app.ui.style.theme import ui_font
from app.ui.widgets.foot import foot_row
from app.ui.widgets.width import keep_wide
from engine.hub.inventory import Installed


class ConvertDialog(QDialog):
    """Over the Models window.

    Signals:
        taken(recipe): the person has chosen.
    """

    WIDTH = 480

    taken = Signal(object)

    def __init__(self, model: Installed, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("convert-dialog")
        self.setWindowTitle(tr("Convert"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(tr("Make a smaller copy of {name}", name=model.name), self)
        title.setFont(ui_font(15, QFont.Weight.DemiBold))
        size = bytes_line(model.facts.nbytes)
        words = QLabel(
            tr("It takes {size}, and stays as it is. The copy is made in minutes.", size=size), self
        )
        words.setProperty("muted", True)
        for label in (title, words):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.choices: dict[str, QRadioButton] = {}
        self._recipes: dict[QRadioButton, Recipe] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        group = QButtonGroup(self)
        for row, recipe in enumerate(RECIPES):
            button = self.choices[recipe.name] = QRadioButton(tr(recipe.words), self)
            self._recipes[button] = recipe
            group.addButton(button)
            about = QLabel(tr("about {size}", size=bytes_line(recipe.size(model))), self)
            about.setProperty("muted", True)
            grid.addWidget(button, row, 0)
            grid.addWidget(about, row, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        self.choices[RECIPES[0].name].setChecked(True)
        foot, _, self.go = foot_row(self, tr("Convert"))
        self.go.setObjectName("primary")
        self.go.clicked.connect(self._on_go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(12)
        layout.addWidget(title)
        layout.addWidget(words)
        layout.addLayout(grid)
        layout.addSpacing(4)
        layout.addLayout(foot)
        keep_wide(self, self.WIDTH)

    def _on_go(self) -> None:
        chosen = next(r for button, r in self._recipes.items() if button.isChecked())
        self.accept()
        self.taken.emit(chosen)
