"""What the program tells of itself: licences, crashes, newer versions, another mlx-lm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app import __version__
from app.settings.language import mark, tr
from app.settings.options import Settings
from app.system.licences import components
from app.system.updates import Release
from app.ui.style.theme import code_font, ui_font
from app.ui.widgets.sheet import foot_row, keep_wide

QT = mark(
    "Stretto is under the MIT licence. Qt, PySide6 and Qt Advanced Docking are used under the "
    "LGPL: they are separate libraries beside the program, and you may put your own builds in "
    "their place."
)


class LicencesWindow(QDialog):
    """Everything the program is made of."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("licences")
        self.setWindowTitle(tr("Licences"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 560)
        self._parts = components()
        words = QLabel(tr(QT), self)
        words.setWordWrap(True)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Parts"))
        self.list.setFixedWidth(260)
        self.list.addItems([f"{part.name} {part.version}" for part in self._parts])
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName(tr("Licence"))
        self.text.setReadOnly(True)
        self.text.setFont(ui_font(12))
        self.list.currentRowChanged.connect(self._on_row)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(self.list)
        middle.addWidget(self.text, 1)
        buttons = QDialogButtonBox(self)
        buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole).clicked.connect(
            self.close
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(words)
        layout.addLayout(middle, 1)
        layout.addWidget(buttons)
        self.list.setCurrentRow(0)

    @Slot(int)
    def _on_row(self, row: int) -> None:
        part = self._parts[row]
        self.text.setPlainText(f"{part.name} {part.version}: {part.licence}\n\n{part.text}")


class CrashDialog(QDialog):
    """Shows a report."""

    def __init__(
        self,
        reports: list[Path],
        parent: QWidget,
        heading: str = "",
    ) -> None:
        """``reports``: the latest first; at least one."""
        super().__init__(parent)
        self.setObjectName("crash")
        self.setWindowTitle(tr("Crash Report"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # It waits to be looked at: the person may be about to type.
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        head = QLabel(heading or tr("Something went wrong the last time Stretto ran"), self)
        head.setFont(ui_font(15, ui_font().Weight.DemiBold))
        words = QLabel(
            tr(
                "Your chats are saved. This report helps to find the fault: it holds versions and "
                "program stacks, none of your chats. It stays on this machine unless you pass it "
                "on."
            ),
            self,
        )
        words.setWordWrap(True)
        self.text = QPlainTextEdit(_read(reports[0]), self)
        self.text.setObjectName("field")
        self.text.setReadOnly(True)
        self.text.setFont(code_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(tr("Report"))
        buttons = QDialogButtonBox(self)
        self.copy = buttons.addButton(tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        show = buttons.addButton(tr("Show File"), QDialogButtonBox.ButtonRole.ActionRole)
        show.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(reports[0].parent)))
        )
        close = buttons.addButton(tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.clicked.connect(self.close)
        close.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(12)
        for widget in (head, words, self.text, buttons):
            layout.addWidget(widget)
        self.resize(640, 460)


def _read(report: Path) -> str:
    try:
        return report.read_text("utf-8", "replace")
    except OSError as error:
        return tr("The report cannot be read: {error}", error=error)


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
