"""Where a machine has a model: by the path that it has elsewhere, or a copy of it."""

from __future__ import annotations

import re
from pathlib import Path

SUFFIXES = (".json", ".jinja", ".model", ".tiktoken", ".txt", ".safetensors")
"""Of the files that a model is recognised by; see `engine.model.fingerprint.contents`. With tensor
parallelism each rank reads a slice of every tensor, so there is no file that it does not need."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def files(folder: Path) -> list[Path]:
    """What a copy of a model has, as it lies here."""
    return sorted(f for f in folder.iterdir() if f.suffix in SUFFIXES and f.is_file())


def copy_name(name: str, contents: str) -> str:
    """The name of a copy's folder: no two models share one, and no shell reads anything in it."""
    plain = _UNSAFE.sub("-", name).strip("-.")[:60] or "model"
    return plain + _end(contents)


def _end(contents: str) -> str:
    return f"-{contents[:12]}"


def found(path: Path, contents: str, models: str) -> Path:
    """The folder of a model on this machine, or ``path`` where there is none.

    Args:
        path: where rank 0 has it.
        models: the folder for copies here; "" for none.
    """
    if path.is_dir():
        return path
    if models:
        copies = sorted(Path(models).expanduser().glob(f"*{_end(contents)}"))
        if copies:
            return copies[0]
    parts = path.parts
    if len(parts) > 3 and parts[-2] == "snapshots" and parts[-3].startswith("models--"):
        from huggingface_hub.constants import HF_HUB_CACHE

        snapshot = Path(HF_HUB_CACHE, *parts[-3:])
        if snapshot.is_dir():
            return snapshot
    return path
