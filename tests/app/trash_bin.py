"""A trash of a test's own, so that no test fills that of whoever runs it."""

from __future__ import annotations

from pathlib import Path

import pytest


def own_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a trash below ``tmp_path``, which is the person's from here on."""
    home = tmp_path / "home"
    data = home / ".local" / "share"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    return data / "Trash"
