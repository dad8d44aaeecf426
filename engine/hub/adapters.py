"""Adapters on this machine, as the list of models shows them: variants of their bases.

Looked at as models are (`folder_facts`): with limits, and nothing of them is loaded.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from engine.hub.folder_facts import FolderFacts, bytes_in
from engine.hub.inventory import Installed
from engine.hub.names import clean_name
from engine.hub.places import Source
from engine.sandbox.folders import ADAPTER_CONFIG as CONFIG
from engine.sandbox.folders import ADAPTER_WEIGHTS as WEIGHTS
from engine.sandbox.folders import read_json

_MOST_BESIDE = 200  # folders in a model's folder that are looked into
_MOST_CONFIG = 2**20
_KINDS = {"lora": "LoRA", "dora": "DoRA"}


def beside(folder: Path) -> list[Path]:
    """The adapters in a model's own folder, or in a folder `adapters` there."""
    found = []
    for place in (folder, folder / "adapters"):
        try:
            with os.scandir(place) as entries:
                found += [Path(e.path) for e in islice(entries, _MOST_BESIDE) if _is_adapter(e)]
        except OSError:
            continue
    return sorted(found)


def _is_adapter(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and is_adapter(Path(entry.path))


def is_adapter(folder: Path) -> bool:
    """Whether a folder has the two files of an adapter."""
    return all(os.path.isfile(folder / name) for name in (CONFIG, WEIGHTS))


def variant(ref: str, base: str, folder: Path) -> Installed:
    """A model with an adapter, as the list shows it.

    Args:
        ref: how it is named to load it.
        base: the model's name.
        folder: the adapter's.
    """
    name = f"{base} + {clean_name(folder.name) or 'adapter'}"
    return Installed(ref, name, folder, Source.ADDED, _facts(folder), folder)


def _facts(folder: Path) -> FolderFacts:
    if not os.path.isdir(folder):
        return FolderFacts(problem="The adapter's folder is not there any more.", gone=True)
    nbytes = bytes_in(folder, lambda: False)
    if not is_adapter(folder):
        return FolderFacts(nbytes, problem=f"No adapter: {CONFIG} or {WEIGHTS} is missing.")
    try:
        config = read_json(folder / CONFIG, _MOST_CONFIG)
        kind = config.get("fine_tune_type", "lora") if isinstance(config, dict) else ""
    except (OSError, ValueError):
        return FolderFacts(nbytes, problem=f"Its {CONFIG} cannot be read.")
    spelt = _KINDS.get(kind) if isinstance(kind, str) else None
    if spelt is None:
        return FolderFacts(nbytes, problem="It is no LoRA or DoRA adapter.")
    return FolderFacts(nbytes, architecture=f"{spelt} adapter")
