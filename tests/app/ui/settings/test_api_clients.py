"""Other programs that use the window's engine."""

from __future__ import annotations

import json
import socket
import stat
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.program.application import make_engine
from app.serving import ServerState
from app.settings.settings import Settings
from app.system import terminal
from app.ui.settings.other_programs import NewKey
from app.ui.settings.use_with import AGENT_NAMES, UseWith
from app.ui.sidebar.agent_list import AgentDialog
from engine.bench.random_models import SHAPES, write_model
from engine.cache.offload import CLIENT_PREFIX, client_files
from engine.cli.launch import AGENTS
from engine.serve import conversations
from engine.serve.auth import Keys
from tests.app.conftest import Run, Start, free_port
from tests.engine.scripted import write_scripted

LONG = {"max_tokens": 6000, "logit_bias": {"2": -100}}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_model(tmp_path_factory.mktemp("models") / "Small", SHAPES["tiny"]))


@pytest.fixture
def run(start: Start, profile: Path, model: str) -> Iterator[Run]:
    profile.mkdir()
    told = {"model": model, "models": [model], "serve_port": free_port()}
    (profile / "settings.json").write_text(json.dumps(told))
    made = start(engine_factory=make_engine)
    made.qtbot.waitUntil(lambda: made.pane.header.state == "Ready", timeout=60_000)
    yield made
    made.end()


def opened(run: Run) -> None:
    run.window.settings_commands.show_settings()
    programs = run.settings.programs
    run.settings.pages.fields["serve"].click()
    run.qtbot.waitUntil(lambda: run.app.serving.door is ServerState.OPEN, timeout=30_000)
    assert "no clients" in programs.state.text()


