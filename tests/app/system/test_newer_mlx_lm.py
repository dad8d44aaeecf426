"""A wheel of a newer mlx-lm: chosen by its hash, used from the next start, left where it fails."""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import asdict
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import flows
from app.bridge import Bridge
from app.system.newer_mlx_lm import Chosen, NewerMlxLm, examine
from app.ui.dialogs.about import WheelDialog
from app.ui.settings.advanced import Advanced
from app.ui.settings.form_page import FormPage
from engine.model import overlay
from tests.app.conftest import Start

GOOD = {"mlx_lm/__init__.py": "", "mlx_lm/_version.py": '__version__ = "99.9"\n'}


@pytest.fixture(autouse=True)
def as_at_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has imported mlx-lm yet, and what is put on the import path goes after the test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(
        sys, "modules", {n: m for n, m in sys.modules.items() if n.split(".")[0] != "mlx_lm"}
    )
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.setattr(overlay, "watcher", None)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return made(tmp_path, GOOD)


def made(folder: Path, content: dict[str, str]) -> Path:
    path = folder / "mlx_lm-99.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def bridge(qapp: QApplication) -> Iterator[Bridge]:
    made = Bridge()
    yield made
    qapp.processEvents()
    made.drain()


def taken(qtbot: QtBot, folder: Path, bridge: Bridge, wheel: Path) -> NewerMlxLm:
    newer = NewerMlxLm(folder, bridge)
    with qtbot.waitSignal(newer.changed):
        flows.start(newer, newer.take(wheel, overlay.digest(wheel)))
    return newer


def test_it_is_used_from_the_next_start_on_and_no_longer_once_removed(
    qtbot: QtBot, tmp_path: Path, bridge: Bridge, wheel: Path
) -> None:
    folder = tmp_path / "profile" / "mlx-lm"
    first = taken(qtbot, folder, bridge, wheel)
    assert (first.used, first.waits) == ("", True)
    assert first.words == "mlx-lm 99.9, from the next start"
    assert overlay.in_use() is None
    second = NewerMlxLm(folder, bridge)
    second.begin()
    used = overlay.in_use()
    assert used is not None
    assert (used.version, second.used, second.waits) == ("99.9", "99.9", False)
    assert overlay.watcher is not None
    overlay.watcher("")
    bridge.drain()
    second.remove()
    assert second.words == "Built-in, from the next start"
    assert (used.folder / "mlx_lm").is_dir(), "this run may still import some of it"
    third = NewerMlxLm(folder, bridge)
    assert third.chosen is None
    assert third.words == "Built-in"


def test_a_start_that_ends_the_program_is_not_tried_twice(
    qtbot: QtBot, tmp_path: Path, bridge: Bridge, wheel: Path
) -> None:
    folder = tmp_path / "mlx-lm"
    taken(qtbot, folder, bridge, wheel)
    NewerMlxLm(folder, bridge).begin()  # and dies
    os.environ[overlay.VARIABLE] = ""
    again = NewerMlxLm(folder, bridge)
    with qtbot.waitSignal(again.failed) as said:
        again.begin()
    assert said.args == [
        "mlx-lm 99.9 is not used: Stretto quit while starting with it. "
        "Stretto uses the built-in version."
    ]
    assert overlay.in_use() is None
    again.try_again()
    orderly = NewerMlxLm(folder, bridge)
    orderly.begin()
    orderly.end()  # closed before the engine was there: nothing is known against it
    os.environ[overlay.VARIABLE] = ""
    last = NewerMlxLm(folder, bridge)
    last.begin()
    assert last.used == "99.9"


def test_one_that_the_engine_cannot_import_is_told_and_not_used_again(
    qtbot: QtBot, tmp_path: Path, bridge: Bridge, wheel: Path
) -> None:
    folder = tmp_path / "mlx-lm"
    taken(qtbot, folder, bridge, wheel)
    newer = NewerMlxLm(folder, bridge)
    newer.begin()
    assert overlay.watcher is not None
    with qtbot.waitSignal(newer.failed):
        overlay.watcher("it cannot be imported (SyntaxError)")
    assert "cannot be imported (SyntaxError). Stretto uses the built-in version." in newer.words
    assert NewerMlxLm(folder, bridge).chosen == newer.chosen


