"""Answers of several columns to several messages, read as a table and written to a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app import flows
from app.chats.table import MESSAGE, AnswerTable, Cell, as_markdown
from app.models.errors import meaning
from app.settings.language import counted, number, tr
from app.ui.compare.trial_dialog import check_line, written
from app.ui.style.theme import grown, scaled
from app.ui.widgets import asking
from app.ui.widgets.laying import across
from app.ui.widgets.manners import plain_tip
from app.ui.widgets.sheet import Sheet
from engine.trial.plan import Check

_LOOK_MS, _SOON_MS = 500, 150
_SHOWN = 700  # characters of an answer that a cell shows; Enter opens the whole
_TIP = 2_000
_KINDS = "CSV (*.csv);;Markdown (*.md);;JSON (*.json);;HTML (*.html)"


def verdict_words(cell: Cell, checks: Sequence[Check]) -> str:
    """What came of a reply's checks, which are these; "" where there is nothing to say."""
    if cell.verdict is None:
        return ""
    if cell.verdict.passed is None:
        return tr("Undecided: {why}", why=meaning(cell.verdict.code, cell.verdict.why))
    if cell.verdict.passed:
        return tr("Passes")
    failed = next(c for c in checks if cell.verdicts.get(c.words) == cell.verdict)
    return f"{tr('Fails')}: {check_line(failed)}" if cell.checks > 1 else tr("Fails")


