"""Fixtures for tests of the window: a profile, the program on it, and leak checks."""

from __future__ import annotations

import gc
import os
import socket
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

# Set the platform before Qt opens a screen. Tests need no screen, but the window must fit on it,
# and Qt's default is only 800 pixels wide. An outer choice (xcb under Xvfb) is kept.
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    _SCREEN = Path(__file__).with_name("screen.json")
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={_SCREEN}"

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt, QThread, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from app import flows
from app.program import collector
from app.program.application import Application
from app.settings.paths import Paths
from app.store import database, migrations
from app.ui.dialogs.store_dialogs import Recovery
from app.ui.pane.pane import ChatPane
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style import theme
from app.ui.transcript.transcript_view import TranscriptView
from app.ui.widgets import standard_dialogs
from app.ui.window.main_window import MainWindow
from app.ui.workspace.docks import configure_docking
from tests.app.fake_engine import FakeEngine
from tests.waiting import wait_until

DEADLINE_MS = 20_000


def rows_alive(view: TranscriptView) -> int:
    return sum(place.row is not None for place in view.places)


def _wait_until(
    _bot: QtBot, condition: Callable[[], object], *, timeout: int = DEADLINE_MS
) -> None:
    wait_until(condition, timeout / 1000)


QtBot.waitUntil = _wait_until  # type: ignore[method-assign, assignment]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ignore the offscreen platform's warnings about what it cannot do, e.g. raise windows."""
    for item in items:
        item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


SHARED = ("stretto-confined",)
"""Threads shared by all engines of a process; they end with it (engine/DECISIONS.md, E45)."""


class _Collecting:
    """Replacement for `gc` in the program's collector, without freeze and unfreeze.

    Each test freezes the objects that existed before it (below). A full collection and a walk over
    all objects then take a few milliseconds instead of half of the test's time. The full
    collections at start and end are skipped too, as the end of the test collects.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(gc, name)

    def collect(self, *generation: int) -> int:
        return gc.collect(*generation) if generation else 0

    def freeze(self) -> None:
        pass

    def unfreeze(self) -> None:
        pass


@pytest.fixture(autouse=True)
def no_leaks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail on threads, coroutines, running timers and windows that a test leaves behind."""
    monkeypatch.setattr(collector, "gc", _Collecting())
    # Collect garbage only on this thread, as the program does. Otherwise any thread that happens to
    # allocate could destroy Qt objects, which crashes the process.
    gc.disable()
    threads = set(threading.enumerate())
    windows = set(_windows())
    gc.freeze()  # from here on, only objects made by the test are examined
    yield
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        wait_until(lambda: not flows.running_tasks())  # they are cancelled
    if isinstance(QCoreApplication.instance(), QApplication):
        # The clipboard holds a Python object, and the offscreen platform frees it after Python has
        # shut down, which would crash the process.
        QApplication.clipboard().clear()
    gc.collect()
    left = {t for t in threading.enumerate() if t.name not in SHARED} - threads
    for thread in left:
        # These threads were told to end, but the program's end does not wait for them. Threads of
        # asyncio and anyio end with the process or call that they wait for; "settings" ends when
        # saved, and "aside" (`flows.run_in_thread`) when it has delivered its result.
        if thread.name.startswith(
            ("stretto-worker", "asyncio-waitpid", "AnyIO worker", "settings", "aside")
        ):
            thread.join(20)
    left = {t for t in left if t.is_alive()}
    assert left == set(), "threads were left running"
    living = _living(QThread, QTimer)
    running = [t for t in living if isinstance(t, QThread) and t.isRunning()]
    assert running == [], "QThreads were left running"
    assert [w for w in _windows() if w not in windows] == [], "windows were left"
    active = [t for t in living if isinstance(t, QTimer) and t.isActive()]
    assert active == [], "timers were left running"


def answering(monkeypatch: pytest.MonkeyPatch, question: str, answer: object) -> None:
    async def answered(*_: object, **__: object) -> object:
        return answer

    monkeypatch.setattr(standard_dialogs, question, answered)


def _windows() -> list[QWidget]:
    # Combo boxes and menus keep hidden windows. These belong to Qt and are not counted.
    app = QApplication.instance()
    return list(app.topLevelWidgets()) if isinstance(app, QApplication) else []


