"""What a person has chosen, kept in one small JSON file."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


@dataclass
class Settings:
    """All options, with the values of a first start.

    Attributes:
        appearance: "system", "light" or "dark".
        sidebar: whether the list of chats is shown.
        model: what a new chat is opened with (``paths.GUIDE``, a folder or a hub id).
        models: model folders opened before, newest first.
    """

    appearance: str = "system"
    sidebar: bool = True
    model: str = "guide"
    models: tuple[str, ...] = ()

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Read the file; what is missing, unknown or of the wrong type falls back, never fails."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError) as error:
            log.warning("Settings not read, starting with the defaults: %s", error)
            return cls()
        return cls(**_valid(data)) if isinstance(data, dict) else cls()

    def save(self, path: Path) -> None:
        """Write the file in one step, so that a crash leaves the old one or the new one."""
        beside = path.with_suffix(".json.new")
        try:
            beside.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
            os.replace(beside, path)
        except OSError as error:
            log.warning("Settings not saved: %s", error)

    def remember_model(self, model: str) -> None:
        """Put a model folder first in the list of those opened before (ten are kept)."""
        self.models = (model, *(m for m in self.models if m != model))[:10]


def _valid(data: dict[str, Any]) -> dict[str, Any]:
    """The entries of ``data`` that are options and have the type of the option's default."""
    taken: dict[str, Any] = {}
    for field in fields(Settings):
        value = data.get(field.name)
        if field.name == "models":
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                taken[field.name] = tuple(value)
        elif type(value) is type(field.default):
            taken[field.name] = value
    if taken.get("appearance") not in {"system", "light", "dark"}:
        taken.pop("appearance", None)
    return taken
