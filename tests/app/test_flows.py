"""Coroutines on the GUI thread."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app import flows
from app.flows import Latest


@pytest.fixture
def owner(qapp: QApplication) -> Iterator[QObject]:
    made = QObject()
    yield made
    flows.end(5)
    assert not flows.running_tasks()


def test_result_returns_to_the_gui_thread(qtbot: QtBot, owner: QObject) -> None:
    seen: list[object] = []

    async def work() -> None:
        value = await flows.run_in_thread(lambda _: seen.append(threading.current_thread()) or 7)
        seen.append((value, threading.current_thread()))

    flows.start(owner, work())
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen[1] == (7, threading.main_thread())
    assert seen[0] is not threading.main_thread()


def test_latest_flow_wins_and_uses_one_thread(qtbot: QtBot, owner: QObject) -> None:
    latest, told, busy, most = Latest(owner), [], [], []

    def work(number: int, stop: threading.Event) -> int:
        busy.append(number)
        most.append(len(busy))
        stop.wait(0 if number == 9 else 10)
        busy.remove(number)
        return number

    async def ask(number: int) -> None:
        told.append(await flows.run_in_thread(lambda stop: work(number, stop)))

    for number in range(10):
        latest.start(ask(number))
        if not number:
            qtbot.waitUntil(lambda: busy == [0])
    assert latest.running
    qtbot.waitUntil(lambda: bool(told))
    assert told == [9]
    assert most == [1, 1]  # the canceled flow and the latest
    qtbot.waitUntil(lambda: not latest.running)


def test_cancelled_flow_is_silent_and_stops_thread(qtbot: QtBot, owner: QObject) -> None:
    latest, told, began, stopped = Latest(owner), [], threading.Event(), threading.Event()

    def work(stop: threading.Event) -> str:
        began.set()
        stop.wait(10)
        stopped.set()
        return "late"

    async def ask() -> None:
        told.append(await flows.run_in_thread(work))

    async def say(word: str) -> None:
        told.append(await flows.run_in_thread(lambda _: word))

    latest.start(ask())
    qtbot.waitUntil(began.is_set)
    latest.cancel()
    assert not latest.running
    qtbot.waitUntil(stopped.is_set)
    latest.start(say("next"))
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["next"]


def test_flow_canceled_twice_waits_for_its_thread(qtbot: QtBot, owner: QObject) -> None:
    began, go_on, ended = threading.Event(), threading.Event(), []

    def work(stop: threading.Event) -> None:
        began.set()
        go_on.wait(10)
        ended.append("thread")

    async def ask() -> None:
        try:
            await flows.run_in_thread(work)
        finally:
            ended.append("sequence")

    task = flows.start(owner, ask())
    qtbot.waitUntil(began.is_set)
    task.cancel()
    qtbot.wait(20)
    task.cancel()
    qtbot.wait(20)
    assert not task.done()
    go_on.set()
    qtbot.waitUntil(task.done)
    assert task.cancelled()
    assert ended == ["thread", "sequence"]


def test_deleted_owner_stops_its_flow(qtbot: QtBot, qapp: QApplication) -> None:
    owner, told, began, stopped = QObject(), [], threading.Event(), threading.Event()

    def work(stop: threading.Event) -> None:
        began.set()
        stop.wait(10)
        stopped.set()

    async def ask() -> None:
        told.append(await flows.run_in_thread(work))

    flows.start(owner, ask())
    qtbot.waitUntil(began.is_set)
    shiboken6.delete(owner)
    qtbot.waitUntil(stopped.is_set)
    flows.end(5)
    assert told == []
    assert not flows.running_tasks()


def test_error_is_raised_at_the_await(qtbot: QtBot, owner: QObject) -> None:
    failed: list[Exception] = []

    async def ask() -> None:
        try:
            await flows.run_in_thread(lambda _: 1 // 0)
        except ZeroDivisionError as error:
            failed.append(error)

    flows.start(owner, ask())
    qtbot.waitUntil(lambda: bool(failed))


class Panic(BaseException):
    """Exception that isn't an `Exception`, like pyo3's PanicException."""


@pytest.mark.parametrize("raised", [Panic, SystemExit, KeyboardInterrupt])
def test_panic_in_a_worker_ends_its_sequence(
    qtbot: QtBot, owner: QObject, raised: type[BaseException]
) -> None:
    latest, seen = Latest(owner), []

    def work(_: threading.Event) -> None:
        raise raised("of a library")

    async def first() -> None:
        try:
            await flows.run_in_thread(work)
        except Exception as error:
            seen.append(type(error.__cause__))

    async def second() -> None:
        seen.append("second")

    latest.start(first())
    qtbot.waitUntil(lambda: bool(seen))
    latest.start(second())
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen == [raised, "second"]
    assert not flows.running_tasks()


def test_uncollected_error_is_reported(
    qtbot: QtBot, owner: QObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr(sys, "excepthook", lambda *what: told.append(what))

    async def ask() -> None:
        await flows.run_in_thread(lambda _: 1 // 0)

    flows.start(owner, ask())
    qtbot.waitUntil(lambda: bool(told))
    kind, error, trace = told[0]
    assert kind is ZeroDivisionError
    assert getattr(error, "__traceback__", None) is trace


def test_cancelled_future_does_not_cancel_flow(qtbot: QtBot, owner: QObject) -> None:
    futures = [Future[int]() for _ in range(3)]
    came: list[object] = []

    async def ask() -> None:
        for future in futures:
            try:
                came.append(await flows.wait_for_future(future))
            except (CancelledError, ValueError) as error:
                came.append(type(error))

    task = flows.start(owner, ask())
    futures[2].set_result(3)
    threading.Thread(target=futures[0].set_result, args=(1,)).start()
    qtbot.waitUntil(lambda: came == [1])
    futures[1].cancel()
    futures[1].set_running_or_notify_cancel()
    qtbot.waitUntil(task.done)
    assert came == [1, CancelledError, 3]


def test_shutdown_waits_for_new_flows(owner: QObject) -> None:
    stopped: list[bool] = []

    async def ask() -> None:
        await flows.run_in_thread(lambda stop: stopped.append(stop.wait(10)))

    flows.start(owner, ask())
    flows.end(5)
    assert stopped == [True]
    assert not flows.running_tasks()


def test_flow_continues_during_modal_dialog(qtbot: QtBot, owner: QObject) -> None:
    dialog, came = QDialog(), []
    qtbot.addWidget(dialog)

    async def ask() -> None:
        came.append(await flows.run_in_thread(lambda _: "meanwhile"))
        dialog.accept()

    QTimer.singleShot(0, owner, lambda: flows.start(owner, ask()))
    dialog.exec()
    assert came == ["meanwhile"]


def test_thread_may_run_its_own_loop(qtbot: QtBot, owner: QObject) -> None:
    async def other() -> int:
        await asyncio.sleep(0)
        return 3

    task = flows.start(owner, flows.run_in_thread(lambda _: 7))
    assert asyncio.run(other()) == 3
    qtbot.waitUntil(task.done)
    assert task.result() == 7


def test_dialog_stays_open_until_answered(qtbot: QtBot, owner: QObject) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    said = []

    async def ask() -> None:
        said.append(await flows.open_and_wait(QDialog(window)))

    for end, result in ((QDialog.accept, 1), (QDialog.reject, 0), (QDialog.close, 0)):
        flows.start(owner, ask())
        qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QDialog))
        end(QApplication.activeModalWidget())  # type: ignore[arg-type]
        qtbot.waitUntil(lambda: not flows.running_tasks())
        assert said.pop() == result
        qtbot.waitUntil(lambda: not window.findChildren(QDialog))


def test_dialog_closes_with_its_flow(qtbot: QtBot, owner: QObject) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    task = flows.start(owner, flows.open_and_wait(QDialog(window)))
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    task.cancel()
    qtbot.waitUntil(lambda: not flows.running_tasks() and not window.findChildren(QDialog))
    assert QApplication.activeModalWidget() is None


def test_dialog_closed_with_its_window_returns(qtbot: QtBot, owner: QObject) -> None:
    window = QWidget()
    task = flows.start(owner, flows.open_and_wait(QDialog(window)))
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    window.deleteLater()
    qtbot.waitUntil(task.done)
    assert task.result() == 0


def test_ended_flow_does_not_wait_for_future(qtbot: QtBot, owner: QObject) -> None:
    before = len(flows._awaited)
    never: Future[int] = Future()
    task = flows.start(owner, flows.wait_for_future(never))
    qtbot.waitUntil(lambda: len(flows._awaited) == before + 1)
    task.cancel()
    qtbot.waitUntil(task.done)
    assert len(flows._awaited) == before
    never.set_result(1)  # the result arrives anyway
    QApplication.processEvents()
