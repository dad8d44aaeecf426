from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar, QScrollArea, QWidget

from app.models.downloads import Download, Downloads, DownloadState
from app.settings.language import tr
from app.ui.style import tokens as t
from app.ui.style.figures import download_line
from app.ui.style.theme import repolish, set_scaled_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.labels import make_label
from app.ui.widgets.layout_helpers import (
    SPRING,
    fill_scroll_area,
    make_column_layout,
    make_row_layout,
    nest,
)
from engine.errors import GATED

_STEPS = 1000  # QProgressBar uses 32-bit values, which can't hold sizes in bytes


class DownloadRow(QFrame):
    def __init__(self, download: Download, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("model-row")
        self.name = make_label(self, download.name, muted=False, wrap=False)
        set_scaled_font(self.name, t.LEAD_PX, QFont.Weight.Medium)
        self.name.setToolTip(download.ref)
        self.words = make_label(self, muted=False)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Download of {name}", name=download.name))
        self.act = IconButton("pause", tr("Pause"), self)
        self.cancel = IconButton("x", tr("Cancel"), self)
        buttons = make_row_layout(self.act, self.cancel, spacing=4)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 10, 0, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.addWidget(self.name, 0, 0)
        nest(grid, buttons, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.bar, 1, 0, 1, 2)
        grid.addWidget(self.words, 2, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        self.show_download(download)

    def set_first(self, first: bool) -> None:
        """Set whether this row is the first, which has no line above it."""
        if self.property("first") != first:
            self.setProperty("first", first)
            repolish(self)

    def show_download(self, download: Download) -> None:
        is_done = download.state is DownloadState.DONE
        failed = download.state is DownloadState.FAILED
        self.bar.setVisible(not is_done)
        share = download.done / download.total if download.total else 0.0
        self.bar.setValue(round(_STEPS * min(share, 1.0)))
        self.words.setText(download.error if failed else download_line(download))
        self.words.setProperty("danger", failed)
        self.words.setProperty("muted", not failed)
        repolish(self.words)
        self.act.setVisible(is_done or failed or download.can_pause)
        if is_done:
            self.act.set_icon("chat-circle", tr("New Chat"))
        elif download.state in {DownloadState.PAUSED, DownloadState.FAILED}:
            self.act.set_icon("play", tr("Resume") if not failed else tr("Try Again"))
        else:
            self.act.set_icon("pause", tr("Pause"))
        self.cancel.set_icon("x", tr("Remove from List") if is_done else tr("Cancel and Delete"))
        self.act.setAccessibleName(f"{self.act.toolTip()}: {download.name}")
        self.cancel.setAccessibleName(f"{self.cancel.toolTip()}: {download.name}")


class DownloadList(QScrollArea):
    chat_requested = Signal(str)  # (ref): start a chat with this model
    token_required = Signal(str)  # (ref): can't resume without an access token
    row_count_changed = Signal(int)  # (rows)

    def __init__(self, downloads: Downloads, parent: QWidget) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self.rows: dict[str, DownloadRow] = {}
        inner = QWidget(self)
        self._list = make_column_layout(spacing=0)
        make_column_layout(self._list, SPRING, of=inner, spacing=None)
        fill_scroll_area(self, inner)
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
        for number, list_row in enumerate(self.rows.values()):
            list_row.set_first(number == 0)
        self.row_count_changed.emit(len(self.rows))

    def _add_row(self, download: Download) -> None:
        ref = download.ref
        row = self.rows[ref] = DownloadRow(download, self)
        row.act.clicked.connect(lambda: self._on_act(ref))
        row.cancel.clicked.connect(lambda: self._downloads.cancel(ref))
        self._list.addWidget(row)

    def _on_act(self, ref: str) -> None:
        download = self._downloads.get(ref)
        if download is None or download.state is DownloadState.DONE:
            self.chat_requested.emit(ref)
        elif download.state not in {DownloadState.PAUSED, DownloadState.FAILED}:
            self._downloads.pause(ref)
        elif download.code == GATED and not self._downloads.token:
            self.token_required.emit(ref)
        else:
            self._downloads.resume(ref)
