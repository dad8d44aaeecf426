"""Other versions of mlx-lm: an overlay is used or refused with a reason, and the doctor tells."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import EngineError
from engine.bench.families import Finding
from engine.cli.doctor import Known, compare, pinned
from engine.model import loader, overlay

PATIENCE = 120


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments and more environment."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed mlx-lm under another version, whose attention is renamed."""
    found = importlib.util.find_spec("mlx_lm")
    assert found is not None
    assert found.origin is not None
    folder = tmp_path_factory.mktemp("newer") / "overlay"
    shutil.copytree(Path(found.origin).parent, folder / "mlx_lm", ignore=_caches)
    (folder / "mlx_lm" / "_version.py").write_text('__version__ = "99.1.2"\n')
    return folder


_caches = shutil.ignore_patterns("__pycache__")


ANSWERS = """
import sys, engine, mlx_lm
from engine import Engine, SamplingParams
from tests import checked
checked.once()
with Engine() as running:
    model = running.load(sys.argv[1])
    reply = running.open_session(model).send("Hello", SamplingParams(max_tokens=3))
    print(mlx_lm.__version__, model.step, len(reply.tokens()) > 0)
"""


def test_an_overlay_is_used_in_every_process(
    newer: Path, model_folder: Callable[[str], Path]
) -> None:
    done = run("-c", ANSWERS, str(model_folder("plain")), STRETTO_MLX_LM=str(newer))
    assert done.stdout.split() == ["99.1.2", "shared", "True"], done.stderr


def test_a_folder_that_holds_none_is_refused_and_the_pinned_one_used(tmp_path: Path) -> None:
    asking = "import engine, importlib.util; print(importlib.util.find_spec('mlx_lm').origin)"
    done = run("-c", asking, STRETTO_MLX_LM=str(tmp_path))
    assert done.stdout.strip() == importlib.import_module("mlx_lm").__file__
    assert overlay.look(tmp_path).refused == "it holds no mlx_lm"
    assert overlay.look(tmp_path / "nothing").refused == "there is no such folder"
    (tmp_path / "mlx").mkdir()
    assert "more than mlx-lm: mlx" in overlay.look(tmp_path).refused


LEFT = """
import sys
from engine.model import overlay
told = []
overlay.watcher = told.append
{use}
import mlx_lm
print(mlx_lm.__version__, overlay.in_use(), told)
"""
IMPORT = "from engine.model.backend import import_mlx_lm; import_mlx_lm()"
ANSWER = """
from engine import Engine, SamplingParams
with Engine() as running:
    chat = running.open_session(running.load(sys.argv[1]))
    assert chat.send("Hello", SamplingParams(max_tokens=3)).tokens()
"""


@pytest.mark.parametrize(
    ("content", "use", "why"),
    [
        ("import mlx_lm.models.cache, nosuch_module", ANSWER, "No module named 'nosuch_module'"),
        ("import sys; sys.exit('no')", IMPORT, "SystemExit: no"),
        ("", IMPORT, "its mlx_lm.utils has no"),
    ],
)
def test_one_that_cannot_be_imported_is_left_for_the_pinned_one(
    newer: Path,
    model_folder: Callable[[str], Path],
    tmp_path: Path,
    content: str,
    use: str,
    why: str,
) -> None:
    folder = shutil.copytree(newer, tmp_path / "broken")
    (folder / "mlx_lm" / "__init__.py").write_text(content)
    if not content:
        (folder / "mlx_lm" / "utils.py").write_text("")
    done = run("-c", LEFT.format(use=use), str(model_folder("plain")), STRETTO_MLX_LM=str(folder))
    pinned_version = importlib.import_module("mlx_lm").__version__
    assert done.stdout.startswith(f"{pinned_version} None"), done.stderr
    assert "it cannot be imported" in done.stdout
    assert why in done.stdout
    assert f"mlx-lm 99.1.2 in {folder} is not used" in done.stderr


