"""Model ids, and the recommended settings in a model's folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest

from engine import Engine, EngineError, SamplingParams
from engine.model.folder import display_name


def test_changing_one_small_tensor_makes_another_model(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "tuned"
    shutil.copytree(model_folder("plain"), copy)
    weights = mx.load(str(copy / "model.safetensors"))
    weights["model.layers.0.input_layernorm.weight"] *= -1
    mx.save_safetensors(str(copy / "model.safetensors"), weights, {"format": "mlx"})
    first, second = engine.load(model_folder("plain")), engine.load(copy)
    assert first.id != second.id
    few = SamplingParams(max_tokens=8, temperature=0.0)
    answers = [engine.open_session(m).send("hi", few).tokens(60) for m in (first, second)]
    assert answers[0] != answers[1]


def test_leftover_index_is_ignored(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "converted"
    shutil.copytree(model_folder("plain"), copy)
    index = {"weight_map": {"a": "model-1-of-2.safetensors", "b": "model-2-of-2.safetensors"}}
    (copy / "model.safetensors.index.json").write_text(json.dumps(index))
    few = SamplingParams(max_tokens=2, temperature=0.0)
    assert engine.open_session(engine.load(copy)).send("hi", few).tokens(60)


def test_same_folder_is_read_once_and_kept_once(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = model_folder("plain")
    with Engine() as first:
        weights = first.load(folder).nbytes
    with Engine(memory_budget=int(weights * 1.5)) as engine:  # a second copy wouldn't fit
        model = engine.load(folder)
        assert engine.load(folder) == model
        assert engine.load(str(folder) + "/") == model
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    with Engine() as engine:
        # Earlier engines in this process may not have freed all of their memory yet.
        before = engine.stats()["memory_in_use"]
        assert engine.load(folder) == engine.load(copy)
        assert engine.stats()["memory_in_use"] - before < 1.5 * weights


def test_unsupported_recommendations_are_ignored(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "opinionated"
    shutil.copytree(model_folder("plain"), folder)
    wishes = {"top_k": -1, "top_p": True, "temperature": 0.6, "do_sample": True}
    (folder / "generation_config.json").write_text(json.dumps(wishes))
    assert engine.load(folder).defaults == {"temperature": 0.6}


def test_folder_can_have_a_display_name(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "some-folder"
    shutil.copytree(model_folder("plain"), folder)
    assert engine.load(folder).name == "some-folder"
    (folder / "stretto.json").write_text('{"name": "Poet"}')
    assert engine.load(folder).name == "Poet"


@pytest.mark.parametrize("content", ["[]", "5", '{"name": 5}', '{"name": []}', "{", ""])
def test_invalid_display_name_is_ignored(tmp_path: Path, content: str) -> None:
    (tmp_path / "stretto.json").write_text(content)
    assert display_name(tmp_path) == tmp_path.name


def test_params_can_be_hashed_and_do_not_share_the_callers_dict() -> None:
    bias = {5: 1.0}
    params = SamplingParams(logit_bias=bias)
    bias[6] = 2.0
    assert params.logit_bias == {5: 1.0}
    assert hash(params) == hash(SamplingParams(logit_bias={5: 1.0}))
    assert SamplingParams(logit_bias=None).logit_bias == {}


def test_module_calling_exit_is_contained(
    engine: Engine, model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """mlx-lm's `olmo` calls `sys.exit` if a dependency is missing."""
    broken = tmp_path / "olmo"
    shutil.copytree(model_folder("plain"), broken)
    config = json.loads((broken / "config.json").read_text())
    (broken / "config.json").write_text(json.dumps({**config, "model_type": "olmo"}))
    with pytest.raises(EngineError, match="model_load_failed"):
        engine.load(broken)
    few = SamplingParams(max_tokens=4)
    chat = engine.open_session(engine.load(model_folder("plain")))
    assert chat.send("hi", few).tokens(60) is not None
