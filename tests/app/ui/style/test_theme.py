"""Colors: readable in both appearances, and changed while running."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QRawFont
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QMenu, QStyle, QToolTip

from app.markdown.highlight import COLOURS
from app.settings.paths import resources
from app.ui.style import tokens as t
from app.ui.style.stylesheet import stylesheet
from app.ui.style.theme import focus_pen, is_fit, scale_height, theme, ui_font
from app.ui.style.tokens import (
    DARK,
    EDGE_PAIRS,
    HIGH_DARK,
    HIGH_LIGHT,
    LIGHT,
    TEXT_PAIRS,
    contrast,
)
from app.ui.widgets.buttons import IconButton
from tests.app.conftest import Start

LOOKS = pytest.mark.parametrize(
    "tokens", [LIGHT, DARK, HIGH_LIGHT, HIGH_DARK], ids=["light", "dark", "high-light", "high-dark"]
)


@LOOKS
def test_text_edges_code_and_lanes_meet_wcag_aa(tokens):
    for least, pairs in ((4.5, TEXT_PAIRS), (3, EDGE_PAIRS)):
        for front, ground in pairs:
            assert contrast(getattr(tokens, front), getattr(tokens, ground)) >= least, front
    for looks in COLOURS.values():
        assert contrast(looks[tokens.dark], tokens.code_background) >= 4.5
    lanes = {t.lane_colour(n, dark=tokens.dark) for n in range(8)}
    assert len(lanes) == 8
    assert all(contrast(lane, tokens.surface) >= 3 for lane in lanes)


CONTROLS = ("QLineEdit", "QSpinBox", "QPushButton", "QComboBox", "::indicator", "#suggestion")


@LOOKS
def test_outlines_are_visible_but_lighter_than_content(tokens):
    """Plain edges and focus rings have a contrast of 3:1 or more, other outlines in high
    contrast.
    """
    seen = 0
    for selector, body in re.findall(r"([^{}]+)\{([^}]*)\}", stylesheet(tokens)):
        edge = re.search(r"border(?:-color)?: (?:\dpx solid )?(#[0-9a-f]{6})", body)
        control = any(name in selector for name in CONTROLS)
        if edge is None or not control or ":disabled" in selector or "QAbstract" in selector:
            continue
        seen += 1
        if edge[1] == tokens.selection:  # the ring inside accent-colored areas
            assert contrast(edge[1], tokens.accent) >= 3, selector.strip()
            continue
        bare = tokens.strong or "indicator" in selector or edge[1] != tokens.outline
        for ground in (tokens.background, tokens.surface, tokens.raised):
            ratio = contrast(edge[1], ground)
            assert ratio >= 3 if bare else 1.25 <= ratio < 2, selector.strip()
    assert seen >= 10


def test_focus_ring_is_equal_everywhere(look):
    sheet = stylesheet(LIGHT)
    rings = re.findall(r"[^{}]*:focus[^{}]*\{\s*([^}]*)\}", sheet)
    assert len(rings) >= 8
    for ring in rings:  # a different color on the accent color
        assert (
            f"{t.RING}px solid {LIGHT.accent}" in ring
            or LIGHT.selection in ring
            or (f"5px solid {LIGHT.text}" in ring)
        )
    assert (focus_pen().width(), focus_pen().color().name()) == (t.RING, LIGHT.accent)


def test_every_text_size_is_named():
    for path in (Path(__file__).parents[4] / "app" / "ui").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(ui_font|code_font)\(\d|set_scaled_font\([^()]*, \d", text), path


def test_menus_and_tooltips_have_round_corners(look, qtbot):
    menu = QMenu()
    qtbot.addWidget(menu)
    menu.addAction("One")
    menu.popup(QPoint(100, 100))
    assert menu.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    menu.close()
    QToolTip.showText(QPoint(100, 100), "Split Right")
    tip = next(w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel"))
    assert tip.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    tip.deleteLater()


@pytest.mark.parametrize("zoom", [100, 175])
def test_drop_down_lists_show_their_last_entry(look, qtbot, zoom):
    look.set_zoom(zoom)
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["System", "English", "Deutsch", "Español", "Français", "日本語", "简体中文"])
    box.setFixedWidth(220)
    box.show()
    box.showPopup()
    listed, popup = box.view(), box.view().window()
    qtbot.waitUntil(popup.isVisible)
    last = listed.visualRect(listed.model().index(box.count() - 1, 0))
    assert listed.viewport().rect().contains(last)
    assert listed.geometry() == popup.rect()  # no second frame or scroll arrows
    box.hidePopup()
    look.set_zoom(100)


def test_icons_and_their_buttons_grow_with_the_text(look, qtbot):
    button = IconButton("x", "Close")
    qtbot.addWidget(button)

    def drawn() -> int:
        image = button.grab().toImage()
        rows = [
            y
            for y in range(image.height())
            if len({image.pixel(x, y) for x in range(image.width())}) > 1
        ]
        return rows[-1] - rows[0]

    usual, side = drawn(), button.width()
    look.set_zoom(150)
    assert button.width() == scale_height(28) > side
    assert drawn() == pytest.approx(usual * 1.5, abs=2)
    field = QLineEdit()
    qtbot.addWidget(field)
    assert field.style().pixelMetric(QStyle.PixelMetric.PM_LineEditIconSize, None, field) == 24
    look.set_zoom(100)
    assert button.width() == side


@pytest.mark.parametrize("tokens", [HIGH_LIGHT, HIGH_DARK], ids=["light", "dark"])
def test_high_contrast_meets_aaa_and_draws_every_line(tokens):
    for writing, ground in TEXT_PAIRS:
        assert contrast(getattr(tokens, writing), getattr(tokens, ground)) >= 7, (writing, ground)
    for edge in ("border", "divider", "border_strong"):
        assert contrast(getattr(tokens, edge), tokens.background) >= 4.5, edge
    for looks in COLOURS.values():
        assert contrast(looks[tokens.dark], tokens.code_background) >= 4.5


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


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


def test_placeholder_text_is_readable(look, qtbot):
    """Qt would use half of the text's opacity."""
    field = QLineEdit()
    qtbot.addWidget(field)
    for appearance in ("dark", "light"):
        look.set_appearance(appearance)
        field.ensurePolished()
        assert field.palette().placeholderText().color().name() == look.tokens.muted


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


