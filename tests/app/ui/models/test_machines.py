"""Dialog that runs a model on several machines."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.bridge import Bridge
from app.models.distributed_models import SpreadModels
from app.remote.groups import MachineGroups
from app.remote.remotes import Remotes
from app.ui.models.machines_dialog import MachinesDialog
from app.ui.style.theme import Theme
from tests.app.remote.test_groups import groups  # noqa: F401  (its server tells, and ends)


class Commands:
    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []

    def __call__(self, arguments: Sequence[str], stop: threading.Event) -> str:
        self.asked.append(arguments)
        if arguments[1] == "test":
            return "2 ranks by ring: 30 µs"
        told = [
            {"name": "local", "good": True, "memory": 64e9},
            {"name": "studio", "good": False, "faults": ["studio wants a password."]},
        ]
        return f"Welcome\n{json.dumps(told)}"


@pytest.fixture
def commands() -> Commands:
    return Commands()


Make = Callable[[], MachinesDialog]


@pytest.fixture
def bridge(qapp: QApplication) -> Iterator[Bridge]:
    made = Bridge()
    yield made
    qapp.processEvents()
    made.drain()  # delivers the ends that the groups have reported


@pytest.fixture
def make(
    qtbot: QtBot,
    tmp_path: Path,
    look: Theme,
    commands: Commands,
    bridge: Bridge,  # created before the groups, which report their ends to it
    groups: MachineGroups,  # noqa: F811
) -> Make:
    parent = QWidget()
    qtbot.addWidget(parent)
    remotes = Remotes()
    remotes.groups = groups
    spread = SpreadModels(remotes, lambda ref: None, parent)
    models = [("Tiny", "/models/tiny"), ("Broken", "/models/broken")]

    def made() -> MachinesDialog:
        dialog = MachinesDialog(spread, models, tmp_path / "hosts.json", parent, commands)
        dialog.show()
        return dialog

    return made


def add(dialog: MachinesDialog, name: str, address: str) -> None:
    dialog.name.setText(name)
    dialog.address.setText(address)
    dialog.add.click()


def tick(dialog: MachinesDialog, row: int) -> None:
    item = dialog.list.topLevelItem(row)
    item.setCheckState(0, Qt.CheckState.Checked)


def states(dialog: MachinesDialog) -> list[str]:
    return [row.text(2) for row in dialog._rows()]


def test_machines_are_added_checked_tried_and_removed(
    qtbot: QtBot, make: Make, commands: Commands
) -> None:
    dialog = make()
    assert dialog.checked_machines == ("local",)
    assert not dialog.ok.isEnabled()
    add(dialog, "studio", "-oProxyCommand=x")
    assert dialog.status_label.text()
    add(dialog, "studio", "me@studio")
    tick(dialog, 1)
    assert dialog.checked_machines == ("local", "studio")
    assert dialog.ok.isEnabled()

    dialog.check.click()
    assert not dialog.check.isEnabled()
    qtbot.waitUntil(lambda: states(dialog) == ["Ready · 64 GB", "Not ready"])
    assert dialog.status_label.text() == "studio wants a password."
    dialog.test.click()
    qtbot.waitUntil(lambda: dialog.status_label.text() == "2 ranks by ring: 30 µs")
    assert commands.asked[1][:5] == ["cluster", "test", "/models/tiny", "--hosts", "local,studio"]

    dialog.list.setCurrentItem(dialog.list.topLevelItem(1))
    dialog.remove.click()
    assert states(dialog) == ["Ready · 64 GB"]


def test_typed_text_stays_if_the_list_is_unreadable(make: Make, tmp_path: Path) -> None:
    dialog = make()
    (tmp_path / "hosts.json").write_text("{")
    add(dialog, "studio", "me@studio")
    assert "hosts.json" in dialog.status_label.text()
    assert (dialog.name.text(), dialog.address.text()) == ("studio", "me@studio")
    (tmp_path / "hosts.json").unlink()
    dialog.add.click()
    assert [row.text(0) for row in dialog._rows()] == ["local", "studio"]


def test_model_starts_or_its_error_is_shown(qtbot: QtBot, make: Make) -> None:
    dialog = make()
    add(dialog, "studio", "me@studio")
    tick(dialog, 1)
    dialog.model.setCurrentIndex(1)
    dialog.ok.click()
    qtbot.waitUntil(lambda: "wants a password" in dialog.status_label.text(), timeout=60_000)
    dialog.model.setCurrentIndex(0)
    with qtbot.waitSignal(dialog.chat_requested, timeout=60_000) as opened:
        dialog.ok.click()
    assert opened.args == ["remote:http://studio.hosts.localhost:54321/v1#Tiny"]
