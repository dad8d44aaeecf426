"""Trash folder for tests."""

from __future__ import annotations

from pathlib import Path

import pytest


def own_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    data = home / ".local" / "share"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data / "Trash"
