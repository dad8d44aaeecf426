"""The downloads in the dialog, a row for each."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.download import Download
from app.downloads import Downloads
from app.ui.models.download_row import DownloadRow
from engine.errors import GATED


class DownloadList(QScrollArea):
    """Shows them as they are.

    Signals:
        opened(ref): the person wants to chat with that model.
        token_wanted(ref): it can go on only with an access token, and there is none.
        filled(rows): so many there are now.
    """

    opened = Signal(str)
    token_wanted = Signal(str)
    filled = Signal(int)

    def __init__(self, downloads: Downloads, parent: QWidget) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self.rows: dict[str, DownloadRow] = {}
        inner = QWidget(self)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column.addLayout(self._list)
        column.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        downloads.changed.connect(self._on_changed)
        for download in downloads.items:
            self._on_changed(download.ref)

    @Slot(str)
    def _on_changed(self, ref: str) -> None:
        download = self._downloads.get(ref)
        row = self.rows.get(ref)
        if download is not None and row is not None:
            row.show_download(download)
            return
        if download is not None:
            self._add_row(download)
        elif row is not None:
            del self.rows[ref]
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for number, shown in enumerate(self.rows.values()):
            shown.set_first(number == 0)
        self.filled.emit(len(self.rows))

    def _add_row(self, download: Download) -> None:
        ref = download.ref
        row = self.rows[ref] = DownloadRow(download, self)
        row.paused.connect(lambda: self._downloads.pause(ref))
        row.resumed.connect(lambda: self._resume(ref))
        row.cancelled.connect(lambda: self._downloads.cancel(ref))
        row.opened.connect(lambda: self.opened.emit(ref))
        self._list.addWidget(row)

    def _resume(self, ref: str) -> None:
        download = self._downloads.get(ref)
        if download is not None and download.code == GATED and not self._downloads.token:
            self.token_wanted.emit(ref)
        else:
            self._downloads.resume(ref)
