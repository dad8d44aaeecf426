"""Asks for files of chats, takes them in, and reports what was not understood."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.chats.importing import Import, Report
from app.language import mark, tr
from app.store import Store
from app.ui.widgets import asking
from app.ui.widgets.width import keep_high, keep_wide

_NOTE = mark(
    "Stretto reads its own JSON, the data exports of ChatGPT and Claude (the zip archive, or "
    "conversations.json in it), Open WebUI's export, and LM Studio's conversation files. "
    "It finds out by itself which they are. Chats that are here already stay as they are."
)
_LOOK_MS = 100
_THOUSANDTHS = 1000


class ImportDialog(QDialog):
    """Stays while files are read; closing it then stops that, and what was taken in stays.

    Signals:
        taken(report): it is over, and some chats were taken in.
    """

    taken = Signal(object)

    def __init__(self, store: Store, model: str, parent: QWidget) -> None:
        """``model`` answers in chats that come without one of ours."""
        super().__init__(parent)
        self.setObjectName("import-dialog")
        self.setWindowTitle(tr("Import Chats"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store = store
        self._model = model
        self._import: Import | None = None
        self.words = QLabel(tr(_NOTE), self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setProperty("muted", True)
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(tr("How much is read"))
        self.bar.setTextVisible(False)
        self.bar.setMaximum(_THOUSANDTHS)
        self.details = QPlainTextEdit(self)
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setAccessibleName(tr("What was not understood"))
        self.files = QPushButton(tr("Choose Files…"), self)
        self.files.setDefault(True)
        self.files.clicked.connect(self._on_files)
        self.folder = QPushButton(tr("Choose Folder…"), self)
        self.folder.setAutoDefault(False)
        self.folder.setToolTip(tr("Such as LM Studio's folder of conversations"))
        self.folder.clicked.connect(self._on_folder)
        self.close_button = QPushButton(tr("Cancel"), self)
        self.close_button.setAutoDefault(False)
        self.close_button.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.close_button, self.folder, self.files):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(12)
        layout.addWidget(self.words)
        layout.addWidget(self.bar)
        layout.addWidget(self.details, 1)
        layout.addLayout(buttons)
        keep_wide(self, 480)
        self.bar.hide()
        self.details.hide()
        keep_high(self)
        self._looking = QTimer(self, interval=_LOOK_MS)
        self._looking.timeout.connect(self._look)

    @Slot()
    def _on_files(self) -> None:
        flows.start(self, self._ask_for_files())

    @Slot()
    def _on_folder(self) -> None:
        flows.start(self, self._ask_for_folder())

    async def _ask_for_files(self) -> None:
        chats, others = tr("Chats"), tr("All files")
        kinds = f"{chats} (*.json *.zip);;{others} (*)"
        self.begin(await asking.files(self, tr("Import"), _downloads(), kinds))

    async def _ask_for_folder(self) -> None:
        folder = await asking.folder(self, tr("Import a Folder"), _downloads())
        self.begin([folder] if folder is not None else [])

    def begin(self, paths: Sequence[Path]) -> None:
        """Take in what these hold, in the background."""
        if not paths or self._import is not None:
            return
        self._import = Import(paths, self._model)
        self.words.setText(tr("Reading…"))
        self.bar.show()
        self.details.hide()
        for button in (self.files, self.folder):
            button.hide()
        self.activateWindow()  # after the choice of files, without a window manager that does it
        self.close_button.setText(tr("Stop"))
        self._looking.start()
        flows.start(self, self._take_in(self._import))

    @Slot()
    def _look(self) -> None:
        if self._import is not None:
            reader = self._import.reader
            part = reader.done / reader.total if reader.total else 0.0
            self.bar.setValue(min(_THOUSANDTHS, round(part * _THOUSANDTHS)))

    async def _take_in(self, work: Import) -> None:
        report: Report | None = None
        why: object = tr("for a reason that is not known")
        store = self._store
        try:
            report = await flows.aside(lambda _: work.run(store), work.stop)
        except Exception as error:
            why = error
        self._import = None
        self._looking.stop()
        self.bar.hide()
        self.close_button.setText(tr("Close"))
        self.close_button.setDefault(True)
        self.close_button.setFocus()
        if report is None:
            self.words.setText(tr("The import failed: {why}.", why=why))
            return
        self.words.setText(report.summary())
        self.words.setProperty("muted", False)
        self.words.style().polish(self.words)
        self.details.setPlainText("\n".join(report.details()))
        self.details.setVisible(bool(report.details()))
        keep_high(self)
        if report.taken:
            self.taken.emit(report)

    def done(self, result: int) -> None:
        """Closed: what is being read is stopped, and its end is waited for to be told."""
        if self._import is not None:
            self._import.stop.set()
            return
        super().done(result)


def _downloads() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
