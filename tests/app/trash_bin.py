"""Trash folder for tests, so they don't use the real trash."""

from __future__ import annotations

from pathlib import Path

import pytest


def own_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Redirect the user's trash to a folder below ``tmp_path`` and return it."""
    home = tmp_path / "home"
    data = home / ".local" / "share"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data / "Trash"
