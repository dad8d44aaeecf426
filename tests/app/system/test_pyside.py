"""Workarounds for PySide."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import app.ui  # noqa: F401, before the class below
from app.system import pyside


class Broken(QWidget):
    def paintEvent(self, event: QPaintEvent) -> None:
        {}["nothing"]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.User and bool(int("no number"))


def test_error_in_qt_callback_is_not_fatal(qtbot: QtBot) -> None:
    widget, watcher = Broken(), Broken()
    qtbot.addWidget(widget)
    with pytest.raises(KeyError, match="nothing"):
        widget.grab()
    widget.installEventFilter(watcher)
    with pytest.raises(ValueError, match="no number"):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.User))


def test_module_is_imported_without_reading_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feature = sys.modules["shibokensupport.feature"]
    monkeypatch.setattr(feature, "_mod_uses_pyside", feature._mod_uses_pyside)  # undone at the end
    file = tmp_path / "uses_qt.py"
    file.write_text("from PySide6.QtCore import QObject\n\nclass Own(QObject): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    pyside.skip_source_reading()
    assert isinstance(__import__("uses_qt").Own(), QObject)
    assert str(file) not in linecache.cache
