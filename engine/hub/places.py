"""Where models lie on this machine: ours, those of other programs, and folders added by hand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engine.hub import cache
from engine.hub.gguf import kept
from engine.sandbox.folders import read, read_json


class Source(Enum):
    """Whose a place is; the value is what people read."""

    BUNDLED = "Stretto"
    HUB = "Hugging Face"
    LM_STUDIO = "LM Studio"
    MLX_LM = "mlx-lm"
    OWN = "Stretto's models"
    ADDED = "Added by hand"


@dataclass(frozen=True)
class Place:
    """A folder that holds models, or is one."""

    source: Source
    path: Path


def places(
    own: Path | None = None,
    added: Iterable[str] = (),
    home: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> list[Place]:
    """Every place where models may be, whether it is there or not; each path once.

    Args:
        own: the program's own folder of models.
        added: folders that the person named.
        home: whose other programs are meant; by default the person's own.
    """
    home = home or Path.home()
    found = [
        Place(Source.HUB, cache.root()),
        *(Place(Source.LM_STUDIO, path) for path in _of_lm_studio(home)),
        *(Place(Source.MLX_LM, path) for path in _of_mlx_lm(home, environment)),
    ]
    if own is not None:
        found.append(Place(Source.OWN, own))
    found.append(Place(Source.OWN, kept.root()))
    found += [Place(Source.ADDED, Path(path)) for path in added]
    return list({place.path: place for place in reversed(found)}.values())[::-1]


def _of_lm_studio(home: Path) -> list[Path]:
    """LM Studio's home is where its pointer file says; its settings may name another folder."""
    homes = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    try:
        pointer = read(home / ".lmstudio-home-pointer", 4096).decode().strip()
        homes.insert(0, Path(pointer.splitlines()[0]))
    except (OSError, ValueError, IndexError):
        pass
    found = []
    for folder in homes:
        if not folder.is_absolute():
            continue
        found.append(folder / "models")
        try:
            named = read_json(folder / "settings.json", 2**20)
        except (OSError, ValueError):
            continue
        chosen = named.get("downloadsFolder") if isinstance(named, dict) else None
        if isinstance(chosen, str) and "\0" not in chosen and Path(chosen).is_absolute():
            found.append(Path(chosen))
    return found


def _of_mlx_lm(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """mlx-lm downloads into the hub's cache or ModelScope's; `convert` and `fuse` write these."""
    scope = environment.get("MODELSCOPE_CACHE", "")
    root = Path(scope).expanduser() if scope else home / ".cache" / "modelscope"
    return [root / "hub" / "models", root / "models", home / "mlx_model", home / "fused_model"]
