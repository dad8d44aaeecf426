"""Tests of the program as a process on a virtual screen, operated with real keys and clicks.

The results are read from its database. Without Xvfb and xdotool (`apt-get install xvfb xdotool`)
these tests are skipped. `test_by_ear.py` has further requirements.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import PIL.Image
import PIL.ImageGrab
import pytest

from app.settings.paths import Paths
from tests.checked import share_ways
from tests.waiting import until

ROOT = Path(__file__).parents[2]
MISSING = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
PATIENCE_S = 90
STEPS = 12  # mouse moves in a drag
_MARK, _LAST_MARK = "~", "="


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if MISSING:
        why = pytest.mark.skip(reason=f"{' and '.join(MISSING)} not installed")
        for item in items:
            if item.path.parent == Path(__file__).parent:
                item.add_marker(why)


SCREEN = "1400x900x24"

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the screen."""


def areas(saved: str) -> list[tuple[str, ...]]:
    """Return the chats of the open tabs in each place of the main window, in reading order.

    Panes must only be split to the right.
    """
    docks = json.loads(saved)["docks"]
    root = ET.fromstring(zlib.decompress(base64.b64decode(docks)[4:]))
    window = next(c for c in root.iter("Container") if c.get("Floating") == "0")
    found = [
        tuple(w.get("Name", "") for w in area.iter("Widget") if w.get("Closed") == "0")
        for splitter in window.iter("Splitter")
        for area in splitter.findall("Area")
    ]
    return [names for names in found if names]


