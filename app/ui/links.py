"""Opening a link that an answer contains: only after asking, with the whole address in view."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

OPENABLE = ("http", "https", "mailto")


def ask_and_open(parent: QWidget, address: QUrl) -> None:
    """Ask, and hand the address to the system if the answer is yes.

    Anything but web and mail addresses is only shown: a ``file:`` link could start a program.
    """
    box = QMessageBox(parent.window())
    box.setObjectName("link-dialog")
    box.setWindowTitle("Open Link")
    box.setTextFormat(Qt.TextFormat.PlainText)
    # As it is sent: the pretty form hides passwords, and shows letters that only look alike.
    shown = bytes(address.toEncoded().data()).decode("ascii", "replace")
    host = QUrl.toAce(address.host())
    where = bytes(host.data()).decode("ascii", "replace")
    web = address.scheme().lower() in OPENABLE
    if web and address.userInfo() and address.scheme().lower() != "mailto":
        # "good.org@evil.example" leads to the latter; no honest link needs this.
        box.setText("This link hides where it leads, so Stretto does not open it.")
        box.setInformativeText(f"It leads to {where}, not to what stands before the “@”:\n{shown}")
        opens = None
        box.addButton("Close", QMessageBox.ButtonRole.RejectRole)
    elif web:
        box.setText(
            f"Open this address at {where} outside Stretto?"
            if where
            else "Open this address outside Stretto?"
        )
        box.setInformativeText(shown)
        opens = box.addButton("Open Link", QMessageBox.ButtonRole.AcceptRole)
        cancel = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(cancel)
    else:
        box.setText("This link does not lead to a web page, so Stretto does not open it.")
        box.setInformativeText(shown)
        opens = None
        box.addButton("Close", QMessageBox.ButtonRole.RejectRole)
    box.exec()
    if opens is not None and box.clickedButton() is opens:
        QDesktopServices.openUrl(address)
    box.deleteLater()
