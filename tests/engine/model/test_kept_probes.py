"""Saved model capabilities, whose files are never trusted blindly."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.bench.random_models import SHAPES, write_model
from engine.model import backend, loader
from engine.model.loaded_model import LoadedModel
from engine.runtime import result_files
from engine.runtime.result_files import ProbeFile


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    backend.start()
    folder = write_model(tmp_path_factory.mktemp("probes") / "model", SHAPES["tiny"])
    return loader.load_blocking(folder, True)


def probed_file(folder: Path) -> ProbeFile:
    checked_model: Any = SimpleNamespace(contents="the same")
    return ProbeFile(folder, backend.start(), checked_model, True)


def incomplete(data: dict[str, Any]) -> str:
    del data["results"]["step"]
    return json.dumps(data)


DAMAGES: dict[str, Callable[[dict[str, Any]], str]] = {
    "truncated": lambda data: json.dumps(data)[:-9],
    "of another": lambda data: json.dumps(data | {"of": {**data["of"], "mlx": "0.1"}}),
    "forged": lambda data: json.dumps(data | {"results": [["slots", 4, 7, {"slots": 1.0}]]}),
    "incomplete": incomplete,
    "huge": lambda data: json.dumps(data) + " " * 2**20,
    "deep": lambda data: "[" * 20_000,
    "no text": lambda data: "\udcff\udcfe\0",
}


@pytest.mark.parametrize("damage", [*DAMAGES, "pipe"])
def test_untrusted_probe_file_is_rewritten(model: LoadedModel, tmp_path: Path, damage: str) -> None:
    file = probed_file(tmp_path / "ways")
    assert file.read() is None
    file.write(model)
    assert file.read() == model.abilities.modes
    if damage == "pipe":
        file.path.unlink()
        os.mkfifo(file.path)
    else:
        text = DAMAGES[damage](json.loads(file.path.read_text()))
        file.path.write_bytes(text.encode(errors="surrogateescape"))
    assert file.read() is None
    file.write(model)
    assert file.read() == model.abilities.modes
    assert [f.name for f in file.path.parent.iterdir()] == [file.path.name]
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_files_take_no_more_than_their_room(model: LoadedModel, tmp_path: Path) -> None:
    for number in range(80):
        (tmp_path / f"{number}.json").write_text("{}")
        (tmp_path / f".{number}.json.x").write_text("{}")
    file = probed_file(tmp_path)
    file.write(model)
    assert len(list(tmp_path.iterdir())) == 64
    assert file.path.exists()


def test_unwritable_probe_folder_costs_nothing(model: LoadedModel, tmp_path: Path) -> None:
    (tmp_path / "ways").write_text("a file")
    file = probed_file(tmp_path / "ways")
    file.write(model)
    assert file.read() is None


def test_probes_of_other_code_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretto has no package version, so the key must change with the code itself."""

    def place() -> Path:
        return probed_file(tmp_path).path

    before = place()
    result_files.own_code.cache_clear()
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: real(self) + b"# changed")
    assert place() != before
    monkeypatch.undo()
    result_files.own_code.cache_clear()
    assert place() == before
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    result_files.own_code.cache_clear()
    assert place() != before
    result_files.own_code.cache_clear()


def test_writing_does_not_wait_for_the_disk(
    model: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine thread writes the results while other chats decode."""
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("waited for the disk"))
    file = probed_file(tmp_path)
    file.write(model)
    assert file.path.exists()
