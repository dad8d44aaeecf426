"""The current theme: colors, fonts and text scale."""

from __future__ import annotations

import sys
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
    """Return the colors and fonts of replies, or of reasoning (muted and smaller) if ``quiet``."""
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
"""Default size of the system font."""


class Theme(QObject):
    """Applies the system's appearance or the chosen one, and signals changes."""

    # ``tokens``, ``body_px`` or the text scale has changed. Widgets that paint themselves must
    # repaint.
    changed = Signal()

    def __init__(
        self,
        app: QApplication,
        appearance: str = "system",
        body_px: int = t.BODY_PX,
        zoom: int = 100,
        contrast: str = "system",
    ) -> None:
        super().__init__(app)
        self.body_px = body_px  # text size of conversations before scaling
        self._app = app
        self.appearance = appearance  # setting: "system", "light" or "dark"
        self.contrast = contrast  # setting: "system", "normal" or "high"
        self.zoom = zoom  # text size in percent of the system's
        self.tokens = LIGHT
        self._style: QProxyStyle | None = None
        # kept, because PySide would delete the accessibility hints with it
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
        """Scale all text of the app. ``zoom`` is in percent."""
        self.zoom = zoom
        _set_scale(zoom)
        if self._app.font() != (font := ui_font()):
            self._set_style()
            self._app.setFont(font)
            self._apply(self.tokens)

    def follow_system_font(self) -> None:
        """Apply a changed system font."""
        _choose_face()
        self.set_zoom(self.zoom)

    def set_appearance(self, appearance: str) -> None:
        self.appearance = appearance
        self._apply(self._chosen_tokens())

    def set_contrast(self, contrast: str) -> None:
        """Set the contrast: "system", "normal" or "high"."""
        self.contrast = contrast
        self._apply(self._chosen_tokens())

    def color(self, name: str) -> QColor:
        return QColor(getattr(self.tokens, name))

    def detach(self) -> None:
        """Disconnect from the system's signals, at exit or in tests."""
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
        # Qt calls the style very often, and each call into Python takes time.
        wanted = RoundedStyle if scaled(t.SMALL_ICON) == t.SMALL_ICON else ScaledIconStyle
        if type(self._style) is not wanted:
            self._style = wanted("Fusion")
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
        # Without the empty style sheet in between, Qt polishes each widget once per ancestor: 750
        # ms instead of 130 ms for four chats.
        self._app.setStyleSheet("")
        self._app.setStyleSheet(stylesheet(tokens, scaled))
        self.changed.emit()


class RoundedStyle(QProxyStyle):
    """Fusion with rounded corners for menus, tooltips and popovers, which style sheets cannot
    do."""

    def polish(self, polished: Any) -> None:
        _round_corners(polished)
        super().polish(polished)


class ScaledIconStyle(QProxyStyle):
    """The same style with icons scaled to the text. The style sheet does not reach all icons."""

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
        if QGuiApplication.platformName() == "xcb":  # a compositor may be missing
            polished.installEventFilter(_corner_mask)
        else:
            polished.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


_ICON_SIZES = {QStyle.PixelMetric.PM_SmallIconSize, QStyle.PixelMetric.PM_ButtonIconSize}


class CornerMask(QObject):
    """Event filter that cuts off a window's corners on each resize."""

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
    """Install the theme of this process: after creating the QApplication, before any window."""
    global _theme
    if _theme is not None:
        _theme.detach()
        _theme.deleteLater()
    _theme = Theme(app, appearance, body_px, zoom, contrast)
    return _theme


def theme() -> Theme:
    """Return the current theme. Raises RuntimeError before ``install``."""
    if _theme is None:
        raise RuntimeError("The theme is asked for before it was installed.")
    return _theme


def repolish(widget: QWidget) -> None:
    """Reapply the style sheet to a widget whose properties have changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def focus_pen() -> QPen:
    """Return the pen of focus rings on painted widgets."""
    return QPen(QColor(theme().tokens.accent), t.RING)


def scaled(px: float) -> int:
    """Scale a size designed for the normal text size."""
    return round(px * _scale)


def grown(px: float, lines: int = 1) -> int:
    """Return a height designed for some lines of normal text. Only the lines grow, not the
    padding."""
    return round(px + lines * 1.3 * (scaled(t.UI_PX) - t.UI_PX))


def _set_scale(zoom: int) -> None:
    """Set the scale from the system's text size and the user's zoom."""
    global _scale
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    share = system / USUAL_PX if system > 0 else 1.0
    if abs(share - 1) < 0.15:  # default fonts of desktops differ by a pixel or two
        share = 1.0
    _scale = min(max(share, 0.8), 2.0) * zoom / 100


def keep_font(label: QLabel, px: int, weight: QFont.Weight = QFont.Weight.Normal) -> None:
    """Give a label `ui_font` in this size, also after the text scale changes.

    The style sheet sets the font. Qt would replace a font set on the label with an older one when
    the style sheet changes or the label's pane moves.
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
"""Prefixes of default font families on Linux desktops that are poor for a user interface."""
_BUNDLED = "Inter"
_bundled = False


def is_fit(family: str) -> bool:
    """Return True if a system font is good enough for the user interface."""
    return bool(family) and not family.startswith(_POOR_FONTS)


def _choose_face() -> None:
    """Load the bundled font if the system's font is poor."""
    global _bundled
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    _bundled = not is_fit(QFontInfo(system).family())
    if _bundled and _BUNDLED not in QFontDatabase.families():
        for file in sorted((resources() / "fonts").glob("*.ttf")):
            QFontDatabase.addApplicationFont(str(file))


def ui_font(px: int = t.UI_PX, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the window's font, scaled from ``px``, with digits of equal width."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if _bundled:
        font.setFamilies([_BUNDLED, font.family()])  # the system's font has the missing characters
    font.setPixelSize(max(1, scaled(px)))
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font(px: int = t.CODE_PX) -> QFont:
    """Return the system's fixed-width font, scaled."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(max(1, scaled(px)))
    return font


def palette(tokens: ThemeTokens) -> QPalette:
    """Return the colors as a QPalette, for widgets that the style sheet does not reach."""
    role = QPalette.ColorRole
    made = QPalette()
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
        made.setColor(target, QColor(getattr(tokens, name)))
    for target in (role.Text, role.WindowText, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, target, QColor(tokens.muted))
    return made
