"""Asks which chats are to be exported, in which form and to where, and shows how far it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from PySide6.QtCore import QStandardPaths, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.chats.exporting import Export, ExportError, Kind, StoppedError
from app.chats.exporting.export import file_name
from app.language import counted, mark, number, tr
from app.store import Store, StoreError
from app.ui.widgets import asking
from app.ui.widgets.width import keep_wide

FORMS = (
    (Kind.JSON, "Stretto (JSON)", mark("Everything, all versions too. Can be imported again.")),
    (Kind.MARKDOWN, "Markdown", mark("The branch that is shown, as it was written.")),
    (
        Kind.HTML,
        mark("Web page (HTML)"),
        mark("The branch that is shown. One file, nothing is loaded."),
    ),
    (Kind.TEXT, mark("Plain text"), mark("The branch that is shown, without marks.")),
    (Kind.PDF, "PDF", mark("The branch that is shown, on A4 pages.")),
)
_LOOK_MS = 100


class ExportDialog(QDialog):
    """Stays while it is written; closing it then stops it, and nothing is left of the export.

    Signals:
        exported(path, count): all is in its place.
    """

    exported = Signal(object, int)

    def __init__(
        self, store: Store, choices: Sequence[tuple[str, Sequence[str]]], parent: QWidget
    ) -> None:
        """``choices``: what may be exported, each with its words and the ids of its chats."""
        super().__init__(parent)
        self.setObjectName("export-dialog")
        self.setWindowTitle(tr("Export Chats"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store = store
        self._choices = choices
        self._export: Export | None = None
        self._stop = Event()
        self.which = QComboBox(self)
        self.which.setAccessibleName(tr("Which chats"))
        for words, _ in choices:
            self.which.addItem(words)
        self.form = QComboBox(self)
        self.form.setAccessibleName(tr("Form", "of what is exported"))
        for _, words, _ in FORMS:
            self.form.addItem(tr(words))
        self.note = QLabel(self)
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        self.thoughts = QCheckBox(tr("With what models thought before they answered"), self)
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(tr("Chats exported"))
        self.bar.setTextVisible(False)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        buttons = QDialogButtonBox(self)
        self.go = buttons.addButton(tr("Export…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        self.cancel = buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.cancel.setAutoDefault(False)
        rows = QFormLayout()
        rows.setSpacing(10)
        rows.addRow(tr("Chats"), self.which)
        rows.addRow(tr("Form", "of what is exported"), self.form)
        rows.addRow("", self.note)
        rows.addRow("", self.thoughts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(10)
        layout.addLayout(rows)
        layout.addWidget(self.bar)
        layout.addWidget(self.words)
        layout.addSpacing(6)
        layout.addWidget(buttons)
        keep_wide(self, 460)
        self._looking = QTimer(self, interval=_LOOK_MS)
        self._looking.timeout.connect(self._look)
        self.form.currentIndexChanged.connect(self._on_form)
        buttons.accepted.connect(self._on_go)
        buttons.rejected.connect(self.reject)
        self._on_form()
        self._show_working(False)

    @property
    def kind(self) -> Kind:
        return FORMS[self.form.currentIndex()][0]

    @Slot()
    def _on_form(self) -> None:
        self.note.setText(tr(FORMS[self.form.currentIndex()][2]))
        self.thoughts.setEnabled(self.kind is not Kind.JSON)
        if self.kind is Kind.JSON:
            self.thoughts.setToolTip(tr("JSON always has them"))
        else:
            self.thoughts.setToolTip("")

    @Slot()
    def _on_go(self) -> None:
        words, ids = self._choices[self.which.currentIndex()]
        if not ids:
            self.words.setText(tr("There is no chat to export yet."))
            self.words.show()
            return
        export = Export(ids, self.kind, Path(), self.thoughts.isChecked())
        name = file_name(
            words.strip("“”„«» ") if len(ids) == 1 else time.strftime("Chats %Y-%m-%d")
        )
        flows.start(self, self._ask(export, name))

    async def _ask(self, export: Export, name: str) -> None:
        """Where to; a folder's parent for what is several files."""
        places = QStandardPaths.StandardLocation.DocumentsLocation
        home = Path(QStandardPaths.writableLocation(places))
        if export.folder:
            folder = await asking.folder(self, tr("Export Into a Folder"), str(home))
            target = folder / name if folder is not None else None
        else:
            ending = export.kind.value
            start = home / f"{name}{ending}"
            target = await asking.place(self, tr("Export"), start, f"*{ending}")
        if target is not None:
            export.target = target
            self.begin(export)

    def begin(self, export: Export) -> None:
        """Write it, beside whatever else is done."""
        self._export = export
        self.words.clear()
        self._show_working(True)
        flows.start(self, self._write(export))

    def _show_working(self, working: bool) -> None:
        for field in (self.which, self.form, self.thoughts, self.go):
            field.setEnabled(not working)
        self.bar.setVisible(working)
        self.words.setVisible(working or bool(self.words.text()))
        self.cancel.setText(tr("Stop") if working else tr("Cancel"))
        if working:
            self._looking.start()
        else:
            self._looking.stop()
            self._on_form()

    @Slot()
    def _look(self) -> None:
        if self._export is not None:
            progress = self._export.progress
            self.bar.setMaximum(max(1, progress.total))
            self.bar.setValue(progress.done)
            done = number(progress.done)
            words = counted("{done} of %Ln chats", "{done} of %Ln chats", progress.total, done=done)
            self.words.setText(words)

    async def _write(self, export: Export) -> None:
        store = self._store
        try:
            path = await flows.aside(lambda stop: export.run(store, stop), self._stop)
        except StoppedError:
            return
        except (ExportError, StoreError) as error:
            self.words.setText(str(error))
        except Exception as error:
            self.words.setText(tr("The export failed: {name}.", name=type(error).__name__))
        else:
            self.exported.emit(path, len(export.ids))
            self.close()
            return
        self._export = None
        self._show_working(False)

    def done(self, result: int) -> None:
        """Closed in whichever way: what is being written is stopped."""
        self._stop.set()
        super().done(result)
