"""Third-party notices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.system import licenses


def test_every_part_has_its_full_license() -> None:
    parts = {part.name: part for part in licenses.installed()}
    assert {"Python", "PySide6_Essentials", "shiboken6", "transformers", "ziafont"} <= {*parts}
    assert {"mlx", "mlx-vlm"} <= {*parts}
    assert not {"pytest", "mypy", "ruff", "pyinstaller"} & {*parts}
    for part in parts.values():
        assert part.version
        assert part.licence not in ("", "see its text"), part.name
        assert len(part.text) > 300, part.name
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in parts["PySide6_Essentials"].text
    assert "GNU GENERAL PUBLIC LICENSE" in parts["PySide6_Essentials"].text
    assert "SIL OPEN FONT LICENSE" in parts["Inter"].text
    assert "PDFium" in parts["pypdfium2"].text  # the bundled library
    assert "Copyright (c) Ronie Martinez" in parts["latex2mathml"].text


def test_bundle_shows_licenses_found_at_build_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = licenses.Component("libxcb1", "1.15", "MIT", "A text.")
    (tmp_path / licenses.SHIPPED).write_text(licenses.as_json([part]), encoding="utf-8")
    monkeypatch.setattr(licenses, "resources", lambda: tmp_path)
    assert licenses.components() == [part]
    assert json.loads(licenses.as_json([part]))[0]["name"] == "libxcb1"
