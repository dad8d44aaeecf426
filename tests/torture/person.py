"""Simulated user of the window: random actions, and checks after each action.

`Person` acts on the real window over a real store. The engine is either the real one, or one that
works only when told to (`tests.app.fake_engine`), so that failures can be reproduced and
shortened.
After each action the program becomes idle, and the screen, the store and the engine are compared
(`tests.torture.agreement`). Chats that the action does not concern must be unchanged.

`python -m tests.torture person --actions 10000` runs many actions.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import faulthandler
import gc
import json
import logging
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from msgspec.structs import replace
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMimeData,
    QObject,
    Qt,
    QTimer,
    QtMsgType,
    QUrl,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QWidget,
)

from app import flows
from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.options import ChatOptions
from app.chats.reply_generator import ReplyGenerator
from app.chats.turn import Event, MessageEdit, QueueState, Stage
from app.program.application import Application, make_engine
from app.settings.language import tr
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings
from app.store import StoreError
from app.tools.builtin import HELPERS
from app.tools.consent import Decision
from app.ui.compare.compare_dialog import CompareDialog
from app.ui.dialogs.exchange_dialogs import ImportDialog
from app.ui.dialogs.name_dialogs import NameDialog
from app.ui.dialogs.recovery import TrashDialog
from app.ui.dialogs.store_dialogs import Recovery
from app.ui.models.get_model import GetModelDialog
from app.ui.pane.options_popover import OptionsPopover
from app.ui.pane.pane import ChatPane
from app.ui.settings.settings_window import SettingsWindow
from app.ui.style import theme
from app.ui.transcript.message_row import ShowColumn
from app.ui.transcript.tool_row import ToolRow
from app.ui.window.main_window import MainWindow
from app.ui.window.reading_commands import ReadSheet
from app.ui.workspace.docks import configure_docking
from tests.app.chats import exports
from tests.app.fake_engine import FakeEngine
from tests.torture.agreement import disagreements, helpers

KEY, CTRL, SHIFT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier

TEXTS = (
    "say one two three",
    "count 9",
    "hold 3",
    "think",
    "cut",
    "fail",
    "overflow",
    "paste ```python\nfor n in range(9):\n    print(n)\n```\n\n- a\n\n| a | b |\n|-|-|\n| 1 | 2 |",
    "paste $x^2$ **bold** <b>&amp;</b> \u0645\u0631\u062d\u0628\u0627 \U0001f3bb",
    "  \n ",
    "two\nlines & more",
    "a\u2028b\xa0c",
    "break",
    "paste " + "word " * 4_000,
)
KEYS = (
    (KEY.Key_Return, NONE),
    (KEY.Key_Escape, NONE),
    (KEY.Key_Delete, NONE),
    (KEY.Key_Backspace, NONE),
    (KEY.Key_F2, NONE),
    (KEY.Key_F6, NONE),
    (KEY.Key_Up, NONE),
    (KEY.Key_Down, NONE),
    (KEY.Key_Left, NONE),
    (KEY.Key_Right, NONE),
    (KEY.Key_Home, NONE),
    (KEY.Key_End, NONE),
    (KEY.Key_PageUp, NONE),
    (KEY.Key_Space, NONE),
    (KEY.Key_Tab, NONE),
    (KEY.Key_Backtab, SHIFT),
    (KEY.Key_Z, CTRL),
    (KEY.Key_W, CTRL),
    (KEY.Key_A, CTRL),
    (KEY.Key_C, CTRL),
    (KEY.Key_X, CTRL),
    (KEY.Key_V, CTRL),
    (KEY.Key_R, CTRL),
    (KEY.Key_T, CTRL | SHIFT),
    (KEY.Key_F, CTRL),
    (KEY.Key_Return, SHIFT),
    (KEY.Key_Return, CTRL),
    (KEY.Key_F10, SHIFT),
    (KEY.Key_X, NONE),
)
MESSAGE_ACTIONS = (
    Action.EDIT,
    Action.REGENERATE,
    Action.SAME_AGAIN,
    Action.CONTINUE,
    Action.COPY,
    Action.BRANCH,
    Action.DELETE,
    Action.EARLIER,
    Action.LATER,
)
COMMANDS = (
    *("copy_answer", "regenerate", "same_again", "edit_last", "earlier", "later", "stop", "pause"),
    *("find", "move_before", "move_after", "larger", "smaller", "next", "previous", "composer"),
    *("tie_scrolling", "text_larger", "text_smaller", "text_usual", "palette"),
    *("sidebar", "score", "next_part", "part_before", "full_screen", "delete", "rename"),
)
DIALOGS = (
    *("about", "shortcuts", "settings", "trash", "backups", "get_model", "compare", "layouts"),
    *("export", "import", "prompts", "save_prompt"),
)
PALETTE = ("score", "new ch", "regenerate", "say", "one", "text size", "tr", "qqxz")
MODELS = (GUIDE, "/models/one", "/models/two", "/models/broken")

OWN = ("title", "model", "system", "draft", "edited_id", "edited_text", "queued", "leaf_id")
"""Fields of a chat that no action in another chat may change."""

W = TypeVar("W", bound=QWidget)
Touched = set[str] | None
"""Ids of the chats that an action may change. None means any. Replies may always change."""


class ImpossibleError(Exception):
    """The action isn't possible now, and has changed no chat."""


