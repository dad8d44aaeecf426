"""Long tasks in a child process while chats stream on all CPU cores."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.engine import Engine
from engine.errors import EngineError
from engine.params import SamplingParams
from engine.runtime import loop
from engine.sandbox import process, protocol
from engine.sandbox.confined import Sandbox
from tests.engine.sandbox.test_confined import write_tokenizer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="OpenBLAS is taken on Linux only")


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_last_token_time", float("-inf"))


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_child_is_paced_only_while_a_chat_streams(
    quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=lambda: now))
    assert not process.is_streaming()
    process.record_token()
    assert process.is_streaming()
    now += 2.0
    assert not process.is_streaming()


def test_paused_child_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def look(seconds: float) -> None:
        deadline = time.monotonic() + 10
        while state(child.pid) != "T":
            assert time.monotonic() < deadline
        seen.append("stopped")

    clock = SimpleNamespace(sleep=look, monotonic=time.monotonic)
    monkeypatch.setattr(process, "time", clock)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert process.pause_process(child.pid) >= 0
        child.communicate(b"\n", timeout=60)  # would hang if it was still stopped
    assert child.returncode == 0
    clock.sleep = seen.append
    process.pause_process(child.pid)  # the process has ended, which isn't an error
    assert seen == ["stopped", process.PAUSE_S]


def test_pauses_are_excluded_from_task_time(
    quiet: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Pauses on a fake clock that each exceed the whole time limit."""
    ahead = 0.0

    def pause(pid: int) -> float:
        nonlocal ahead
        ahead += 1000.0
        return 1000.0

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    monkeypatch.setattr(process, "time", clock)
    monkeypatch.setattr(process, "is_streaming", lambda: True)
    monkeypatch.setattr(process, "pause_process", pause)
    write_tokenizer(tmp_path)
    confined = Sandbox()
    try:
        with pytest.raises(EngineError, match="not a model folder"):
            confined.inspect_model(tmp_path, "it")
        assert ahead == 0  # short tasks aren't paced
        assert confined.check_tokenizer(tmp_path, "it", None).largest_id > 0
        assert ahead > protocol.TOKENIZER_LIMITS.cpu_s
    finally:
        confined.close()


def test_engine_reports_tokens_computed_on_cpu(
    monkeypatch: pytest.MonkeyPatch,
    model_folder: Callable[[str], Path],
) -> None:
    recorded: list[None] = []
    monkeypatch.setattr(process, "record_token", lambda: recorded.append(None))
    for taken in (False, True):
        monkeypatch.setattr(loop, "has_openblas", lambda taken=taken: taken)
        with Engine() as engine:
            chat = engine.open_session(engine.load(model_folder("plain")))
            chat.send("Hello", SamplingParams(max_tokens=2)).text(60)
        assert bool(recorded) == taken
