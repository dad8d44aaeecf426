"""Dialog for chats that can't be opened."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.chats.turn import Event
from app.program.application import Application
from app.settings.paths import Paths
from app.store import ChatRecord, Message, Store, StoreError, new_id
from app.system import logs
from app.ui.dialogs.store_dialogs import Recovery, ask_about_store, ask_about_unsaved
from tests.app.conftest import Run, Start
from tests.app.fake_engine import FakeEngine


@pytest.fixture
def damaged(profile):
    profile.mkdir(parents=True)
    (profile / "chats.db").write_bytes(b"this is no database at all" * 100)
    return profile


def test_giving_up_ends_without_a_window(start: Start, damaged):
    run = start(ask=lambda error: Recovery.QUIT)
    assert not run.started
    assert run.app.window is None
    assert (damaged / "chats.db").read_bytes().startswith(b"this is no database")


def test_exit_signal_closes_store_dialog(start: Start, damaged, qapp):
    runs = []

    def ask(error):
        QTimer.singleShot(0, lambda: runs[0].shut_down())
        ask_about_store(error)
        return Recovery.RETRY

    application = Application(qapp, Paths.for_profile(damaged), lambda *_: None, ask=ask)
    runs.append(application)
    assert not application.start()
    assert application.store is None
    application.deleteLater()


def test_full_disk_is_reported_and_chat_continues(run: Run):
    error = StoreError("full", "The disk is full. Free some space; Stretto tries again.")
    writer = threading.Thread(target=run.app.store.writer.on_error, args=(error,))
    writer.start()
    writer.join()
    run.until(lambda: run.app.unsaved.notice.text == error.message)
    run.say("say still here")
    assert run.answered() == "still here "


def test_retry_works_after_repair(start: Start, damaged):
    def mend(error):
        (damaged / "chats.db").unlink()
        Store.open(damaged / "chats.db").close()
        return Recovery.RETRY

    assert start(ask=mend).started


def test_unreadable_chats_are_reported_while_running(start: Start, profile):
    run = start()
    error = StoreError("corrupt", "Damaged.", profile / "chats.db")
    logs.on_uncaught(StoreError, error, None)
    run.until(lambda: "to recover what can be read" in run.app.unsaved.notice.text)
    assert list((profile / "log").glob("crash-*.new.txt")) == []


def test_lost_chat_list_of_large_file_is_noticed_at_start(start: Start, profile, monkeypatch):
    monkeypatch.setattr("app.store.database._CHECKED_BYTES", 0)
    file = profile / "chats.db"
    with Store.open(file) as store:
        for number in range(200):
            store.save_chat(ChatRecord(new_id(), title=f"chat {number} " * 20))
    with closing(sqlite3.connect(file)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'chats'").fetchone()
    content = bytearray(file.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = random.Random(0).randbytes(4096)
    file.write_bytes(content)
    codes = []

    def ask(error):
        codes.append(error.code)
        return Recovery.QUIT

    assert not start(ask=ask).started
    assert codes == ["corrupt"]


@pytest.fixture
def torn(profile):
    file = profile / "chats.db"
    with Store.open(file) as store:
        chat = ChatRecord(new_id(), title="About trees")
        store.save_chat(chat)
        parent = None
        for number in range(60):
            message = Message(new_id(), chat.id, parent, content=f"{number} " + "words " * 80)
            store.save_message(message, as_leaf=True)
            parent = message.id
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = random.Random(0).randbytes(4096)
    file.write_bytes(content)
    return profile


def test_salvage_result_is_reported(start: Start, torn):
    damaged = (torn / "chats.db").read_bytes()
    run = start(ask=lambda error: Recovery.SALVAGE)
    assert run.started
    (aside,) = (path for path in torn.glob("chats.db.aside-*") if path.suffix[-4:-3] != "-")
    assert aside.read_bytes() == damaged
    assert [chat.title for chat in run.app.library.chats()] == ["About trees"]
    assert aside.name in run.window.toast.text


def test_failed_salvage_offers_fewer_choices(start: Start, damaged):
    asked = []

    def ask(error):
        asked.append(error.hopeless)
        return Recovery.SET_ASIDE if error.hopeless else Recovery.SALVAGE

    run = start(ask=ask)
    assert run.started
    assert asked == [False, True]
    assert list(damaged.glob("chats.db.aside-*"))


def test_damaged_journal_is_reported(start: Start, profile):
    Store.open(profile / "chats.db").close()
    (profile / "chats.db-wal").write_bytes(b"garbage " * 600)
    run = start()
    assert run.started
    (aside,) = profile.glob("chats.db-wal.aside-*")
    assert aside.name in run.window.toast.text


def press(name):
    offered = []

    def now():
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(10, now)
            return
        offered.extend(sorted(button.text() for button in box.buttons()))
        offered.append(box.defaultButton().text())
        next(button for button in box.buttons() if button.text() == name).click()

    QTimer.singleShot(0, now)
    return offered


@pytest.mark.parametrize(
    ("code", "hopeless", "best", "more"),
    [
        ("corrupt", False, "Recover What Can Be Read", ["Start Empty and Keep the File"]),
        ("corrupt", True, "Try Again", ["Start Empty and Keep the File"]),
        ("newer", False, "Try Again", ["Start Empty and Keep the File"]),
        ("readonly", False, "Try Again", ["Use Another Folder…"]),
        ("full", False, "Try Again", []),
    ],
)
def test_each_error_offers_suitable_actions(look, code, hopeless, best, more):
    error = StoreError(code, "What happened, and what to do.")
    error.hopeless = hopeless
    offered = press(best)
    way = ask_about_store(error)
    assert way is (Recovery.SALVAGE if best.startswith("Recover") else Recovery.RETRY)
    assert offered[-1] == best
    assert set(offered) == {best, "Try Again", "Quit", *more}


@pytest.mark.parametrize(
    ("button", "way"), [("Try Again", Recovery.RETRY), ("Quit Without Saving", Recovery.QUIT)]
)
def test_exit_with_unsaved_changes_asks(look, tmp_path, button, way):
    offered = press(button)
    assert ask_about_unsaved(StoreError("full", "Full.", tmp_path / "chats.db")) is way
    assert offered[-1] == "Try Again"


@pytest.fixture
def disk(profile):
    profile.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(profile)]
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root may mount a small disk")
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    yield profile
    subprocess.run(["umount", str(profile)], check=True)


def fill(disk):
    with suppress(OSError), (disk / "something else").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def stored(disk):
    with closing(sqlite3.connect(f"file:{disk / 'chats.db'}?mode=ro", uri=True)) as db:
        answers = db.execute("SELECT content, status FROM messages WHERE role = 'assistant'")
        drafts = db.execute("SELECT draft FROM chats WHERE draft <> ''")
        return answers.fetchall(), [draft for (draft,) in drafts]


def test_full_disk_keeps_stream_and_draft(disk, run: Run, qtbot: QtBot):
    run.say("count 30000")
    run.until(lambda: run.answer(run.pane))
    fill(disk)
    unsaved = run.app.unsaved
    qtbot.waitUntil(unsaved.notice.isVisible, timeout=60_000)
    assert "full" in unsaved.notice.text
    qtbot.keyClicks(run.pane.composer.field, "typed without room")
    run.pane.chat.turn.handle(Event.STOP)
    whole = run.answered()
    unsaved.notice.button.click()
    assert unsaved.notice.isVisible(), "it stays until there is room"
    (disk / "something else").unlink()
    unsaved.notice.button.click()
    run.until(lambda: not unsaved.notice.isVisible())
    run.app.store.flush()
    assert stored(disk) == ([(whole, "cancelled")], ["typed without room"])


@pytest.mark.parametrize("room", [True, False])
def test_exit_on_full_disk_asks_first(disk, start: Start, room):
    asked = []

    def ask(error):
        asked.append(error.code)
        if room:
            (disk / "something else").unlink()
            return Recovery.RETRY
        return Recovery.QUIT

    run = start(ask_unsaved=ask).ready()
    fill(disk)
    long_words = "words " * 40_000
    run.pane.chat.turn.send(f"say {long_words}")
    run.pane.chat.turn.handle(Event.STOP)
    run.answered()
    run.end()
    assert asked == ["full"]
    with suppress(FileNotFoundError):
        (disk / "something else").unlink()
    with Store.open(disk / "chats.db") as store:
        kept = [m.content for chat in store.chats() for m in store.messages(chat.id)]
    assert (f"say {long_words}" in kept) is room


def test_full_disk_at_start_is_reported(disk, start: Start):
    fill(disk)
    codes = []

    def ask(error):
        codes.append(error.code)
        (disk / "something else").unlink()
        return Recovery.RETRY

    assert start(ask=ask).started
    assert codes == ["full"]


def test_read_only_chats_continue_in_another_folder(disk, start: Start, tmp_path, qapp):
    with Store.open(disk / "chats.db") as store:
        store.save_chat(ChatRecord(new_id(), title="Trees"))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    folders = [None, tmp_path / "other"]  # the first dialog is cancelled
    run = start(ask=lambda error: Recovery.ELSEWHERE, ask_folder=lambda: folders.pop(0))
    assert not run.started
    assert run.app.chosen_profile == tmp_path / "other"
    run.end()
    next_run = Application(
        qapp,
        Paths.for_profile(run.app.chosen_profile),
        lambda *_: FakeEngine(),
        lambda _: Recovery.QUIT,
    )
    assert next_run.start()
    assert [chat.title for chat in next_run.library.chats()] == ["Trees"]
    next_run.shut_down()
    next_run.deleteLater()
