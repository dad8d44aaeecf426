"""Offers the report of a crash or an error: to read, copy or find; nothing is sent anywhere."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.language import tr
from app.ui.style.theme import code_font, ui_font


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
