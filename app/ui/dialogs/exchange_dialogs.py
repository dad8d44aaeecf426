from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QPlainTextEdit,
    QProgressBar,
    QWidget,
)

from app import flows
from app.chats.exporting import Export, ExportError, ExportFormat, StoppedError
from app.chats.exporting.export import file_name
from app.chats.importing import Import, Report
from app.settings.language import counted, mark, number, tr
from app.store import Store, StoreError
from app.ui.widgets import standard_dialogs
from app.ui.widgets.fields import make_combo_box
from app.ui.widgets.sheet import Sheet

FORMS = (
    (
        ExportFormat.JSON,
        "Stretto (JSON)",
        mark("Everything, including all branches and attached files. Can be imported again."),
    ),
    (ExportFormat.MARKDOWN, "Markdown", mark("The current branch. Attached files are only named.")),
    (
        ExportFormat.HTML,
        mark("Web page (HTML)"),
        mark("The current branch in one file. Attached files are only named."),
    ),
    (
        ExportFormat.TEXT,
        mark("Plain text"),
        mark("The current branch without formatting. Attached files are only named."),
    ),
    (
        ExportFormat.PDF,
        "PDF",
        mark("The current branch, ready to print. Attached files are only named."),
    ),
)
_POLL_MS = 100


class ExportDialog(Sheet):
    """Export dialog. It stays open during the export, and closing it cancels the export."""

    exported = Signal(object, int)  # (path, count)

    def __init__(
        self, store: Store, choices: Sequence[tuple[str, Sequence[str]]], parent: QWidget
    ) -> None:
        """``choices`` pairs labels with chat IDs."""
        super().__init__("export-dialog", tr("Export Chats"), parent, spacing=10)
        self._store = store
        self._choices = choices
        self._export: Export | None = None
        self._stop = Event()
        self.chats = make_combo_box(self, tr("Chats to export"), choices)
        forms = ((tr(words), kind) for kind, words, _ in FORMS)
        self.form = make_combo_box(self, tr("Format", "of what is exported"), forms)
        if len(choices[0][1]) == 1:  # a single chat is usually exported for reading
            self.form.setCurrentIndex(1)
        self.note = self.make_label()
        self.thoughts = QCheckBox(tr("Include reasoning"), self)
        self._include_thoughts = False  # stored here, because some formats don't have this option
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(tr("Export progress"))
        self.bar.setTextVisible(False)
        self.words = self.make_label(muted=False)
        self.ok = self.button(tr("Export…"), self._on_ok)
        rows = QFormLayout()
        rows.setSpacing(10)
        rows.addRow(tr("Chats"), self.chats)
        rows.addRow(tr("Format", "of what is exported"), self.form)
        rows.addRow("", self.note)
        rows.addRow("", self.thoughts)
        self.add_rows(rows, self.bar, self.words)
        self.cancel = self.add_buttons(self.ok)
        self.set_scaled_width(460)
        self._poll_timer = QTimer(self, interval=_POLL_MS)
        self._poll_timer.timeout.connect(self._show_progress)
        self.form.currentIndexChanged.connect(self._on_form)
        self.thoughts.clicked.connect(self._on_thoughts)
        self._on_form()
        self._show_working(False)

    @property
    def kind(self) -> ExportFormat:
        return FORMS[self.form.currentIndex()][0]

    @Slot()
    def _on_form(self) -> None:
        self.note.setText(tr(FORMS[self.form.currentIndex()][2]))
        always = self.kind is ExportFormat.JSON
        self.thoughts.setEnabled(not always)
        self.thoughts.setChecked(always or self._include_thoughts)
        self.thoughts.setToolTip(tr("Always included in JSON") if always else "")

    @Slot(bool)
    def _on_thoughts(self, ticked: bool) -> None:
        self._include_thoughts = ticked

    @Slot()
    def _on_ok(self) -> None:
        words, ids = self._choices[self.chats.currentIndex()]
        if not ids:
            self.words.setText(tr("There’s no chat to export yet."))
            self.words.show()
            return
        export = Export(ids, self.kind, Path(), self.thoughts.isChecked())
        name = file_name(
            words.strip("“”„«» ") if len(ids) == 1 else time.strftime("Chats %Y-%m-%d")
        )
        flows.start(self, self._ask(export, name))

    async def _ask(self, export: Export, name: str) -> None:
        """Ask for a file, or for the parent folder of several files."""
        home = await standard_dialogs.documents_folder()
        if export.folder:
            folder = await standard_dialogs.ask_for_folder(self, tr("Export to Folder"), str(home))
            target = folder / name if folder is not None else None
        else:
            ending = export.kind.value
            start = home / f"{name}{ending}"
            words = tr(FORMS[self.form.currentIndex()][1]).partition(" (")[0]
            target = await standard_dialogs.ask_save_path(
                self, tr("Export"), start, f"{words} (*{ending})"
            )
        if target is not None:
            export.target = target
            self.begin(export)

    def begin(self, export: Export) -> None:
        self._export = export
        self.words.clear()
        self._show_working(True)
        flows.start(self, self._write(export))

    def _show_working(self, working: bool) -> None:
        for field in (self.chats, self.form, self.thoughts, self.ok):
            field.setEnabled(not working)
        self.bar.setVisible(working)
        self.words.setVisible(working or bool(self.words.text()))
        self.cancel.setText(tr("Stop") if working else tr("Cancel"))
        if working:
            self._poll_timer.start()
        else:
            self._poll_timer.stop()
            self._on_form()

    @Slot()
    def _show_progress(self) -> None:
        if self._export is not None:
            progress = self._export.progress
            self.bar.setMaximum(max(1, progress.total))
            self.bar.setValue(progress.done)
            part = number(progress.done)
            words = counted("{done} of %Ln chats", "{done} of %Ln chats", progress.total, done=part)
            self.words.setText(words)

    async def _write(self, export: Export) -> None:
        store = self._store
        try:
            path = await flows.run_in_thread(lambda stop: export.run(store, stop), self._stop)
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
        self._stop.set()
        super().done(result)