def wheel(folder: Path, content: dict[str, str], name: str = "mlx_lm-9.9-py3-none-any.whl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in content.items():
            entry = zipfile.ZipInfo(path.removeprefix("LINK "))
            kind = stat.S_IFLNK if path.startswith("LINK ") else stat.S_IFREG
            entry.external_attr = (kind | 0o644) << 16
            archive.writestr(entry, text)
    return folder / name


GOOD = {"mlx_lm/__init__.py": "", "mlx_lm/_version.py": '__version__ = "9.9"\n'}


def test_a_wheel_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    into = tmp_path / "overlay"
    for version in ("9.8", "9.9"):
        made = wheel(tmp_path, {**GOOD, "mlx_lm/_version.py": f'__version__ = "{version}"\n'})
        assert overlay.install(made, into, overlay.digest(made)).version == version
        assert overlay.look(into).version == version
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mlx_lm-9.9-py3-none-any.whl", "overlay"]


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (GOOD, "other-1.0-py3-none-any.whl", "no wheel of mlx-lm"),
        ({**GOOD, "../evil.py": ""}, "", "lie elsewhere"),
        ({**GOOD, "/evil.py": ""}, "", "lie elsewhere"),
        ({**GOOD, "mlx/core.py": ""}, "", "more than mlx-lm"),
        ({"mlx_lm/__init__.py": ""}, "", "holds no mlx_lm"),
        ({**GOOD, "mlx_lm/fast.so": ""}, "", "no native code"),
        ({**GOOD, "LINK mlx_lm/link.py": "/etc/passwd"}, "", "holds links"),
    ],
)
def test_a_wheel_that_is_not_taken_leaves_what_was_there(
    tmp_path: Path, content: dict[str, str], name: str, why: str
) -> None:
    into = tmp_path / "there" / "overlay"
    first = wheel(tmp_path / "first", GOOD)
    overlay.install(first, into, overlay.digest(first))
    bad = wheel(tmp_path / "bad", content, name or "mlx_lm-9.9-py3-none-any.whl")
    with pytest.raises(ValueError, match=why):
        overlay.install(bad, into, overlay.digest(bad))
    with pytest.raises(ValueError, match="changed since"):
        overlay.install(first, into, "0" * 64)
    (tmp_path / "mlx_lm-1-py3-none-any.whl").write_text("no zip")
    broken = tmp_path / "mlx_lm-1-py3-none-any.whl"
    with pytest.raises(ValueError, match="cannot be unpacked"):
        overlay.install(broken, into, overlay.digest(broken))
    os.mkfifo(tmp_path / "mlx_lm-2-py3-none-any.whl")
    with pytest.raises(ValueError, match="or no file"):  # and nobody waits for its writer
        overlay.digest(tmp_path / "mlx_lm-2-py3-none-any.whl")
    assert overlay.look(into).version == "9.9"
    assert [p.name for p in into.parent.iterdir()] == ["overlay"]


def test_a_patch_is_refused_by_its_name(model_folder: Callable[[str], Path]) -> None:
    done = run(
        "-c", ANSWERS, str(model_folder("plain")), STRETTO_WITHOUT_PATCHES="attention, linear"
    )
    assert done.stdout.split()[1:] == ["alone", "True"], done.stderr
    assert "'attention' is off" in done.stderr
    assert "Chats decode one after the other" in done.stderr


def test_the_doctor_tells_what_works(newer: Path) -> None:
    done = run(
        *("-m", "engine", "doctor", "llama", "nosuch", "--json"),
        STRETTO_MLX_LM=str(newer),
        STRETTO_WITHOUT_PATCHES="linear",
    )
    assert done.returncode == 1, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["mlx_lm"]["folder"] == str(newer / "mlx_lm")
    assert told["backend"]["memory_budget"] < told["backend"]["memory"]
    assert (told["families"], told["ran"]) == (1, 1)
    assert {p["name"]: p["on"] for p in told["patches"]}["attention"]
    said = " ".join(told["differences"])
    assert "nosuch: not in this mlx-lm." in said
    assert "'linear' is off" in said or sys.platform != "linux"
    assert "llama:" not in said


def test_the_pinned_list_is_read_from_its_page(tmp_path: Path) -> None:
    known = pinned()
    assert len(known) > 120
    assert known["llama"] == Known("shared", True)
    assert known["llama4"] == Known("alone")
    assert known["bitnet"] == Known("")
    assert known["phi3small"].step == "rows"
    assert pinned(tmp_path / "nowhere.md") == {}


def test_each_difference_is_a_sentence() -> None:
    known = {name: Known("shared", True) for name in ("same", "gone", "apart", "lone", "wrong")}
    known["mended"] = Known("")
    findings = [
        Finding("same", "KVCache", "shared", True, difference=0.0, equal=True),
        Finding("gone", why="it raised"),
        Finding("apart", "KVCache", "shared", False),
        Finding("lone", "KVCache", "alone", False),
        Finding("wrong", "KVCache", "shared", True, difference=9.0, equal=False),
        Finding("mended", "KVCache", "rows"),
        Finding("young", "KVCache", "rows"),
    ]
    assert compare(findings, known) == [
        "gone: does not run any more: it raised",
        "apart: cannot share a prefix.",
        "lone: steps alone and not shared.",
        "wrong: chats that share a step say something else than alone.",
        "mended: runs now and steps rows.",
        "young: new, steps rows.",
    ]
    both = [Finding("gone", why="it raised"), Finding("same", why="it raised")]
    assert compare(both, known) == ["gone, same: does not run any more: it raised"]


def test_an_mlx_lm_without_trust_remote_code_runs_no_code_either(
    model_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlx_lm.utils as utils

    usual = utils.load_model

    def older(model_path: Path, lazy: bool = False) -> Any:
        return usual(model_path, lazy=lazy)

    monkeypatch.setattr(utils, "load_model", older)
    net, config = loader.load_net(model_folder("plain"), lazy=True)
    assert config["model_type"] == "llama"
    assert len(net.layers) == 2
    folder = shutil.copytree(model_folder("plain"), tmp_path / "code")
    (folder / "config.json").write_text(json.dumps({**config, "model_file": "evil.py"}))
    with pytest.raises(EngineError, match="run code"):
        loader.load_net(folder)