class Client:
    def __init__(self, run: Run, key: str = "", **fields: object) -> None:
        fields.setdefault("messages", [{"role": "user", "content": "hello"}])
        headers = {"Content-Type": "application/json", "User-Agent": "Editor/1.0"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._asked = urllib.request.Request(
            f"{run.app.serving.address}/v1/chat/completions",
            json.dumps(fields).encode(),
            headers,
        )
        self.status, self.answer = 0, {}
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()
        self._run = run

    def _ask(self) -> None:
        try:
            with urllib.request.urlopen(self._asked, timeout=60) as answer:
                self.answer, self.status = json.load(answer), answer.status
        except urllib.error.HTTPError as error:
            self.answer, self.status = json.load(error), error.code

    def wait(self) -> None:
        self._run.qtbot.waitUntil(lambda: not self._thread.is_alive(), timeout=60_000)
        self._thread.join()


def test_models_on_disk_are_offered_without_being_opened(run: Run):
    folder = write_model(run.app.models.folder / "Unopened", SHAPES["tiny"])
    opened(run)
    run.qtbot.waitUntil(lambda: "Unopened" in run.app.serving.models, timeout=30_000)
    later = folder.rename(folder.with_name("Later"))
    run.app.models.downloads.download_finished.emit(str(later))
    run.qtbot.waitUntil(lambda: "Later" in run.app.serving.models, timeout=30_000)


def test_local_api_is_off_by_default(run: Run):
    assert run.app.serving.door is ServerState.OFF
    assert run.window.agents.part.isHidden()
    with socket.create_server(("127.0.0.1", run.app.settings.serve_port)):
        run.window.settings_commands.show_settings()
        programs = run.settings.programs
        run.settings.pages.fields["serve"].click()
        run.qtbot.waitUntil(lambda: run.app.serving.door is ServerState.FAILED, timeout=30_000)
        assert "is in use" in programs.state.text()
        run.settings.pages.fields["serve"].click()
        assert run.app.serving.door is ServerState.OFF
    opened(run)
    assert not run.window.agents.part.isHidden()
    with urllib.request.urlopen(f"{run.app.serving.address}/v1/models", timeout=60) as told:
        states = {model["id"]: model["state"] for model in json.load(told)["data"]}
    assert states["Small"] == "loaded"
    assert states["Guide"] == "unloaded"
    client = Client(run, max_tokens=4)
    client.wait()
    assert client.status == 200
    programs.pastes["curl"].click()
    assert f"{run.app.serving.address}/v1/chat/completions" in QApplication.clipboard().text()
    programs.pastes["Python"].click()
    assert 'model="Small"' in QApplication.clipboard().text()
    run.settings.pages.fields["serve"].click()
    assert run.app.serving.door is ServerState.OFF
    assert run.window.agents.part.isHidden()
    assert run.app.settings.serve is False


def test_agent_is_shown_paused_and_stopped(run: Run):
    opened(run)
    client = Client(run, **LONG)
    part = run.window.agents.part
    run.until(lambda: part.rows and part.rows[0].seen.state == "answering")
    row = part.rows[0]
    assert (row.seen.program, row.seen.task, row.seen.model) == ("Editor", "hello", "Small")
    row.setFocus()
    run.qtbot.keyClick(row, Qt.Key.Key_Return)
    (dialog,) = run.window.findChildren(AgentDialog)
    run.until(lambda: dialog.text.toPlainText())
    run.window.toggle_score()
    score = run.window.score
    run.until(lambda: any(lane.lane.state == "writing" for lane in score.rows()))
    (lane,) = (lane for lane in score.rows() if lane.lane.title == "hello")
    run.qtbot.keyClick(lane, Qt.Key.Key_Return)
    assert len(run.window.findChildren(AgentDialog)) == 2
    run.window.findChildren(AgentDialog)[-1].close()
    lane.button.click()
    run.until(lambda: row.seen.state == "paused" and lane.lane.state == "paused")
    lane.button.click()
    run.until(lambda: row.seen.state == "answering" and lane.lane.state == "writing")
    run.qtbot.keyClick(row, Qt.Key.Key_Space)
    run.until(lambda: row.seen.state == "paused")
    run.until(lambda: dialog.pause.text() == "Resume")
    dialog.pause.click()
    run.until(lambda: row.seen.state == "answering")
    run.qtbot.keyClick(row, Qt.Key.Key_Delete)
    client.wait()
    assert client.status == 200
    assert client.answer["choices"][0]["message"]["content"]
    run.until(lambda: not part.rows)
    run.until(lambda: dialog.state.text() == "This reply has ended.")
    dialog.close()


def test_local_api_applies_limits_and_aliases(run: Run):
    run.app.settings.set(serve_aliases="claude-*=Small, gpt-*=nobody")
    opened(run)
    client = Client(run, model="claude-haiku-5", max_tokens=2)
    client.wait()
    assert (client.status, client.answer["model"]) == (200, "Small")
    client = Client(run, model="gpt-9", max_tokens=2)
    client.wait()
    assert client.status == 404
    programs = run.settings.programs
    run.settings.pages.fields["serve_aliases"].setText("claude-*")
    run.settings.pages.fields["serve_aliases"].editingFinished.emit()
    run.until(lambda: "alias" in programs.state.text())
    assert run.app.serving.door is ServerState.FAILED
    run.settings.pages.fields["serve_aliases"].clear()
    run.settings.pages.fields["serve_aliases"].editingFinished.emit()
    run.until(lambda: run.app.serving.door is ServerState.OPEN)
    fields = run.settings.pages.fields

    def settled(change: Callable[[], object]) -> None:
        change()
        run.until(lambda: run.app.serving.door in (ServerState.OPEN, ServerState.FAILED))

    def chosen() -> Any:
        return run.app.serving._server.slots.sessions._settings

    settled(lambda: fields["serve_sessions"].setValue(2))
    settled(lambda: fields["serve_evict"].click())
    settled(lambda: fields["serve_per_key"].setValue(3))
    settled(lambda: fields["serve_per_minute"].setValue(40))
    settled(lambda: fields["serve_unload_min"].setValue(5))
    fields["serve_origins"].setText("https://one.example,  https://two.example ")
    settled(fields["serve_origins"].editingFinished.emit)
    found = chosen()
    assert (found.sessions, found.policy, found.per_key, found.per_minute) == (2, "evict", 3, 40)
    assert found.unload_after == 300
    assert found.origins == ("https://one.example", "https://two.example")
    fields["serve_origins"].setText("two.example")
    settled(fields["serve_origins"].editingFinished.emit)
    assert "origin" in run.settings.programs.state.text()
    again = Settings.load(run.app.settings.file)
    assert (again.serve_sessions, again.serve_evict, again.serve_per_minute) == (2, True, 40)


def test_only_window_unloads_its_model(run: Run):
    opened(run)
    client = Client(run, max_tokens=4)
    client.wait()
    assert client.status == 200
    server = run.app.serving._server
    (entry,) = (e for e in server.served.entries if e.model is not None)
    assert server.served.is_used_elsewhere(entry.model.id)
    assert run.app.loader.unload(entry.folder)
    assert not server.served.is_used_elsewhere(entry.model.id if entry.model else "")
    second = Client(run, max_tokens=2)
    second.wait()
    assert second.status == 200


def test_key_works_until_revoked(run: Run):
    opened(run)
    programs = run.settings.programs
    run.settings.pages.fields["serve_with_key"].click()
    run.qtbot.waitUntil(lambda: run.app.serving.door is ServerState.FAILED, timeout=30_000)
    assert "key" in programs.state.text()
    programs.make("My editor")
    run.qtbot.waitUntil(lambda: bool(run.window.findChildren(NewKey)))
    (shown,) = run.window.findChildren(NewKey)
    key = shown.key.text()
    shown.close()
    run.qtbot.waitUntil(lambda: run.app.serving.door is ServerState.OPEN, timeout=30_000)
    for given, status in ((key, 200), ("", 401), (key + "x", 401)):
        client = Client(run, given, max_tokens=1)
        client.wait()
        assert client.status == status
    (made,) = Keys(run.app.serving.keys_file).all()
    assert key not in (run.app.paths.data / "serve-keys.json").read_text()
    programs.revoke(made.id)
    run.qtbot.waitUntil(lambda: bool(Keys(run.app.serving.keys_file).all()[0].revoked))
    client = Client(run, key, max_tokens=1)
    client.wait()
    assert client.status == 401


def test_server_restarts_after_quick_toggle(run: Run, monkeypatch: pytest.MonkeyPatch):
    """The stopping server keeps its port until its clients have been notified."""
    opened(run)
    server, held = run.app.serving._server, threading.Event()
    end = server.stop
    monkeypatch.setattr(server, "stop", lambda: (held.wait(), end()))
    on = run.settings.pages.fields["serve"]
    on.click()
    assert run.app.serving.door is ServerState.OFF
    on.click()
    assert run.app.serving.door is ServerState.STARTING
    held.set()
    run.until(lambda: run.app.serving.door is not ServerState.STARTING)
    assert run.app.serving.door is ServerState.OPEN


def asked(run: Run, turns: int) -> tuple[int, int]:
    run.until(lambda: run.app.serving.door is ServerState.OPEN)
    said = [{"role": "user", "content": "Work with care. " * 100}]
    for turn in range(turns):
        said += [
            {"role": "assistant", "content": "It is fine."},
            {"role": "user", "content": f"go on {turn}"},
        ]
    client = Client(run, messages=said, max_tokens=8, temperature=0)
    client.wait()
    assert client.status == 200, client.answer
    usage = client.answer["usage"]
    known = usage["prompt_tokens_details"]["cached_tokens"]
    return usage["prompt_tokens"] - known, known


@pytest.mark.usefixtures("qtbot")
def test_agent_contexts_survive_restart_until_cleared(
    start: Start, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    model = str(write_scripted(tmp_path / "agent", context=8192))
    profile.mkdir()
    told = {"model": model, "models": [model], "serve": True, "serve_port": free_port()}
    (profile / "settings.json").write_text(json.dumps(told))
    monkeypatch.setattr(conversations, "WRITE_AFTER_IDLE_S", 0.1)
    run = start(engine_factory=make_engine)
    run.qtbot.waitUntil(lambda: run.app.serving.door is ServerState.OPEN, timeout=60_000)
    assert asked(run, 0)[1] == 0
    assert asked(run, 1)[0] < 64
    caches = run.app.paths.kv / CLIENT_PREFIX
    run.until(lambda: list(caches.glob("*.safetensors")))
    assert stat.S_IMODE(caches.stat().st_mode) == 0o700
    run.end()
    run = start(engine_factory=make_engine)
    read, known = asked(run, 2)
    assert read < 64 < 1000 < known

    run.window.settings_commands.show_settings()
    kept = run.settings.programs.cached_contexts
    run.until(lambda: kept.size.text())
    kept.clear.click()
    run.until(lambda: not kept.size.text() and not kept.clear.isEnabled())
    run.end()
    assert not [f for f in client_files(run.app.paths.kv) if f.suffix == ".safetensors"]
    run = start(engine_factory=make_engine)
    assert asked(run, 3)[1] < 64
    run.end()


AGENT = """#!/bin/sh
env > "$TOLD.part"; pwd >> "$TOLD.part"; mv "$TOLD.part" "$TOLD"
"""
TERMINAL = """#!/bin/sh
test "$1" = -e && SHELL=/bin/true exec "$2"
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="it would open the person's Terminal")
def test_agent_starts_in_terminal_or_shows_command(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    told, programs, project = tmp_path / "told", tmp_path / "programs", tmp_path / "my project"
    for folder in (programs, project):
        folder.mkdir()
    for name, text in (("claude", AGENT), ("x-terminal-emulator", TERMINAL)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("TOLD", str(told))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    opened(run)
    settings = run.settings
    assert set(AGENT_NAMES) == set(AGENTS)
    run.app.settings.set(agent=("claude", str(project)))
    settings.programs.use_with.click()
    (sheet,) = settings.findChildren(UseWith)
    assert sheet.line.toPlainText() == sheet.shell_command
    sheet.copy.click()
    assert "launch claude --url" in QApplication.clipboard().text()
    sheet.start.click()
    run.qtbot.waitUntil(told.exists, timeout=60_000)
    lines = told.read_text().splitlines()
    assert f"ANTHROPIC_BASE_URL={run.app.serving.address}" in lines
    assert "ANTHROPIC_MODEL=Small" in lines
    assert lines[-1] == str(project)

    # Without a terminal, the command is shown.
    monkeypatch.setattr(terminal, "TERMINALS", {})
    monkeypatch.setattr(sys, "platform", "linux")
    settings.programs.use_with.click()
    (sheet,) = (s for s in settings.findChildren(UseWith) if s.isVisible())
    sheet.agent.setCurrentIndex(sheet.agent.findData("codex"))
    sheet.start.click()
    assert "No terminal" in sheet.status_label.text()
    assert "launch codex" in sheet.line.toPlainText()
    sheet.close()
