"""Colours: readable everywhere, in both appearances, and changed live."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.style.tokens import DARK, LIGHT, TEXT_PAIRS, contrast
from tests.app.conftest import Start


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("pair", TEXT_PAIRS, ids=lambda pair: "-on-".join(pair))
def test_writing_meets_wcag_aa(tokens, pair):
    writing, ground = pair
    assert contrast(getattr(tokens, writing), getattr(tokens, ground)) >= 4.5


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


def test_the_systems_appearance_is_followed_unless_one_was_chosen(start: Start, qapp):
    from app.ui.style.theme import theme

    run = start()
    hints = qapp.styleHints()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme().tokens is DARK
    assert run.window.palette().window().color().name() == DARK.background
    theme().set_appearance("light")
    assert theme().tokens is LIGHT
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme().tokens is LIGHT
    theme().set_appearance("system")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme().tokens is LIGHT


def test_the_look_changes_live(start: Start):
    from app.ui.style.theme import theme

    run = start()
    run.ready()
    run.say("say hello")
    run.answered()
    theme().set_appearance("dark")
    dark = run.window.grab().toImage().pixelColor(10, run.window.height() - 10)
    theme().set_appearance("light")
    light = run.window.grab().toImage().pixelColor(10, run.window.height() - 10)
    assert dark.lightness() < 60
    assert light.lightness() > 220
