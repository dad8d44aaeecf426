"""The head of the Models window: the search, and where more models come from."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.language import tr


class LibraryHead(QWidget):
    """A row.

    Attributes:
        add: asks for a folder in which models are looked for.
        get: asks for a model from the hub.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(tr("Search models"))
        self.search.setAccessibleName(tr("Search models"))
        self.search.setClearButtonEnabled(True)
        for clear in self.search.findChildren(QAbstractButton):
            clear.setAccessibleName(tr("Clear the search"))
        self.add = QPushButton(tr("Add Folder…"), self)
        self.add.setToolTip(tr("Look for models in a folder of yours"))
        self.get = QPushButton(tr("Get Model…"), self)
        self.get.setToolTip(tr("Download a model from the hub"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.search, 1)
        for button in (self.add, self.get):
            button.setAutoDefault(False)
            row.addWidget(button)
