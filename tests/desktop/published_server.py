"""Published tool server (`mcp-server-time` from PyPI), used with the keyboard.

Run by `python -m tests.torture published`, which installs the server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings.paths import Paths
from tests.desktop.conftest import Desk
from tests.engine.scripted import write_scripted
from tests.environments import python_of

CALL = '{"name": "time__get_current_time", "arguments": {"timezone": "Europe/Rome"}}'


@pytest.fixture
def calling(display: str, tmp_path: Path) -> Iterator[Desk]:
    model = str(write_scripted(tmp_path / "Scripted", (CALL,), 8192))
    paths = Paths.for_profile(tmp_path / "profile")
    paths.data.mkdir()
    program = str(python_of("mcp_time").with_name("mcp-server-time"))
    server = {"command": program, "args": ["--local-timezone", "UTC"]}
    paths.tools.write_text(json.dumps({"mcpServers": {"time": server}}))
    paths.settings.write_text(json.dumps({"model": model, "models": [model], "titles": False}))
    desk = Desk(display, tmp_path / "profile")
    try:
        desk.start()
        yield desk
    finally:
        desk.kill()


def test_call_consent_deny_and_always(calling: Desk) -> None:
    desk = calling

    def calls() -> list[tuple[str, str]]:
        rows = desk.ask("SELECT content, status FROM messages WHERE role = 'tool' ORDER BY seq")
        return [(str(content), str(status)) for content, status in rows]

    def ask(number: int, *answer: str) -> str:
        desk.say(f"Question {number}")
        desk.until(lambda: len(calls()) == number)
        if answer:
            desk.keys("ctrl+alt+y", *answer)
        desk.until(lambda: len(desk.answers()) == 2 * number)
        desk.keys("Escape", "Escape")  # back to the composer
        return calls()[-1][0]

    desk.keys("ctrl+k")
    desk.type("tools for this chat")
    desk.keys("Return", "shift+Tab", "shift+Tab", "shift+Tab", "space")  # Show Tools

    def press_until(sql: str) -> None:
        desk.press_until(lambda: desk.ask(sql), "space")

    press_until("SELECT 1 FROM tool_pins WHERE server = 'time'")  # Use These Tools
    press_until("SELECT 1 FROM chats WHERE params LIKE '%time/get_current_time%'")
    desk.keys("Escape")

    assert '"timezone": "Europe/Rome"' in ask(1, "Return")
    assert "did not allow" in ask(2, "d")
    assert '"timezone": "Europe/Rome"' in ask(3, "t")
    assert '"timezone": "Europe/Rome"' in ask(4), "it is not asked for again"
    assert desk.end() == 0
