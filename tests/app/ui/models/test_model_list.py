"""The model folders in the settings: shown, added, forgotten, restored."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app import flows
from app.models.installed import look_at
from app.settings.settings import Settings
from app.ui.settings.settings_window import SettingsWindow
from tests.app.conftest import Start, answering

LEFT = Qt.MouseButton.LeftButton


def make_model(folder, size):
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(size - 2))
    return str(folder)


@pytest.fixture
def models(tmp_path):
    """Create three known folders: a model, a missing one, and one without a model."""
    (tmp_path / "Papers").mkdir()
    good = make_model(tmp_path / "Small-3B", 12_000_000)
    return [good, str(tmp_path / "Gone-7B"), str(tmp_path / "Papers")]


@pytest.fixture
def opened(start: Start, models):
    """Start the program with its settings open, and record the folders shown in the file
    manager.
    """
    run = start().ready()
    run.app.settings.set(models=tuple(models))
    run.qtbot.keyClick(run.window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    window = run.settings
    run.until(lambda: all(row.folder is not None for row in window.models.rows))
    return run, window


def state(window, ref):
    return window.models.row(ref).state.text()


def test_rows_show_name_path_size_and_state(opened, models):
    _, window = opened
    good, gone, _ = models
    row = window.models.row(good)
    assert row.name.text() == "Small-3B"
    assert row.place.toolTip() == good
    assert [state(window, ref) for ref in models] == [
        "12 MB",
        "Folder not found",
        "Contains no model",
    ]
    assert row.reveal.isEnabled()
    assert not window.models.row(gone).reveal.isEnabled()
    assert window.models.row(gone).state.property("danger")
    assert not row.state.property("danger")
    assert not window.models.none.isVisible()


def test_removed_model_is_restored_in_place(opened, models, profile):
    run, window = opened
    good, gone, empty = models
    offered = [window.model.itemData(i) for i in range(window.model.count())]
    assert gone in offered
    for ref in (gone, good):
        run.qtbot.mouseClick(window.models.row(ref).forget, LEFT)
    assert run.app.settings.models == (empty,)
    assert Settings.load(profile / "settings.json").models == (empty,)
    assert window.model.findData(gone) == -1
    assert (run.app.settings.model, window.model.currentData()) == (
        "guide",
        "",
    )  # the current chat's
    run.qtbot.mouseClick(window.models.undo, LEFT)
    assert run.app.settings.models == (good, empty)
    run.qtbot.mouseClick(window.models.undo, LEFT)
    assert run.app.settings.models == tuple(models)
    assert [row.ref for row in window.models.rows] == models
    assert not window.models.undo.isVisible()
    run.until(lambda: state(window, good) == "12 MB")  # its files are unchanged
    assert Settings.load(profile / "settings.json").models == tuple(models)


def test_model_list_works_by_keyboard(opened, models):
    run, window = opened
    window.models.row(models[0]).forget.setFocus()
    run.qtbot.keyClick(window.models.row(models[0]).forget, Qt.Key.Key_Space)
    assert window.models.row(models[0]) is None
    run.until(lambda: window.models.undo.hasFocus())
    run.qtbot.keyClick(window.models.undo, Qt.Key.Key_Space)
    run.until(lambda: window.models.row(models[0]).forget.hasFocus())


def test_added_folder_is_listed_first(opened, models, tmp_path, monkeypatch):
    run, window = opened
    added = make_model(tmp_path / "New-1B", 3_000_000)
    answering(monkeypatch, "folder", Path(added))
    run.qtbot.mouseClick(window.models.add, LEFT)
    run.until(lambda: run.app.settings.models == (added, *models))
    assert window.models.rows[0].ref == added
    assert window.model.findData(added) >= 0
    run.until(lambda: state(window, added) == "3.0 MB")
    answering(monkeypatch, "folder", None)
    run.qtbot.mouseClick(window.models.add, LEFT)
    run.until(lambda: not flows.left())
    assert len(window.models.rows) == 4


def test_show_in_folder_opens_the_models_own(start: Start, models, qtbot: QtBot):
    run = start()
    run.app.settings.set(models=tuple(models))
    shown = []
    window = SettingsWindow(run.app.settings, None, run.window, shown.append)
    window.pages.complete()
    window.show()
    run.until(lambda: window.models.row(models[0]).reveal.isEnabled())
    qtbot.mouseClick(window.models.row(models[0]).reveal, LEFT)
    assert [str(folder) for folder in shown] == [models[0]]
    window.close()


def test_model_list_shows_engine_state(opened, models):
    run, window = opened
    run.engine.loading.clear()
    run.window.chats.use_model(models[0])
    assert state(window, models[0]).endswith("Loading…")
    run.engine.loading.set()
    run.until(lambda: state(window, models[0]) == "12 MB · Loaded, 0.0 MB of memory")
    broken = "/models/broken"
    window.models.add_model(broken)
    run.window.chats.use_model(broken)
    run.until(lambda: "config.json" in window.models.row(broken).state.toolTip())


def test_empty_model_list_explains_itself(start: Start):
    run = start()
    run.window.settings_commands.show_settings()
    window = run.settings
    window.pages.show_page("Models")
    assert window.models.none.isVisible()
    assert window.models.rows == []


def test_look_at_reports_existence_and_size(tmp_path):
    assert look_at("mlx-community/Some-Model").local is False
    assert look_at(str(tmp_path / "none")).found is False
    folder = tmp_path / "linked"
    folder.mkdir()
    blob = tmp_path / "blob"
    blob.write_bytes(bytes(1000))
    for name in ("config.json", "twice"):  # links to one file, as in the hub's cache
        (folder / name).symlink_to(blob)
    (folder / "dangling").symlink_to(tmp_path / "nothing")
    (folder / "inner").mkdir()
    (folder / "inner" / "more").write_bytes(bytes(50))
    seen = look_at(str(folder))
    assert (seen.found, seen.holds_model, seen.bytes) == (True, True, 1050)


def test_removed_model_is_restored_after_settings_close(opened, models):
    run, window = opened
    for ref in models[:2]:
        run.qtbot.mouseClick(window.models.row(ref).forget, LEFT)
    window.close()
    toast = run.window.toast
    assert toast.isVisible()
    assert toast.text.endswith("removed from list")
    run.qtbot.mouseClick(toast.button, LEFT)
    run.window.commands["undo_close"].trigger()
    assert run.app.settings.models == tuple(models)


def test_the_guide_is_in_the_list_and_cannot_be_removed(opened):
    run, window = opened
    guide = window.models.guide
    assert (guide.name.text(), guide.place.text()) == ("Guide", "Comes with Stretto")
    assert guide.state.text().startswith("Loaded")
    assert not guide.forget.isVisible()
    window.pages.show_page("Models")
    run.until(guide.isVisible)
    assert guide.y() < window.models.rows[0].y()
