"""What the window's tests share: a profile of their own, a program over it, and no leaks after."""

from __future__ import annotations

import gc
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

# Before Qt is asked for a screen: tests need none, but the window is to fit on it: Qt's own is
# 800 pixels wide. An outer choice (xcb under Xvfb) is kept.
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    _SCREEN = Path(__file__).with_name("screen.json")
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={_SCREEN}"

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app import flows
from app.program import collector
from app.program.application import Application
from app.settings.paths import Paths
from app.store import database, migrations
from app.ui.dialogs.dialogs import Recovery
from app.ui.pane.pane import ChatPane
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style import theme
from app.ui.transcript.transcript_view import TranscriptView
from app.ui.widgets import asking
from app.ui.window.main_window import MainWindow
from app.ui.workspace.docks import configure_docking
from tests.app.fake_engine import FakeEngine
from tests.waiting import until

DEADLINE_MS = 20_000


def rows_alive(view: TranscriptView) -> int:
    """Return how many messages have a widget."""
    return sum(place.row is not None for place in view.places)


def _wait_until(
    bot: QtBot, condition: Callable[[], bool | None], *, timeout: int = DEADLINE_MS
) -> None:
    """As pytest-qt's, which looks every 10 ms, and gives up after 5 s.

    Tests of the window did nothing for half of their time but wait for its next look, and a busy
    machine takes longer. One loop and one timer do for all looks of a wait: pytest-qt makes both
    anew for each, which takes three times the processor time.
    """
    give_up = time.monotonic() + timeout / 1000
    loop = timer = None
    while True:
        try:
            if (true := condition()) or true is None:  # what asserts returns nothing
                return
        except AssertionError:
            if time.monotonic() > give_up:
                raise
        if time.monotonic() > give_up:
            raise TimeoutError(f"not within {timeout} ms")
        if loop is None or timer is None:
            loop = QEventLoop()
            timer = QTimer(loop, singleShot=True, interval=1)
            timer.timeout.connect(loop.quit)
        timer.start()
        loop.exec()


QtBot.waitUntil = _wait_until  # type: ignore[method-assign, assignment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform warns of what it cannot do (raise a window): not ours to mend."""
    for item in items:
        item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


SHARED = ("stretto-confined",)
"""Threads that all engines of a process share; they end with it (engine/DECISIONS.md, E45)."""


class _Collecting:
    """Python's `gc` for the program's collector, which sets nothing apart and brings nothing back.

    Here each test sets apart what was there before it (below): a full collection, and a walk over
    all objects, then cost a few milliseconds instead of half of the test's time. Nor does it
    collect all at the start and the end: the test's own end does.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(gc, name)

    def collect(self, *generation: int) -> int:
        return gc.collect(*generation) if generation else 0

    def freeze(self) -> None:
        pass

    def unfreeze(self) -> None:
        pass


def process_until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Process events until the condition holds."""

    def turn() -> None:
        QCoreApplication.processEvents()
        time.sleep(0.001)

    until(condition, seconds, turn)


