"""Settings, paths and options."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from app.chats.options import ChatOptions, build_sampling
from app.models.names import model_fallback_name, model_location
from app.settings import file_saver
from app.settings.paths import GUIDE, Paths
from app.settings.settings import Settings


def test_saved_settings_are_restored(tmp_path):
    file = tmp_path / "settings.json"
    settings = Settings(appearance="dark", sidebar=False)
    settings.remember_model("/models/a")
    settings.remember_model("/models/b")
    settings.remember_model("/models/a")
    settings.save(file)
    assert Settings.load(file) == settings
    assert settings.models == ("/models/a", "/models/b")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"appearance": 3, "models": [1], "new": true}'])
def test_damaged_settings_fall_back_to_defaults(tmp_path, text):
    file = tmp_path / "settings.json"
    file.write_text(text)
    assert Settings.load(file) == Settings()


def test_missing_settings_fall_back_to_defaults(tmp_path):
    assert Settings.load(tmp_path / "none.json") == Settings()


def test_unsavable_settings_are_not_an_error(tmp_path):
    Settings().save(tmp_path / "no" / "folder" / "settings.json")


def test_a_profile_keeps_everything_in_its_folder(tmp_path):
    paths = Paths.for_profile(tmp_path)
    assert paths.chats == tmp_path / "chats.db"
    assert paths.settings == tmp_path / "settings.json"
    assert paths.log.is_relative_to(tmp_path)


def test_guide_is_found_next_to_program():
    assert Path(model_location(GUIDE)).name == "guide"
    assert Path(model_location(GUIDE)).parent.name == "resources"
    assert model_location("/models/x") == "/models/x"
    assert model_fallback_name(GUIDE) == "Guide"
    assert model_fallback_name("/models/Small-3B") == "Small-3B"
    assert model_fallback_name("/models/Small-3B-0123456789ab") == "Small-3B"  # from a GGUF file


def test_options_keep_changes_and_ignore_unknown():
    options = ChatOptions(temperature=0.0, seed=7)
    assert options.to_params() == {"temperature": 0.0, "seed": 7}
    assert ChatOptions.from_params({**options.to_params(), "later": 1}) == options


def test_user_choice_precedes_model_default():
    defaults = {"temperature": 0.6, "top_k": 20, "unknown": 1}
    assert build_sampling(ChatOptions(), defaults).temperature == 0.6
    assert build_sampling(ChatOptions(temperature=0.0), defaults).temperature == 0.0
    assert build_sampling(ChatOptions(), defaults).top_k == 20
    for name, value in {"typical_p": 0.9, "presence_penalty": 0.5, "min_p": 0.1}.items():
        assert getattr(build_sampling(ChatOptions(), {name: value}), name) == value
    with pytest.raises(ValueError, match="temperature"):
        build_sampling(ChatOptions(temperature=-1), {})


def test_min_p_applies_unless_another_filter_is_chosen():
    assert build_sampling(ChatOptions(), {"temperature": 0.6}).min_p == 0.05
    assert build_sampling(ChatOptions(), {"top_p": 0.9}).min_p == 0
    assert build_sampling(ChatOptions(top_k=10), {}).min_p == 0
    assert build_sampling(ChatOptions(min_p=0), {}).min_p == 0


def test_slow_disk_does_not_block_settings(tmp_path, monkeypatch):
    """`set` writes on another thread, and only the last of several pending changes is written."""
    file = tmp_path / "settings.json"
    go_on, written = threading.Event(), []

    def slowly(path: Path, text: str) -> None:
        assert threading.current_thread() is not threading.main_thread()
        assert go_on.wait(30)
        written.append(json.loads(text)["system"])
        path.write_text(text)

    monkeypatch.setattr(file_saver, "replace_text", slowly)
    settings = Settings.load(file)
    for number in range(1000):
        settings.set(system=f"{number}")
    assert written == []
    go_on.set()
    assert Settings.load(file).system == "999", "who reads waits for what is being written"
    assert written[-1] == "999"
    assert len(written) <= 2, "the one that was being written, and the last"


def test_settings_file_is_private_and_replaces_a_link(tmp_path):
    file, other = tmp_path / "settings.json", tmp_path / "precious"
    other.write_text('{"system": "mine"}')
    file.symlink_to(other)
    settings = Settings.load(file)
    settings.set(system="x")
    assert Settings.load(file).system == "x"
    assert other.read_text() == '{"system": "mine"}'
    assert file.stat().st_mode & 0o777 == 0o600
    assert not file.is_symlink()


@pytest.mark.parametrize("number", ["9" * 400, "1e400", "-1e400", "NaN", "-1", "1e300", "true"])
def test_invalid_time_does_not_prevent_start(tmp_path, number):
    """Regression test: an integer with hundreds of digits overflowed as a float, so startup
    failed.
    """
    file = tmp_path / "settings.json"
    file.write_text(f'{{"used": {{"/m": {number}, "/n": 5}}, "looked_at": {number}, "zoom": 110}}')
    settings = Settings.load(file)
    assert settings.used == {"/n": 5.0}
    assert settings.zoom == 110
    assert settings.set_aside is None


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("text_px", 28, 29),
        ("memory_gb", 0.5, float("nan")),
        ("zoom", 110, 111),
        ("tray", True, 1),
        ("pinned", ("a",), ("a", 1)),
        ("serve_equal", True, "first"),
    ],
)
def test_set_refuses_values_out_of_bounds(name: str, good: object, bad: object) -> None:
    settings = Settings()
    settings.set(**{name: good})
    with pytest.raises(ValueError, match=name):
        settings.set(sidebar=False, **{name: bad})
    assert getattr(settings, name) == good
    assert settings.sidebar


@pytest.mark.parametrize("name", ["memory_gb", "cache_gb", "unload_idle_min"])
def test_large_values_in_the_file_are_read(tmp_path: Path, name: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({name: 99_999}))
    assert getattr(Settings.load(file), name) == 99_999
    file.write_text(json.dumps({name: 100_001}))
    assert getattr(Settings.load(file), name) == getattr(Settings(), name)


def test_only_options_with_another_value_are_announced(tmp_path: Path) -> None:
    settings = Settings(file=tmp_path / "settings.json")
    said: list[tuple[str, object]] = []
    settings.announcer.changed.connect(lambda name: said.append((name, getattr(settings, name))))
    settings.set(zoom=125, tray=False, spelling="off")
    assert said == [("zoom", 125), ("spelling", "off")]
    settings.set(zoom=125)
    assert len(said) == 2
