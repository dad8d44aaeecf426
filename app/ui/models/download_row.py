"""One download in the dialog: its name, how far it is, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QProgressBar, QWidget

from app.download import Download, DownloadState
from app.ui.style.figures import bytes_line
from app.ui.style.theme import apply_style, ui_font
from app.ui.widgets.buttons import IconButton

_STEPS = 1000  # a progress bar counts in 32 bits, which are too few for bytes


class DownloadRow(QFrame):
    """Shows one download.

    Signals:
        paused(), resumed(), cancelled(), opened(): what the person wants.
    """

    paused = Signal()
    resumed = Signal()
    cancelled = Signal()
    opened = Signal()

    def __init__(self, download: Download, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("model-row")
        self.ref = download.ref
        self._state = download.state
        self.name = QLabel(download.name, self)
        self.name.setFont(ui_font(14, QFont.Weight.Medium))
        self.name.setToolTip(download.ref)
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.bar = QProgressBar(self)
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(f"Download of {download.name}")
        self.act = IconButton("pause", "Pause", self)
        self.act.clicked.connect(self._on_act)
        self.cancel = IconButton("x", "Cancel", self)
        self.cancel.clicked.connect(self.cancelled)
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(self.act)
        buttons.addWidget(self.cancel)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 10, 0, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.addWidget(self.name, 0, 0)
        grid.addLayout(buttons, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.bar, 1, 0, 1, 2)
        grid.addWidget(self.words, 2, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        self.show_download(download)

    def set_first(self, first: bool) -> None:
        """The first has no line above it."""
        if self.property("first") != first:
            self.setProperty("first", first)
            apply_style(self)

    def show_download(self, download: Download) -> None:
        """Say how it is now."""
        self._state = download.state
        done = download.state is DownloadState.DONE
        failed = download.state is DownloadState.FAILED
        self.bar.setVisible(not done)
        share = download.done / download.total if download.total else 0.0
        self.bar.setValue(round(_STEPS * min(share, 1.0)))
        self.words.setText(download.error if failed else line(download))
        self.words.setProperty("danger", failed)
        self.words.setProperty("muted", not failed)
        apply_style(self.words)
        if done:
            self.act.set_icon("chat-circle", "Open in a Chat")
        elif download.state in {DownloadState.PAUSED, DownloadState.FAILED}:
            self.act.set_icon("play", "Go On" if not failed else "Try Again")
        else:
            self.act.set_icon("pause", "Pause")
        self.cancel.set_icon("x", "Remove from List" if done else "Cancel and Throw Away")
        self.act.setAccessibleName(f"{self.act.toolTip()}: {download.name}")
        self.cancel.setAccessibleName(f"{self.cancel.toolTip()}: {download.name}")

    def _on_act(self) -> None:
        if self._state is DownloadState.DONE:
            self.opened.emit()
        elif self._state in {DownloadState.PAUSED, DownloadState.FAILED}:
            self.resumed.emit()
        else:
            self.paused.emit()


def line(download: Download) -> str:
    """ "312 MB of 1.2 GB · 35 MB/s · 24 s left", or what stands in the way of that."""
    state = download.state
    if state is DownloadState.DONE:
        return f"{bytes_line(download.total)} · Ready to be used"
    size = bytes_line(download.total) if download.total else ""
    amount = f"{bytes_line(download.done)} of {size}" if download.done and size else size
    parts = [amount] if amount else []
    if state is DownloadState.WAITING:
        parts.append("Waits for the one before it")
    elif state is DownloadState.PAUSED:
        parts.append("Paused")
    elif rate := download.rate:
        parts.append(f"{bytes_line(round(rate))}/s")
        parts.append(f"{_left((download.total - download.done) / rate)} left")
    else:
        parts.append("Waiting for the hub…")
    return " · ".join(parts)


def _left(seconds: float) -> str:
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
