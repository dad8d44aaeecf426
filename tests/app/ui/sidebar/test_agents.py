"""Agents of other programs in the window."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible

from app.program.application import make_engine
from app.serving import ServerState
from app.settings.settings import Settings
from app.ui.sidebar.agent_list import MOST_ROWS, AgentDialog, sort_as_tree
from engine.serve.agents import AgentSnapshot
from tests.app.conftest import Run, Start, free_port
from tests.engine.scripted import write_scripted
from tests.engine.speaking import WEATHER


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_scripted(tmp_path_factory.mktemp("models") / "scripted"))


@pytest.fixture
def run(start: Start, profile: Path, model: str) -> Iterator[Run]:
    profile.mkdir()
    port = free_port()
    told = {"model": model, "models": [model], "serve_port": port, "serve": True}
    (profile / "settings.json").write_text(json.dumps(told))
    made = start(engine_factory=make_engine)
    made.qtbot.waitUntil(lambda: made.pane.header.state == "Ready", timeout=60_000)
    made.qtbot.waitUntil(lambda: made.app.serving.door is ServerState.OPEN, timeout=30_000)
    yield made
    made.end()


class Asking(threading.Thread):
    def __init__(
        self,
        run: Run,
        agent: str,
        *,
        result: bool = False,
        task: str = "",
        program: str = "claude-cli/2.1.330 (external, cli)",
    ) -> None:
        super().__init__()
        messages: list[dict[str, Any]] = [{"role": "user", "content": task or f"Read {agent}"}]
        if result:
            call = {"name": "weather", "arguments": json.dumps({"city": "Turin"})}
            called = {"id": "c1", "type": "function", "function": call}
            messages.append({"role": "assistant", "content": "", "tool_calls": [called]})
            messages.append({"role": "tool", "tool_call_id": "c1", "content": "Sunny"})
        body = {"model": "scripted", "messages": messages, "tools": [WEATHER], "max_tokens": 40}
        headers = {
            "Content-Type": "application/json",
            "User-Agent": program,
            "X-Claude-Code-Session-Id": "session one",
        }
        if agent != "main":
            headers["X-Claude-Code-Agent-Id"] = agent
        address = f"{run.app.serving.address}/v1/chat/completions"
        self._asked = urllib.request.Request(address, json.dumps(body).encode(), headers)
        self.status = 0
        self.start()

    def run(self) -> None:
        try:
            with urllib.request.urlopen(self._asked, timeout=60) as answer:
                answer.read()
                self.status = answer.status
        except urllib.error.HTTPError as error:
            self.status = error.code


def six(run: Run) -> list[str]:
    names = ["main", *(f"part {n}" for n in range(5))]
    first = Asking(run, "main")
    run.until(lambda: first.status == 200)
    asked = [Asking(run, name) for name in names[1:]]
    run.until(lambda: all(each.status == 200 for each in asked))
    part = run.window.agents.part
    run.until(lambda: [r.seen.state for r in part.rows] == ["tool"] * 6)
    return names


def forget(run: Run) -> None:
    run.app.serving._server.requests._agents.clear()
    part = run.window.agents.part
    run.until(lambda: not part.rows and not part.groups)


def test_six_agents_keep_their_rows(run: Run):
    six(run)
    part = run.window.agents.part
    (group,) = part.groups
    assert [row.level for row in part.rows] == [1, 2, 2, 2, 2, 2]
    first = part.rows[0]
    role = QAccessible.queryAccessibleInterface(first).role()
    assert role == QAccessible.Role.ListItem
    rows = list(part.rows)
    done = Asking(run, "part 2", result=True)
    run.until(lambda: done.status == 200)
    run.until(lambda: [r.seen.state for r in part.rows].count("ended") == 1)
    assert part.rows == rows
    run.qtbot.keyClick(group, Qt.Key.Key_Return)
    assert part.rows == []
    assert group.isVisible()
    run.qtbot.keyClick(group, Qt.Key.Key_Return)
    assert len(part.rows) == 6

    # The agent can be followed and kept as a chat.
    row = next(r for r in part.rows if r.seen.state == "ended")
    run.qtbot.keyClick(row, Qt.Key.Key_Return)
    (dialog,) = run.window.findChildren(AgentDialog)
    assert dialog.head.text() == "Read part 2"
    assert dialog.text.toPlainText() == "It is fine."
    dialog.keep.click()
    chat = run.pane.chat
    assert run.app.library.chat(chat.id).title == "Read part 2"
    run.until(lambda: len(chat.transcript.path) == 2)
    said = [message.content for message in chat.transcript.path]
    assert said[0] == "Read part 2"
    assert 'weather {"city": "Turin"}' in said[1]
    assert "Sunny" in said[1]
    assert said[1].endswith("It is fine.")
    dialog.close()

    # An agent that ends while focused leaves no trace.
    row = part.rows[-1]
    row.setFocus()
    run.qtbot.keyClick(row, Qt.Key.Key_Return)
    (dialog,) = (d for d in run.window.findChildren(AgentDialog) if d.isVisible())
    forget(run)
    assert not dialog.keep.isEnabled()
    run.app.serving.stop(row.number)
    dialog.save_requested.emit(row.number)
    dialog.close()


def test_group_pauses_and_one_member_stops(run: Run):
    six(run)
    part = run.window.agents.part
    (group,) = part.groups
    run.qtbot.keyClick(group, Qt.Key.Key_Space)
    run.until(lambda: {r.seen.state for r in part.rows} == {"paused"})
    asked = [Asking(run, f"part {n}", result=True) for n in range(5)]
    server = run.app.serving._server
    run.until(lambda: sum(bool(r.model) for r in list(server.requests.running)) == 5)
    run.qtbot.wait(300)
    assert [each.status for each in asked] == [0] * 5
    row = next(r for r in part.rows if r.seen.task == "Read part 3")
    run.qtbot.keyClick(row, Qt.Key.Key_Delete)
    run.until(lambda: asked[3].status == 400)
    assert [each.status for each in asked] == [0, 0, 0, 400, 0]
    assert group.paused  # all except the one without a reply
    group.pause.click()
    run.until(lambda: [each.status for each in asked].count(200) == 4)
    run.until(lambda: row.seen.state == "stopped")


def test_agent_list_is_limited_until_expanded(run: Run):
    part = run.window.agents.part
    asked = [Asking(run, f"part {n}") for n in range(MOST_ROWS + 4)]
    run.until(lambda: all(each.status == 200 for each in asked))
    run.until(lambda: part.more.text() == "4 more")
    assert len(part.rows) == MOST_ROWS
    part.more.click()
    assert len(part.rows) == MOST_ROWS + 4
    part.more.click()
    assert len(part.rows) == MOST_ROWS

    forget(run)  # Ids and tasks are external data.
    one = Asking(run, "x" * 4_000, task="\u202eevil\x1b[31m\r\nsecond <b>line</b>")
    run.until(lambda: one.status == 200)
    run.until(lambda: bool(part.rows))
    assert part.rows[0].seen.task == "evil[31m"


def test_window_chats_have_priority_over_client_shares(run: Run):
    server = run.app.serving._server
    assert server._answering.priority == -1
    run.window.settings_commands.show_settings()
    priority = run.settings.pages.fields["serve_equal"].buttons
    priority[True].click()
    assert server._answering.priority == 0
    assert run.app.serving._server is server  # running replies are not disturbed
    assert run.app.settings.serve_equal is True
    priority[False].click()
    assert server._answering.priority == -1

    shares = run.settings.programs.shares
    shares.program.setCurrentText("Codex")
    shares.share.setValue(40)
    shares.program.setCurrentText("Claude Code")
    assert (shares.share.value(), shares.share.maximum()) == (0, 60)
    shares.share.setValue(60)
    assert server._answering.shares == {"Codex": 40, "Claude Code": 60}
    shares.program.setCurrentText("Codex")
    assert (shares.share.value(), shares.share.maximum()) == (40, 40)
    shares.share.setValue(0)
    assert server._answering.shares == {"Claude Code": 60}
    assert run.app.serving._server is server
    assert Settings.load(run.app.settings.file).serve_shares == {"Claude Code": 60}
    asked = Asking(run, "main", program="Editor/1.0")
    run.until(lambda: asked.status == 200)
    run.until(lambda: shares.program.findText("Editor") >= 0)
    assert shares.program.currentText() == "Codex"


def test_agent_tree_tolerates_any_parents():
    def seen(number: int, parent: int) -> AgentSnapshot:
        return AgentSnapshot(number, 1, parent, "p", "t")

    agents = [seen(1, 0), seen(2, 1), seen(3, 9), seen(4, 2)]
    assert [(s.id, depth) for s, depth in sort_as_tree(agents)] == [(1, 0), (2, 1), (4, 2), (3, 0)]
    deep = [seen(n, n - 1) for n in range(1, 2_000)]
    assert [s.id for s, _ in sort_as_tree(deep)] == list(range(1, 2_000))
