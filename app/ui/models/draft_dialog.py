"""Asks which small model is to draft for another."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QLabel,
    QSizePolicy,
    QStyledItemDelegate,
    QVBoxLayout,
    QWidget,
)

from app.draft_candidates import Candidate
from app.language import tr
from app.ui.style.figures import bytes_line
from app.ui.style.theme import ui_font
from app.ui.widgets.foot import foot_row
from app.ui.widgets.width import keep_high, keep_wide


class DraftDialog(QDialog):
    """Over the Models window. Until `offer` is called it says that it is looking.

    Signals:
        taken(ref): the person has chosen; "" for none.
    """

    WIDTH = 480

    taken = Signal(str)

    def __init__(self, name: str, figures: str, parent: QWidget) -> None:
        """`figures`: how the one that drafts now has done; "" where none does."""
        super().__init__(parent)
        self.setObjectName("draft-dialog")
        self.setWindowTitle(tr("Draft model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(tr("Draft model of {name}", name=name), self)
        title.setFont(ui_font(15, QFont.Weight.DemiBold))
        words = QLabel(
            tr(
                "A smaller model with the same tokenizer drafts for a chat that runs alone, as "
                "long as that is faster. What the chat says stays the same."
            ),
            self,
        )
        self.box = QComboBox(self)
        self.box.setAccessibleName(tr("Draft model"))
        self.box.setItemDelegate(QStyledItemDelegate(self.box))  # it greys what cannot be chosen
        self.box.addItem(tr("Looking…"), "")
        self.box.setEnabled(False)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setHorizontalSpacing(16)
        form.addRow(tr("Draft model"), self.box)
        self.note = QLabel(figures, self)
        for label in (title, words, self.note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (words, self.note):
            label.setProperty("muted", True)
        foot, _, self.go = foot_row(self, tr("Save"))
        self.go.setObjectName("primary")
        self.go.setEnabled(False)
        self.go.clicked.connect(self._on_go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(12)
        layout.addWidget(title)
        layout.addWidget(words)
        layout.addLayout(form)
        layout.addWidget(self.note)
        layout.addSpacing(4)
        layout.addLayout(foot)
        self.note.setVisible(bool(figures))
        keep_wide(self, self.WIDTH)

    def offer(self, found: Sequence[Candidate], chosen: str, chosen_name: str) -> None:
        """Show what there is. `chosen`: the ref of the one that drafts now, "" for none."""
        self.box.clear()
        self.box.addItem(tr("None", "no draft model"), "")
        if chosen and all(one.model.ref != chosen for one in found):
            self.box.addItem(chosen_name, chosen)
        for one in found:
            name = one.model.name
            words = tr("{name}, {size}", name=name, size=bytes_line(one.model.facts.nbytes))
            if not one.fits:
                words = tr("{name}: its tokenizer differs", name=name)
            self.box.addItem(words, one.model.ref)
            items = self.box.model()
            if not one.fits and isinstance(items, QStandardItemModel):
                items.item(self.box.count() - 1).setEnabled(False)
        self.box.setCurrentIndex(max(0, self.box.findData(chosen)))
        if not chosen and not any(one.fits for one in found):
            self.note.setText(tr("No smaller model on this machine has its tokenizer."))
            self.note.setVisible(True)
        self.box.setEnabled(True)
        self.go.setEnabled(True)
        self.box.setFocus(Qt.FocusReason.OtherFocusReason)
        keep_high(self)

    def _on_go(self) -> None:
        chosen = str(self.box.currentData())
        self.accept()
        self.taken.emit(chosen)
