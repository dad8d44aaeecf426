"""Setup compiles modules while pip is still installing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_packages_are_compiled_while_pip_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Callable[[str], Any]
) -> None:
    bootstrap = module("bootstrap")
    packages = tmp_path / "lib" / "python3" / "site-packages"
    pip = f"""
import pathlib, sys, time
for name in ("old", "new", "half"):
    info = pathlib.Path({str(packages)!r}, f"{{name}}-1.dist-info")
    info.mkdir(parents=True, exist_ok=True)
    (info.parent / f"{{name}}.py").write_text("whole = False")
    (info / "RECORD").write_text(f"{{name}}.py,,\\ntemplate.py,,\\nread.me,,\\n")
(info.parent / "template.py").write_text("{{{{ no }}}} Python")
(info.parent / "new-1.dist-info" / "INSTALLER").write_text("pip")
end = time.monotonic() + 60
while not list(info.parent.glob("__pycache__/new.*.pyc")):
    assert time.monotonic() < end
    time.sleep(0.01)
sys.exit(3 * (sys.argv[-1] == "fails"))
"""
    (packages / "old-1.dist-info").mkdir(parents=True)
    (packages / "old-1.dist-info" / "INSTALLER").write_text("pip")  # of a replaced package
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    monkeypatch.setattr(
        bootstrap, "_pip_install", lambda wanted: [sys.executable, "-c", pip, *wanted]
    )

    bootstrap.install(["one"], ["another"])

    assert [f.name.split(".")[0] for f in packages.glob("__pycache__/*")] == ["new"]
    with pytest.raises(SystemExit, match="failed"):
        bootstrap.install(["one"], ["fails"])
