"""Coding agents with the window's server, for `tests.torture agents --window FOLDER`.

It uses a real screen (`xvfb-run`, with QT_QPA_PLATFORM=xcb) or none, and saves a screenshot of each
state of the agents. For Claude Code's six sub-agents there are two more: with one sub-agent
stopped, and with all of them paused.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from PySide6.QtWidgets import QWidget

from app.serving import ServerState
from app.settings.paths import Paths
from app.ui.sidebar.agent_list import AgentDialog
from engine.serve.agents import AgentSnapshot
from tests.driving import Driver, program_in
from tests.engine.scripted import call
from tests.torture.agents import CLAUDE_TOOLS, Agents, Here, claude_of

SIZE = (1360, 900)
TASKS = (
    "Find who calls the parser",
    "Read the tests of the lexer and tell which are slow",
    "Write down how errors travel",
    "List what the settings page stores",
    "Look for places that open files",
    "Say which modules import which",
)


def _shell(line: str) -> str:
    return call("Bash", command=line, description="Look")


SCRIPTS = {
    "six": [
        "\n".join(
            call("Agent", description=task, prompt=f"{task}\n[[part{n}]]", subagent_type="Explore")
            for n, task in enumerate(TASKS)
        ),
        "All six are done.",
    ],
    "part0": [_shell("sleep 40"), "The parser is called from three places."],
    "part1": [_shell("seq 1 9000"), _shell("sleep 40"), "Two tests are slow."],
    "part2": ["and so on …"],
    "part3": ["and so on …"],
    "part4": [_shell("sleep 3"), "and so on …"],
    "part5": [_shell("sleep 3"), _shell("sleep 40"), "They import each other."],
}


class Window:
    """Run the program on a new profile with its local API enabled.

    Args:
        pictures: folder for screenshots of the agents' activity.
    """

    def __init__(self, pictures: Path, model: Path, profile: Path) -> None:
        self._pictures, self._model, self._profile = pictures, model, profile
        self._shot: set[str] = set()
        self._held = ExitStack()
        self._orders = SimpleQueue[tuple[Callable[[], object], threading.Event]]()
        self.port = 0

    def __enter__(self) -> Window:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        paths = Paths.for_profile(self._profile)
        self.driver: Driver = self._held.enter_context(program_in(paths, str(self._model), SIZE))
        self.driver.application.settings.set(serve_port=self.port)
        self._switch(True)
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _switch(self, on: bool) -> None:
        application = self.driver.application
        application.settings.set(serve=on)
        application.serving.apply()
        wanted = ServerState.OPEN if on else ServerState.OFF
        self.driver.until(lambda: application.serving.door is wanted, 60)

    def again(self) -> None:
        """Restart the server from the settings, on any thread except the window's."""
        self.do(lambda: self._switch(False))
        self.do(lambda: self._switch(True))

    def do(self, work: Callable[[], object]) -> None:
        """Run `work` on the window's thread and wait for it."""
        done = threading.Event()
        self._orders.put((work, done))
        done.wait()

    def run(self, work: Callable[[], None]) -> None:
        """Run `work` on another thread while the window processes events."""
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            self.driver.until(
                lambda: not thread.is_alive() or not self._orders.empty() or self._is_new(), 3600
            )
            if self._is_new():
                self._shoot()
            if not self._orders.empty():
                ordered, done = self._orders.get()
                try:
                    ordered()
                finally:
                    done.set()

    def _stands(self) -> str:
        """Return the agents' states as a file name."""
        seen = self.driver.application.serving.clients.seen
        return "-".join(sorted({f"{one.program}-{one.state}".replace(" ", "") for one in seen}))

    def _is_new(self) -> bool:
        return bool(stands := self._stands()) and stands not in self._shot

    def _shoot(self) -> None:
        self._shot.add(name := self._stands())
        self._pictures.mkdir(parents=True, exist_ok=True)
        self.driver.window.grab().save(str(self._pictures / f"{name}.png"))


def agents(pictures: Path) -> Agents:
    return {"six": (SCRIPTS, partial(_six, pictures), 2**16)}


def _six(pictures: Path, here: Here) -> None:
    program, environment = claude_of(here)
    command = [str(program), "-p", "Look at this project with six helpers. [[six]]", *CLAUDE_TOOLS]
    process = here.begun(command, environment)
    assert isinstance(here.server, Window)
    try:
        here.server.do(partial(_watched, pictures, here, here.server.driver))
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _watched(pictures: Path, here: Here, driver: Driver) -> None:
    """Take screenshots and act as the user. Runs on the window's thread."""
    pictures.mkdir(parents=True, exist_ok=True)
    window = driver.window
    part = window.agents.part

    def shoot(name: str, widget: QWidget = window) -> None:
        driver.wait(0.2)
        widget.grab().save(str(pictures / f"{name}.png"))

    def seen() -> tuple[AgentSnapshot, ...]:
        return driver.application.serving.clients.seen

    def states() -> list[str]:
        return [one.state for one in seen()]

    def tried(what: str, condition: Callable[[], bool], seconds: float = 120) -> None:
        with suppress(TimeoutError):
            driver.until(condition, seconds)
        here.found(what, condition(), ", ".join(states()))
        shoot(what.replace(" ", "-"))

    tried("an agent reads", lambda: "reading" in states())
    tried("six sub-agents are there", lambda: len(states()) >= 7)
    tried("some write and some run tools", lambda: _both(states()))
    window.toggle_score()
    shoot("the-score")
    window.toggle_score()
    row = next(r for r in part.rows if r.seen.state == "answering" and r.seen.parent)
    row.row_clicked.emit(row.number)
    driver.until(lambda: bool(window.findChildren(AgentDialog)))
    (dialog,) = window.findChildren(AgentDialog)
    shoot("read-along", dialog)
    dialog.close()
    number = row.number
    row.stop_requested.emit(number)
    tried("one is stopped", lambda: (number, "stopped") in [(s.id, s.state) for s in seen()])
    (group,) = part.groups
    group.pause.click()
    tried("the group is paused", lambda: set(states()) <= {"paused", "stopped", "ended", "idle"})
    group.pause.click()
    tried("and goes on", lambda: "paused" not in states() and "answering" in states())
    group.stop.click()
    tried("all are stopped", lambda: set(states()) <= {"stopped", "ended", "idle"})


def _both(states: list[str]) -> bool:
    return states.count("answering") >= 2 and states.count("tool") >= 2
