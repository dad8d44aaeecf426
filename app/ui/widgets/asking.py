"""Short questions that a sequence puts to the person: a folder, files, a place to write to, a line.

    folder = await asking.folder(self, tr("Add Model Folder"))
    if folder is not None:
        ...

Each gives None where the person thinks better of it.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from app import flows


async def folder(parent: QWidget, title: str, start: str = "") -> Path | None:
    """A folder that there is."""
    dialog = QFileDialog(parent, title, start)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    chosen = await _chosen(dialog)
    return chosen[0] if chosen else None


async def file(parent: QWidget, title: str, kinds: str) -> Path | None:
    """A file that there is.

    Args:
        kinds: which are offered, as `QFileDialog.setNameFilter` takes it.
    """
    dialog = QFileDialog(parent, title, "", kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    chosen = await _chosen(dialog)
    return chosen[0] if chosen else None


async def files(parent: QWidget, title: str, start: str, kinds: str) -> list[Path]:
    """Files that there are, as of `file`; none where the person thinks better of it."""
    dialog = QFileDialog(parent, title, start, kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return await _chosen(dialog)


async def place(parent: QWidget, title: str, start: Path, kinds: str) -> Path | None:
    """Where a file is to be written, with the ending of the kind that was chosen.

    The system, or Qt, has asked before one that there is is replaced.

    Args:
        start: what stands there at first.
        kinds: as of `file`, one ending each.
    """
    dialog = QFileDialog(parent, title, str(start), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    endings = [kind.rpartition("*")[2].rstrip(")") for kind in kinds.split(";;")]

    def complete() -> None:
        ending = dialog.selectedNameFilter().rpartition("*")[2].rstrip(")")
        dialog.setDefaultSuffix(ending.lstrip("."))

    dialog.filterSelected.connect(complete)
    complete()
    chosen = await _chosen(dialog)
    if not chosen:
        return None
    path = chosen[0]
    if path.suffix not in endings:
        ending = dialog.selectedNameFilter().rpartition("*")[2].rstrip(")")
        path = path.with_name(path.name + ending)
    return path


async def line(parent: QWidget, title: str, words: str, text: str = "") -> str | None:
    """A line of text.

    Args:
        words: what it is for.
        text: what stands there at first.
    """
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setLabelText(words)
    dialog.setTextValue(text)
    return dialog.textValue() if await flows.answered(dialog) else None


async def _chosen(dialog: QFileDialog) -> list[Path]:
    if not await flows.answered(dialog):
        return []
    return [Path(name) for name in dialog.selectedFiles()]
