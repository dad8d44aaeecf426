"""Models suggested before the first search."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from app.models import suggestions
from app.ui.models.model_search import has_room
from engine import hub
from engine.hub.gguf import kept
from tests.engine import gguf_files as written

GB = 2**30


def test_suggestions_fit_each_memory_size():
    found = suggestions.load_suggestions()
    assert [*found] == [8, 16, 24, 32, 48, 64, 96, 128, 192]
    for gb, models in found.items():
        share = 2 / 3 if gb <= 36 else 3 / 4  # the working set size that macOS recommends
        budget = gb * GB * share * 0.85
        assert 2 <= len(models) <= 4
        for model in models:
            assert has_room(model, int(budget)), (gb, model.repo)
            assert hub.parse(model.repo) == hub.HubRef(model.repo)
            assert model.repo.startswith("mlx-community/")
            assert model.good_at in suggestions.GOOD_AT, "so that it is translated"
            assert model.licence
        assert len({model.repo for model in models}) == len(models)


@pytest.mark.parametrize(
    ("memory", "gb"),
    [
        (0, 8),
        (4 * GB, 8),
        (8 * GB, 8),
        (int(15.5 * GB), 16),
        (18 * GB, 16),
        (36 * GB, 32),
        (512 * GB, 192),
    ],
)
def test_suggestions_depend_on_memory(memory, gb):
    best, models = suggestions.suggestions_for(memory)
    own = suggestions.load_suggestions()[gb]
    assert best == gb
    assert models[0].repo == "mlx-community/SmolLM2-135M-Instruct", "on every machine"
    assert models[1 : 1 + len(own)] == own
    assert len(models) == len({model.repo for model in models}) <= 6


def test_smaller_ones_of_the_class_below_follow():
    _, models = suggestions.suggestions_for(24 * GB)
    assert {model.repo for model in suggestions.load_suggestions()[16]} <= {
        model.repo for model in models
    }


@pytest.mark.parametrize("text", ["", "class = 5", "[[class]]\nmemory_gb = 8", "not toml", "\x00"])
def test_damaged_suggestions_are_ignored(tmp_path, text, caplog):
    file = tmp_path / "models.toml"
    file.write_text(text)
    assert suggestions.suggestions_for(16 * GB, file) == (0, [])
    assert suggestions.suggestions_for(16 * GB, tmp_path / "none") == (0, [])
    assert "model suggestions not read" in caplog.text


def test_small_model_is_recognized_by_its_file(tmp_path, monkeypatch):
    """The app recognizes the file that `make run` downloaded by its digest, or else offers the
    hub's.
    """
    monkeypatch.setenv("STRETTO_MODELS", str(tmp_path))
    small = suggestions.load_small_model()
    assert small is not None
    assert small.folder() is None
    assert small.suggestion.good_at in suggestions.GOOD_AT
    file = written.small().write(tmp_path / "SmolLM2.gguf")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    made = kept.convert_if_needed(file)
    assert replace(small, digest=digest).folder() == made
    assert suggestions.load_small_model(tmp_path / "none") is None


def test_machine_memory_is_plausible():
    assert suggestions.machine_memory() > 2**28
