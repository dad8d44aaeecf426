"""A trash folder for tests, which keeps them out of the trash of the person who runs them."""

from __future__ import annotations

from pathlib import Path

import pytest


def own_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Redirect the person's trash to a folder below ``tmp_path`` and return it."""
    home = tmp_path / "home"
    data = home / ".local" / "share"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data / "Trash"