_NOTE = mark(
    "Import JSON from Stretto, data exports from ChatGPT and Claude (the ZIP archive or the "
    "conversations.json in it), exports from Open WebUI, and chat files from LM Studio. Chats you "
    "already have aren’t changed."
)

_THOUSANDTHS = 1000


class ImportDialog(Sheet):
    """Import dialog. It stays open during the import, and closing it keeps the imported chats."""

    imported = Signal(object)  # (report): the import has ended with at least one new chat

    def __init__(self, store: Store, model: str, parent: QWidget) -> None:
        """``model`` is used for chats without a known model."""
        super().__init__("import-dialog", tr("Import Chats"), parent)
        self._store = store
        self._model = model
        self._import: Import | None = None
        self.words = self.make_label(tr(_NOTE))
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(tr("Import progress"))
        self.bar.setTextVisible(False)
        self.bar.setMaximum(_THOUSANDTHS)
        self.details = QPlainTextEdit(self)
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setAccessibleName(tr("Not imported"))
        self.files = self.button(
            tr("Choose Files…"), lambda: flows.start(self, self._ask_for_files())
        )
        self.folder = self.button(
            tr("Choose Folder…"), lambda: flows.start(self, self._ask_for_folder())
        )
        self.folder.setToolTip(tr("Such as LM Studio’s chats folder"))
        self.add_rows(self.words, self.bar)
        self.rows.addWidget(self.details, 1)
        self.close_button = self.add_buttons(self.files, self.folder)
        self.set_scaled_width(480)
        self.bar.hide()
        self.details.hide()
        self.fit_height()
        self._poll_timer = QTimer(self, interval=_POLL_MS)
        self._poll_timer.timeout.connect(self._show_progress)

    async def _ask_for_files(self) -> None:
        chats, all_files = tr("Chats"), tr("All files")
        kinds = f"{chats} (*.json *.zip);;{all_files} (*)"
        start = str(await standard_dialogs.downloads_folder())
        self.begin(await standard_dialogs.ask_for_files(self, tr("Import"), start, kinds))

    async def _ask_for_folder(self) -> None:
        start = str(await standard_dialogs.downloads_folder())
        folder = await standard_dialogs.ask_for_folder(self, tr("Import Folder"), start)
        self.begin([folder] if folder is not None else [])

    def begin(self, paths: Sequence[Path]) -> None:
        if not paths or self._import is not None:
            return
        self._import = Import(paths, self._model)
        self.words.setText(tr("Reading…"))
        self.bar.show()
        self.details.hide()
        for button in (self.files, self.folder):
            button.hide()
        self.activateWindow()  # not all window managers give the focus back after the file dialog
        self.close_button.setText(tr("Stop"))
        self._poll_timer.start()
        flows.start(self, self._run_import(self._import))

    @Slot()
    def _show_progress(self) -> None:
        if self._import is not None:
            reader = self._import.reader
            part = reader.done / reader.total if reader.total else 0.0
            self.bar.setValue(min(_THOUSANDTHS, round(part * _THOUSANDTHS)))

    async def _run_import(self, work: Import) -> None:
        report: Report | Exception
        store = self._store
        try:
            report = await flows.run_in_thread(lambda _: work.run(store), work.stop)
        except Exception as error:
            report = error
        self._import = None
        self._poll_timer.stop()
        self.bar.hide()
        self.close_button.setText(tr("Close"))
        self.close_button.setDefault(True)
        self.close_button.setFocus()
        if isinstance(report, Exception):
            self.words.setText(tr("The import failed: {why}.", why=report))
            return
        self.words.setText(report.summary())
        self.words.setProperty("muted", False)
        self.words.style().polish(self.words)
        self.details.setPlainText("\n".join(report.details()))
        self.details.setVisible(bool(report.details()))
        self.fit_height()
        if report.imported:
            self.imported.emit(report)

    def done(self, result: int) -> None:
        """Stop a running import. The dialog stays open to show what was imported."""
        if self._import is not None:
            self._import.stop.set()
            return
        super().done(result)
