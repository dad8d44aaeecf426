"""Draft models: choice, storage, and status texts."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.models.loading import LoadState
from app.settings.settings import Settings
from app.ui.models.library_foot import DraftDialog
from app.ui.models.models_table import BELOW, ModelColumn
from engine import LOOKUP, EngineError
from engine.hub import downloads
from tests.app.conftest import Run, Start
from tests.app.ui.models.test_models_window import LEFT, Listed
from tests.app.ui.models.test_models_window import make_model as make_any_model


def make_model(folder: Path, size: int, tokens: str) -> None:
    make_any_model(folder, size)
    vocab = {token: at for at, token in enumerate(tokens)}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocab, "merges": []}}))


class Drafts(Listed):
    def __init__(self, run: Run, root: Path) -> None:
        super().__init__(run, root)
        self.open()

    @property
    def engine(self):
        assert self.run.engine is not None
        return self.run.engine

    def ref(self, name: str) -> str:
        return str(self.root / name)

    def ask(self, name: str = "Oak-9B") -> DraftDialog:
        assert self.window.choose(self.root / name)
        self.window.foot.draft.trigger()
        dialog = self.window.findChildren(DraftDialog)[-1]
        self.run.until(dialog.box.isEnabled)
        return dialog

    def take(self, dialog: DraftDialog, draft: str) -> None:
        named = draft if draft in ("", LOOKUP) else self.ref(draft)
        dialog.box.setCurrentIndex(dialog.box.findData(named))
        self.run.qtbot.mouseClick(dialog.ok, LEFT)

    def load(self, name: str = "Oak-9B") -> None:
        self.run.app.loader.request(self.ref(name))
        self.run.until(lambda: self.run.app.loader.get(self.ref(name)).state is LoadState.READY)

    def cell(self, name: str, column: ModelColumn, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        at = self.window.table.row_of(self.root / name)
        return self.window.table.index(at, column).data(role)

    def drafter(self, name: str = "Oak-9B") -> str:
        model = self.run.app.loader.get(self.ref(name)).model
        return Path(model.draft).name if model is not None else "not loaded"


@pytest.fixture
def drafts(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drafts:
    monkeypatch.setattr(downloads, "cache_root", lambda: tmp_path / "hub")
    root = tmp_path / "models"
    make_model(root / "Oak-9B", 3_000_000, "abcdef")
    make_model(root / "Oak-1B", 1_000_000, "abcdef")
    make_model(root / "Oak-foreign", 900_000, "abcdef")
    make_model(root / "Fir-1B", 800_000, "fedcba")
    make_model(root / "Oak-12B", 4_000_000, "abcdef")
    run = start().ready()
    return Drafts(run, root)


def test_draft_offers_are_smaller_with_same_tokenizer(drafts: Drafts):
    dialog = drafts.ask()
    items = [dialog.box.model().index(at, 0) for at in range(dialog.box.count())]
    told = {i.data(): bool(i.flags() & Qt.ItemFlag.ItemIsEnabled) for i in items}
    guide = "Guide: its tokenizer differs"
    expected = {"None": True, "Prompt lookup": True}
    expected |= {"Oak-foreign, 0.9 MB": True, "Oak-1B, 1.0 MB": True}
    expected["Fir-1B: different tokenizer"] = False
    assert {words: on for words, on in told.items() if words != guide} == expected
    assert dialog.box.currentText() == "None"
    dialog.reject()


def test_draft_choice_applies_at_next_load_and_is_saved(drafts: Drafts, profile: Path):
    drafts.take(drafts.ask(), "Oak-1B")
    assert Settings.load(profile / "settings.json").drafts == {
        drafts.ref("Oak-9B"): drafts.ref("Oak-1B")
    }
    assert drafts.engine.drafts == []
    drafts.load()
    drafts.run.until(lambda: drafts.drafter() == "Oak-1B")
    assert drafts.engine.drafts == [("Oak-9B", "Oak-1B")]
    assert "Oak-1B" in drafts.cell("Oak-9B", ModelColumn.NAME, BELOW)
    assert drafts.run.app.loader.unload(drafts.ref("Oak-9B"))
    drafts.load()
    drafts.run.until(lambda: drafts.drafter() == "Oak-1B")
    assert len(drafts.engine.drafts) == 2
    assert drafts.ask().box.currentData() == drafts.ref("Oak-1B")


def test_draft_applies_to_loaded_model_at_once(drafts: Drafts):
    drafts.load()
    drafts.take(drafts.ask(), "Oak-1B")
    drafts.run.until(lambda: drafts.drafter() == "Oak-1B")
    drafts.take(drafts.ask(), "")
    drafts.run.until(lambda: drafts.drafter() == "")
    assert drafts.engine.drafts == [("Oak-9B", "Oak-1B"), ("Oak-9B", "")]
    assert drafts.run.app.settings.drafts == {}


def test_prompt_lookup_needs_no_model(drafts: Drafts):
    drafts.take(drafts.ask(), LOOKUP)
    drafts.load()
    drafts.run.until(lambda: drafts.drafter() == LOOKUP)
    assert drafts.engine.drafts == [("Oak-9B", LOOKUP)]
    told = {"model": LOOKUP, "name": LOOKUP, "nbytes": 0, "kv_bytes": 0}
    told |= {"drafted_tokens": 100, "accepted_tokens": 90}
    figures = drafts.installed.drafts._loader.figures
    figures.stats_received.emit({"drafts": {drafts.ref("Oak-9B"): told}})
    dialog = drafts.ask()
    assert [dialog.box.itemText(at) for at in range(2)] == ["None", "Prompt lookup"]
    assert dialog.box.currentIndex() == 1
    assert ("100" in dialog.note.text(), "90%" in dialog.note.text()) == (True, True)
    drafts.take(dialog, "")
    drafts.run.until(lambda: drafts.drafter() == "")


def test_draft_refused_by_engine_is_reported_and_dropped(drafts: Drafts):
    drafts.take(drafts.ask(), "Oak-foreign")
    drafts.load()
    toast = drafts.run.window.toast
    drafts.run.until(lambda: "their tokenizers differ" in toast.text)
    assert drafts.drafter() == ""
    assert drafts.run.app.settings.drafts == {}
    assert drafts.engine.drafts == [("Oak-9B", "Oak-foreign")]


def test_missing_draft_is_reported_and_stays_chosen(drafts: Drafts):
    settings, broken = drafts.run.app.settings, drafts.root / "broken"
    settings.set(drafts={drafts.ref("Oak-9B"): str(broken)})
    drafts.load()
    drafts.run.until(lambda: "broken holds no config.json" in drafts.run.window.toast.text)
    assert drafts.drafter() == ""
    assert settings.drafts == {drafts.ref("Oak-9B"): str(broken)}
    assert len(drafts.engine.drafts) == 1


def test_refused_draft_removes_previous_one(drafts: Drafts):
    drafts.load()
    drafts.take(drafts.ask(), "Oak-1B")
    drafts.run.until(lambda: drafts.drafter() == "Oak-1B")
    drafts.take(drafts.ask(), "Oak-foreign")
    drafts.run.until(lambda: drafts.drafter() == "")
    assert [draft for _, draft in drafts.engine.drafts] == ["Oak-1B", "Oak-foreign", ""]
    drafts.take(drafts.ask(), "")
    assert len(drafts.engine.drafts) == 3
    drafts.take(drafts.ask(), "Oak-1B")
    drafts.run.until(lambda: drafts.drafter() == "Oak-1B")


def test_failed_draft_is_retried_when_chosen_again(drafts: Drafts, monkeypatch: pytest.MonkeyPatch):
    load = drafts.engine.load_later
    short: Future[Any] = Future()
    short.set_exception(EngineError("out_of_memory", "Too little memory. Unload a model."))
    drafts.load()
    monkeypatch.setattr(drafts.engine, "load_later", lambda *_, **__: short)
    drafts.take(drafts.ask(), "Oak-1B")
    status_label = drafts.window.foot.status_label
    drafts.run.until(
        lambda: status_label.text().startswith("Oak-9B has no draft model. Too little")
    )
    monkeypatch.setattr(drafts.engine, "load_later", load)
    drafts.take(drafts.ask("Oak-12B"), "Oak-foreign")  # for another model: no load
    assert drafts.engine.drafts == []
    drafts.take(drafts.ask(), "Oak-1B")
    drafts.run.until(lambda: drafts.drafter() == "Oak-1B")
    assert "Oak-1B" in drafts.cell("Oak-9B", ModelColumn.NAME, BELOW)


def test_unloaded_model_is_not_reloaded_for_its_draft(drafts: Drafts):
    drafts.load()
    drafts.engine.loading.clear()
    drafts.take(drafts.ask(), "Oak-1B")
    drafts.run.until(lambda: drafts.engine.drafts)
    load = drafts.installed.drafts._loads[drafts.ref("Oak-9B")].future
    assert drafts.run.app.loader.unload(drafts.ref("Oak-9B"))
    assert load.cancelled()
    drafts.engine.loading.set()
    assert drafts.drafter() == "not loaded"


def test_draft_acceptance_is_shown(drafts: Drafts):
    drafts.take(drafts.ask(), "Oak-1B")
    drafts.load()
    model_id = drafts.ref("Oak-9B")
    told = {"model": "x", "name": "Oak-1B", "nbytes": 500, "kv_bytes": 100}
    figures = drafts.installed.drafts._loader.figures
    tip = Qt.ItemDataRole.ToolTipRole
    figures.stats_received.emit(
        {"drafts": {model_id: told | {"drafted_tokens": 200, "accepted_tokens": 124}}}
    )
    words = drafts.cell("Oak-9B", ModelColumn.MEMORY, tip)
    assert ("200" in words, "62%" in words) == (True, True)
    dialog = drafts.ask()
    assert (dialog.note.isVisible(), dialog.note.text()) == (True, words)
