"""Small engine bugs: error messages, lost images and invalid numbers."""

from __future__ import annotations

import logging
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine import Engine, EngineError, Image, SamplingParams
from engine.errors import as_engine_error

Folder = Callable[[str], Path]


@pytest.fixture
def nan_folder(model_folder: Folder, tmp_path: Path) -> Path:
    folder = tmp_path / "nan"
    shutil.copytree(model_folder("plain"), folder)
    file = str(folder / "model.safetensors")
    weights = mx.load(file)
    assert isinstance(weights, dict)
    name = next(n for n in weights if n.endswith("norm.weight"))
    weights[name] = mx.full(weights[name].shape, float("nan"), weights[name].dtype)
    mx.save_safetensors(file, weights, metadata={"format": "mlx"})
    return folder


@pytest.mark.parametrize(
    "params",
    [
        SamplingParams(max_tokens=8, temperature=0.0),
        SamplingParams(max_tokens=8, temperature=1.0, seed=1),
        SamplingParams(max_tokens=8, temperature=0.0, regex="[a-z]{8}"),
    ],
    ids=["greedy", "sampled", "form"],
)
def test_invalid_numbers_fail_the_reply(
    engine: Engine, nan_folder: Path, params: SamplingParams
) -> None:
    chat = engine.open_session(engine.load(nan_folder))
    for _ in range(2):
        with pytest.raises(EngineError, match="invalid numbers") as failed:
            chat.send("hello", params).text(60)
        assert failed.value.code == "model_load_failed"


@pytest.mark.parametrize(
    "error",
    [
        KeyError("allocation"),
        ValueError("could not find allocator table"),
        RuntimeError("bad allocate_budget in config"),
    ],
)
def test_unrelated_allocation_errors_are_internal(error: Exception) -> None:
    assert as_engine_error(error).code == "internal_error"


def test_memory_errors_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found = as_engine_error(RuntimeError("[malloc] Unable to allocate 34359738368 bytes."))
    assert found.code == "out_of_memory"
    assert "Unable to allocate" in caplog.text


def test_lost_images_differ_until_their_files_return(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"

    def image(path: Path) -> Image:
        return Image(lambda: path.read_bytes() if path.exists() else None)

    first, second, third = image(one), image(other), image(one)
    assert first != second
    assert first == first
    one.write_bytes(b"\x89PNG 1")
    other.write_bytes(b"\x89PNG 2")
    assert first != second
    assert first == third
    assert hash(first) == hash(third)
    one.unlink()
    assert first == third  # the digest is cached


def test_refused_call_keeps_cause_and_traceback(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as failed:
        engine.load(tmp_path / "nothing")
    told = "".join(traceback.format_exception(failed.value))
    assert "engine/runtime" in told
    frames = [frame.name for frame in traceback.extract_tb(failed.value.__traceback__)]
    assert "_handle_commands" not in frames  # so the error doesn't keep the engine's objects alive
