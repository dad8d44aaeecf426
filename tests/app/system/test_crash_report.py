from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.system import logs
from app.system.crash import KEPT, CrashReports
from app.ui.dialogs.about import CrashDialog
from tests.app.conftest import Run, Start

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def reports(tmp_path):
    made = CrashReports(tmp_path, tmp_path / "stretto.log")
    yield made
    made.end()


def fail(words):
    try:
        raise ValueError(words)
    except ValueError as error:
        return type(error), error, error.__traceback__


def test_crash_report_omits_message_text(reports, tmp_path):
    (tmp_path / "stretto.log").write_text("\n".join(f"line {n}" for n in range(500)))
    path = reports.report(*fail("my secret prompt"))
    text = path.read_text()
    assert "ValueError" in text
    assert "in fail" in text
    assert "secret" not in text.replace('fail("my secret prompt")', "")
    assert "line 499" in text
    assert "line 300" not in text
    assert "mlx " in text


def test_reports_are_offered_once(reports):
    reports.report(*fail("x"))
    assert len(reports.begin()) == 1
    assert len(reports.mark_seen()) == 1
    assert reports.unseen_reports() == []


def test_clean_exit_leaves_no_report(reports, tmp_path):
    assert reports.begin() == []
    reports.end()
    assert list(tmp_path.iterdir()) == []


def test_repeated_error_does_not_fill_the_disk(tmp_path):
    for _ in range(10):
        one = CrashReports(tmp_path, tmp_path / "none.log")
        for _ in range(20):
            one.report(*fail("x"))
    assert 0 < len(list(tmp_path.glob("crash-*"))) <= KEPT


def test_unwritable_report_folder_is_not_a_second_error(tmp_path):
    gone = CrashReports(tmp_path / "gone", tmp_path / "gone" / "stretto.log")
    assert gone.begin() == []
    assert gone.report(*fail("x")) is None
    gone.end()


def test_process_crash_is_offered_at_next_start(start: Start, profile):
    script = """
        import ctypes, sys
        from pathlib import Path
        from PySide6.QtCore import QTimer
        from app.program.application import Application, make_qt
        from app.settings.paths import Paths
        from tests.app.fake_engine import FakeEngine
        qt = make_qt([])
        app = Application(qt, Paths.for_profile(Path(sys.argv[1])), lambda *_: FakeEngine())
        app.start()
        QTimer.singleShot(0, lambda: ctypes.string_at(0))
        qt.exec()
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(profile)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -11
    run = start()
    run.until(lambda: run.window.findChild(CrashDialog))
    dialog = run.window.findChild(CrashDialog)
    assert "Segmentation fault" in dialog.text.toPlainText()
    run.qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert "Segmentation fault" in QGuiApplication.clipboard().text()
    dialog.close()
    run.end()
    again = start()
    again.ready()
    assert again.window.findChild(CrashDialog) is None


def test_uncaught_window_error_is_reported(run: Run, profile):
    assert logs.on_uncaught is not None
    logs.on_uncaught(*fail("x"))
    run.end()
    assert logs.on_uncaught is None
    assert len(list((profile / "log").glob("crash-*.new.txt"))) == 1
