"""Async dialogs for picking folders and files, entering text, and opening links.

    folder = await standard_dialogs.ask_for_folder(self, tr("Add Model Folder"))
    if folder is not None:
        ...

If the user cancels, the result is None.
"""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, QUrl, QUrlQuery
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app import flows
from app.settings.language import counted, tr


async def documents_folder() -> Path:
    return await _existing_folder(QStandardPaths.StandardLocation.DocumentsLocation)


async def downloads_folder() -> Path:
    return await _existing_folder(QStandardPaths.StandardLocation.DownloadLocation)


async def _existing_folder(location: QStandardPaths.StandardLocation) -> Path:
    """Return a standard folder, or the home folder. Qt would fall back to the current folder."""
    folder = Path(QStandardPaths.writableLocation(location))
    exists = folder.is_absolute() and await flows.run_in_thread(lambda _: folder.is_dir())
    return folder if exists else Path.home()


async def ask_for_folder(parent: QWidget, title: str, start: str = "") -> Path | None:
    dialog = QFileDialog(parent, title, start or _start_folder())
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return next(iter(await _choose(dialog)), None)


async def ask_for_file(parent: QWidget, title: str, kinds: str) -> Path | None:
    """Ask for an existing file. ``kinds`` has the file types, as in `QFileDialog.setNameFilter`."""
    dialog = QFileDialog(parent, title, _start_folder(), kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return next(iter(await _choose(dialog)), None)


async def ask_for_files(parent: QWidget, title: str, start: str, kinds: str) -> list[Path]:
    dialog = QFileDialog(parent, title, start, kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return await _choose(dialog)


async def ask_save_path(parent: QWidget, title: str, start: Path, kinds: str) -> Path | None:
    """Ask where to save a file. The suffix is adjusted to the chosen file type.

    The system's dialog asks before overwriting a file. Each type in ``kinds`` (see `ask_for_file`)
    needs exactly one suffix.
    """
    dialog = QFileDialog(parent, title, str(start), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    endings = [kind.rpartition("*")[2].rstrip(")") for kind in kinds.split(";;")]

    def ending() -> str:
        return dialog.selectedNameFilter().rpartition("*")[2].rstrip(")")

    def complete() -> None:
        dialog.setDefaultSuffix(ending().lstrip("."))

    dialog.filterSelected.connect(complete)
    complete()
    path = next(iter(await _choose(dialog)), None)
    if path is None or path.suffix in endings:
        return path
    return path.with_name(path.name + ending())


async def ask_for_other_model(parent: QWidget, title: str, words: str) -> bool:
    """Explain why a model can't be opened. Return True if the user wants a different model."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(words)
    another = box.addButton(tr("Choose Another Model…"), QMessageBox.ButtonRole.AcceptRole)
    box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(another)
    await flows.open_and_wait(box)
    return box.clickedButton() is another


_last_folder = ""


def _start_folder() -> str:
    return _last_folder or str(Path.home())


async def _choose(dialog: QFileDialog) -> list[Path]:
    global _last_folder
    if not await flows.open_and_wait(dialog):
        return []
    _last_folder = dialog.directory().absolutePath()
    return [Path(name) for name in dialog.selectedFiles()]


OPENABLE = ("http", "https", "mailto")

_HEAD_CHARACTERS, _TAIL_CHARACTERS = 400, 120  # kept at the start and end of a long address
_MAX_HOST_CHARACTERS = 60
_UNBROKEN = re.compile(r"([^\s\u200b]{48})")


def ask_and_open(parent: QWidget, address: QUrl) -> None:
    flows.start(parent, ask_to_open_link(parent, address))


async def ask_to_open_link(parent: QWidget, address: QUrl) -> None:
    """Open a link after asking the user.

    Only web and mail links are supported, because a ``file:`` link might run a program.
    """
    question, words, may_open = describe_link(address)
    box = QMessageBox(parent.window())
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
    await flows.open_and_wait(box)
    if opens is not None and box.clickedButton() is opens:
        QDesktopServices.openUrl(address)


def describe_link(address: QUrl) -> tuple[str, str, bool]:
    """Return the question about a link, the text to show, and True if the link may be opened."""
    # Use the encoded form. The human-readable form hides passwords and look-alike characters.
    sent = bytes(address.toEncoded().data()).decode("ascii", "replace")
    link_text = sent or bytes(QUrl.toPercentEncoding(address.toString()).data()).decode("ascii")
    where = bytes(QUrl.toAce(address.host()).data()).decode("ascii", "replace")
    link_text, where = _clip(link_text), _clip_host(where)
    scheme = address.scheme().lower()
    if scheme == "mailto":
        names = {name.lower() for name, _ in QUrlQuery(address).queryItems()}
        if names & {"attach", "attachment"}:
            words = tr("Blocked because this link attaches a file to an email.")
            return words, link_text, False
        return tr("Write an email to this address outside Stretto?"), link_text, True
    if not address.isValid() or scheme not in OPENABLE or not where:
        words = tr("Blocked because this link doesn’t lead to a web page.")
        return words, link_text, False
    if address.userInfo():
        # "good.org@evil.example" opens evil.example. There's no legitimate use for this.
        leads = tr("It leads to {place}, not to the text before the “@”:", place=where)
        words = tr("Blocked because this link hides where it leads.")
        return words, f"{leads}\n{link_text}", False
    return tr("Open this address at {place} outside Stretto?", place=where), link_text, True


def _clip(address: str) -> str:
    left_out = len(address) - _HEAD_CHARACTERS - _TAIL_CHARACTERS
    if left_out <= 0:
        return address
    words = counted("(%Ln more character)", "(%Ln more characters)", left_out)
    return f"{address[:_HEAD_CHARACTERS]}\n{words}\n{address[-_TAIL_CHARACTERS:]}"


def _clip_host(host: str) -> str:
    """Shorten a long host name, keeping its end, because anyone can put anything at the start."""
    return host if len(host) <= _MAX_HOST_CHARACTERS else f"…{host[-_MAX_HOST_CHARACTERS:]}"


def _breakable(text: str) -> str:
    """Allow line breaks inside long words so that they can't widen the dialog."""
    return _UNBROKEN.sub("\\1\u200b", text)


def show_folder(folder: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