class Listener(logging.Handler):
    """Collects uncaught errors of all threads, and Qt's warnings.

    Attributes:
        heard: a message for each of them.
        deaf: True if errors in the program's log are expected, because of an injected fault.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.heard: list[str] = []
        self.deaf = False
        self._before: list[Any] = []

    def begin(self) -> None:
        hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._before = [*hooks, qInstallMessageHandler(self._on_qt)]
        sys.excepthook = lambda kind, error, trace: self._uncaught(error)
        threading.excepthook = lambda args: self._uncaught(args.exc_value)
        sys.unraisablehook = lambda args: self._uncaught(args.exc_value)
        logging.getLogger().addHandler(self)

    def end(self) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before[:3]
        qInstallMessageHandler(self._before[3])
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        if not (self.deaf and record.name.startswith("app.")):
            self.heard.append(f"logged: {record.getMessage()}")
            if record.exc_info and isinstance(record.exc_info[1], BaseException):
                self._uncaught(record.exc_info[1])

    def _uncaught(self, error: BaseException | None) -> None:
        if error is not None:
            import traceback

            self.heard.append("".join(traceback.format_exception(error))[-3_000:])

    def _on_qt(self, kind: QtMsgType, _where: object, words: str | None) -> None:
        words = words or ""
        if kind is not QtMsgType.QtDebugMsg and "This plugin does not support" not in words:
            self.heard.append(f"Qt: {words}")


class QuickCollector:
    """Collects only young objects at the end, as visiting all imports takes longer than a start.

    As in the program, automatic collection is off, because it could run on a thread of the store.
    """

    def __init__(self) -> None:
        gc.collect()
        gc.freeze()
        gc.disable()

    def start(self) -> None: ...

    def settle(self, _model: str = "") -> None: ...

    def stop(self) -> None:
        gc.collect(1)


class Canceller(QObject):
    """Cancels the system's dialogs, such as the one for a folder."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self, interval=30)
        self._timer.timeout.connect(self._cancel)
        self._timer.start()
        for scheme in ("file", "http", "https", "mailto"):
            QDesktopServices.setUrlHandler(scheme, self, "swallow")

    @Slot(QUrl)
    def swallow(self, _url: QUrl) -> None:
        """Ignore a link or folder that would open in another program."""

    @Slot()
    def _cancel(self) -> None:
        asked = QApplication.activeModalWidget()
        if isinstance(asked, QFileDialog | QMessageBox | QInputDialog):
            asked.reject()