@pytest.mark.parametrize(
    ("family", "fit"),
    [
        *((good, True) for good in ("Cantarell", "Noto Sans", "Ubuntu", "Inter", "Roboto")),
        *((good, True) for good in (".AppleSystemUIFont", "Segoe UI", "Noto Sans CJK JP")),
        *((bad, False) for bad in ("DejaVu Sans", "Bitstream Vera Sans", "Nimbus Sans", "")),
    ],
)
def test_unselected_font_is_not_loaded(family, fit):
    assert is_fit(family) is fit


def test_bundled_font_has_weights_and_tabular_digits(look):
    """Test machines have DejaVu as their system font, so Inter is used."""
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).family()
    if is_fit(system):
        pytest.skip(f"{system} is the system's")
    widths = set()
    for weight in (400, 500, 600, 700):
        font = ui_font(15, QFont.Weight(weight))
        assert QFontInfo(font).family() == "Inter"
        measure = QFontMetricsF(font)
        assert measure.horizontalAdvance("1111") == measure.horizontalAdvance("8888")
        assert all(map(QRawFont.fromFont(font).supportsCharacter, map(ord, "äßŝΩЖ→⌘…")))
        plain = QFont(font)
        plain.clearFeatures()
        for signs in ("stretto --ask", "mlx-lm, .: (a)"):  # only digits have equal widths
            usual = QFontMetricsF(plain).horizontalAdvance(signs)
            assert measure.horizontalAdvance(signs) == usual
        widths.add(measure.horizontalAdvance("The quick brown fox"))
    assert len(widths) == 4


def test_bundled_font_is_small_and_licensed():
    files = list((resources() / "fonts").glob("*.ttf"))
    assert len(files) == 6
    assert sum(file.stat().st_size for file in files) < 1_000_000
    assert "Inter Project Authors" in (resources() / "fonts" / "OFL.txt").read_text("utf-8")


class Styled(QObject):
    """Counts style changes of a widget."""

    times = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.StyleChange
        return False


def test_theme_change_styles_each_widget_once(start: Start) -> None:
    run = start().ready()
    counter = Styled()
    field = run.pane.composer.field
    field.installEventFilter(counter)
    try:
        theme().set_appearance("dark" if theme().tokens is LIGHT else "light")
        assert 1 <= counter.times <= 3, "Qt did it once for each widget around it: 12 times"
    finally:
        theme().set_appearance("system")


def test_title_size_is_kept_in_moved_panes(start: Start) -> None:
    run = start().ready()

    def sizes() -> list[int]:
        return [pane.empty._title.font().pixelSize() for pane in run.panes]

    for _ in range(3):
        run.window.commands["text_larger"].trigger()
    run.window.chats.new()
    run.until(lambda: sizes() == [30, 30])
    run.window.commands["text_usual"].trigger()
    run.window.commands["split_right"].trigger()
    run.until(lambda: sizes() == [20, 20, 20])
