"""Asks whether a wheel of mlx-lm is the one that its makers publish: shows its hash."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.language import mark, tr
from app.ui.style.theme import code_font, ui_font
from app.ui.widgets.foot import foot_row
from app.ui.widgets.width import keep_wide

WORDS = mark(
    "A wheel is a program: it does what you may do. Take it from {page}, where the hash stands "
    "under Download files, View hashes. Compare the two."
)


class WheelDialog(QDialog):
    """Over the settings.

    Signals:
        taken(): the person says that it is the right one.
    """

    WIDTH = 520

    taken = Signal()

    def __init__(self, wheel: Path, sha256: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("wheel-dialog")
        self.setWindowTitle("mlx-lm")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(tr("Is this the hash that its makers name?"), self)
        title.setFont(ui_font(15, ui_font().Weight.DemiBold))
        name = QLabel(wheel.name, self)
        words = QLabel(tr(WORDS, page="pypi.org/project/mlx-lm"), self)
        words.setProperty("muted", True)
        self.hash = QLabel(f"{sha256[:32]}\n{sha256[32:]}", self)
        self.hash.setFont(code_font())
        self.hash.setAccessibleName("SHA-256")
        self.hash.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for label in (title, name, words):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        copy = QPushButton(tr("Copy"), self)
        copy.setAutoDefault(False)
        copy.setAccessibleName(tr("Copy the hash"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(sha256))
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(QLabel("SHA-256", self), 0, Qt.AlignmentFlag.AlignTop)
        middle.addWidget(self.hash, 1)
        middle.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        foot, _, self.take = foot_row(self, tr("Use from the Next Start"), careful=True)
        self.take.clicked.connect(self._on_take)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(12)
        layout.addWidget(title)
        layout.addWidget(name)
        layout.addLayout(middle)
        layout.addWidget(words)
        layout.addSpacing(4)
        layout.addLayout(foot)
        keep_wide(self, self.WIDTH)

    def _on_take(self) -> None:
        self.accept()
        self.taken.emit()
