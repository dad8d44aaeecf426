"""A newer version can be had: what is new, and the way to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app import __version__
from app.language import tr
from app.settings import Settings
from app.updates import Release


class _Notes(QTextBrowser):
    """Text that loads nothing, whatever is written in it."""

    def loadResource(self, type: int, name: QUrl | str) -> None:
        return None


class UpdateDialog(QDialog):
    """Shows a release. Its notes are text: nothing in them is loaded, and no link opens."""

    def __init__(
        self,
        release: Release,
        settings: Settings,
        parent: QWidget,
        open_page: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("update-dialog")
        self.setWindowTitle("Stretto")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._release = release
        self._settings = settings
        self._open_page = open_page or (lambda page: QDesktopServices.openUrl(QUrl(page)))
        there = tr("Stretto {version} is there", version=release.version)
        heading = QLabel(f"<b>{there}</b>", self)
        have = QLabel(
            tr("You have {version}. Your chats stay as they are.", version=__version__), self
        )
        have.setProperty("muted", True)
        notes = _Notes(self)
        notes.setOpenLinks(False)
        notes.setFrameShape(QFrame.Shape.NoFrame)
        plain = QTextDocument.MarkdownFeature.MarkdownNoHTML
        said = release.notes.strip() or tr("The page says what is new.")
        notes.document().setIndentWidth(18)
        notes.document().setDocumentMargin(0)
        notes.document().setMarkdown(said, plain)
        notes.setAccessibleName(tr("What is new"))
        self.open_button = QPushButton(tr("Open Download Page"), self)
        self.skip_button = QPushButton(tr("Skip This Version"), self)
        self.later_button = QPushButton(tr("Later"), self)
        self.open_button.setDefault(True)
        self.open_button.setToolTip(release.page)
        self.open_button.clicked.connect(self._on_open)
        self.skip_button.clicked.connect(self._on_skip)
        self.later_button.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.skip_button)
        buttons.addStretch(1)
        buttons.addWidget(self.later_button)
        buttons.addWidget(self.open_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(heading)
        layout.addWidget(have)
        layout.addWidget(notes, 1)
        layout.addLayout(buttons)
        self.resize(520, 400)

    def _on_open(self) -> None:
        self._open_page(self._release.page)
        self.accept()

    def _on_skip(self) -> None:
        self._settings.set(skipped_version=self._release.version)
        self.reject()
