"""Icons: one line style, complete, sharp at every scale."""

from __future__ import annotations

import ast
import gc
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QPixmap

from app.settings.paths import resources
from app.ui.style.icons import icon
from app.ui.style.tokens import DARK, LIGHT

ROOT = Path(__file__).parents[4]
FOLDER = resources() / "icons"
DRAWN = sorted(p.stem for p in FOLDER.glob("*.svg") if "currentColor" in p.read_text("utf-8"))
TAKES_A_NAME = {"icon", "theme_icon", "IconButton", "set_icon", "_button"}


def asked_for() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "app").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in TAKES_A_NAME:
                first = node.args[0]
                parts = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                names |= {p.value for p in parts if isinstance(p, ast.Constant)}
    return names


def test_every_requested_icon_exists():
    assert asked_for() - {*DRAWN} == set()


def test_every_icon_is_used():
    code = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "app").rglob("*.py"))
    assert [name for name in DRAWN if f'"{name}"' not in code] == []


def test_icon_outlives_its_python_objects(qapp):
    copy = QIcon(icon("trash", "#123456"))
    copy.addPixmap(QPixmap(4, 4))  # makes it a clone of the original
    icon.cache_clear()
    gc.collect()
    assert copy.pixmap(QSize(18, 18)).size() == QSize(18, 18)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_stylesheet_icons_use_theme_colors(tokens):
    """Style sheets reference files, so these two icons contain their color."""
    look = "dark" if tokens.dark else "light"
    for name, color in (("caret", tokens.muted), ("check", tokens.accent_text)):
        source = (FOLDER / f"{name}-{look}.svg").read_text(encoding="utf-8")
        assert set(re.findall(r"#[0-9a-f]{6}", source)) == {color}
