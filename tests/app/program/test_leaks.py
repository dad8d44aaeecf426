"""Closing panes leaks nothing except the panes kept for undo.

``STRETTO_LEAK_PANES=500 pytest tests/app/program/test_leaks.py`` uses more panes.
"""

from __future__ import annotations

import gc
import os
import threading
from collections import Counter
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.chats.chat import Chat
from app.ui.pane.pane import ChatPane
from app.ui.workspace.docks import Docks
from tests.app.conftest import Run

PANES = int(os.environ.get("STRETTO_LEAK_PANES", "24"))
WAYS: tuple[Callable[[Run], object], ...] = (
    lambda run: run.window.chats.new(),
    lambda run: run.window.commands["split_right"].trigger(),
    lambda run: run.window.commands["split_down"].trigger(),
)
ROUND = Docks.KEPT_CLOSED  # after this many panes, the kept panes have the same types again


def open_and_close(run: Run, panes):
    for number in range(panes):
        WAYS[number % len(WAYS)](run)
        if number % 2:
            run.ask("think" if number % 4 == 1 else "say one *two*")
        run.window.commands["close"].trigger()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def alive(run: Run):
    for _ in range(3):
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()
    gc.collect()
    roots = [run.app, *(w for w in QApplication.topLevelWidgets() if w.parent() is None)]
    counts = Counter(
        child.metaObject().className() for root in roots for child in root.findChildren(QObject)
    )
    kinds = (ChatPane, Chat, QTextDocument, QTimer)
    for thing in gc.get_objects():
        for kind in kinds:
            if isinstance(thing, kind) and isValid(thing):
                counts[f"{kind.__name__} of Python's"] += 1
    counts["windows"] = len(QApplication.topLevelWidgets())
    counts["threads"] = threading.active_count()
    counts["engine sessions"] = len(
        {reply.session.id for reply in run.engine.sent if not reply.session.closed}
    )
    counts["channels"] = len(run.app.bridge._handlers)
    return counts


def test_opening_and_closing_panes_leaks_nothing(run: Run):
    open_and_close(run, ROUND)
    before = alive(run)
    assert before["ChatPane"] == Docks.KEPT_CLOSED + 1
    assert before["engine sessions"] == Docks.KEPT_CLOSED // 2
    rounds = max(1, (PANES - ROUND) // ROUND)
    open_and_close(run, rounds * ROUND)
    after = alive(run)
    grown = {name: (before[name], n) for name, n in after.items() if n > before[name]}
    assert grown == {}