@pytest.fixture(autouse=True)
def no_leaks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail on threads, sequences, running timers and windows that a test leaves behind."""
    monkeypatch.setattr(collector, "gc", _Collecting())
    # As in the program, garbage is collected on this thread alone: another one that happens to
    # allocate would destroy Qt's objects, and the process with them.
    gc.disable()
    threads = set(threading.enumerate())
    windows = set(_windows())
    gc.freeze()  # from here on only what the test makes is looked at
    yield
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        process_until(lambda: not flows.left())  # they are cancelled
    if isinstance(QCoreApplication.instance(), QApplication):
        # What was copied is an object of Python's, and the offscreen platform frees it after Python
        # has gone: the process would crash at its end.
        QApplication.clipboard().clear()
    gc.collect()
    left = {t for t in threading.enumerate() if t.name not in SHARED} - threads
    for thread in left:
        # Told to end, and an end of the program waits for none; asyncio's and anyio's end with the
        # process or the call that they wait for, one that saves settings once they are saved, one
        # of `flows.aside` once it has handed over what it found.
        if thread.name.startswith(
            ("stretto-worker", "asyncio-waitpid", "AnyIO worker", "settings", "aside")
        ):
            thread.join(20)
    left = {t for t in left if t.is_alive()}
    assert left == set(), "threads were left running"
    assert not [t for t in _living(QThread) if t.isRunning()], "QThreads were left running"
    assert [w for w in _windows() if w not in windows] == [], "windows were left"
    assert [t for t in _living(QTimer) if t.isActive()] == [], "timers were left running"


def answering(monkeypatch: pytest.MonkeyPatch, question: str, answer: object) -> None:
    """Let a person answer at once to one kind of question of `app.ui.widgets.asking`."""

    async def answered(*_: object, **__: object) -> object:
        return answer

    monkeypatch.setattr(asking, question, answered)


def _windows() -> list[QWidget]:
    # A combo box or a menu keeps hidden windows of its own; Qt's own are not ours to count.
    app = QApplication.instance()
    return list(app.topLevelWidgets()) if isinstance(app, QApplication) else []


def _living(kind: type) -> list:
    import shiboken6

    return [o for o in gc.get_objects() if isinstance(o, kind) and shiboken6.isValid(o)]


class Run:
    """One run of the program in a test, with short ways to what tests look at."""

    def __init__(self, qt: QApplication, profile: Path, qtbot: QtBot, **options: Any) -> None:
        self.qtbot = qtbot
        self.engine: FakeEngine | None = None
        self.window_came_first = False
        self.ended = False

        def make_engine(_paths: Paths, _settings: object) -> FakeEngine:
            self.window_came_first = self.window.isVisible()
            self.engine = FakeEngine()
            return self.engine

        options.setdefault("engine_factory", make_engine)
        self.app = Application(qt, Paths.in_profile(profile), **options)
        self.started = self.app.start()

    @property
    def window(self) -> MainWindow:
        assert self.app.window is not None
        return self.app.window

    @property
    def pane(self) -> ChatPane:
        assert self.window.workspace.active is not None
        return self.window.workspace.active

    @property
    def settings(self) -> SettingsWindow:
        """The settings, which are open, with all their pages made."""
        shown = self.window.settings_commands.shown
        assert shown is not None
        shown.pages.complete()
        return shown

    @property
    def panes(self) -> list[ChatPane]:
        return self.window.workspace.panes()

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition."""
        self.qtbot.waitUntil(lambda: bool(condition()))

    def ready(self) -> Run:
        """Wait until the active pane's model is loaded."""
        self.until(lambda: self.pane.header.state == "Ready")
        return self

    def say(self, text: str, pane: ChatPane | None = None) -> ChatPane:
        """Write into the composer and press Enter."""
        pane = pane or self.pane
        pane.composer.field.insertPlainText(text[:-1])  # a key takes as long as half of a reply
        self.qtbot.keyClicks(pane.composer.field, text[-1:])
        self.qtbot.keyClick(pane.composer.field, Qt.Key.Key_Return)
        return pane

    def answered(self, pane: ChatPane | None = None) -> str:
        """Wait for the pane's answer to end; returns its text."""
        pane = pane or self.pane
        self.until(lambda: not pane.chat.reply.is_active)
        return self.answer(pane)

    def ask(self, text: str, pane: ChatPane | None = None) -> str:
        """Say it, and wait for the answer; returns its text."""
        return self.answered(self.say(text, pane))

    def answer(self, pane: ChatPane) -> str:
        last = pane.chat.transcript.last("assistant")
        assert last is not None
        return pane.chat.reply.message(last.id).content

    def end(self) -> None:
        """End the program, once."""
        if self.ended:
            return
        self.ended = True
        window = self.app.window
        self.app.shut_down()
        # Popovers and dialogs, too: they go with their window in a moment, and `no_leaks` would
        # not see them.
        if window is not None:
            own = [window, *(w for w in window.findChildren(QWidget) if w.isWindow())]
            assert [w for w in own if w.isVisible()] == [], "something is left on the screen"
        self.app.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


Start = Callable[..., Run]
"""What the fixture of this name gives."""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """An empty profile."""
    return tmp_path / "profile"


@pytest.fixture
def look(qapp: QApplication) -> theme.Theme:
    """The light theme, for tests of single widgets."""
    return theme.install(qapp, "light")


@cache
def _newest() -> sqlite3.Connection:
    """An empty database of the program, as its steps make it."""
    made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrations.migrate(made)
    return made


def _migrate(db: sqlite3.Connection) -> None:
    """As the program's, but copies what the steps make of a new file: a tenth of each start."""
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
        _newest().backup(db)
    else:
        migrations.migrate(db)


@pytest.fixture
def start(
    qapp: QApplication, qtbot: QtBot, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    """Start the program over the test's profile; may be called again after ``end``."""
    monkeypatch.setattr(database, "migrate", _migrate)
    configure_docking()
    qapp.setDesktopFileName(
        "app.stretto.Stretto"
    )  # or X11 has nothing to put a badge on, and warns
    qapp.setQuitOnLastWindowClosed(False)
    runs: list[Run] = []

    def begin(**options: Any) -> Run:
        options.setdefault("ask", lambda error: Recovery.QUIT)
        options.setdefault("ask_unsaved", lambda error: Recovery.QUIT)
        runs.append(Run(qapp, profile, qtbot, **options))
        run = runs[-1]
        if run.started:
            run.until(qapp.activeWindow)  # the window, or what it opens at once
        return run

    yield begin
    for run in runs:
        run.end()
