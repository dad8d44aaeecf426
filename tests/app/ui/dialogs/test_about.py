from concurrent.futures import Future
from typing import Any

import pytest
from PySide6.QtWidgets import QDialog, QPushButton

from app.ui.dialogs.about import LicencesWindow
from engine import EngineError
from tests.app.conftest import Run, Start


def test_about_lists_the_components(start: Start):
    run = start()
    run.window.commands["about"].trigger()
    about = next(d for d in run.window.findChildren(QDialog) if d.objectName() == "about")
    button = next(b for b in about.findChildren(QPushButton) if b.text() == "Licenses…")
    button.click()
    window = about.findChild(LicencesWindow)
    names = [window.list.item(row).text().split()[0] for row in range(window.list.count())]
    assert "Python" in names
    assert names == sorted(names, key=str.lower)
    window.list.setCurrentRow(names.index("PySide6_Essentials"))
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in window.text.toPlainText()
    window.close()
    about.close()


def test_about_opens_though_the_engine_has_stopped(run: Run, monkeypatch: pytest.MonkeyPatch):
    assert run.engine is not None

    def stopped() -> Future[dict[str, Any]]:
        raise EngineError("engine_stopped", "The engine has stopped.")

    monkeypatch.setattr(run.engine, "stats_later", stopped)
    run.window.commands["about"].trigger()
    (about,) = (d for d in run.window.findChildren(QDialog) if d.objectName() == "about")
    about.close()
    run.window.commands["models"].trigger()
    run.window.models.window.close()
