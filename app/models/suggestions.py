"""Model suggestions from `resources/models.toml`, which work without network access."""

from __future__ import annotations

import logging
import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from app.settings.language import mark
from app.settings.paths import resources
from engine import hub
from engine.hub.gguf import kept

log = logging.getLogger(__name__)

GOOD_AT = (
    mark("Small and fast, often wrong"),
    mark("Questions, reasoning and tools"),
    mark("Many languages, short texts"),
    mark("Fast replies, room for more chats"),
    mark("Reasoning, code and tools"),
    mark("Writing and many languages"),
    mark("Reliable replies, room for more chats"),
    mark("Reasoning and tools, fast"),
    mark("Reasoning and code, more accurate"),
    mark("Code, hard questions and tools"),
    mark("Writing, many languages, fast"),
    mark("Reasoning, tools, room for more chats"),
    mark("Code and tools, very fast"),
    mark("Writing, languages, hard questions"),
    mark("Code, hard questions, room for more chats"),
    mark("Code and tools, more accurate"),
    mark("Code in long contexts"),
    mark("Long texts, very fast"),
    mark("Code, tools, room for more chats"),
    mark("Reasoning with adjustable effort"),
    mark("Hard questions, code, many languages"),
    mark("Hard questions, code, more accurate"),
)
"""Descriptions used in the file, translated by `tr`. Add new descriptions here."""

_MOST = 5
_SLACK = 0.9  # a machine with 16 GB reports a bit less


class Suggestion(Struct, frozen=True):
    repo: str  # hub ID
    size: int  # download size in bytes, rounded to 0.1 GB
    good_at: str  # one line in English, from `GOOD_AT`
    licence: str  # short name

    @property
    def name(self) -> str:
        return self.repo.rpartition("/")[2]


def _read_models(file: Path | None) -> dict[str, Any]:
    text = (file or resources() / "models.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _parse_model(entry: dict[str, Any]) -> Suggestion:
    size = round(entry["size_gb"] * 1e9)
    return Suggestion(entry["repo"], size, entry["good_at"], entry["licence"])


def load_suggestions(file: Path | None = None) -> dict[int, list[Suggestion]]:
    """Return the suggestions by memory size in GB, smallest first.

    Returns {} if the file is missing or damaged. The search works without it.
    """
    try:
        rows = sorted(_read_models(file)["class"], key=lambda row: int(row["memory_gb"]))
        return {row["memory_gb"]: [_parse_model(model) for model in row["model"]] for row in rows}
    except (OSError, ValueError, LookupError, TypeError) as error:
        log.warning("model suggestions not read: %s", error)
        return {}


class SmallModel(Struct, frozen=True):
    suggestion: Suggestion  # where to find the model on the hub
    digest: str  # SHA-256 of the GGUF file that `make run` downloads from the Python index

    def folder(self) -> Path | None:
        return kept.find_by_digest(self.digest)


@cache
def load_small_model(file: Path | None = None) -> SmallModel | None:
    try:
        entry = _read_models(file)["small"]
        return SmallModel(_parse_model(entry), str(entry["file_sha256"]))
    except (OSError, ValueError, LookupError, TypeError) as error:
        log.warning("cannot read the small model's suggestion: %s", error)
        return None


def find_small_folder() -> str:
    model = load_small_model()
    folder = model.folder() if model is not None else None
    return "" if folder is None else str(folder)


def find_installed(repo: str) -> str:
    """Return a reference for a hub model, or "" if it isn't installed. Reads the disk.

    The small model may be installed from the Python index instead.
    """
    if hub.find(repo) is not None:
        return repo
    model = load_small_model()
    folder = model.folder() if model is not None and model.suggestion.repo == repo else None
    return str(folder) if folder is not None else ""


def suggestions_for(memory: int, file: Path | None = None) -> tuple[int, list[Suggestion]]:
    """Return the memory class of a machine in GB and its suggestions, or (0, []).

    The small model comes first, then the models for this class, then those for the class below,
    which leave more memory free. Machines below the smallest class are treated as that class.
    """
    suggestions = load_suggestions(file)
    if not suggestions:
        return 0, []
    fitting = [gb for gb in suggestions if gb * 2**30 * _SLACK <= memory] or [min(suggestions)]
    models: dict[str, Suggestion] = {}
    first = load_small_model(file)
    if first is not None:
        models[first.suggestion.repo] = first.suggestion
    for gb in reversed(fitting[-2:]):
        for model in suggestions[gb]:
            models.setdefault(model.repo, model)
    return fitting[-1], list(models.values())[: _MOST + 1]


def machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0
