"""Models with adapters."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app import flows
from app.models.loading import LoadState
from app.models.names import adapter_of, base_model, model_fallback_name, model_location, variant_of
from app.ui.models.models_table import ModelColumn
from app.ui.models.models_window import ModelsWindow
from engine.hub import downloads
from tests.app.conftest import Run, Start, answering
from tests.app.trash_bin import own_trash

LEFT = Qt.MouseButton.LeftButton


def write_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (folder / "model.safetensors").write_bytes(bytes(2_000_000))
    return folder


def write_adapter(folder: Path, kind: str = "lora") -> Path:
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(json.dumps({"fine_tune_type": kind}))
    (folder / "adapters.safetensors").write_bytes(bytes(50_000))
    return folder


class Variants:
    def __init__(self, run: Run, base: Path, pirate: Path) -> None:
        self.run, self.base, self.pirate = run, base, pirate
        self.ref = variant_of(str(base), pirate)
        run.app.settings.set(model_folders=(str(base.parent),))

    def open(self) -> ModelsWindow:
        self.run.window.commands["models"].trigger()
        self.look()
        window = self.run.window.models.window
        assert window is not None
        return window

    def look(self) -> None:
        self.run.until(lambda: not self.run.app.models.installed.looking)

    def names(self) -> list[str]:
        window = self.run.window.models.window
        return [model.name for model in window.table.rows]

    def menu(self) -> list[str]:
        self.run.qtbot.mouseClick(self.run.pane.header.model_button, LEFT)
        menu = QApplication.activePopupWidget()
        words = [action.text().partition("\t")[0] for action in menu.actions()]
        menu.close()
        return words


@pytest.fixture
def variants(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Variants:
    own_trash(tmp_path, monkeypatch)
    monkeypatch.setattr(downloads, "cache_root", lambda: tmp_path / "hub")
    base = write_model(tmp_path / "models" / "Amber-1B")
    pirate = write_adapter(tmp_path / "trained" / "pirate")
    run = start().ready()
    return Variants(run, base, pirate)


def choosing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    answering(monkeypatch, "ask_for_folder", folder)


def test_variant_name_combines_model_and_adapter():
    ref = variant_of("owner/name@main", Path("/trained/my + pirate"))
    assert ref == "owner/name@main + /trained/my + pirate"
    assert (base_model(ref), adapter_of(ref)) == ("owner/name@main", "/trained/my + pirate")
    assert model_location(ref) == "owner/name@main"
    assert model_fallback_name(ref) == "name@main + my + pirate"
    assert variant_of(ref, Path("/other")) == "owner/name@main + /other"
    for plain in ("guide", "/models/a + b", "owner/name"):
        assert (base_model(plain), adapter_of(plain)) == (plain, "")
    assert model_location(variant_of("guide", Path("/p"))) == model_location("guide")


def test_adapter_is_added_and_chosen(variants: Variants, monkeypatch: pytest.MonkeyPatch):
    run, window = variants.run, variants.open()
    assert window.choose(variants.base)
    choosing(monkeypatch, variants.pirate)
    window.foot.adapter.trigger()
    run.until(lambda: not flows.running_tasks())
    variants.look()
    assert variants.names() == ["Amber-1B", "Amber-1B + pirate", "Guide"]
    row = window.table.rows[1]
    assert row.facts.architecture == "LoRA adapter"
    assert window.choose(variants.pirate)
    assert not window.foot.adapter.isEnabled()  # a model has at most one adapter
    run.qtbot.mouseClick(window.foot.open, LEFT)
    run.until(lambda: run.pane.header.state == "Ready")
    assert run.pane.header.model_button.text() == "Amber-1B + pirate"
    assert run.pane.chat.record.model == variants.ref
    assert run.pane.chat.model.status.model.adapter == str(variants.pirate)
    run.say("say ahoy")
    assert run.answered() == "ahoy "
    assert "Amber-1B + pirate" in variants.menu()
    loaded = [m.name for m in window.table.rows if window._installed.status(m).model is not None]
    assert loaded == ["Amber-1B + pirate", "Guide"]  # the base itself isn't loaded


def test_adapter_too_large_is_not_loaded(variants: Variants, tmp_path: Path):
    run = variants.run
    run.window.chats.use_model(str(variants.base))
    run.until(lambda: run.pane.header.state == "Ready")
    run.window.chats.use_model(variant_of(str(variants.base), write_adapter(tmp_path / "vast")))
    run.until(lambda: run.pane.chat.model.status.state is LoadState.FAILED)
    assert run.pane.chat.model.status.fit.verdict == "no"


def test_adapters_in_a_models_folder_are_found(variants: Variants):
    write_adapter(variants.base / "adapters" / "poet", "dora")
    write_adapter(variants.base / "terse")
    (variants.base / "adapters" / "empty").mkdir()
    variants.open()
    assert variants.names() == ["Amber-1B", "Amber-1B + poet", "Amber-1B + terse", "Guide"]


def test_adapter_problem_is_listed(variants: Variants):
    variants.run.app.settings.remember_model(variants.ref)
    config = variants.pirate / "adapter_config.json"
    for change, words in (
        (lambda: config.write_text('{"fine_tune_type": "full"}'), "LoRA"),
        (lambda: config.write_text("{"), "cannot be read."),
        ((variants.pirate / "adapters.safetensors").unlink, "Not an adapter: "),
        (lambda: shutil.rmtree(variants.pirate), "The adapter's folder no longer exists."),
    ):
        change()
        window = variants.open()
        row = next(model for model in window.table.rows if model.name == "Amber-1B + pirate")
        assert words in row.facts.problem
        assert window.choose(variants.pirate)
        assert not window.foot.open.isEnabled()
        window.close()


def test_non_adapter_folder_is_refused(variants: Variants, monkeypatch: pytest.MonkeyPatch):
    window = variants.open()
    assert window.choose(variants.base)
    choosing(monkeypatch, variants.base)
    window.foot.adapter.trigger()
    variants.run.until(lambda: not flows.running_tasks())
    assert variants.run.app.settings.models == ()


def test_missing_adapter_falls_back_to_its_model(variants: Variants):
    run = variants.run
    shutil.rmtree(variants.pirate)
    run.window.chats.use_model(variants.ref)
    run.until(lambda: run.pane.notice.isVisible())
    assert "Adapter folder" in run.pane.notice.text
    without = run.pane.notice.without_adapter
    assert without.isVisible()
    run.say("say hello")
    run.until(lambda: run.pane.chat.transcript.last("assistant").status == "error")
    failed = run.pane.chat.transcript.last("assistant").id
    run.until(lambda: run.pane.transcript.row(failed))
    row = run.pane.transcript.row(failed)
    run.until(row.isVisible)
    run.qtbot.mouseClick(row.error.buttons[1], LEFT)
    assert run.answered() == "hello "
    assert run.pane.chat.record.model == str(variants.base)


def test_notice_offers_model_without_adapter(variants: Variants):
    run = variants.run
    shutil.rmtree(variants.pirate)
    run.window.chats.use_model(variants.ref)
    run.until(lambda: run.pane.notice.isVisible())
    run.qtbot.mouseClick(run.pane.notice.without_adapter, LEFT)
    run.until(lambda: run.pane.header.state == "Ready")
    assert run.pane.header.model_button.text() == "Amber-1B"
    assert run.app.loader.get(variants.ref).state is LoadState.FAILED


def test_trashing_variant_keeps_its_model(variants: Variants):
    variants.run.app.settings.remember_model(variants.ref)
    window = variants.open()
    assert window.choose(variants.pirate)
    at = window.table.row_of(variants.pirate)
    assert window.table.index(at, ModelColumn.SIZE).data() == "0.1 MB"
    window.foot.trash.trigger()
    variants.run.until(lambda: not variants.pirate.exists())
    variants.look()
    assert variants.base.is_dir()
    variants.run.until(lambda: variants.names() == ["Amber-1B", "Guide"])
    assert variants.run.app.settings.models == ()
