"""Choices that are saved immediately and never overwritten."""

from __future__ import annotations

import json
import time

import pytest
from PySide6.QtWidgets import QMenu

from app.settings.settings import Settings
from tests.app.conftest import Run, Start


def test_every_change_is_saved_immediately(tmp_path):
    file = tmp_path / "settings.json"
    settings = Settings.load(file)
    settings.set(text_px=20)
    assert Settings.load(file).text_px == 20
    settings.remember_model("/models/a")
    assert Settings.load(file).models == ("/models/a",)


def test_no_setting_changes_without_being_saved(tmp_path):
    settings = Settings.load(tmp_path / "settings.json")
    with pytest.raises(AttributeError):
        settings.text_px = 20
    with pytest.raises(AttributeError):
        settings.set(text_size=20)
    with pytest.raises(AttributeError):
        settings.set(file=None)


@pytest.mark.parametrize("text", ['{"presets": {"mine": {}} "model": "x"}', "", "[1]"])
def test_unreadable_settings_are_set_aside(tmp_path, text):
    file = tmp_path / "settings.json"
    file.write_text(text)
    settings = Settings.load(file)
    settings.set(text_px=20)
    assert settings.set_aside.parent == tmp_path
    assert settings.set_aside.read_text() == text
    assert Settings.load(file).text_px == 20


def test_settings_set_aside_within_a_second_are_all_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "strftime", lambda *_: "20261120-224801")
    file = tmp_path / "settings.json"
    for text in ("{1", "{2", "{3"):
        file.write_text(text)
        assert Settings.load(file).set_aside.read_text() == text
    kept = [path.read_text() for path in tmp_path.glob("settings.unreadable-*.json")]
    assert sorted(kept) == ["{1", "{2", "{3"]


def test_unmovable_settings_file_is_left_alone(tmp_path, monkeypatch):
    file = tmp_path / "settings.json"
    file.write_text("{")

    def refuse(*_):
        raise OSError("read-only")

    monkeypatch.setattr(type(file), "rename", refuse)
    settings = Settings.load(file)
    settings.set(text_px=20)
    assert settings.text_px == 20
    assert settings.unread
    assert settings.set_aside is None
    assert file.read_text() == "{"


def test_notice_says_that_settings_were_set_aside(start: Start, profile):
    profile.mkdir()
    broken = '{"presets": {"Poet": {"params": {}, "system": "Rhyme."}},, }'
    (profile / "settings.json").write_text(broken)
    run = start()
    (aside,) = profile.glob("settings.unreadable-*.json")
    assert aside.name in run.window.toast.text
    run.end()
    assert aside.read_text() == broken
    assert json.loads((profile / "settings.json").read_text())["presets"] == {}


def test_preset_is_saved_immediately(run: Run, profile):
    presets = run.window.pane_menus.presets
    presets.save("Poet", {"params": {"temperature": 1.0}, "system": "Rhyme."})
    assert [*Settings.load(profile / "settings.json").presets] == ["Poet"]
    presets.delete("Poet")
    assert [*Settings.load(profile / "settings.json").presets] == []


def test_undoing_preset_rename_leaves_one_preset(run: Run):
    presets, settings = run.window.pane_menus.presets, run.app.settings
    presets.save("Poet", {"params": {}, "system": "Rhyme."})
    presets.rename("Poet", "Bard")
    run.window.commands["undo_close"].trigger()
    assert [*settings.presets] == ["Poet"]


def test_undo_keeps_later_changes(run: Run):
    presets, settings = run.window.pane_menus.presets, run.app.settings
    presets.save("Poet", {"params": {}, "system": "Rhyme."})
    presets.delete("Poet")
    presets.save("Poet", {"params": {}, "system": "Sing."})
    run.window.commands["undo_close"].trigger()
    assert settings.presets["Poet"]["system"] == "Sing."


def test_appearance_from_menu_is_saved(start: Start, profile):
    run = start()
    view = next(menu for menu in run.window._menus if menu.title() == "View")
    look = next(m for m in view.findChildren(QMenu) if m.title() == "Theme")
    next(a for a in look.actions() if a.text() == "Dark").trigger()
    assert Settings.load(profile / "settings.json").appearance == "dark"
    next(a for a in look.actions() if a.text() == "System").trigger()


@pytest.mark.parametrize(
    "values", [{"zoom": 3}, {"text_px": "20"}, {"tray": 1}, {"models": [1]}, {"drafts": ()}]
)
def test_set_refuses_values_that_load_would_drop(values):
    settings = Settings()
    before = dict(vars(settings))
    with pytest.raises(ValueError, match="cannot be"):
        settings.set(language="de", **values)
    assert vars(settings) == before
