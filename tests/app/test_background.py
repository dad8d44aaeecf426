"""Work in the background: delivered on the GUI thread, dropped when nobody waits for it."""

from __future__ import annotations

import sys
import threading

import pytest
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app import background
from app.background import Query


@pytest.fixture
def owner(qapp):
    made = QObject()
    yield made
    background.finish(5)


def test_the_answer_comes_on_the_gui_thread(qtbot: QtBot, owner):
    asked, told = [], []
    Query(owner).ask(
        lambda _: asked.append(threading.current_thread()) or 7,
        lambda value: told.append((value, threading.current_thread())),
    )
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(7, threading.main_thread())]
    assert asked[0] is not threading.main_thread()


def test_only_the_newest_question_is_answered_and_one_thread_works_at_a_time(qtbot: QtBot, owner):
    query, told, busy, most = Query(owner), [], [], []

    def work(number, stop):
        busy.append(number)
        most.append(len(busy))
        stop.wait(0 if number == 9 else 10)
        busy.remove(number)
        return number

    for number in range(10):
        query.ask(lambda stop, number=number: work(number, stop), told.append)
    assert query.waiting
    qtbot.waitUntil(lambda: bool(told))
    assert told == [9]
    assert most == [1, 1]  # the first, which was told to stop, and the newest
    assert not query.waiting


def test_a_question_that_was_dropped_is_not_answered(qtbot: QtBot, owner):
    query, told, stopped = Query(owner), [], threading.Event()
    query.ask(lambda stop: stop.wait(10) and stopped.set(), told.append)
    query.drop()
    qtbot.waitUntil(stopped.is_set)
    query.ask(lambda _: "next", told.append)
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["next"]


def test_an_owner_that_has_gone_hears_nothing_and_the_work_is_stopped(qtbot: QtBot, qapp):
    owner, told, stopped = QObject(), [], threading.Event()
    Query(owner).ask(lambda stop: stop.wait(10) and stopped.set(), told.append)
    shiboken6.delete(owner)
    qtbot.waitUntil(stopped.is_set)
    background.finish(5)
    qapp.processEvents()
    assert told == []


def test_an_error_is_handed_over(qtbot: QtBot, owner):
    failed = []
    Query(owner).ask(lambda _: 1 // 0, lambda _: None, failed.append)
    qtbot.waitUntil(lambda: bool(failed))
    assert isinstance(failed[0], ZeroDivisionError)


def test_an_error_that_nobody_takes_is_told_like_any_other(qtbot: QtBot, owner, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "excepthook", lambda *what: told.append(what))
    Query(owner).ask(lambda _: 1 // 0, lambda _: None)
    qtbot.waitUntil(lambda: bool(told))
    kind, error, trace = told[0]
    assert kind is ZeroDivisionError
    assert error.__traceback__ is trace


def test_the_end_of_the_program_waits_for_what_stops(qapp, owner):
    stopped = []
    Query(owner).ask(lambda stop: stopped.append(stop.wait(10)), lambda _: None)
    background.finish(5)
    assert stopped == [True]
