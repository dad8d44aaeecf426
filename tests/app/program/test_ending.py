"""Shutdown with threads that don't end on their own."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from app import flows
from app.program import application
from tests.app.conftest import Start

STUCK_THREAD = """
import atexit, sys, threading
from app.__main__ import main
from app.program.application import Application

def stick(application):
    # As the engine thread is while it imports or loads: Python cannot end without it.
    threading.Thread(target=threading.Event().wait, name="stuck").start()
    application.shut_down()

Application._start_engine = stick
atexit.register(print, "children ended", flush=True)
print("status", main(["--profile", sys.argv[1]]))
"""


def test_process_ends_with_a_stuck_thread(profile):
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    child = subprocess.run(
        [sys.executable, "-c", STUCK_THREAD, str(profile)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (child.returncode, child.stdout) == (0, "children ended\n"), child.stderr


def test_parts_share_one_time_limit_at_the_end(start: Start, monkeypatch: pytest.MonkeyPatch):
    run = start()
    run.ready()
    clock, waits = [1000.0], {}
    monkeypatch.setattr(application, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    end, stop, close = flows.end, run.app.engine.stop, run.app.library.close

    def slow_end(seconds: float) -> None:
        waits["sequences"] = seconds
        clock[0] += seconds
        end(seconds)

    def slow_stop(timeout: float) -> None:
        waits["engine"] = timeout
        clock[0] += timeout
        stop(timeout)

    def note_close(timeout_s: float) -> None:
        waits["tools"] = timeout_s
        close(timeout_s)

    monkeypatch.setattr(flows, "end", slow_end)
    monkeypatch.setattr(run.app.engine, "stop", slow_stop)
    monkeypatch.setattr(run.app.library, "close", note_close)
    run.app.shut_down()
    assert waits["sequences"] + waits["engine"] == run.app.STOP_S
    assert waits["tools"] == run.app.CHILDREN_STOP_S
    assert run.app.STOP_S + run.app.CHILDREN_STOP_S < 5
