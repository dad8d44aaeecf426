"""Dialog that runs a model on several computers."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app import flows
from app.models.distributed_models import SpreadModels
from app.remote.groups import GroupServer, MachineGroup
from app.settings.language import mark, tr
from app.ui.style.theme import scaled
from app.ui.widgets.fields import make_combo_box
from app.ui.widgets.layout_helpers import SPRING, make_row_layout
from app.ui.widgets.sheet import Sheet
from engine import EngineError
from engine.cluster.hosts import LOCAL, Host, HostError, HostsFile
from engine.sandbox.process import engine_command


def parse_last_line(text: str) -> list[dict[str, Any]]:
    lines = text.strip().splitlines()
    entries: list[dict[str, Any]] = json.loads(lines[-1]) if lines else []
    return entries


def run_command(arguments: Sequence[str], stop: threading.Event) -> str:
    """Run an engine command in a new process until it exits or ``stop`` is set.

    Raises OSError with the last line of stderr if the command fails.
    """
    root = str(Path(__file__).resolve().parents[3])
    with subprocess.Popen(
        engine_command(*arguments), cwd=root, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
    ) as process:  # fmt: skip
        while True:
            try:
                output, errors = process.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    process.terminate()
    if process.returncode not in (0, 1) or not output.strip():
        lines = errors.strip().splitlines()
        raise OSError((lines or [tr("It quit without a message.")])[-1].removeprefix("cluster: "))
    return output


_ABOUT = mark(
    "Split a model that’s too large for one computer across several. Each needs the same version "
    "of Stretto, the model’s files, and SSH access without a password."
)
_TWO = mark("Select two or more computers and a model.")

Run = Callable[[Sequence[str], threading.Event], str]


class MachinesDialog(Sheet):
    """Dialog that runs a model on several computers.

    Only the user's buttons contact another computer. ``models`` are (name, folder) pairs, ``file``
    is the hosts file, and ``run`` runs an engine command and returns its output.
    """

    chat_requested = Signal(str)  # (ref): the model is running, so start a chat with it

    def __init__(
        self,
        spread: SpreadModels,
        models: Sequence[tuple[str, str]],
        file: Path | None,
        parent: QWidget,
        run: Run | None = None,
    ) -> None:
        super().__init__("machines-dialog", tr("Multiple Computers"), parent, spacing=10)
        self._spread, self._file, self._run = spread, file, run or run_command
        self._starting: GroupServer | None = None
        self._asking = flows.Latest(self)
        self._command_running = False
        description = self.make_label(tr(_ABOUT))
        self.list = QTreeWidget(self)
        self.list.setObjectName("machine-table")
        self.list.setHeaderLabels([tr("Computer"), tr("Address"), tr("Status")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(False)
        self.list.setWordWrap(True)
        self.list.setAccessibleName(tr("Multiple Computers"))
        self.list.setMinimumHeight(scaled(150))
        head = self.list.header()
        head.resizeSection(0, scaled(150))
        head.resizeSection(1, scaled(200))
        head.setStretchLastSection(True)
        # Creation order determines tab order.
        self.check = self.button(tr("Check"), self._on_check)
        self.remove = self.button(tr("Remove"), self._on_remove)
        self.name, self.address, self.program = (QLineEdit(self) for _ in range(3))
        fields = (
            (self.name, tr("Name")),
            (self.address, tr("user@host, or local")),
            (self.program, tr("Command, such as stretto")),
        )
        for field, words in fields:
            field.setPlaceholderText(words)
            field.setAccessibleName(words)
            field.setToolTip(words)
            field.setMinimumWidth(field.fontMetrics().horizontalAdvance(words) + 24)
        self.add = self.button(tr("Add"), self._on_add)
        parts = ((self.name, 2), (self.address, 3), (self.program, 4), self.add)
        adding = make_row_layout(*parts, spacing=None)
        self.model = make_combo_box(self, tr("Model"), models)
        self.test = self.button(tr("Test"), self._on_test)
        self.test.setToolTip(tr("Compares connection and speed with a single computer"))
        self.close_button = self.button(tr("Close"), self.reject)
        self.ok = self.button(tr("Start"), self._on_start)
        self.ok.setDefault(True)
        below = make_row_layout(self.check, self.remove, SPRING, spacing=None)
        buttons = (self.test, self.close_button, self.ok)
        foot = make_row_layout(QLabel(tr("Model"), self), (self.model, 1), *buttons, spacing=None)
        self.status_label = self.make_label("")
        self.status_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.add_rows(description)
        self.rows.addWidget(self.list, 1)
        self.add_rows(below, adding, self.status_label, foot)
        self.resize(scaled(680), scaled(480))
        self.list.itemChanged.connect(self._refresh)
        self.list.currentItemChanged.connect(self._refresh)
        for field, _ in fields:
            field.textChanged.connect(self._refresh)
        self._fill()

    def _hosts(self) -> HostsFile | None:
        try:
            return HostsFile(self._file)
        except HostError as error:
            self.status_label.setText(str(error))
            return None

    def _fill(self) -> None:
        before = {row.text(0): (row.checkState(0), row.text(2)) for row in self._rows()}
        self.list.clear()
        hosts = self._hosts()
        for host in hosts.all() if hosts is not None else ():
            ticked, state = before.get(host.name, (Qt.CheckState.Unchecked, ""))
            if host.name == LOCAL:
                ticked = Qt.CheckState.Checked
            where = tr("This computer") if host.is_local else host.address
            row = QTreeWidgetItem(self.list, [host.name, where, state or tr("Not checked yet")])
            row.setCheckState(0, ticked)
            row.setSizeHint(2, QSize(0, scaled(32)))
        self._refresh()

    def _rows(self) -> list[QTreeWidgetItem]:
        rows = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        return [row for row in rows if row is not None]

    @property
    def checked_machines(self) -> tuple[str, ...]:
        return tuple(r.text(0) for r in self._rows() if r.checkState(0) is Qt.CheckState.Checked)

    @Slot()
    def _refresh(self) -> None:
        busy = self._command_running or self._starting is not None
        ready = len(self.checked_machines) > 1 and self.model.currentIndex() >= 0
        for button in (self.test, self.ok):
            button.setEnabled(ready and not busy)
        self.ok.setToolTip("" if ready else tr(_TWO))
        self.check.setEnabled(not busy)
        row = self.list.currentItem()
        self.remove.setEnabled(row is not None and row.text(0) != LOCAL and not busy)
        self.add.setEnabled(bool(self.name.text().strip() and self.address.text().strip()))

    @Slot()
    def _on_add(self) -> None:
        hosts = self._hosts()
        if hosts is None:
            return
        name, address = self.name.text().strip(), self.address.text().strip()
        try:
            if name == LOCAL:
                raise HostError(tr("“local” is this computer. Choose another name."))
            hosts.add(Host(name, address, self.program.text().strip()))
        except (HostError, OSError) as error:
            self.status_label.setText(str(error))
            return
        for field in (self.name, self.address, self.program):
            field.clear()
        self.status_label.clear()
        self._fill()
        row = next((row for row in self._rows() if row.text(0) == name), None)
        if row is not None:
            self.list.setCurrentItem(row)
        self.list.setFocus()  # because Add is disabled now; in the list, Space checks the new row

    @Slot()
    def _on_remove(self) -> None:
        hosts, row = self._hosts(), self.list.currentItem()
        try:
            if hosts is not None and row is not None:
                hosts.remove(row.text(0))
        except (HostError, OSError) as error:
            self.status_label.setText(str(error))
        self._fill()

    def _ask(self, words: str, *arguments: str, on_done: Callable[[str], object]) -> None:
        self.status_label.setText(words)
        file = ["--hosts-file", str(self._file)] if self._file is not None else []
        self._command_running = True
        self._refresh()
        self._asking.start(self._run_command([*arguments, *file], on_done))

    async def _run_command(self, command: list[str], on_done: Callable[[str], object]) -> None:
        run = self._run
        try:
            text = await flows.run_in_thread(lambda stop: run(command, stop))
        except Exception as error:
            self.status_label.setText(str(error))
        else:
            self.status_label.clear()
            on_done(text)
        self._command_running = False
        self._refresh()

    @Slot()
    def _on_check(self) -> None:
        self._ask(tr("Checking…"), "cluster", "check", "--json", on_done=self._on_checked)

    def _on_checked(self, text: str) -> None:
        by_name, faults = {answer["name"]: answer for answer in parse_last_line(text)}, list[str]()
        for row in self._rows():
            answer: dict[str, Any] = by_name.get(row.text(0), {})
            faults += answer.get("faults") or []
            good = [tr("Ready"), f"{answer['memory'] / 1e9:,.0f} GB"] if answer.get("good") else []
            row.setText(2, " · ".join(good) or tr("Not ready"))
        self.status_label.setText("\n".join(faults))

    @Slot()
    def _on_test(self) -> None:
        args = [
            "cluster",
            "test",
            self.model.currentData(),
            "--hosts",
            ",".join(self.checked_machines),
        ]
        self._ask(
            tr("Testing. This takes a minute or more…"), *args, on_done=self.status_label.setText
        )

    @Slot()
    def _on_start(self) -> None:
        hosts = self._hosts()
        if hosts is None:
            return
        try:
            group = hosts.group(self.checked_machines)
        except HostError as error:
            self.status_label.setText(str(error))
            return
        away = tuple(host.name for host in group if not host.is_local)
        names = tuple(host.name for host in group)
        file = str(self._file) if self._file is not None else ""
        machines = MachineGroup(names, self.model.currentData(), file)
        self.status_label.setText(tr("Starting {hosts}…", hosts=", ".join(names)))
        self._starting = self._spread.begin(machines)
        flows.start(self, self._open(self._starting, machines, away))
        self._refresh()

    async def _open(self, server: GroupServer, group: MachineGroup, away: tuple[str, ...]) -> None:
        try:
            ref = await self._spread.add_when_ready(server, group, away)
        except CancelledError:  # the app is quitting
            return
        except EngineError as error:
            self._starting = None
            self.status_label.setText(error.message)
            self._refresh()
            return
        self._starting = None
        self.chat_requested.emit(ref)
        self.accept()

    def done(self, result: int) -> None:
        if self._starting is not None:
            self._starting.close()
            self._starting = None
        super().done(result)