def test_why_it_is_not_used_is_noted_in_any_characters(
    qtbot: QtBot, tmp_path: Path, bridge: Bridge, wheel: Path
) -> None:
    newer = taken(qtbot, tmp_path / "mlx-lm", bridge, wheel)
    newer.refuse("it cannot be imported (\udcff.py)")
    assert NewerMlxLm(tmp_path / "mlx-lm", bridge).chosen == newer.chosen


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"wheel": 1}',
        "null",
        "\x00",
        pytest.param('{"more": ' + "[" * 100_000, id="deep"),
    ],
)
def test_a_damaged_note_is_no_choice(tmp_path: Path, bridge: Bridge, text: str) -> None:
    (tmp_path / "chosen.json").write_text(text)
    assert NewerMlxLm(tmp_path, bridge).chosen is None
    whole = {"wheel": "w", "sha256": "../../x", "version": "1", "starting": False, "failed": ""}
    (tmp_path / "chosen.json").write_text(json.dumps(whole))
    assert NewerMlxLm(tmp_path, bridge).chosen is None


def test_what_was_unpacked_and_has_gone_is_said(
    qtbot: QtBot, tmp_path: Path, bridge: Bridge, wheel: Path
) -> None:
    newer = taken(qtbot, tmp_path / "mlx-lm", bridge, wheel)
    assert newer.chosen is not None
    shutil.rmtree(newer.place(newer.chosen.sha256))
    after = NewerMlxLm(tmp_path / "mlx-lm", bridge)
    after.begin()
    assert (
        after.words
        == "mlx-lm 99.9 is not used: there is no such folder. Stretto uses the built-in version."
    )


def test_the_settings_show_the_hash_before_anything_is_unpacked(
    qtbot: QtBot, tmp_path: Path, bridge: Bridge
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    newer = NewerMlxLm(tmp_path / "mlx-lm", bridge)
    page = FormPage(window)
    window.show()
    advanced = Advanced(page, newer)
    (tmp_path / "other.whl").write_text("")
    advanced.take(tmp_path / "other.whl")
    qtbot.waitUntil(lambda: "no wheel of mlx-lm" in advanced.told.text())
    wheel = made(tmp_path, {**GOOD, "mlx_lm/__init__.py": "raise SystemExit('not today')"})
    advanced.take(wheel)
    dialog = found(qtbot, window)
    assert dialog.hash.text().replace("\n", "") == overlay.digest(wheel)
    assert not (tmp_path / "mlx-lm").exists()
    dialog.take.click()
    qtbot.waitUntil(lambda: "from the next start" in advanced.which.text())
    # It is tried in a process of its own, and does not start there.
    qtbot.waitUntil(lambda: "Cannot be used" in advanced.told.text(), timeout=60_000)
    assert "SystemExit: not today" in newer.words
    assert "Stretto uses the built-in version" in advanced.which.text()
    assert advanced.again.isVisibleTo(page)
    advanced.remove.click()
    assert advanced.which.text() == "Built-in"


def found(qtbot: QtBot, window: QWidget) -> WheelDialog:
    qtbot.waitUntil(lambda: bool(window.findChildren(WheelDialog)))
    return window.findChildren(WheelDialog)[0]


def test_the_doctor_is_stopped_when_nobody_waits(tmp_path: Path) -> None:
    import threading

    from app.system.newer_mlx_lm import CancelledError

    stop = threading.Event()
    stop.set()
    with pytest.raises(CancelledError):
        examine(tmp_path, False, stop)


def test_the_program_says_at_its_start_that_it_uses_its_own(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "profile" / "mlx-lm"
    folder.mkdir(parents=True)
    chosen = Chosen("mlx_lm-1-py3-none-any.whl", "a" * 64, "1.0")
    (folder / "chosen.json").write_text(json.dumps(asdict(chosen)))
    run = start()
    run.until(lambda: "Stretto uses the built-in version" in run.window.toast.text)
    run.window.settings_commands.show_settings()
    window = run.settings
    assert window is not None
    assert "mlx-lm 1.0 is not used" in window.advanced.which.text()
