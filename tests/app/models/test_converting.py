"""Conversion to a quantized copy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.models.downloads import RECIPES, DownloadState, conversion_of
from app.ui.models.get_model import GetModelDialog
from app.ui.models.library_foot import ConvertDialog
from app.ui.models.models_window import ModelsWindow
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.hub import downloads
from tests.app.conftest import Run, Start

MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("source") / "Tiny-Qwen", small_config("qwen3"))


@pytest.fixture
def run(start: Start, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(downloads, "cache_root", lambda: tmp_path / "hub")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shutil.copytree(source, tmp_path / "mine" / "Tiny-Qwen")
    run = start()
    run.app.settings.set(model_folders=(str(tmp_path / "mine"),))
    return run


def opened(run: Run, name: str = "Tiny-Qwen") -> ModelsWindow:
    run.window.commands["models"].trigger()
    installed = run.app.models.installed
    run.until(lambda: not installed.looking)
    window = run.window.models.window
    assert window is not None
    window.choose(next(m.folder for m in installed.models.values() if m.name == name))
    return window


def asked(run: Run) -> ConvertDialog:
    opened(run).foot.convert.trigger()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ConvertDialog)
    return dialog


def test_conversion_is_shown_with_downloads_and_listed(run: Run, profile: Path):
    dialog = asked(run)
    dialog.choices["8bit"].click()
    dialog.ok.click()
    out = profile / "models" / "Tiny-Qwen-8bit"
    downloads = run.window.downloads
    run.until(lambda: run.window.downloads_in_window.dialog)
    shown = run.window.downloads_in_window.dialog
    assert isinstance(shown, GetModelDialog)
    row = shown.list.rows[str(out)]
    assert row.name.text() == "Tiny-Qwen-8bit"
    assert not row.act.isVisible(), "it cannot be paused"
    assert run.app.settings.downloads == {}, "nothing to go on with at the next start"
    assert run.app.models.removal.why_not(opened(run).model)
    run.qtbot.waitUntil(
        lambda: downloads.get(str(out)).state is DownloadState.DONE, timeout=MINUTE_MS
    )
    assert json.loads((out / "config.json").read_text())["quantization"]["bits"] == 8
    installed = run.app.models.installed
    run.until(lambda: out in installed.models)
    assert installed.models[out].facts.bits == 8
    assert not opened(run, "Tiny-Qwen-8bit").foot.convert.isEnabled()
    row.act.click()  # now labeled "Open in a Chat"
    run.until(lambda: run.pane.header.model_button.text() == "Tiny-Qwen-8bit")


def test_canceled_conversion_leaves_nothing_and_next_starts(run: Run, tmp_path: Path):
    model = opened(run).model
    assert model is not None
    into = tmp_path / "into"
    first, second = (conversion_of(model, recipe, into) for recipe in RECIPES[:2])
    downloads = run.window.downloads
    downloads.convert(first)
    downloads.convert(second)
    assert (first.state, second.state) == (DownloadState.RUNNING, DownloadState.WAITING)
    downloads.pause(first.ref)
    assert first.state is DownloadState.RUNNING
    downloads.cancel(first.ref)
    assert second.state is DownloadState.RUNNING
    downloads.cancel(second.ref)
    run.until(lambda: all(one.is_set() for one in downloads._written.values()))
    assert not into.exists() or list(into.iterdir()) == []
    assert downloads.items == []


def test_failed_conversion_can_be_retried(run: Run, tmp_path: Path):
    model = opened(run).model
    assert model is not None
    job = conversion_of(model, RECIPES[0], tmp_path / "into")
    Path(job.ref).mkdir(parents=True)
    downloads = run.window.downloads
    downloads.convert(job)
    run.until(lambda: job.state is DownloadState.FAILED)
    assert "exists already" in job.error
    run.window.commands["get_model"].trigger()
    shown = run.window.downloads_in_window.dialog
    assert isinstance(shown, GetModelDialog)
    row = shown.list.rows[job.ref]
    assert row.words.text() == job.error
    assert row.act.isVisible()
    row.act.click()
    run.until(lambda: job.state is DownloadState.FAILED)
    assert conversion_of(model, RECIPES[0], tmp_path / "into").name == "Tiny-Qwen-4bit-2"
