"""Program in its own process with the real engine and the Guide."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from app.store import Store
from tests.checked import share_ways

ROOT = Path(__file__).resolve().parents[3]

WINDOW_FIRST = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app.program import selftest
from app.program.application import Application, make_qt
from app.settings.paths import Paths

qt = make_qt(["stretto"])
application = Application(qt, Paths.for_profile(Path(sys.argv[1])))
application.ended.connect(qt.quit)
application.start()
assert application.window.isVisible()
heavy = {"mlx", "mlx_lm", "transformers", "numpy", "mcp", "mcp_types", "pydantic", "httpx2"}
heavy &= set(sys.modules)
assert not heavy, heavy
chat = application.window.workspace.active.chat
chat.turn.send("hello")


def close():
    # Once the model is there and has written something, with the reply still running or not.
    if chat.reply.message(chat.transcript.leaf_id).content or chat.model.status.error:
        application.window.close()


timer = QTimer(interval=5)
timer.timeout.connect(close)
timer.start()
sys.exit(qt.exec())
"""


def run(arguments, **options):
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "STRETTO_NO_WAYS": ""}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_window_appears_before_mlx_and_closes_cleanly(profile):
    share_ways(profile)
    child = run(["-c", WINDOW_FIRST, str(profile)])
    out, err = child.communicate(timeout=90)
    err = "\n".join(line for line in err.splitlines() if "plugin does not support" not in line)
    assert (child.returncode, out, err) == (0, "", "")
    with Store.open(profile / "chats.db") as store:
        (chat,) = store.chats()
        assert [m.role for m in store.path(chat.id)] == ["user", "assistant"]


def test_termination_signal_exits_cleanly(profile):
    child = run(["-m", "app", "--profile", str(profile)])
    try:
        for _ in range(1200):
            if (profile / "chats.db-wal").exists() or child.poll() is not None:
                break
            try:
                child.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 0
    assert "Traceback" not in err
