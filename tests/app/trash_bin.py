"""A trash of a test's own, so that no test fills that of whoever runs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def own_trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a trash below ``tmp_path``, which is the person's from here on."""
    import send2trash
    from send2trash import plat_other

    home = tmp_path / "home"
    data = home / ".local" / "share"
    data.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    # It reads the environment once; with a desktop's library it would use that one's trash.
    monkeypatch.setattr(plat_other, "XDG_DATA_HOME", os.fsencode(data))
    monkeypatch.setattr(plat_other, "HOMETRASH_B", os.fsencode(data / "Trash"))
    monkeypatch.setattr(send2trash, "send2trash", plat_other.send2trash)
    return data / "Trash"
