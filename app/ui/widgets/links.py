"""Opening a link that an answer contains: only after asking, with the address in view."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, QUrlQuery
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from app import flows
from app.language import counted, tr

OPENABLE = ("http", "https", "mailto")

_HEAD, _TAIL = 400, 120  # characters shown of an address that is longer than both
_LONGEST_HOST = 60
_UNBROKEN = re.compile(r"([^\s\u200b]{48})")


def ask_and_open(parent: QWidget, address: QUrl) -> None:
    """As `ask`, in a sequence of its own."""
    flows.start(parent, ask(parent, address))


async def ask(parent: QWidget, address: QUrl) -> None:
    """Ask, and hand the address to the system if the answer is yes.

    Anything but web and mail addresses is only shown: a ``file:`` link could start a program.
    """
    question, words, may_open = judge(address)
    box = QMessageBox(parent.window())
    box.setObjectName("link-dialog")
    box.setWindowTitle(tr("Open Link"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(_breakable(question))
    box.setInformativeText(_breakable(words))
    opens = None
    if may_open:
        opens = box.addButton(tr("Open Link"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
    else:
        box.addButton(tr("Close"), QMessageBox.ButtonRole.RejectRole)
    await flows.answered(box)
    if opens is not None and box.clickedButton() is opens:
        QDesktopServices.openUrl(address)


def judge(address: QUrl) -> tuple[str, str, bool]:
    """What to say of an address, what to show of it, and whether it may be opened at all."""
    # As it is sent: the pretty form hides passwords, and shows letters that only look alike.
    sent = bytes(address.toEncoded().data()).decode("ascii", "replace")
    shown = sent or bytes(QUrl.toPercentEncoding(address.toString()).data()).decode("ascii")
    where = bytes(QUrl.toAce(address.host()).data()).decode("ascii", "replace")
    shown, where = _clipped(shown), _end_of(where)
    scheme = address.scheme().lower()
    if scheme == "mailto":
        names = {name.lower() for name, _ in QUrlQuery(address).queryItems()}
        if names & {"attach", "attachment"}:
            words = tr("This link attaches a file to a mail, so Stretto does not open it.")
            return words, shown, False
        return tr("Write a mail to this address outside Stretto?"), shown, True
    if not address.isValid() or scheme not in OPENABLE or not where:
        words = tr("This link does not lead to a web page, so Stretto does not open it.")
        return words, shown, False
    if address.userInfo():
        # "good.org@evil.example" leads to the latter; no honest link needs this.
        leads = tr("It leads to {place}, not to what stands before the “@”:", place=where)
        words = tr("This link hides where it leads, so Stretto does not open it.")
        return words, f"{leads}\n{shown}", False
    return tr("Open this address at {place} outside Stretto?", place=where), shown, True


def _clipped(address: str) -> str:
    """The beginning and the end of an address that would fill the screen."""
    left_out = len(address) - _HEAD - _TAIL
    if left_out <= 0:
        return address
    words = counted("(%Ln more character)", "(%Ln more characters)", left_out)
    return f"{address[:_HEAD]}\n{words}\n{address[-_TAIL:]}"


def _end_of(host: str) -> str:
    """A host's end, which says whose it is; anybody may put any word at its beginning."""
    return host if len(host) <= _LONGEST_HOST else f"…{host[-_LONGEST_HOST:]}"


def _breakable(text: str) -> str:
    """Places where a line may end, in runs that would make the dialog wider than the screen."""
    return _UNBROKEN.sub("\\1\u200b", text)


def show_folder(folder: Path) -> None:
    """Show a folder in the system's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