def _owner(widget: QWidget) -> QWidget:
    while (parent := widget.parentWidget()) is not None:
        widget = parent
    return widget


def _living(*kinds: type) -> list:
    import shiboken6

    return [o for o in gc.get_objects() if isinstance(o, kinds) and shiboken6.isValid(o)]


def free_port() -> int:
    """Return a free port that the system won't give to another program before it is used."""
    for port in range(10_000 + os.getpid() % 20_000, 32_768):  # it gives those from 32768
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no free port")


def turn_wheel(widget: QWidget, by: int) -> None:
    at = widget.rect().center()
    event = QWheelEvent(
        *(QPointF(at), QPointF(widget.mapToGlobal(at)), QPoint(), QPoint(0, by)),
        *(Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier),
        *(Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(widget, event)


class Run:
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
        self.app = Application(qt, Paths.for_profile(profile), **options)
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
        shown = self.window.settings_commands.shown
        assert shown is not None
        shown.pages.build_all()
        return shown

    @property
    def panes(self) -> list[ChatPane]:
        return self.window.workspace.panes()

    def until(self, condition: Callable[[], object]) -> None:
        wait_until(condition)

    def steady(self, value: Callable[[], Any]) -> Any:
        """Return a value that has been the same in 20 turns of the event loop, e.g. a layout."""
        seen: deque[Any] = deque(maxlen=20)

        def is_steady() -> bool:
            seen.append(value())
            return len(seen) == seen.maxlen and all(one == seen[0] for one in seen)

        self.until(is_steady)
        return seen[-1]

    def press(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        self.qtbot.keyClick(QApplication.focusWidget(), key, modifiers)

    def ready(self) -> Run:
        self.until(lambda: self.pane.header.state == "Ready")
        return self

    def say(self, text: str, pane: ChatPane | None = None) -> ChatPane:
        pane = pane or self.pane
        # a key press takes as long as half of a reply
        pane.composer.field.insertPlainText(text[:-1])
        self.qtbot.keyClicks(pane.composer.field, text[-1:])
        self.qtbot.keyClick(pane.composer.field, Qt.Key.Key_Return)
        return pane

    def answered(self, pane: ChatPane | None = None) -> str:
        pane = pane or self.pane
        self.until(lambda: not pane.chat.reply.is_active)
        return self.answer(pane)

    def ask(self, text: str, pane: ChatPane | None = None) -> str:
        return self.answered(self.say(text, pane))

    def answer(self, pane: ChatPane) -> str:
        last = pane.chat.transcript.last("assistant")
        return pane.chat.reply.message(last.id).content

    def marks(self) -> str:
        bar = self.pane.find_bar
        self.until(lambda: not bar._slice_timer.isActive())
        return bar.count.text()

    def end(self) -> None:
        if self.ended:
            return
        self.ended = True
        window = self.app.window
        self.app.shut_down()
        # Check popovers and dialogs too: they are deleted with their window, so `no_leaks` would
        # not see them.
        if window is not None:
            visible = [w for w in _windows() if w.isVisible() and _owner(w) is window]
            assert visible == [], "something is left on the screen"
        self.app.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


Start = Callable[..., Run]
"""Type of the fixture `start`."""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def look(qapp: QApplication) -> theme.Theme:
    return theme.install(qapp, "light")


@cache
def _newest() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrations.migrate(made)
    return made


def _migrate(db: sqlite3.Connection) -> None:
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
        _newest().backup(db)
    else:
        migrations.migrate(db)


@pytest.fixture
def start(
    qapp: QApplication, qtbot: QtBot, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    monkeypatch.setattr(database, "migrate", _migrate)
    configure_docking()
    qapp.setDesktopFileName("app.stretto.Stretto")  # otherwise X11 cannot show a badge and warns
    qapp.setQuitOnLastWindowClosed(False)
    runs: list[Run] = []

    def begin(**options: Any) -> Run:
        options.setdefault("ask", lambda error: Recovery.QUIT)
        options.setdefault("ask_unsaved", lambda error: Recovery.QUIT)
        runs.append(Run(qapp, profile, qtbot, **options))
        run = runs[-1]
        if run.started:
            run.until(qapp.activeWindow)  # the window, or a dialog opened at start
        return run

    yield begin
    for run in runs:
        run.end()


@pytest.fixture
def run(start: Start) -> Run:
    """The running app with a fake engine and the guide loaded."""
    return start().ready()
