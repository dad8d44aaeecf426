"""Colors in both appearances."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt

from app.markdown.highlight import COLORS
from app.ui.style import tokens as t
from app.ui.style.theme import theme
from app.ui.style.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT
from tests.app.conftest import Run, Start

_TEXT_BACKGROUNDS = {
    "text": "background back surface raised tint hover pressed code_background selection"
    " accent_quiet broadcast difference danger_wash",
    "muted": "background back surface raised tint hover pressed code_background accent_quiet"
    " broadcast danger_wash",
    "accent": "background back surface raised",
    "accent_text": "accent",
    "danger": "background back surface raised danger_wash accent_quiet",
    "success": "background back success_wash",
    "tooltip_text": "tooltip tooltip_hover",
}
TEXT_PAIRS = tuple(
    (text, ground) for text, on in _TEXT_BACKGROUNDS.items() for ground in on.split()
)
"""Combinations of text and background color. All meet WCAG AA (4.5:1)."""

EDGE_PAIRS = (
    *(
        (edge, ground)
        for edge in ("border_strong", "accent", "muted", "danger")
        for ground in ("background", "back", "surface", "raised")
    ),
    ("border_strong", "code_background"),
    ("accent", "hover"),
    ("accent", "pressed"),
    ("accent", "selection"),  # current match and other matches
)
"""Control edges, focus rings and icons with their backgrounds, at 3:1 or more (WCAG 1.4.11).

Edges around text are lighter and only reach 3:1 in high contrast.
"""

LOOKS = pytest.mark.parametrize(
    "tokens", [LIGHT, DARK, HIGH_LIGHT, HIGH_DARK], ids=["light", "dark", "high-light", "high-dark"]
)


def contrast(first: str, second: str) -> float:
    """Return the WCAG 2 contrast ratio, between 1 and 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@LOOKS
def test_text_edges_code_and_lanes_meet_wcag_aa(tokens):
    for least, pairs in ((4.5, TEXT_PAIRS), (3, EDGE_PAIRS)):
        for front, ground in pairs:
            assert contrast(getattr(tokens, front), getattr(tokens, ground)) >= least, front
    for looks in COLORS.values():
        assert contrast(looks[tokens.dark], tokens.code_background) >= 4.5
    lanes = {t.lane_color(n, dark=tokens.dark) for n in range(8)}
    assert len(lanes) == 8
    assert all(contrast(lane, tokens.surface) >= 3 for lane in lanes)


def test_every_text_size_is_named():
    for path in (Path(__file__).parents[4] / "app" / "ui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(ui_font|code_font)\(\d|set_scaled_font\([^()]*, \d", text), path


@pytest.mark.parametrize("tokens", [HIGH_LIGHT, HIGH_DARK], ids=["light", "dark"])
def test_high_contrast_meets_aaa_and_draws_every_line(tokens):
    for writing, ground in TEXT_PAIRS:
        assert contrast(getattr(tokens, writing), getattr(tokens, ground)) >= 7, (writing, ground)
    for edge in ("border", "divider", "border_strong"):
        assert contrast(getattr(tokens, edge), tokens.background) >= 4.5, edge
    for looks in COLORS.values():
        assert contrast(looks[tokens.dark], tokens.code_background) >= 4.5


def test_theme_follows_system_unless_chosen(look, qapp):
    look.set_appearance("system")
    hints = qapp.styleHints()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert look.tokens is DARK
    assert qapp.palette().window().color().name() == DARK.background
    look.set_appearance("light")
    assert look.tokens is LIGHT
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert look.tokens is LIGHT
    look.set_appearance("system")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert look.tokens is LIGHT


def test_high_contrast_is_the_systems_unless_one_was_chosen(start: Start):
    run = start()
    run.window.settings_commands.show_settings()
    settings = run.settings
    assert not theme().tokens.strong
    settings.pages.fields["contrast"].buttons["high"].setChecked(True)
    assert theme().tokens is HIGH_LIGHT
    theme().set_appearance("dark")
    assert theme().tokens is HIGH_DARK
    settings.pages.fields["contrast"].buttons["normal"].setChecked(True)
    assert theme().tokens is DARK
    assert run.app.settings.contrast == "normal"
    settings.close()


class Styled(QObject):
    times = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.StyleChange
        return False


def test_theme_change_styles_each_widget_once(run: Run) -> None:
    counter = Styled()
    field = run.pane.composer.field
    field.installEventFilter(counter)
    try:
        theme().set_appearance("dark" if theme().tokens is LIGHT else "light")
        assert 1 <= counter.times <= 3, "Qt did it once for each widget around it: 12 times"
    finally:
        theme().set_appearance("system")
