"""Dialogs about the app: version, licenses, crash reports, updates."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, Slot, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QTextBrowser,
    QWidget,
)

from app import __version__
from app.settings.language import mark, tr
from app.settings.settings import Settings
from app.system.crash import versions
from app.system.licenses import components
from app.system.updates import Release
from app.ui.style import tokens as t
from app.ui.style.icons import app_icon
from app.ui.style.theme import ui_font
from app.ui.widgets.fields import make_code_field
from app.ui.widgets.labels import make_heading, make_label
from app.ui.widgets.layout_helpers import make_row_layout, nest
from app.ui.widgets.sheet import Sheet

QT = mark(
    "Stretto is available under the MIT license. Qt, PySide6, and Qt Advanced Docking are used "
    "under the LGPL as separate libraries, which you may replace with your own builds."
)


class LicencesWindow(Sheet):
    def __init__(self, parent: QWidget) -> None:
        super().__init__("licences", tr("Licenses"), parent)
        self.resize(860, 560)
        self._parts = components()
        words = self.make_label(tr(QT), muted=False)
        self.list = QListWidget(self)
        self.list.setAccessibleName(tr("Components"))
        self.list.setObjectName("bordered-list")
        self.list.setFixedWidth(260)
        self.list.addItems([f"{part.name} {part.version}" for part in self._parts])
        self.text = QPlainTextEdit(self)
        self.text.setAccessibleName(tr("License"))
        self.text.setObjectName("field")
        self.text.setReadOnly(True)
        self.text.setFont(ui_font(t.SMALL_PX))
        self.list.currentRowChanged.connect(self._on_row)
        middle = make_row_layout(self.list, (self.text, 1), spacing=12)
        self.add_rows(words)
        nest(self.rows, middle, 1)
        self.add_buttons()
        self.list.setCurrentRow(0)

    @Slot(int)
    def _on_row(self, row: int) -> None:
        part = self._parts[row]
        self.text.setPlainText(f"{part.name} {part.version}: {part.licence}\n\n{part.text}")


def show_about(parent: QWidget) -> QDialog:
    dialog = Sheet("about", tr("About Stretto"), parent, spacing=10)
    dialog.rows.setContentsMargins(32, 28, 32, 20)
    picture = QLabel(dialog)
    picture.setPixmap(app_icon().pixmap(QSize(72, 72)))
    name = make_heading(dialog, "Stretto", t.TITLE_PX)
    version = make_label(dialog, tr("Version {version}", version=__version__), wrap=False)
    words = dialog.make_label(
        tr(
            "Local chats side by side, all replying at the same time. What you write to local "
            "models stays on this computer."
        ),
        muted=False,
    )
    words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    words.setMinimumWidth(300)
    licences = dialog.button(tr("Licenses…"), lambda: LicencesWindow(dialog).show())
    made_of = versions()
    parts = make_label(
        dialog,
        f"Python {sys.version.split()[0]} · Qt {qVersion()} · MLX {made_of['mlx']} · "
        f"mlx-lm {made_of['mlx-lm']}",
        wrap=False,
    )
    parts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    for widget in (picture, name, version, parts):
        dialog.rows.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
    dialog.add_rows(words)
    dialog.add_buttons(None, licences)
    dialog.set_scaled_width(484)
    dialog.fit_height()
    dialog.show()
    return dialog


class CrashDialog(Sheet):
    def __init__(self, report: Path, text: str, parent: QWidget, heading: str = "") -> None:
        """``text`` is the report's content, read by a worker thread."""
        super().__init__("crash", tr("Crash Report"), parent)
        # Don't steal the focus: the user may already be typing.
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        head = self.make_heading(heading or tr("Stretto had a problem last time"))
        words = self.make_label(
            tr(
                "Your chats are saved. The report contains versions and stack traces, "
                "none of your chats, and stays on this computer unless you share it."
            ),
            muted=False,
        )
        self.text = make_code_field(self, tr("Report"), text)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.copy = self.button(
            tr("Copy"), lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        folder = QUrl.fromLocalFile(str(report.parent))
        show = self.button(tr("Show File"), lambda: QDesktopServices.openUrl(folder))
        self.add_rows(head, words, self.text)
        self.add_buttons(None, self.copy, show)
        self.resize(640, 460)


class ReleaseNotes(QTextBrowser):
    """Text view that can't load resources, so that release notes never cause network requests."""

    def loadResource(self, type: int, name: QUrl | str) -> None:
        return None


class UpdateDialog(Sheet):
    """Announcement of a new release. Its notes are remote, so their links are inactive."""

    def __init__(
        self,
        release: Release,
        settings: Settings,
        parent: QWidget,
        open_page: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__("update-dialog", "Stretto", parent)
        self._release = release
        self._settings = settings
        self._open_page = open_page or (lambda page: QDesktopServices.openUrl(QUrl(page)))
        heading = tr("Stretto {version} is available", version=release.version)
        have = tr("You have {version}. Your chats aren’t affected.", version=__version__)
        notes = ReleaseNotes(self)
        notes.setOpenLinks(False)
        notes.setFrameShape(QFrame.Shape.NoFrame)
        plain = QTextDocument.MarkdownFeature.MarkdownNoHTML
        text = release.notes.strip() or tr("The download page lists what’s new.")
        notes.document().setIndentWidth(18)
        notes.document().setDocumentMargin(0)
        notes.document().setMarkdown(text, plain)
        notes.setAccessibleName(tr("What’s new"))
        self.open_button = self.button(tr("Open Download Page"), self._on_open)
        self.open_button.setToolTip(release.page)
        self.skip_button = self.button(tr("Skip This Version"), self._on_skip)
        self.add_rows(self.make_heading(heading), self.make_label(have))
        self.rows.addWidget(notes, 1)
        self.add_buttons(self.open_button, self.skip_button, cancel_text=tr("Later"))
        self.resize(520, 400)

    def _on_open(self) -> None:
        self._open_page(self._release.page)
        self.accept()

    def _on_skip(self) -> None:
        self._settings.set(skipped_version=self._release.version)
        self.reject()
