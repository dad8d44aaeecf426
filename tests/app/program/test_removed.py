"""Notices about removed features."""

from __future__ import annotations

from pathlib import Path

from app.program.removal_notices import mlx_lm_note
from tests.app.conftest import Start


def test_chosen_mlx_lm_is_reported_once_and_kept(tmp_path: Path) -> None:
    assert mlx_lm_note(tmp_path) == ""
    wheel = tmp_path / "mlx-lm" / ("0f" * 8) / "mlx_lm" / "__init__.py"
    wheel.parent.mkdir(parents=True)
    wheel.write_text("raise RuntimeError")
    (tmp_path / "mlx-lm" / "chosen.json").write_text("{}")
    assert mlx_lm_note(tmp_path)
    assert mlx_lm_note(tmp_path) == ""
    assert wheel.read_text() == "raise RuntimeError"


def test_profile_with_chosen_mlx_lm_opens(start: Start, profile: Path) -> None:
    folder = profile / "mlx-lm"
    folder.mkdir(parents=True)
    (folder / "chosen.json").write_text('{"wheel": "x.whl", "sha256": "0", "version": "1.0"}')
    run = start()
    assert run.window.toast.isVisible()
    run.ready()