class TableWindow(Sheet):
    """Shows a table that goes on without it: closing the window ends no answer."""

    # (chat id, message id): the person wants to read an answer in its chat
    opened = Signal(str, str)

    def __init__(self, table: AnswerTable, parent: QWidget) -> None:
        super().__init__("answer-table", tr("Comparison Table"), parent)
        self.table = table
        self._cells: dict[tuple[int, int], Cell] = {}
        self._prompts = table.trial.prompts
        self.grid = QTableWidget(len(self._prompts), len(table.columns) + 1, self)
        self.grid.setAccessibleName(tr("Replies by message and column"))
        self.grid.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.grid.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.grid.setVerticalScrollMode(QTableWidget.ScrollMode.ScrollPerPixel)
        self.grid.setTabKeyNavigation(False)
        self.grid.setWordWrap(True)
        self.grid.setShowGrid(False)
        self.grid.setFrameShape(QTableWidget.Shape.NoFrame)
        self.grid.verticalHeader().hide()
        self.grid.verticalHeader().setDefaultSectionSize(grown(104))
        heads = self.grid.horizontalHeader()
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        heads.setHighlightSections(False)
        if table.by_eye:
            self.grid.installEventFilter(self)
        self.grid.cellActivated.connect(self._on_activated)
        for row, prompt in enumerate(self._prompts):
            self._put(row, 0, prompt.text, prompt.text)
        self.figures = self.label()
        self.passes = self.button(tr("Pass"), partial(self._say, True))
        self.fails = self.button(tr("Fail"), partial(self._say, False))
        self.reveal = self.button(tr("Show Names"), self._reveal)
        for button, key in ((self.passes, "+"), (self.fails, "-")):
            button.setToolTip(f"{button.text()} ({key})")
            button.setVisible(table.by_eye)
        self.words = self.label()
        self.go = self.button(tr("Stop"), self._on_go)
        self.copy = self.button(tr("Copy as Markdown"), self._on_copy)
        self.save = self.button(tr("Export…"), self._on_save)
        foot = across(
            (self.words, 1), self.passes, self.fails, self.reveal, self.go, self.copy, self.save
        )
        self.rows.setContentsMargins(16, 14, 16, 14)
        self.rows.addWidget(self.grid, 1)
        self.put(self.figures, foot)
        self.resize(scaled(980), scaled(620))
        self._looking = QTimer(self, interval=_LOOK_MS)
        self._looking.timeout.connect(self.refresh)
        # One look at a thousand cells takes 40 ms, and each reply tells of four changes.
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self.refresh)
        table.changed.connect(self._soon.start)
        self.refresh()
        self.grid.setCurrentCell(0, 0)
        self.grid.setFocus()

    @Slot()
    def refresh(self) -> None:
        """Show the answers as they are now."""
        table = self.table
        cells, complete = table.cells(), 0
        self.grid.setHorizontalHeaderLabels([tr(MESSAGE), *table.heads])
        self.reveal.setVisible(table.blind)
        for row, prompt in enumerate(self._prompts):
            for place, chat_id in enumerate(table.columns, 1):
                cell = cells[prompt.id, chat_id]
                complete += not cell.note
                if self._cells.get((row, place)) != cell:
                    self._cells[row, place] = cell
                    text = cell.text.strip()
                    note = f"{cell.note}…" if cell.note == tr("Replying") else cell.note
                    judged = "" if cell.note else verdict_words(cell, table.trial.checks_of(prompt))
                    heads = [f"[{words}]" for words in (note, judged) if words]
                    self._put(row, place, "\n".join([*heads, text]).strip(), text or note)
        of = len(cells)
        words = counted(
            "{complete} of %n replies", "{complete} of %n replies", of, complete=complete
        )
        judging = table.judging and not table.running
        self.words.setText(f"{words} · {tr('Judging…')}" if judging else words)
        self.figures.setText(self._told())
        self.figures.setVisible(bool(self.figures.text()))
        self.go.setText(tr("Stop") if table.running else tr("Continue"))
        self.go.setEnabled(table.running or complete < of)
        self.go.setToolTip("" if self.go.isEnabled() else tr("All replies are complete"))
        if table.running != self._looking.isActive():
            if table.running:
                self._looking.start()
            else:
                self._looking.stop()

    def _told(self) -> str:
        """How many of each column's replies pass, and how it differs from the first."""
        trial, lines = self.table.results(), list[str]()
        for place, head in enumerate(self.table.heads):
            share = trial.share(head)
            if not share.of:
                continue
            told = tr(
                "{column}: {passed} of {of} pass ({share} %, {low} to {high} % with 95 %)",
                column=head,
                passed=number(share.passed),
                of=number(share.of),
                share=round(100 * share.passed / share.of),
                low=round(100 * share.low),
                high=round(100 * share.high),
            )
            if place and (found := trial.difference(head)).of:
                told += " · " + tr(
                    "Against {first} it loses {lost} and gains {gained} of {of}"
                    " ({low} to {high} with 95 %).",
                    first=self.table.heads[0],
                    lost=number(found.lost),
                    gained=number(found.gained),
                    of=number(found.of),
                    low=f"{round(found.of * found.low):+d}".replace("-", "−"),
                    high=f"{round(found.of * found.high):+d}".replace("-", "−"),
                )
            lines.append(told)
        return "\n".join(lines)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The keys + and - in the grid, which would look for a cell that begins so."""
        if isinstance(event, QKeyEvent) and event.text() in ("+", "-"):
            if event.type() == QEvent.Type.KeyPress:
                self._say(event.text() == "+")
            return True
        return super().eventFilter(watched, event)

    def _say(self, passed: bool) -> None:
        """What the person says of the reply that is chosen; the next one is chosen."""
        row, place = self.grid.currentRow(), self.grid.currentColumn()
        if row < 0 or place < 1:
            return
        cell = self._cells[row, place]
        if cell.note:
            return
        self.table.say(self._prompts[row], cell, passed)
        self.refresh()
        last = place == len(self.table.columns)
        if not last or row + 1 < len(self._prompts):
            self.grid.setCurrentCell(row + last, 1 if last else place + 1)
        self.grid.setFocus()

    def _reveal(self) -> None:
        self.table.reveal()
        self.refresh()

    def _put(self, row: int, place: int, text: str, whole: str) -> None:
        item = self.grid.item(row, place)
        if item is None:
            item = QTableWidgetItem()
            item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            self.grid.setItem(row, place, item)
        item.setText(text if len(text) <= _SHOWN else text[:_SHOWN].rstrip() + "…")
        item.setToolTip(plain_tip(whole[:_TIP]))

    @Slot(int, int)
    def _on_activated(self, row: int, place: int) -> None:
        if place > 0:
            cell = self._cells[row, place]
            if cell.message_id:
                self.opened.emit(list(self.table.columns)[place - 1], cell.message_id)

    @Slot()
    def _on_go(self) -> None:
        if self.table.running:
            self.table.stop()
        else:
            self.table.go_on()
        self.refresh()

    def _rows(self) -> list[list[str]]:
        """Each message with its answers, and in brackets why one is not complete."""
        rows, found = [], self.table.cells()
        for prompt in self._prompts:
            cells = [found[prompt.id, chat_id] for chat_id in self.table.columns]
            checks = self.table.trial.checks_of(prompt)
            notes = [c.note or verdict_words(c, checks) for c in cells]
            told = [
                f"{c.text} [{n}]".lstrip() if n else c.text
                for c, n in zip(cells, notes, strict=True)
            ]
            rows.append([prompt.text, *told])
        return rows

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(as_markdown(self.table.heads, self._rows()))
        self.words.setText(tr("Table copied"))

    @Slot()
    def _on_save(self) -> None:
        flows.start(self, self._export())

    async def _export(self) -> None:
        start = asking.documents() / "Compared messages.csv"
        path = await asking.place(self, tr("Export"), start, _KINDS)
        if path is not None:
            self.write(path)

    def write(self, path: Path) -> None:
        """Write the table to a file, in one step."""
        found = self.table.results()
        if path.suffix == ".md":
            text = as_markdown(self.table.heads, self._rows())
        else:
            kinds = {".json": found.to_json, ".html": found.to_html}
            text = kinds.get(path.suffix, found.to_csv)()
        flows.start(self, self._write(path, text))

    async def _write(self, path: Path, text: str) -> None:
        self.words.setText(await written(path, text))