class Person:
    """A simulated user with a profile, for any number of starts of the program.

    Attributes:
        done: number of times that each action was done.
        now: time as the store sees it.
    """

    def __init__(self, qt: QApplication, real: bool = False) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="stretto-person-")
        self._qt = qt
        self._real = real
        self._profiles = 0
        self.done: Counter[str] = Counter()
        self.listener = Listener()
        self.listener.begin()
        self._canceller = Canceller()
        self.now = time.time()
        self._full = False
        self.profile = Path(self._folder.name) / "profile-0"
        self.models: tuple[str, ...] = MODELS
        self._collector: Any = None if real else QuickCollector()
        self._said: dict[str, tuple[str, str, str]] = {}
        self._may_go: set[str] = set()
        self.profile.mkdir()
        settings = Settings(appearance="light", file=self.profile / "settings.json")
        if real:
            self.models = (GUIDE, self._random_model(), "/models/broken")
            settings.set(new_chat=ChatOptions(max_tokens=40, temperature=0.8).to_params())
        settings.set(models=self.models[1:])
        self.app = self._start()

    def _random_model(self) -> str:
        from engine.bench.random_models import SHAPES, write_model

        return str(write_model(Path(self._folder.name) / "tiny", SHAPES["tiny"]))

    # The program.

    def _start(self) -> Application:
        configure_docking()
        self._qt.setQuitOnLastWindowClosed(False)
        factory: Any = make_engine if self._real else self._fake_engine
        app = Application(
            self._qt,
            Paths.for_profile(self.profile),
            engine_factory=factory,
            ask=lambda error: Recovery.QUIT,
            ask_unsaved=self._asked_at_the_end,
        )
        if self._collector is not None:
            app.collector.deleteLater()
            app.collector = self._collector
        assert app.start(), "the program did not start"
        store = app.store
        assert store is not None
        store.trash._clock = store._backups._clock = lambda: self.now
        store.trash._opened_at = self.now
        app.library._sweeping.stop()  # its timer uses the real clock
        self.app = app
        while app.engine is None:
            QApplication.processEvents()
        return app

    @staticmethod
    def _fake_engine(*_: object) -> FakeEngine:
        engine = FakeEngine(turn_s=None)
        engine.writes_titles = False  # they would change chats without a user action
        return engine

    def _asked_at_the_end(self, error: StoreError) -> Recovery:
        self._mend_disk()
        return Recovery.RETRY

    @property
    def window(self) -> MainWindow:
        assert self.app.window is not None
        return self.app.window

    @property
    def engine(self) -> FakeEngine | None:
        return self.app.engine if isinstance(self.app.engine, FakeEngine) else None

    @property
    def pane(self) -> ChatPane | None:
        return self.window.workspace.active

    def end(self, app: Application | None = None) -> None:
        app = app or self.app
        if self.engine is not None:
            self.engine.loading.set()
        app.shut_down()
        app.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def go_home(self) -> None:
        try:
            self._mend_disk()
            self.end()
        finally:
            QApplication.clipboard().clear()
            self._canceller.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            for scheme in ("file", "http", "https", "mailto"):
                QDesktopServices.unsetUrlHandler(scheme)
            self.listener.end()
            for thread in threading.enumerate():
                if thread.name == "stretto-worker":  # told to end, and nothing waits for it
                    thread.join(20)
            self._folder.cleanup()
            gc.unfreeze()
            gc.enable()

    # One action.

    def act(self, name: str, action: Callable[[], Touched], *, anywhere: bool = False) -> None:
        if not anywhere:
            self._close_what_is_above()
        # Text waiting for the end of a reply, or calls, can go out at any time.
        used = self.app.library.open_chats()
        waiting = {
            c.id
            for c in used
            if c.turn.draft_state.is_waiting or c.queue.state is not QueueState.HELD
        }
        waiting |= {c.id for c in used if c.reply.is_active and c.options.tools}
        before = {i: was for i, was in self._chats().items() if i not in waiting}
        self.now += 1.0
        self.done[name] += 1
        try:
            touched = action()
        except ImpossibleError:
            touched = set()
        self.rest()
        self._check(name, before, touched)

    def rest(self) -> None:
        for _ in range(3):
            QApplication.processEvents()
            self.app.bridge.drain()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
        give_up = time.monotonic() + 5
        while flows.running_tasks() and time.monotonic() < give_up:
            for thread, _ in list(flows._threads):
                thread.join(5)  # importing and its undo change the store in threads
            heard = flows.start(self._canceller, _turns())  # after the threads' results
            while not heard.done():
                QApplication.processEvents()
            if not any(thread.is_alive() for thread, _ in flows._threads):
                break
        QApplication.processEvents()
        # After the end of a reply, the next queued message is sent in a later loop iteration.
        while any(c.turn.stage is Stage.NEXT for c in self.app.library.open_chats()):
            assert time.monotonic() < give_up, "a queue does not go on"
            QApplication.processEvents()

    def _close_what_is_above(self) -> None:
        for _ in range(6):
            above = QApplication.activePopupWidget() or QApplication.activeModalWidget()
            if above is None:
                break
            above.close()
            self.rest()
        self.window.activateWindow()

    def _chats(self) -> dict[str, tuple[object, ...]]:
        """Return the fields of all chats that only user actions may change."""
        return {
            c.id: (*(getattr(c, name) for name in OWN), c.deleted_at is None)
            for c in self.app.store.chats(include_deleted=True)
        }

    def _check(self, name: str, before: dict[str, Any], touched: Touched) -> None:
        if self._real:
            self._until_they_agree()
        problems = [*self.listener.heard, *disagreements(self.app)]
        after = self._chats()
        if touched is not None:
            for chat_id, was in before.items():
                if chat_id not in touched and after.get(chat_id) != was:
                    problems.append(self._changed(name, chat_id, was, after.get(chat_id)))
        problems += self._lost(after)
        assert not problems, "\n".join([f"after {name}:", *problems])

    def _changed(self, name: str, chat_id: str, was: Any, now: Any) -> str:
        """Describe the change and its probable cause, because a replay may not reproduce it."""
        chat, writer = self.app.library.find(chat_id), self.app.store.writer
        held = [op for op in writer.pending_operations() if chat_id in repr(op)]
        state = chat and (chat.turn.state(), chat.record)
        return (
            f"{name} changed another chat: {was} to {now}\nin use: {state}\nto be written: {held}, "
            f"the disk is full: {self._full}, it was refused: {writer._failure}"
        )

    def _lost(self, chats: Iterable[str]) -> Iterator[str]:
        """Yield an error for each message that disappeared without being erased."""
        found: dict[str, tuple[str, str, str]] = {}
        for chat_id in chats:
            for m in self.app.store.messages(chat_id):
                found[m.id] = (chat_id, m.role, m.content if m.role == "user" else "")
        for message_id, was in self._said.items():
            now = found.get(message_id)
            if now != was and message_id not in self._may_go and was[0] not in self._may_go:
                yield f"what was said is lost: {was} is {now}"
        self._said = found

    def _until_they_agree(self) -> None:
        """Wait, as the real engine needs some time to react."""
        give_up = time.monotonic() + 10
        while True:
            problem = self._real_disagreement()
            if problem is None:
                return
            assert time.monotonic() < give_up, problem
            QTest.qWait(5)
            self.rest()

    def _real_disagreement(self) -> str | None:
        engine = self.app.engine
        assert engine is not None
        if not engine.is_running:
            return None
        with contextlib.suppress(Exception):
            sessions = engine.stats_later().result(10)["sessions"]
            self.app.bridge.drain()
            at_work = {i for i, s in sessions.items() if s["status"] != "idle"}
            lanes = [lane for c in self.app.library.replying_chats() for lane in _lanes(c)]
            shown = {lane.session._chat_id for lane in lanes if lane._handle is not None}
            if at_work != shown:
                return f"the engine answers {at_work}, the window shows {shown}"
        return None

    # User actions. Each returns the chats that it may change.

    def panes(self) -> list[ChatPane]:
        return self.window.workspace.panes()

    def some_pane(self, n: int) -> ChatPane:
        panes = self.panes()
        if not panes:
            raise ImpossibleError
        return panes[n % len(panes)]

    def active_pane(self) -> ChatPane:
        if self.pane is None:
            raise ImpossibleError
        return self.pane

    def shown(self, kind: type[W]) -> W:
        found = [each for each in self.window.findChildren(kind) if each.isVisible()]
        if not found:
            raise ImpossibleError
        return found[-1]

    def group(self, pane: ChatPane) -> set[str]:
        """Return the chats that receive a message sent in the pane."""
        broadcast = self.window.broadcast
        if broadcast.on and pane in broadcast.group:
            return {other.chat.id for other in broadcast.group}
        return {pane.chat.id}

    def command(self, name: str) -> Touched:
        pane = self.pane
        self.window.commands[name].trigger()
        if name in {"undo_close", "delete", "keep", "rename"}:
            return None
        return {pane.chat.id} if pane is not None else set()

    def write(self, text: str) -> Touched:
        pane = self.active_pane()
        pane.focus_composer()
        data = QMimeData()
        data.setText(text)
        pane.composer.field.insertFromMimeData(data)
        return {pane.chat.id}

    def send(self) -> Touched:
        pane = self.active_pane()
        touched = self.group(pane)
        modifiers = CTRL if pane.composer.field.sends_with_ctrl else NONE
        QTest.keyClick(pane.composer.field, KEY.Key_Return, modifiers)
        return touched

    def press_round_button(self, n: int) -> Touched:
        pane = self.some_pane(n)
        touched = self.group(pane)
        pane.composer.button.click()
        return touched

    def say(self, text: str) -> Touched:
        pane = self.active_pane()
        touched = self.group(pane)
        self.write(text)
        self.send()
        return touched

    def suggestion(self, n: int) -> Touched:
        pane = self.some_pane(n)
        if not pane.empty.isVisible():
            return set()
        touched = self.group(pane)
        pane.empty.buttons[n % len(pane.empty.buttons)].click()
        return touched

    def turn(self, count: int) -> Touched:
        if self.engine is None:
            QTest.qWait(10 * count)
        else:
            for _ in range(count):
                self.engine.turn()
        return set()

    def panel(self, what: str, n: int) -> Touched:
        """Ask a panel, fold it, use its answers, or act on one of its columns."""
        pane = self.some_pane(n)
        self.window.workspace.activate(pane)
        if what == "ask":
            members = [{}, {"system": "Doubt it."}, {"model": self.models[n % len(self.models)]}]
            self.app.settings.set(panels={"": members[: 2 + n % 2]}, panel="")
            self.window.commands["panel_again"].trigger()
        elif what in {"keep", "again"}:
            for column in (
                pane.comparison.columns[n % 3 : n % 3 + 1] if pane.is_comparison_shown else ()
            ):
                if what == "keep":
                    column.keep.click()
                else:
                    column.action_requested.emit(Action.REGENERATE, column.message_id)
        elif what == "part":
            pane.transcript.action_requested.emit(
                ShowColumn("ABCD"[n % 4]), pane.chat.transcript.leaf_id or ""
            )
        else:
            self.window.commands[f"panel_{what}"].trigger()
        return {pane.chat.id}

    def tree(self, what: str, n: int) -> Touched:
        pane = self.some_pane(n)
        pane.show_tree(True)
        if pane.is_tree_shown and pane.tree.model.runs:
            tree = pane.tree
            run = tree.model.runs[n % len(tree.model.runs)]
            index = tree.model.index_of(run.id)
            tree.view.setCurrentIndex(index)
            if what == "name":
                if run.ids:
                    tree.model.setData(
                        index, f"B{n}\n<b>" if n % 3 else "", Qt.ItemDataRole.EditRole
                    )
            else:
                tree.run_action(what)
        if n % 2:
            self.rest()
            pane.show_tree(False)
        return {pane.chat.id}

    def read(self, what: str, n: int) -> Touched:
        """Attach another chat, which can change or disappear later."""
        pane = self.some_pane(n)
        others = list(self.window.reading._others(pane))
        if what == "end" or not others:
            for chip in pane.composer.chips.chips[:1]:
                QTest.keyClick(chip, KEY.Key_Delete)
            return {pane.chat.id}
        of = others[n % len(others)]
        self.window.reading._start_confirm(pane, of.id, lambda: None)
        self.rest()
        for sheet in self.window.findChildren(ReadSheet):
            if what == "gone":
                self.window.chats.delete(of.id)
            elif what == "undone":
                self.window.commands["undo_close"].trigger()
            elif what == "last":
                sheet.count.setValue(1 + n % 2)
            sheet.follow.setChecked(n % 3 > 0)
            (sheet.reject if what == "cancel" else sheet.accept)()
        return None if what in {"gone", "undone"} else {pane.chat.id}

    def helpers(self, what: str, n: int) -> Touched:
        """Let the model call helpers, decide about the call, or stop some of them."""
        pane = self.some_pane(n)
        self.window.workspace.activate(pane)
        chat = pane.chat
        if what == "ask":
            chat.set_options(replace(chat.options, tools=(HELPERS,), helpers_at_once=1 + n % 3), "")
            questions, context = [*TEXTS[:6], "<b>"][n % 3 : n % 3 + 3], ("fresh", "fork")[n % 2]
            told = json.dumps({"questions": questions, "context": context})
            return self.say(f"call ask_helpers {told}")
        if what == "decide":
            decision = (Decision.ONCE, Decision.ONCE, Decision.TOOL, Decision.DENY)[n % 4]
            chat.tools.decide(chat.tools.first_waiting, decision)
        rows = [place.row for place in pane.transcript.places if isinstance(place.row, ToolRow)]
        for row in rows[-1:]:
            lanes = row.lanes.lanes if row.lanes is not None else []
            for lane in lanes[n % 3 : n % 3 + 1]:
                (lane.head if what == "unfold" else lane.stop).click()
            if what == "stop all":
                row._buttons_by_key["stop"].click()
        return {chat.id}

    def with_message(self, action: Action, n: int, which: int) -> Touched:
        """Press a message's button if it is visible, otherwise call its action."""
        pane = self.some_pane(n)
        if not pane.chat.transcript.path:
            return set()
        path = pane.chat.transcript.path
        message = path[which % len(path)]
        row = pane.transcript.row(message.id)
        buttons = [b for b, a in row._buttons.items() if a is action] if row else []
        if action is Action.CONTINUE and row is not None and hasattr(row, "_continue"):
            buttons = [row._continue]
        if buttons and buttons[0].isVisible():
            buttons[0].click()
        elif action is not Action.CONTINUE:
            pane.act(action, message.id)
        return {pane.chat.id}

    def cancel_edit(self, n: int) -> Touched:
        pane = self.some_pane(n)
        if isinstance(pane.chat.compose, MessageEdit):
            pane.composer.cancel_edit.click()
        return {pane.chat.id}

    def activate(self, n: int) -> Touched:
        self.window.workspace.activate(self.some_pane(n))
        return set()

    def close_tab(self, n: int) -> Touched:
        pane = self.some_pane(n)
        dock = self.window.workspace.dock(pane.chat.id)
        dock.requestCloseDockWidget()
        return {pane.chat.id}

    def in_sidebar(self, what: str, n: int) -> Touched:
        sidebar = self.window.sidebar
        if what in {"delete", "rename"}:
            # first, as a field that loses the focus may save, which moves the rows
            sidebar.list.setFocus()
            if not sidebar.list.hasFocus():  # another window has the keyboard
                return set()
        rows = [i for i in range(sidebar.model.rowCount()) if self._row(i).chat_id]
        if not rows or not sidebar.isVisible():
            return set()
        index = sidebar.model.index(rows[n % len(rows)])
        chat_id = self._row(index.row()).chat_id
        if what == "open":
            sidebar.list.clicked.emit(index)
        elif what == "beside":
            sidebar.chat_opened_beside.emit(chat_id)
        else:
            sidebar.list.setCurrentIndex(index)
            if what == "delete":
                QTest.keyClick(sidebar.list, KEY.Key_Delete)
            else:
                QTest.keyClick(sidebar.list, KEY.Key_F2)
                editor = sidebar.list.findChild(QLineEdit, "rename")
                if editor is not None:
                    editor.setText(f"Named & {n}" if n % 3 else "")
                    QTest.keyClick(editor, KEY.Key_Return if n % 2 else KEY.Key_Escape)
        return {chat_id} if what != "open" else set()

    def organise(self, what: str, n: int) -> Touched:
        organizer, order = self.window.sidebar.organizer, self.app.library.order
        model = self.window.sidebar.model
        listed = [chat.id for chat in self.app.library.chats()]
        ids = listed[n % 3 : n % 3 + 1 + n % 2]
        folders = [folder.id for folder in order.folders()]
        folder_id = folders[n % len(folders)] if folders else ""
        if what == "make":
            order.make(f"Folder & {n}", folder_id if n % 2 else None)
        elif what == "fold":
            model.fold(folder_id if n % 2 and folder_id else "archive")
        elif what == "delete" and folder_id:
            organizer.delete_folder(folder_id)
        elif what == "drag" and model.rowCount():
            entries = [model.entry(model.index(row)) for row in range(model.rowCount())]
            rows = [entry for entry in entries if entry is not None]
            organizer.move_dropped([rows[n % len(rows)]], rows[n // 7 % len(rows)])
        elif what == "key":
            name = ("pin", "archive", "tags", "new_folder", "move_chat")[n % 5]
            self.window.commands[name].trigger()
        elif ids and what == "move":
            organizer.move(ids, folder_id if n % 4 else None)
        elif ids and what == "tag":
            order.tag(ids, ["a", f"tag {n}"])
        elif ids and what in {"pin", "archive"}:
            getattr(organizer, what)(ids)
        return None if what in {"drag", "key"} else set(ids)

    def _row(self, number: int) -> Any:
        model = self.window.sidebar.model
        return model.row(model.index(number))

    def search(self, words: str, enter: bool) -> Touched:
        sidebar = self.window.sidebar
        self.window.commands["search"].trigger()
        sidebar.search.setText(words)
        sidebar._on_search()  # without waiting for a pause in typing
        give_up = time.monotonic() + 5
        while sidebar.model.is_searching and time.monotonic() < give_up:
            QTest.qWait(2)
        assert not sidebar.model.is_searching, "a search is not answered"
        if enter:
            QTest.keyClick(sidebar.search, KEY.Key_Return)
            return None  # opening a hit can select another branch
        return set()

    def find(self, words: str, n: int) -> Touched:
        pane = self.some_pane(n)
        pane.find_bar.open_bar()
        pane.find_bar.field.setText(words)
        QTest.keyClick(pane.find_bar.field, KEY.Key_Return)
        if n % 2:
            QTest.keyClick(pane.find_bar.field, KEY.Key_Escape)
        return set()

    def float_pane(self, n: int) -> Touched:
        self.window.workspace.float_pane(self.some_pane(n))
        return set()

    def set_model(self, n: int, which: int) -> Touched:
        pane = self.some_pane(n)
        pane.header.model_button.click()
        menu = QApplication.activePopupWidget()
        ref = self.models[which % len(self.models)]
        if isinstance(menu, QMenu):
            for action in menu.actions():
                if action.toolTip() == ref:
                    action.trigger()
            menu.close()
        return {pane.chat.id}

    def use_model(self, which: int) -> Touched:
        pane = self.pane
        self.window.chats.use_model(self.models[which % len(self.models)])
        return {pane.chat.id} if pane is not None else set()

    def options(self, n: int, which: int) -> Touched:
        pane = self.some_pane(n)
        pane.header.options_button.click()
        popover = self.shown(OptionsPopover)
        presets = self.window.pane_menus.presets
        changes: list[Callable[[], object]] = [
            lambda: popover.system.setPlainText("Be brief."),
            lambda: popover.seed.setText("7"),
            lambda: popover.slide.toggle(),
            lambda: popover.reproducible.toggle(),
            lambda: popover.form.kind.setCurrentIndex(which % 5),
            lambda: popover._basic_form.boxes["temperature"].set_number(0.3),
            lambda: popover.stop.setPlainText("end\\n"),
            lambda: popover.more.toggle(),
            lambda: popover.same.isVisible() and popover.same.click(),
            lambda: presets.save(f"P{which % 3}", {"params": {}, "system": f"{which}"}),
            lambda: presets.delete(f"P{which % 3}"),
            lambda: self.window.pane_menus.open_presets(popover).actions()[0].trigger(),
            lambda: popover.bits.setCurrentIndex(which % 3),
        ]
        changes[which % len(changes)]()
        self._close_what_is_above()
        return {pane.chat.id}

    def settings(self, which: int) -> Touched:
        self.window.commands["settings"].trigger()
        window = self.shown(SettingsWindow)
        window.pages.build_all()
        changes: list[Callable[[], object]] = [
            lambda: window.pages.fields["text_px"].setValue(11 + which % 18),
            lambda: window.send_key["ctrl_enter" if which % 2 else "enter"].click(),
            lambda: (
                window.pages.fields["appearance"].buttons["dark" if which % 2 else "light"].click()
            ),
            lambda: window.system.setPlainText("You are new." if which % 2 else ""),
            lambda: window.take_model(self.models[which % len(self.models)]),
            lambda: window.slide.toggle(),
        ]
        changes[which % len(changes)]()
        if which % 4:
            window.close()
        return set()

    def compare(self, which: int) -> Touched:
        pane = self.active_pane()
        pane.composer.set_text(TEXTS[which % 4])
        self.window.commands["compare"].trigger()
        with contextlib.suppress(ImpossibleError):
            dialog = self.shown(CompareDialog)
            dialog.kinds[("Seeds", "Temperatures", "Models")[which % 3]].click()
            dialog.blind.setChecked(which % 2 == 0)
            (dialog.ok.click if which % 5 else dialog.reject)()
        return {pane.chat.id}

    def compared(self, what: str, n: int) -> Touched:
        panes = [pane for pane in self.panes() if pane.is_comparison_shown]
        if panes:
            view = panes[n % len(panes)].comparison
            {"differences": view.diff, "scroll": view.sync, "open": view.as_chats}[what].click()
            return None if what == "open" else set()
        return set()

    def layouts(self, what: str, n: int) -> Touched:
        layouts, name = self.window.layouts, f"L{n % 2}"
        if what == "save":
            if self.panes():
                layouts.save(name)
        elif what == "ask":
            layouts.saved.ask_to_save(self.window.workspace.arrangement())
            dialog = self.window.findChild(NameDialog)
            assert dialog is not None
            dialog.field.setText(name)
            dialog.ok.click()
            if dialog.isVisible():
                dialog.ok.click()
        elif what == "rename":
            layouts.saved.rename(name, f"L{1 - n % 2}")
        elif what == "delete":
            layouts.saved.delete(name)
        else:
            layouts.open(name)
            return None
        return set()

    def trash(self, what: str, n: int) -> Touched:
        self.window.commands["trash"].trigger()
        dialog = self.shown(TrashDialog)
        rows = dialog.list.count()
        if rows:
            dialog.list.setCurrentRow(n % rows)
        chosen = set(dialog.list.selected_keys())
        if what == "restore":
            dialog.restore_button.click()
        elif what in {"erase", "empty"}:
            gone = chosen if what == "erase" else set(dialog._chats)
            (dialog.erase_button if what == "erase" else dialog.empty_button).click()
            if n % 3 == 0:
                dialog.keep_button.click()
            else:
                self._may_go |= gone
                dialog.sure_button.click()
            chosen = gone
        if n % 4:
            dialog.close()
        return chosen

    def days_pass(self) -> Touched:
        """Advance the clock past the trash's thirty days, and sweep."""
        self.now += 31 * 86_400
        store = self.app.store
        self._may_go |= {c.id for c in store.chats(include_deleted=True) if c.deleted_at}
        for chat in store.chats(include_deleted=True):
            self._may_go |= {m.id for m in store.messages(chat.id) if m.deleted_at is not None}
        gone = set(store.trash.chats_to_erase())
        self.app.library.sweep()
        return gone

    def imports(self, n: int) -> Touched:
        """Import chats of another program, some of which may exist already."""
        made = exports.claude()
        for conversation in made:
            conversation["uuid"] += f"-{n % 3}"
        file = Path(self._folder.name) / "conversations.json"
        file.write_text(json.dumps(made))
        self.window.commands["import"].trigger()
        asked = self.shown(ImportDialog)
        asked.imported.connect(lambda report: self._may_go.update(c.id for c in report.imported))
        asked.begin([file])
        self.rest()
        asked.close()
        return set()

    def dialog(self, name: str, escape: bool) -> Touched:
        self.window.commands[name].trigger()
        self.rest()
        front = QApplication.activePopupWidget() or QApplication.activeWindow()
        if isinstance(front, QDialog | QMenu):
            if escape:
                QTest.keyClick(front, KEY.Key_Escape)
            elif isinstance(front, QDialog):
                QTest.keyClick(front, KEY.Key_W, CTRL)
        return set()

    def prompt(self, typed: str, tabs: int) -> Touched:
        pane = self.active_pane()
        self.app.settings.set(prompts={"One": "say {{a}} and {{b}}, {{a}}", "Two": "count 3"})
        pane.composer.set_text("")
        pane.focus_composer()
        QTest.keyClicks(pane.composer.field, typed)
        QTest.keyClick(pane.composer.field, KEY.Key_Tab)
        for _ in range(tabs):
            if QApplication.focusWidget() is not pane.composer.field:
                break  # after the last variable, Tab moves the focus
            QTest.keyClicks(pane.composer.field, "x")
            QTest.keyClick(pane.composer.field, KEY.Key_Tab)
        return {pane.chat.id}

    def palette(self, typed: str, key: Qt.Key) -> Touched:
        self.window.commands["palette"].trigger()
        palette = self.window.palette_commands.palette
        if palette is None:  # the command has closed the open palette
            return set()
        QTest.keyClicks(palette.field, typed)
        QTest.keyClick(palette.field, key)
        return None

    def key(self, n: int, which: int) -> Touched:
        key, modifiers = KEYS[which % len(KEYS)]
        above = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        window = above or QApplication.activeWindow() or self.window
        if isinstance(window, GetModelDialog):
            window.close()  # its keys would send requests to the hub
            return set()
        stops = [
            w
            for w in (window, *window.findChildren(QWidget))
            if w.isVisible() and w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        at = stops[n % len(stops)] if stops else window
        if isinstance(at, QAbstractButton) and at.text() in {tr("Check Now"), tr("Show in Folder")}:
            return set()
        at.setFocus(Qt.FocusReason.TabFocusReason)
        target = above or QApplication.focusWidget() or window
        self._may_go |= self._asked_to_erase(window)
        QTest.keyClick(target, key, modifiers)
        return None

    def _asked_to_erase(self, window: QWidget) -> set[str]:
        """Return the chats that a key may erase permanently."""
        return set(window._to_erase) if isinstance(window, TrashDialog) else set()

    def resize(self, which: int) -> Touched:
        self.window.resize(*((1180, 780), (560, 400), (760, 900), (1400, 500))[which % 4])
        return set()

    # Faults.

    def break_engine(self) -> Touched:
        if self.engine is not None:
            self.engine.break_down()
        return set()

    def slow_loads(self, slow: bool) -> Touched:
        if self.engine is not None:
            (self.engine.loading.clear if slow else self.engine.loading.set)()
        return set()

    def fill_disk(self) -> Touched:
        """Refuse all writes until the user frees space."""
        self._full = self.listener.deaf = True

        def refuse() -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

        transactions = self.app.store.writer._transactions
        if not hasattr(self, "_before_write"):
            self._before_write = transactions.before
        transactions.before = refuse
        return set()

    def _mend_disk(self) -> None:
        if self._full:
            self._full = False
            self.app.store.writer._transactions.before = self._before_write
            del self._before_write
            with contextlib.suppress(StoreError):
                self.app.store.flush(5)
            self.listener.deaf = False

    def free_disk(self) -> Touched:
        self._mend_disk()
        return set()

    # Starts and ends.

    def restart(self) -> Touched:
        shown = [pane.chat.id for pane in self.panes() if pane.chat.is_stored]
        texts = self._texts()
        active = self.pane.chat.id if self.pane is not None else None
        self.window.close()
        self.end()
        if self._full:  # with nothing to write at the end, the app doesn't ask for space
            self._full = self.listener.deaf = False
            del self._before_write
        self._start()
        self.rest()
        again = [pane.chat.id for pane in self.panes() if pane.chat.is_stored]
        assert sorted(again) == sorted(shown), f"open were {shown}, open are {again}"
        now = self.pane.chat.id if self.pane is not None else None
        assert now == active, f"the focus was at {active}, it is at {now}"
        after = self._texts()
        for message_id, text in texts.items():
            there = after.get(message_id)
            # The real engine may add text while the window closes.
            same = there == text or (self._real and there is not None and there.startswith(text))
            assert same, f"{text!r} became {there!r}"
        return set()

    def kill(self) -> Touched:
        """Kill the program shortly after the last key."""
        self._mend_disk()
        texts, app = self._texts(), self.app
        app.store.flush(5)
        give_up = time.monotonic() + 5
        while not app.store.is_settled and time.monotonic() < give_up:
            time.sleep(0.005)
        self._profiles += 1
        left = self.profile
        self.profile = Path(self._folder.name) / f"profile-{self._profiles}"
        shutil.copytree(
            left,
            self.profile,
            ignore=shutil.ignore_patterns("running.lock", "log"),
            copy_function=_copy_what_is_there,
        )
        self.end(app)
        shutil.rmtree(left)
        self._start()
        self.rest()
        after = self._texts()
        for message_id, text in texts.items():
            there = after.get(message_id)
            assert there is not None, f"a kill took {text!r}"
            assert text.startswith(there), f"a kill made {there!r} of {text!r}"
        return set()

    def _texts(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        for record in self.app.store.chats():
            chat = self.app.library.find(record.id)
            for message in self.app.store.messages(record.id):
                if message.deleted_at is None:
                    here = chat.reply.message(message.id) if chat is not None else message
                    # gets its text at the next start
                    if (here.role, here.status) != ("tool", "streaming"):
                        texts[message.id] = here.content
        return texts

    def nobody_waits(self) -> None:
        """Check that every reply ends once nothing is paused."""
        self._close_what_is_above()
        self._mend_disk()
        self.slow_loads(False)
        if self.engine is not None:
            self.engine.release()
        for chat in self.app.library.replying_chats():
            calls = chat.reply.generator.stage is Stage.CALLING and chat.tools.paused
            if calls or chat.reply.stage is Stage.PAUSED:
                chat.turn.handle(Event.PAUSE)
        idle = 0  # a long answer may take a turn for each word
        while self.app.library.replying_chats() and idle < (3_000 if self._real else 60):
            for chat in self.app.library.replying_chats():
                if key := chat.tools.first_waiting:
                    chat.tools.decide(key, Decision.DENY)
            before = self._progress()
            self.turn(1 if self._real else 100)
            self.rest()
            idle = 0 if self._progress() != before else idle + 1
        waiting = [
            (c.title, c.reply.phase, c.reply.stage) for c in self.app.library.replying_chats()
        ]
        assert not waiting, f"somebody waits for ever: {waiting}"
        problems = [*self.listener.heard, *disagreements(self.app)]
        assert not problems, "\n".join(["at the end:", *problems])

    def _progress(self) -> list[int]:
        """Return the lengths of the running replies, in words if the engine is a fake."""
        if self.engine is not None:
            return [reply.written for reply in self.engine.running()]
        replies = [chat.reply for chat in self.app.library.replying_chats()]
        return [len(reply.message(i).content) for reply in replies for i in reply.message_ids]


READ = ("whole", "whole", "last", "cancel", "gone", "undone", "end")
HELP = ("ask", "ask", "decide", "decide", "stop", "unfold", "stop all")
TREE = ("go", "name", "compare", "part", "prune")
ORGANISE = ("pin", "archive", "move", "tag", "make", "fold", "delete", "drag", "key")
PANEL = ("ask", "ask", "ask", "keep", "keep", "again", "part", "show", "judge", "merge", "vote")
SMALL = st.integers(0, 7)
ANY = st.integers(0, 999)
WORDS = st.sampled_from(("one", "said", "", "word", "zzz", "n", "three two"))
TEXT = st.sampled_from(TEXTS)


async def _turns() -> None:
    """Run the event loop a few times, as a coroutine continues only after its thread has ended."""
    for _ in range(5):
        await asyncio.sleep(0)


def _lanes(chat: Chat) -> list[ReplyGenerator]:
    """Return what can reply in a chat: the chat itself, the panel's columns and helpers."""
    return [chat._generator, *chat.panel_runner.generators.values(), *helpers(chat)]


def _copy_what_is_there(source: str, target: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)


class Actions(RuleBasedStateMachine):
    """A rule for every type of action (`RULES`). Hypothesis chooses the actions and their targets.

    Rules have no conditions: impossible actions are tried, too.
    """

    real = False
    trace = False
    total: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        if self.trace:
            print("state = PersonAtWork()", flush=True)
        self.person = Person(application(), self.real)

    def teardown(self) -> None:
        try:
            if not self.failed:
                self.person.nobody_waits()
        finally:
            self.total.update(self.person.done)
            self.person.go_home()

    failed = False

    def do(self, rule_name: str, given: dict[str, Any]) -> None:
        label, act, _ = RULES[rule_name]
        self.failed = True
        if self.trace:
            faulthandler.enable(sys.__stderr__)  # the program has redirected it to its own file
            told = ", ".join(
                f"{n}={v if isinstance(v, Action) else repr(v)}" for n, v in given.items()
            )
            print(f"state.{rule_name}({told})", flush=True)
        try:
            self.person.act(
                label.format(**given), lambda: act(self.person, **given), anywhere="key" in label
            )
        except Exception as error:
            print(f"found: {error}", flush=True)  # a replay may not reproduce it
            raise
        self.failed = False


def _one_of(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


RULES: dict[str, tuple[str, Callable[..., Touched], dict[str, st.SearchStrategy[Any]]]] = {
    "says": ("send", Person.say, {"text": TEXT}),
    "says_something_else": ("send", Person.say, {"text": TEXT}),
    "writes": ("write", Person.write, {"text": TEXT}),
    "presses_enter": ("press Enter", Person.send, {}),
    "presses_the_round_button": ("round button", Person.press_round_button, {"n": SMALL}),
    "takes_a_suggestion": ("suggestion", Person.suggestion, {"n": SMALL}),
    "pastes_too_much": ("paste 1.1 MB", lambda person: person.write("word " * 220_000), {}),
    "waits": ("engine works", Person.turn, {"count": st.integers(1, 12)}),
    "waits_shortly": ("engine works", Person.turn, {"count": st.integers(1, 3)}),
    "works_with_a_panel": ("panel: {what}", Person.panel, {"what": _one_of(*PANEL), "n": SMALL}),
    "works_in_the_tree": ("tree: {what}", Person.tree, {"what": _one_of(*TREE), "n": ANY}),
    "reads_another_chat": ("read: {what}", Person.read, {"what": _one_of(*READ), "n": ANY}),
    "has_helpers_asked": ("helpers: {what}", Person.helpers, {"what": _one_of(*HELP), "n": ANY}),
    "does_with_a_message": (
        "message: {action.name}",
        Person.with_message,
        {"action": _one_of(*MESSAGE_ACTIONS), "n": SMALL, "which": SMALL},
    ),
    "does_with_another_message": (
        "message: {action.name}",
        Person.with_message,
        {"action": _one_of(*MESSAGE_ACTIONS), "n": st.just(0), "which": SMALL},
    ),
    "gives_up_an_edit": ("cancel an edit", Person.cancel_edit, {"n": SMALL}),
    "takes_a_command": ("command: {name}", Person.command, {"name": _one_of(*COMMANDS)}),
    "begins_a_chat": (
        "command: {name}",
        Person.command,
        {"name": _one_of("new", "split_right", "split_down")},
    ),
    "closes_a_chat": ("close", Person.command, {"name": st.just("close")}),
    "closes_a_tab": ("close a tab", Person.close_tab, {"n": SMALL}),
    "undoes": ("undo", Person.command, {"name": st.just("undo_close")}),
    "goes_to_a_pane": ("activate a pane", Person.activate, {"n": SMALL}),
    "works_in_the_sidebar": (
        "sidebar: {what}",
        Person.in_sidebar,
        {"what": _one_of("open", "beside", "delete", "rename"), "n": SMALL},
    ),
    "organises": ("organise: {what}", Person.organise, {"what": _one_of(*ORGANISE), "n": ANY}),
    "searches": ("search", Person.search, {"words": WORDS, "enter": st.booleans()}),
    "finds_in_a_chat": ("find in chat", Person.find, {"words": WORDS, "n": SMALL}),
    "floats_a_pane": ("float a pane", Person.float_pane, {"n": SMALL}),
    "changes_the_model": ("change the model", Person.set_model, {"n": SMALL, "which": SMALL}),
    "opens_a_model": ("open a model", Person.use_model, {"which": SMALL}),
    "changes_options": ("options and presets", Person.options, {"n": SMALL, "which": ANY}),
    "changes_settings": ("settings", Person.settings, {"which": ANY}),
    "compares": ("compare", Person.compare, {"which": ANY}),
    "uses_columns": (
        "compared: {what}",
        Person.compared,
        {"what": _one_of("differences", "scroll", "open"), "n": SMALL},
    ),
    "broadcasts": (
        "command: {name}",
        Person.command,
        {"name": _one_of("broadcast", "broadcast_one")},
    ),
    "keeps_layouts": (
        "layout: {what}",
        Person.layouts,
        {"what": _one_of("save", "ask", "open", "rename", "delete"), "n": SMALL},
    ),
    "looks_into_the_trash": (
        "trash: {what}",
        Person.trash,
        {"what": _one_of("open", "restore", "erase", "empty"), "n": ANY},
    ),
    "lets_a_month_pass": ("a month passes", Person.days_pass, {}),
    "imports_chats": ("import", Person.imports, {"n": SMALL}),
    "opens_a_dialog": (
        "dialog: {name}",
        Person.dialog,
        {"name": _one_of(*DIALOGS), "escape": st.booleans()},
    ),
    "uses_the_palette": (
        "palette",
        Person.palette,
        {"typed": _one_of(*PALETTE), "key": _one_of(KEY.Key_Return, KEY.Key_Escape)},
    ),
    "puts_a_prompt_in": (
        "prompt",
        Person.prompt,
        {"typed": _one_of("/", "/on", "/zz"), "tabs": st.integers(0, 3)},
    ),
    "presses_a_key_somewhere": ("key at random", Person.key, {"n": ANY, "which": ANY}),
    "presses_another_key": ("key at random", Person.key, {"n": ANY, "which": ANY}),
    "resizes": ("resize", Person.resize, {"which": SMALL}),
    "the_engine_breaks_down": ("fault: engine", Person.break_engine, {}),
    "loads_are_slow_or_not": ("slow loads", Person.slow_loads, {"slow": st.booleans()}),
    "the_disk_is_full": ("fault: disk full", Person.fill_disk, {}),
    "there_is_room_again": ("room on the disk", Person.free_disk, {}),
    "quits_and_comes_back": ("restart", Person.restart, {}),
    "is_killed": ("kill", Person.kill, {}),
}
"""Rules by name: the action's label, the function, and its arguments.

Some actions have two rules, to be chosen more often.
"""


def _add_rule(name: str) -> None:
    def step(self: Actions, **given: Any) -> None:
        self.do(name, given)

    step.__name__ = name
    setattr(Actions, name, rule(**RULES[name][2])(step))


for _name in RULES:
    _add_rule(_name)


class RealActions(Actions):
    real = True
    total: ClassVar[Counter[str]] = Counter()


def application() -> QApplication:
    from app.program.application import make_qt

    there = QApplication.instance()
    return there if isinstance(there, QApplication) else make_qt(["person"])


def run(
    actions: int,
    seed: int,
    real: bool,
    steps: int = 100,
    shrink: bool = True,
    trace: bool = False,
) -> Counter[str]:
    """Run at least this many actions, on a new profile per hundred. Raises what they find."""
    own = {"total": Counter(), "trace": trace}
    machine: Any = type("PersonAtWork", (RealActions if real else Actions,), own)
    phases = [Phase.generate, *([Phase.shrink] if shrink else [])]
    while (left := actions - sum(machine.total.values())) > 0:
        settings = hypothesis.settings(
            max_examples=max(1, left // steps),
            stateful_step_count=steps,
            deadline=None,
            database=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )
        run_state_machine_as_test(hypothesis.seed(seed)(machine), settings=settings)
        seed += 1
    return machine.total


def main(arguments: list[str]) -> int:
    """Do random actions at the window, and compare the screen, the store and the engine."""
    parser = argparse.ArgumentParser(prog="tests.torture person", description=main.__doc__)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--real", type=int, default=500, help="of them with the real engine")
    parser.add_argument("--steps", type=int, default=100, help="actions in one profile")
    parser.add_argument("--no-shrink", action="store_true", help="stop at the first finding")
    parser.add_argument("--trace", action="store_true", help="print each step before it is done")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application()
    theme.install(application(), "light")
    total: ClassVar[Counter[str]] = Counter()
    begun = time.monotonic()
    for count, real in ((chosen.actions - chosen.real, False), (chosen.real, True)):
        if count > 0:
            shrink = not chosen.no_shrink
            total += run(count, chosen.seed, real, chosen.steps, shrink, chosen.trace)
    for name, count in sorted(total.items()):
        print(f"{count:6,}  {name}")
    seconds = time.monotonic() - begun
    faults = sum(count for name, count in total.items() if name.startswith("fault"))
    print(
        f"{sum(total.values()):6,}  actions in {seconds:,.0f} s, {total['restart']:,} restarts, "
        f"{total['kill']:,} kills, {faults:,} faults put in: nothing found"
    )
    return 0
