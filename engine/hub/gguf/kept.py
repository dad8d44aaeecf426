"""Registry and conversion of GGUF files.

A sandboxed child converts a file once, which takes about a minute for a few gigabytes. The
folder's name depends on the content, so copies and renamed files aren't converted again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import platformdirs

from engine.errors import MODEL_LOAD_FAILED, NO_SPACE, EngineError
from engine.hub.names import clean_name
from engine.sandbox import jobs
from engine.sandbox.folders import open_regular, read_json

FORM = 1  # version of the folder format; changing it converts all files again

ENDING = ".gguf"
_CARD = "stretto.json"
_NOTES = ".gguf.json"
_PART = ".gguf-"  # prefix of unfinished folders
_MAX_CARD_BYTES = 2**16
_MAX_NOTES_BYTES = 2**20
_MAX_NOTED_FILES = 500
_MAX_NAME_CHARACTERS = 60
_MAX_FILES = 5_000
_NEEDED = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", _CARD)


Convert = Callable[..., dict[str, Any]]  # `jobs.run_gguf_task` or a substitute


def models_folder() -> Path:
    """Return Stretto's models folder, which the window lists. STRETTO_MODELS overrides it."""
    folder = os.environ.get("STRETTO_MODELS")
    if folder:
        return Path(folder).expanduser()
    return platformdirs.user_data_path("Stretto", appauthor=False) / "models"


def is_gguf(path: Path) -> bool:
    """Return True for a GGUF file, by its extension or its first bytes."""
    if path.name.lower().endswith(ENDING):
        return not path.is_dir()
    try:
        with open_regular(path) as stream:
            return stream.read(4) == b"GGUF"
    except (OSError, ValueError):
        return False


def find_single_file(folder: Path) -> Path | None:
    """Return a folder's GGUF file, if it has one and no safetensors (as in LM Studio's folders).

    Raises:
        EngineError: `model_load_failed` if there are several.
    """
    try:
        with os.scandir(folder) as entries:
            names = {entry.name for _, entry in zip(range(_MAX_FILES), entries, strict=False)}
    except OSError:
        return None
    gguf_names = sorted(n for n in names if n.lower().endswith(ENDING) and not _is_projector(n))
    if not gguf_names or any(name.endswith(".safetensors") for name in names):
        return None
    if len(gguf_names) > 1:
        first = ", ".join(f"“{clean_name(name, 40)}”" for name in gguf_names[:3])
        raise EngineError(
            MODEL_LOAD_FAILED,
            f"{clean_name(folder.name) or 'The folder'} holds {len(gguf_names)} GGUF files ({first}"
            f"{', …' if len(gguf_names) > 3 else ''}). Choose one of them: File > Open GGUF File.",
        )
    return folder / gguf_names[0]


def _is_projector(name: str) -> bool:
    """Return True for a vision projector, which is stored next to its model."""
    return "mmproj" in name.lower()


def find_by_digest(digest: str) -> Path | None:
    for folder in models_folder().glob(f"*-{digest[:12]}"):
        if _is_complete(folder) and _source_of(folder) == (digest, FORM):
            return folder
    return None


def find_converted(path: Path) -> Path | None:
    """Return the folder that a file was converted to, without reading the file.

    None if the file has changed. A file that no longer exists is found by its path alone.
    """
    note = _read_notes().get(str(path.expanduser().absolute()))
    if not isinstance(note, dict) or not _is_plain_name(note.get("folder")):
        return None
    with contextlib.suppress(OSError):
        if note.get("is") != _file_status(path):
            return None
    folder = models_folder() / note["folder"]
    return folder if _is_complete(folder) else None


def convert_if_needed(path: Path, convert: Convert = jobs.run_gguf_task) -> Path:
    """Return the folder for a file, after converting it if necessary, which may take minutes.

    Raises:
        EngineError: `model_load_failed`, explaining what's wrong and what to do, or `no_space`.
    """
    path = path.expanduser().absolute()
    called = f"“{clean_name(path.name) or 'The file'}”"
    converted_folder = find_converted(path)
    if converted_folder is not None:
        return converted_folder
    try:
        same = _file_status(path)
    except OSError as error:
        reason = error.strerror or "it does not exist"
        raise EngineError(MODEL_LOAD_FAILED, f"{called} cannot be read: {reason}.") from None
    try:
        digest = str(convert("gguf_digest", path, called)["digest"])
        converted = find_by_digest(digest)
        if converted is None:
            with _conversion_lock():
                converted = find_by_digest(digest) or _convert(convert, path, called, digest)
    except OSError as error:
        reason = f"The model of {called} cannot be written: {error.strerror or error}."
        raise EngineError(NO_SPACE, reason) from None
    _add_note(path, same, converted)
    return converted


def _convert(convert: Convert, path: Path, called: str, digest: str) -> Path:
    stem = path.name[: -len(ENDING)] if path.name.lower().endswith(ENDING) else path.name
    name = clean_name(stem, _MAX_NAME_CHARACTERS) or "Model"
    folder_stem = re.sub(r"[^\w.+-]+", "-", name, flags=re.ASCII).strip("-.") or "model"
    out = models_folder() / f"{folder_stem}-{digest[:12]}"
    if out.exists():  # from another version, or damaged
        shutil.rmtree(out, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(prefix=_PART, suffix=".part", dir=models_folder()))
    try:
        card = {"name": name, "gguf": {"sha256": digest, "form": FORM}}
        convert("gguf", path, called, out=str(temporary), card=card)
        temporary.rename(out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return out


def _source_of(folder: Path) -> tuple[object, object]:
    try:
        card = read_json(folder / _CARD, _MAX_CARD_BYTES)
        return card["gguf"]["sha256"], card["gguf"]["form"]
    except (OSError, ValueError, LookupError, TypeError):
        return None, None


def _is_complete(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _NEEDED)


@contextlib.contextmanager
def _conversion_lock() -> Iterator[None]:
    from filelock import FileLock

    models_folder().mkdir(parents=True, exist_ok=True)
    with FileLock(models_folder() / ".gguf.lock"):
        for leftover in models_folder().glob(f"{_PART}*.part"):  # left behind by a killed process
            shutil.rmtree(leftover, ignore_errors=True)
        yield


# Notes about known files, so that they aren't read again.


def _file_status(path: Path) -> list[int]:
    """Return values that change whenever the file does. Raises OSError."""
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _is_plain_name(name: object) -> bool:
    return isinstance(name, str) and name == Path(name).name and not name.startswith(".")


def _read_notes() -> dict[str, Any]:
    try:
        notes = read_json(models_folder() / _NOTES, _MAX_NOTES_BYTES)
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _add_note(path: Path, same: list[int], folder: Path) -> None:
    """Store the status of a converted file. If that fails, the file is read again next time."""
    with contextlib.suppress(OSError), _noting:
        notes = {name: note for name, note in _read_notes().items() if name != str(path)}
        notes = dict([*notes.items()][1 - _MAX_NOTED_FILES :])
        notes[str(path)] = {"is": same, "folder": folder.name}
        temporary = models_folder() / f"{_NOTES}.{os.getpid()}"
        temporary.write_text(json.dumps(notes), encoding="utf-8")
        temporary.replace(models_folder() / _NOTES)


_noting = threading.Lock()
