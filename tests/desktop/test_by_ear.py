"""A first conversation through the accessibility tree alone, as with a screen reader.

Besides Xvfb it needs `apt-get install dbus at-spi2-core gir1.2-atspi-2.0 python3-gi`, and is
skipped without these packages.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.conftest import Desk

PYTHON = "/usr/bin/python3"  # the system's Python, which has the binding
READER = Path(__file__).parent / "reader.py"


def missing() -> str:
    if shutil.which("dbus-daemon") is None:
        return "dbus-daemon not installed"
    if not Path("/usr/share/dbus-1/services/org.a11y.Bus.service").exists():
        return "at-spi2-core not installed"
    code = "import gi; gi.require_version('Atspi', '2.0')"
    try:
        tried = subprocess.run([PYTHON, "-c", code], capture_output=True, check=False)
    except OSError:
        return f"{PYTHON} not installed"
    return "gir1.2-atspi-2.0 not installed" if tried.returncode else ""


class Ear:
    def __init__(self, desk: Desk, process: subprocess.Popen[str]) -> None:
        self._desk = desk
        self._process = process

    def ask(self, do: str, role: str = "", name: str = "", **more: str) -> Any:
        question = {"do": do, "role": role, "name": name, **more}
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def find(self, role: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._desk.until(lambda: found.update(self.ask("find", role, name) or {}) or found)
        return found

    def press(self, name: str) -> None:
        self._desk.until(lambda: self.ask("press", "push button", name))

    def write(self, name: str, text: str) -> None:
        self._desk.until(lambda: self.ask("write", "text", name, text=text))

    def heard(self) -> list[str]:
        return list(self.ask("heard")["announced"])

    def focused(self) -> list[list[str]]:
        return list(self.ask("heard")["focused"])


@pytest.fixture
def bus() -> Iterator[str]:
    if why := missing():
        pytest.skip(why)
    # The accessibility bus is a socket in this folder. Otherwise all test runs of a user share it.
    with tempfile.TemporaryDirectory() as folder:
        daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"],
            env={**os.environ, "XDG_RUNTIME_DIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        yield daemon.stdout.readline().strip()
        daemon.terminate()
        daemon.wait()
        daemon.stdout.close()


@pytest.fixture
def ear(display: str, bus: str, tmp_path: Path) -> Iterator[tuple[Desk, Ear]]:
    env = {"DBUS_SESSION_BUS_ADDRESS": bus, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    made = Desk(display, tmp_path / "profile", **env)
    reader = subprocess.Popen(
        [PYTHON, str(READER)],
        env={**os.environ, **env, "DISPLAY": display},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    made.start()
    yield made, Ear(made, reader)
    made.kill()
    reader.communicate("")


def test_first_conversation_by_accessibility_tree(ear: tuple[Desk, Ear]) -> None:
    desk, reader = ear
    assert reader.find("push button", "Send")["description"] == "Write a message first."
    reader.write("Message", "My code word is amber. Please remember it.")
    reader.press("Send")
    desk.until(lambda: any("Guide: done" in words for words in reader.heard()))
    began, done = reader.heard()  # two words of the answer, regardless of its tokens
    assert began == "Guide: replying"

    text = reader.find("label", "Reply")["text"]
    desk.until(desk.answers)  # the text is saved slightly later
    ((_, answer),) = desk.answers()
    assert text == answer
    assert done == f"Guide: done. {text}"
    assert reader.find("list item", "You: My code word")
    assert "tokens" in reader.find("list item", f"Guide: {text}")["description"]
    assert reader.find("tool bar", "Guide, Ready")

    reader.press("New Chat")
    assert reader.find("page tab", "New chat")
    assert reader.find("label", "Try Stretto with the Guide")
    reader.write("Search all chats", "amber")
    assert reader.find("list item", "Results")
    found = reader.find("list item", "My code word")
    assert "amber" in found["description"]

    desk.keys("ctrl+shift+f", "Return")
    desk.until(lambda: desk.title().startswith("My code word"))
    desk.keys("F6")  # to the last message of the conversation
    desk.until(lambda: reader.focused()[-1] == ["list item", f"Guide: {text}"])
    before = len(reader.focused())
    desk.keys("ctrl+comma")
    assert reader.find("dialog", "Settings")
    desk.until(lambda: desk.dialog("Settings") and len(reader.focused()) > before)
    desk.keys("Tab", "Tab")
    desk.until(lambda: reader.focused()[-1][0] == "combo box")
    assert [one for one in reader.focused() if not one[1]] == []
    assert desk.end() == 0
