"""Modules are imported without a look at their sources."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from app.system import pyside


def test_a_module_is_imported_without_its_source_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feature = sys.modules["shibokensupport.feature"]
    monkeypatch.setattr(feature, "_mod_uses_pyside", feature._mod_uses_pyside)  # put back after it
    file = tmp_path / "uses_qt.py"
    file.write_text("from PySide6.QtCore import QObject\n\nclass Own(QObject): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    pyside.leave_sources_alone()
    assert isinstance(__import__("uses_qt").Own(), QObject)
    assert str(file) not in linecache.cache
