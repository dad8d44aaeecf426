from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QGuiApplication,
    QPainterPath,
    QPalette,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QMenu,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QWidget,
)

from app.settings.paths import resources
from app.ui.style import tokens as t
from app.ui.style.stylesheet import stylesheet
from app.ui.style.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, ThemeTokens

if TYPE_CHECKING:
    from app.markdown import MarkdownStyle


def markdown_style(*, quiet: bool = False) -> MarkdownStyle:
    from app.markdown import MarkdownStyle

    tokens = theme().tokens
    return MarkdownStyle(
        text=tokens.muted if quiet else tokens.text,
        muted=tokens.muted,
        border=tokens.divider,
        code_background=tokens.code_background,
        inline_code_background=tokens.code_background,
        accent=tokens.accent,
        quote_bar=tokens.divider,
        dark=tokens.dark,
        font_family=ui_font().family(),
        font_px=scaled(theme().body_px - 2 if quiet else theme().body_px),
        code_family=code_font().family(),
        code_px=scaled(theme().body_px - (3 if quiet else 2)),
        line_height=t.LINE_HEIGHT,
    )


USUAL_PX = 13 if sys.platform == "darwin" else 14
"""Usual size of the system font."""


class Theme(QObject):
    # ``tokens``, ``body_px`` or the text scale changed, so custom-painted widgets must repaint
    changed = Signal()

    def __init__(
        self, app: QApplication, appearance: str, body_px: int, zoom: int, contrast: str
    ) -> None:
        super().__init__(app)
        self.body_px = body_px  # unscaled text size in conversations
        self._app = app
        self.appearance = appearance
        self.contrast = contrast
        self.zoom = zoom  # text size relative to the system's, in percent
        self.tokens = LIGHT
        self._style: QProxyStyle | None = None
        # Keep a reference, because PySide deletes the accessibility hints along with this object.
        self._style_hints = app.styleHints()
        self._accessibility_hints = self._style_hints.accessibility()
        self._scheme = self._style_hints.colorScheme()
        _choose_face()
        self._style_hints.colorSchemeChanged.connect(self._on_system_changed)
        self._accessibility_hints.contrastPreferenceChanged.connect(self._on_contrast_changed)
        _set_scale(zoom)
        self._set_style()
        app.setFont(ui_font())
        self._apply(self._chosen_tokens())

    def set_body_px(self, px: int) -> None:
        if px != self.body_px:
            self.body_px = px
            self.changed.emit()

    def set_zoom(self, zoom: int) -> None:
        self.zoom = zoom
        _set_scale(zoom)
        if self._app.font() != (font := ui_font()):
            self._set_style()
            self._app.setFont(font)
            self._apply(self.tokens)

    def follow_system_font(self) -> None:
        _choose_face()
        self.set_zoom(self.zoom)

    def set_appearance(self, appearance: str) -> None:
        self.appearance = appearance
        self._apply(self._chosen_tokens())

    def set_contrast(self, contrast: str) -> None:
        self.contrast = contrast
        self._apply(self._chosen_tokens())

    def color(self, name: str) -> QColor:
        return QColor(getattr(self.tokens, name))

    def detach(self) -> None:
        self._style_hints.colorSchemeChanged.disconnect(self._on_system_changed)
        self._accessibility_hints.contrastPreferenceChanged.disconnect(self._on_contrast_changed)

    @Slot(Qt.ColorScheme)
    def _on_system_changed(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme
        self._apply(self._chosen_tokens())

    @Slot(Qt.ContrastPreference)
    def _on_contrast_changed(self, _preference: Qt.ContrastPreference) -> None:
        self._apply(self._chosen_tokens())

    def _set_style(self) -> None:
        # Qt calls the style all the time, and calls into Python are slow, so avoid them if
        # possible.
        style_class = RoundedStyle if scaled(t.SMALL_ICON) == t.SMALL_ICON else ScaledIconStyle
        if type(self._style) is not style_class:
            self._style = style_class("Fusion")
            self._app.setStyle(self._style)

    def _chosen_tokens(self) -> ThemeTokens:
        dark = self._scheme == Qt.ColorScheme.Dark
        if self.appearance != "system":
            dark = self.appearance == "dark"
        high = self._accessibility_hints.contrastPreference() == Qt.ContrastPreference.HighContrast
        if self.contrast != "system":
            high = self.contrast == "high"
        if high:
            return HIGH_DARK if dark else HIGH_LIGHT
        return DARK if dark else LIGHT

    def _apply(self, tokens: ThemeTokens) -> None:
        self.tokens = tokens
        self._app.setPalette(palette(tokens))
        # Clear the style sheet first. Otherwise Qt polishes each widget once per ancestor, which
        # takes 750 ms instead of 130 ms for four chats.
        self._app.setStyleSheet("")
        self._app.setStyleSheet(stylesheet(tokens, scaled))
        self.changed.emit()


class RoundedStyle(QProxyStyle):
    """Fusion style with rounded menus, tooltips and popovers, which style sheets can't do."""

    def polish(self, polished: Any) -> None:
        _round_corners(polished)
        super().polish(polished)


class ScaledIconStyle(QProxyStyle):
    """Style that also scales the icons that the style sheet can't reach."""

    def polish(self, polished: Any) -> None:
        _round_corners(polished)
        super().polish(polished)

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        if metric in _ICON_SIZES:
            return scaled(t.SMALL_ICON)
        return super().pixelMetric(metric, option, widget)


_ROUNDED_CLASSES = (QMenu, QFrame)


def _round_corners(polished: Any) -> None:
    if isinstance(polished, _ROUNDED_CLASSES) and (
        isinstance(polished, QMenu)
        or polished.objectName() == "popover"
        or polished.inherits("QTipLabel")
    ):
        if QGuiApplication.platformName() == "xcb":  # there may be no compositor
            polished.installEventFilter(_corner_mask)
        else:
            polished.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


_ICON_SIZES = {QStyle.PixelMetric.PM_SmallIconSize, QStyle.PixelMetric.PM_ButtonIconSize}


class CornerMask(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            outline = QPainterPath()
            radius = t.RADIUS_SMALL if isinstance(watched, QMenu | QLabel) else t.RADIUS
            outline.addRoundedRect(QRectF(watched.rect()), radius, radius)
            watched.setMask(QRegion(outline.toFillPolygon().toPolygon()))
        return False


_corner_mask = CornerMask()
_theme: Theme | None = None


_scale = 1.0


def install(
    app: QApplication,
    appearance: str = "system",
    body_px: int = t.BODY_PX,
    zoom: int = 100,
    contrast: str = "system",
) -> Theme:
    """Install the global theme. Call this before any window is created."""
    global _theme
    if _theme is not None:
        _theme.detach()
        _theme.deleteLater()
    _theme = Theme(app, appearance, body_px, zoom, contrast)
    return _theme


def theme() -> Theme:
    if _theme is None:
        raise RuntimeError("The theme is asked for before it was installed.")
    return _theme


def repolish(widget: QWidget) -> None:
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def focus_pen() -> QPen:
    return QPen(QColor(theme().tokens.accent), t.RING)


def scaled(px: float) -> int:
    return round(px * _scale)


def scale_height(px: float, lines: int = 1) -> int:
    """Scale a height that was designed for ``lines`` of normal text. Padding isn't scaled."""
    return round(px + lines * 1.3 * (scaled(t.UI_PX) - t.UI_PX))


def _set_scale(zoom: int) -> None:
    global _scale
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    share = system / USUAL_PX if system > 0 else 1.0
    if abs(share - 1) < 0.15:  # desktop default fonts vary by a pixel or two
        share = 1.0
    _scale = min(max(share, 0.8), 2.0) * zoom / 100


def set_scaled_font(label: QLabel, px: int, weight: QFont.Weight = QFont.Weight.Normal) -> None:
    """Give a label a `ui_font` that survives changes of the text scale.

    The style sheet sets the font. Qt would replace a font set with `setFont` by an older one when
    the style sheet changes or the pane moves.
    """
    label.setProperty("px", px)
    label.setProperty("weight", weight.value)


_POOR_FONTS = (
    "DejaVu",
    "Bitstream",
    "Vera",
    "Liberation",
    "Nimbus",
    "Free",
    "Luxi",
    "Helvetica",
    "URW",
)
"""Prefixes of Linux default fonts that don't work well for a UI."""
_BUNDLED = "Inter"
_bundled = False


def is_fit(family: str) -> bool:
    return bool(family) and not family.startswith(_POOR_FONTS)


def _choose_face() -> None:
    global _bundled
    _ui_font.cache_clear()
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    _bundled = not is_fit(QFontInfo(system).family())
    if _bundled and _BUNDLED not in QFontDatabase.families():
        for file in sorted((resources() / "fonts").glob("*.ttf")):
            QFontDatabase.addApplicationFont(str(file))


def ui_font(px: int = t.UI_PX, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the UI font with tabular digits. ``px`` is scaled."""
    return QFont(_ui_font(max(1, scaled(px)), weight))


@lru_cache(maxsize=64)
def _ui_font(pixels: int, weight: QFont.Weight) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if _bundled:
        font.setFamilies([_BUNDLED, font.family()])  # the bundled font provides missing glyphs
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font() -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(max(1, scaled(t.CODE_PX)))
    return font


def palette(tokens: ThemeTokens) -> QPalette:
    """Return a palette for widgets that the style sheet can't reach."""
    role = QPalette.ColorRole
    colors = QPalette()
    for target, name in (
        (role.Window, "background"),
        (role.WindowText, "text"),
        (role.Base, "background"),
        (role.AlternateBase, "surface"),
        (role.Text, "text"),
        (role.Button, "surface"),
        (role.ButtonText, "text"),
        (role.BrightText, "danger"),
        (role.ToolTipBase, "raised"),
        (role.ToolTipText, "text"),
        (role.PlaceholderText, "muted"),
        (role.Highlight, "selection"),
        (role.HighlightedText, "text"),
        (role.Link, "accent"),
        (role.LinkVisited, "accent"),
        (role.Accent, "accent"),
        (role.Light, "raised"),
        (role.Midlight, "hover"),
        (role.Mid, "border_strong"),
        (role.Dark, "border_strong"),
        (role.Shadow, "border"),
    ):
        colors.setColor(target, QColor(getattr(tokens, name)))
    for target in (role.Text, role.WindowText, role.ButtonText):
        colors.setColor(QPalette.ColorGroup.Disabled, target, QColor(tokens.muted))
    return colors
