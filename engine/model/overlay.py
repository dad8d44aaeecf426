"""Another mlx-lm than the pinned one, from a folder of its own. Imports neither MLX nor mlx-lm.

`STRETTO_MLX_LM` names the folder. It is put first on the import path before anything imports
mlx-lm, in every process of the program. How its families' chats share a step is tried out when a
model is loaded, as always, and each patch looks for itself whether it can be applied. One that
cannot even be imported is left again, and the pinned one used (`backend`).
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import re
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

log = logging.getLogger(__name__)

VARIABLE = "STRETTO_MLX_LM"

_MOST_BYTES = 64 * 2**20  # of a wheel, also unpacked; mlx-lm has 2 MB
_MOST_FILES = 10_000  # mlx-lm has 300
_NATIVE = (".so", ".dylib", ".pyd", ".dll", ".pyc", ".pth", ".exe")
"""Endings of what is no Python source, or runs without being imported."""

_NEEDED = {
    "mlx_lm.models.base": ("create_attention_mask", "scaled_dot_product_attention"),
    "mlx_lm.models.cache": ("ArraysCache", "KVCache", "QuantizedKVCache", "make_prompt_cache"),
    "mlx_lm.tokenizer_utils": ("BPEStreamingDetokenizer", "SPMStreamingDetokenizer"),
    "mlx_lm.utils": ("_get_classes", "load_config", "load_model", "load_tokenizer"),
}
"""What the engine takes from mlx-lm without having another way."""

_WHEEL = re.compile(r"mlx_lm-[\w.+!]+-py3-none-any\.whl")
_ALLOWED = re.compile(r"mlx_lm|mlx_lm-.+\.dist-info|bin|__pycache__")


class Overlay(Struct, frozen=True):
    """A folder with another mlx-lm: its version, or why it cannot be used (`refused`)."""

    folder: Path
    version: str = ""
    refused: str = ""


def look(folder: Path) -> Overlay:
    """What a folder holds. Nothing of it is run."""
    if not folder.is_dir():
        return Overlay(folder, refused="there is no such folder")
    more = sorted(e.name for e in folder.iterdir() if not _ALLOWED.fullmatch(e.name))
    if more:
        return Overlay(folder, refused=f"it holds more than mlx-lm: {', '.join(more[:3])[:100]}")
    try:
        text = (folder / "mlx_lm" / "_version.py").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return Overlay(folder, refused="it holds no mlx_lm")
    found = re.search(r"""__version__\s*=\s*["']([\w.+!]{1,40})["']""", text)
    if found is None:
        return Overlay(folder, refused="its mlx_lm does not say its version")
    return Overlay(folder, found[1])


def asked() -> Overlay | None:
    """The folder that `STRETTO_MLX_LM` names; None where it names none."""
    named = os.environ.get(VARIABLE, "").strip()
    return look(Path(named).expanduser().resolve()) if named else None


def apply() -> Overlay | None:
    """Put the folder that was asked for first on the import path, if it can be used."""
    found = asked()
    if found is not None and not found.refused and str(found.folder) not in sys.path:
        sys.path.insert(0, str(found.folder))
    return found


watcher: Callable[[str], object] | None = None
"""Called once mlx-lm was imported, on the thread that did, with why the overlay was left, or ""."""

left: Overlay | None = None  # what was left because it could not be imported


def in_use() -> Overlay | None:
    """The folder on the import path; None where the pinned mlx-lm is used."""
    found = asked()
    return found if found is not None and str(found.folder) in sys.path else None


def check() -> None:
    """Import what the engine takes from mlx-lm.

    Raises:
        ImportError: it lacks something. Else whatever its code raises.
    """
    for module, names in _NEEDED.items():
        there = importlib.import_module(module)
        lacking = [name for name in names if not hasattr(there, name)]
        if lacking:
            raise ImportError(f"its {module} has no {', '.join(lacking)}")


def leave(error: BaseException) -> bool:
    """Go back to the pinned mlx-lm, also for processes to come; False where that is used already.

    Nothing of the other one may be in use yet: only imported.
    """
    global left
    found = in_use()
    if found is None:
        return False
    lines = str(error).strip().splitlines()
    why = f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
    log.warning("mlx-lm %s in %s is not used: %s", found.version, found.folder, why)
    left = replace(found, refused=f"it cannot be imported ({why})")
    sys.path.remove(str(found.folder))
    os.environ.pop(VARIABLE, None)
    for name in [n for n in sys.modules if n.partition(".")[0] == "mlx_lm"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    return True


def imported() -> None:
    """Tell who watches that there is an mlx-lm now."""
    if watcher is not None:
        watcher(left.refused if left is not None else "")


def digest(wheel: Path) -> str:
    """The SHA-256 of a wheel, to be compared with what its publisher names.

    Raises:
        ValueError: it is none of mlx-lm by its name or size.
        OSError: it cannot be read.
    """
    if not _WHEEL.fullmatch(wheel.name):
        raise ValueError(f"{wheel.name[:100]} is no wheel of mlx-lm.")
    if not wheel.is_file() or wheel.stat().st_size > _MOST_BYTES:
        raise ValueError(f"{wheel.name[:100]} is no wheel: it is far larger, or no file.")
    with wheel.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def install(wheel: Path, into: Path, sha256: str) -> Overlay:
    """Unpack a wheel of mlx-lm to be used from the next start on; what was there before goes.

    Args:
        sha256: what the person who chose it was shown: the file must still be that one.

    Raises:
        ValueError: says why it is not taken. The folder is then as it was.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".mlx-lm-", dir=into.parent))
    try:
        try:
            if digest(wheel) != sha256:
                raise ValueError(f"{wheel.name} has changed since it was chosen.")
            with zipfile.ZipFile(wheel) as archive:
                _check(archive)
                archive.extractall(beside)
        except (OSError, zipfile.BadZipFile, RuntimeError) as error:
            raise ValueError(f"{wheel.name} cannot be unpacked: {error}") from None
        found = look(beside)
        if found.refused:
            raise ValueError(f"{wheel.name} is not taken: {found.refused}.")
        if into.exists():
            shutil.rmtree(into)
        beside.replace(into)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return Overlay(into, found.version)


def _check(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if sum(entry.file_size for entry in entries) > _MOST_BYTES or len(entries) > _MOST_FILES:
        raise ValueError("It is far larger than mlx-lm.")
    for entry in entries:
        parts = Path(entry.filename).parts
        if entry.filename.startswith("/") or ".." in parts or not parts:
            raise ValueError("It holds files that would lie elsewhere.")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise ValueError("It holds links, which no wheel needs.")
        if entry.filename.lower().endswith(_NATIVE):
            raise ValueError("It holds more than Python source: mlx-lm has no native code.")


def missing(version_of: str = "mlx-lm") -> list[str]:
    """What the mlx-lm that is used requires and is not installed at such a version."""
    metadata = importlib.import_module("importlib.metadata")  # 12 ms of each start, else
    requirements = importlib.import_module("packaging.requirements")
    lacking = []
    for line in metadata.requires(version_of) or []:
        wanted = requirements.Requirement(line)
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            lacking.append(f"{wanted.name}{wanted.specifier} (not installed)")
            continue
        if not wanted.specifier.contains(installed, prereleases=True):
            lacking.append(f"{wanted.name}{wanted.specifier} ({installed} is installed)")
    return lacking
