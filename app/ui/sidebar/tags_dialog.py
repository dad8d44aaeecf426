"""Asks for the tags of chats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.chats.organising import tidy_tags
from app.language import tr

_SHOWN = 12
_COMMAS = "[,，、]"  # keyboards of Chinese and Japanese have their own


class TagsDialog(QDialog):
    """One field with all tags, separated by commas.

    Signals:
        tagged(tags): the person has settled on them.
    """

    tagged = Signal(list)

    def __init__(self, tags: Sequence[str], used: Sequence[str], parent: QWidget) -> None:
        """``used``: the tags that other chats have, to choose from."""
        super().__init__(parent)
        self.setObjectName("tags-dialog")
        self.setWindowTitle(tr("Tags"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(", ".join(tags), self)
        self.field.setAccessibleName(tr("Tags, separated by commas"))
        self.field.setPlaceholderText(tr("recipes, to read"))
        self.field.selectAll()
        hint = QLabel(tr("Separated by commas. A search finds them with tag:name."), self)
        hint.setProperty("muted", True)
        hint.setWordWrap(True)
        known = QLabel(self)
        known.setTextFormat(Qt.TextFormat.PlainText)
        known.setProperty("muted", True)
        known.setWordWrap(True)
        known.setText(tr("In use: {tags}", tags=", ".join(used[:_SHOWN])))
        known.setVisible(bool(used))
        buttons = QDialogButtonBox(self)
        buttons.addButton(tr("Save"), QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        cancel = buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(8)
        for part in (QLabel(tr("Tags"), self), self.field, hint, known):
            layout.addWidget(part)
        layout.addSpacing(8)
        layout.addWidget(buttons)
        self.setFixedWidth(400)
        buttons.accepted.connect(self._on_go)
        buttons.rejected.connect(self.reject)

    @Slot()
    def _on_go(self) -> None:
        self.accept()
        self.tagged.emit(list(tidy_tags(re.split(_COMMAS, self.field.text()))))