class Desk:
    def __init__(self, display: str, profile: Path, **env: str) -> None:
        self.profile = profile
        qt = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._env = {**os.environ, "STRETTO_NO_WAYS": "", **qt, **env}
        # tests/conftest.py sets it, but a user's environment doesn't have it
        self._env.pop("OPENBLAS_NUM_THREADS", None)
        self._program: subprocess.Popen[bytes] | None = None
        self._output = profile.parent / "output.txt"

    def start(self, *first: str) -> None:
        """Start the program and wait until its window accepts keys.

        ``first``: keys for a dialog that opens before the window.
        """
        share_ways(self.profile)
        log = self._output.open("ab")
        command = [sys.executable, "-m", "app", "--profile", str(self.profile)]
        with log:
            self._program = subprocess.Popen(
                command, cwd=ROOT, env=self._env, stdout=log, stderr=log
            )
        self.until(lambda: self._windows() != "")
        # Without a window manager, keys go to the window below the pointer.
        if first:
            self._do("mousemove", "700", "450")
            asking = self._windows()
            self.press_until(
                lambda: self._windows() != asking and self.ask("SELECT count(*) FROM chats"), *first
            )
        self._do("mousemove", "700", "300")
        # The composer accepts keys a moment later. It saves typed text as a draft.
        self._repeat(lambda: self.type(_MARK), self._marks)
        # A slow composer may receive several marks together and have saved only the first. All of
        # them are saved once the last mark is.
        self.type(_LAST_MARK)
        self.until(lambda: any(str(draft).endswith(_LAST_MARK) for draft in self.drafts()))
        self.keys(*["BackSpace"] * self._marks())
        self.until(lambda: self._marks() == 0)

    def _windows(self) -> str:
        return self._do("search", "--onlyvisible", "--name", "Stretto")

    def _marks(self) -> int:
        drafts = [str(draft) for draft in self.drafts()]
        return sum(len(draft) - len(draft.rstrip(_MARK + _LAST_MARK)) for draft in drafts)

    def title(self) -> str:
        names = [self._do("getwindowname", number) for number in self._windows().split()]
        return next((name for name in names if name.endswith("— Stretto")), "")

    def dialog(self, name: str) -> bool:
        found = self._do("search", "--onlyvisible", "--name", f"^{name}$").split()
        return bool(found) and self._do("getwindowfocus") in found

    def give_keys(self, dialog: str = "") -> None:
        """Move the focus to the window below a closed dialog, as a window manager does.

        ``dialog``: name of another dialog; "" for the main window.
        """
        name = f"^{dialog}$" if dialog else "Stretto"
        found = self._do("search", "--onlyvisible", "--name", name)
        self._do("windowfocus", "--sync", found.split()[0])

    def end(self) -> int:
        self.keys("ctrl+q")
        return self._program.wait(PATIENCE_S)

    def kill(self) -> None:
        if self._program is not None and self._program.poll() is None:
            self._program.send_signal(signal.SIGKILL)
            self._program.wait()

    def keys(self, *names: str) -> None:
        for name in names:
            self._do("key", "--delay", "20", name)

    def press_until(self, condition: Callable[[], object], *keys: str) -> None:
        """Press the keys again until the condition holds, as their target may appear late."""
        self._repeat(lambda: self.keys(*keys), condition)

    def _repeat(self, act: Callable[[], object], condition: Callable[[], object]) -> None:
        def turn() -> None:
            act()
            with suppress(AssertionError):
                until(condition, 4, self._look)

        until(condition, PATIENCE_S, turn)

    def type(self, text: str) -> None:
        self._do("type", "--delay", "8", text)

    def point(self, x: int, y: int) -> None:
        self._do("mousemove", str(x - 3), str(y - 3), "mousemove", str(x), str(y))

    def click(self, x: int, y: int) -> None:
        self.point(x, y)
        self._do("click", "1")

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.carry(start, end)
        self.let_go()

    def carry(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Drag with the left button, but don't let go."""
        self.point(*start)
        self._do("mousedown", "1")
        for step in range(1, STEPS + 1):
            x, y = (round(a + (b - a) * step / STEPS) for a, b in zip(start, end, strict=True))
            self._do("mousemove", "--sync", str(x), str(y))

    def let_go(self) -> None:
        self._do("mouseup", "1")

    def picture(self, box: Box) -> PIL.Image.Image:
        return PIL.ImageGrab.grab(box, xdisplay=self._env["DISPLAY"])

    def beside(self, *command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=ROOT, env=self._env)

    def say(self, text: str) -> None:
        self.type(text)
        draft = "SELECT 1 FROM chats WHERE draft = ? OR edited_text = ?"
        self.until(lambda: self.ask(draft, text, text))
        self.keys("Return")

    def ask(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        file = Paths.for_profile(self.profile).chats
        if not file.exists():
            return []
        try:
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as base:
                return base.execute(sql, values).fetchall()
        except sqlite3.DatabaseError:  # the tables are being created, or the file is being repaired
            return []

    def chats(self) -> list[tuple[object, ...]]:
        return self.ask("SELECT id FROM chats WHERE deleted_at IS NULL")

    def areas(self) -> list[tuple[str, ...]]:
        saved = self.ask("SELECT data FROM layouts WHERE name = 'main'")
        return areas(str(saved[0][0])) if saved else []

    def drafts(self) -> list[object]:
        return [draft for (draft,) in self.ask("SELECT draft FROM chats WHERE draft != ''")]

    def shown(self, chat: object = None) -> object:
        rows = self.ask(
            "SELECT leaf_id FROM chats WHERE deleted_at IS NULL AND (id = ? OR ? IS NULL)",
            chat,
            chat,
        )
        return rows[0][0] if len(rows) == 1 else None

    def answers(self) -> list[tuple[object, ...]]:
        return self.ask(
            "SELECT chat_id, content FROM messages"
            " WHERE role = 'assistant' AND status = 'complete' ORDER BY created_at"
        )

    def length(self) -> int:
        ((length,),) = self.ask(
            "SELECT total(length(content)) FROM messages WHERE role = 'assistant'"
        )
        return int(str(length).partition(".")[0])

    def asked(self, text: str) -> list[tuple[object, ...]]:
        return self.ask(
            "SELECT chat_id, id, parent_id FROM messages WHERE role = 'user' AND content = ?", text
        )

    def until(self, condition: Callable[[], object]) -> None:
        try:
            until(condition, PATIENCE_S, self._look)
        except AssertionError as error:
            said = self.ask("SELECT role, status, error, substr(content, 1, 80) FROM messages")
            shown = self.title(), self.areas()
            pytest.fail(f"{error}: {shown}, {self.drafts()}, {said}")

    def _look(self) -> None:
        """Wait shortly. Fails if the program has ended."""
        if self._program is not None and self._program.poll() is not None:
            said = self._output.read_text(errors="replace")[-2000:]
            pytest.fail(f"the program ended with status {self._program.returncode}: {said}")
        time.sleep(0.05)

    def _do(self, *arguments: str) -> str:
        done = subprocess.run(
            ["xdotool", *arguments], env=self._env, check=False, capture_output=True, text=True
        )
        return done.stdout.strip()


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    read, write = os.pipe()
    server = subprocess.Popen(
        # Without -noreset it resets when its last client disconnects, and refuses the next one.
        ["Xvfb", "-displayfd", str(write), "-noreset", "-nolisten", "tcp", "-screen", "0", SCREEN],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def desk(display: str, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(display, tmp_path / "profile")
    made.start()
    yield made
    made.kill()
