"""Quantizing a model into its own folder, which is either complete or absent."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import Engine, EngineError, SamplingParams
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.hub import conversion

Folder = Callable[[str], Path]


def nothing_but(folder: Path, *names: str) -> bool:
    return sorted(p.name for p in folder.iterdir()) == sorted(names)


def test_converted_model_answers_and_is_smaller(engine: Engine, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    out = tmp_path / "small"
    source = write_model(tmp_path / "source", small_config("qwen3"))
    (source / "modeling.py").write_text("raise SystemExit")
    made = conversion.convert(source, out, 8, progress=lambda *at: told.append(at))
    assert made == out
    assert json.loads((out / "config.json").read_text())["quantization"]["bits"] == 8
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1]
    assert all(a <= b for (a, _), (b, _) in itertools.pairwise(told))
    assert not list(out.glob("*.py"))
    assert nothing_but(tmp_path, "small", "source")
    smaller, whole = engine.load(out), engine.load(source)
    assert smaller.nbytes < 0.4 * whole.nbytes
    reply = engine.open_session(smaller).send("Hello", SamplingParams(max_tokens=3, temperature=0))
    assert reply.tokens()


def test_canceled_conversion_leaves_nothing(model_folder: Folder, tmp_path: Path) -> None:
    stop = threading.Event()
    with pytest.raises(EngineError) as ended:
        conversion.convert(
            model_folder("plain"), tmp_path / "new", 4, None, lambda *_: stop.set(), stop
        )
    assert ended.value.code == "download_cancelled"
    assert nothing_but(tmp_path)


def test_rest_of_killed_conversion_is_removed(model_folder: Folder, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    left = tmp_path / f".new.{ended.pid}.abc"
    left.mkdir()
    (left / "weights").write_text("half")
    other = tmp_path / ".newer.1.abc"
    other.mkdir()
    stop = threading.Event()
    stop.set()
    with pytest.raises(EngineError):
        conversion.convert(model_folder("plain"), tmp_path / "new", cancelled=stop)
    assert nothing_but(tmp_path, ".newer.1.abc")


@pytest.mark.parametrize(
    ("change", "bits", "recipe", "why"),
    [
        ({}, 5, None, "Use 4, 6 or 8"),
        ({}, 4, "mixed_9", "Unknown recipe"),
        ({"quantization": {"bits": 4, "group_size": 64}}, 4, None, "quantized already"),
        ({"model_type": "tomorrow"}, 4, None, "does not support"),
    ],
)
def test_unconvertible_model_is_refused_immediately(
    model_folder: Folder,
    tmp_path: Path,
    change: dict[str, object],
    bits: int,
    recipe: str | None,
    why: str,
) -> None:
    source = shutil.copytree(model_folder("plain"), tmp_path / "source")
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps({**config, **change}))
    with pytest.raises(EngineError, match=why):
        conversion.convert(source, tmp_path / "new", bits, recipe)
    assert nothing_but(tmp_path, "source")


def test_existing_folder_is_never_overwritten(model_folder: Folder, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("dear")
    with pytest.raises(EngineError, match="exists already"):
        conversion.convert(model_folder("plain"), mine)
    assert (mine / "letter.txt").read_text() == "dear"


def test_mlx_lm_error_is_passed_on(model_folder: Folder, tmp_path: Path) -> None:
    source = shutil.copytree(model_folder("plain"), tmp_path / "source")
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(EngineError, match="could not be converted"):
        conversion.convert(source, tmp_path / "new")
    assert nothing_but(tmp_path, "source")
