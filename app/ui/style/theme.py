"""The theme in force: its colours, its fonts, and how large all text is."""

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
from app.ui.style.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens

if TYPE_CHECKING:
    from app.markdown import MarkdownStyle


def markdown_style(*, quiet: bool = False) -> MarkdownStyle:
    """Colours and fonts of an answer; with ``quiet`` those of reasoning: muted and smaller."""
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
"""The size of the system's font where nobody has chosen another."""


class Theme(QObject):
    """Applies the system's appearance, or a chosen one, and reports each change."""

    # ``tokens``, ``body_px`` or the scale of text have changed; widgets that paint themselves
    # repaint
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
        self.body_px = body_px  # size of the conversations' text, before all text is scaled
        self._app = app
        self.appearance = appearance  # what was asked for: "system", "light" or "dark"
        self.contrast = contrast  # what was asked for: "system", "normal" or "high"
        self.zoom = zoom  # how large all text is, in percent of what the system asks for
        self.tokens = LIGHT
        self._style: QProxyStyle | None = None
        self._style_hints = app.styleHints()  # kept: the binding lets the others go with it
        self._hints = self._style_hints.accessibility()
        self._scheme = self._style_hints.colorScheme()
        _choose_face()
        self._style_hints.colorSchemeChanged.connect(self._on_system_changed)
        self._hints.contrastPreferenceChanged.connect(self._on_contrast_changed)
        _set_scale(zoom)
        self._set_style()
        app.setFont(ui_font())
        self._apply(self._wanted())

    def set_body_px(self, px: int) -> None:
        if px != self.body_px:
            self.body_px = px
            self.changed.emit()

    def set_zoom(self, zoom: int) -> None:
        """Make all text of the program larger or smaller, in percent."""
        self.zoom = zoom
        _set_scale(zoom)
        if self._app.font() != (font := ui_font()):
            self._set_style()
            self._app.setFont(font)
            self._apply(self.tokens)

    def follow_system_font(self) -> None:
        """The system's font may be another."""
        _choose_face()
        self.set_zoom(self.zoom)

    def set_appearance(self, appearance: str) -> None:
        self.appearance = appearance
        self._apply(self._wanted())

    def set_contrast(self, contrast: str) -> None:
        """ "system", "normal" or "high"."""
        self.contrast = contrast
        self._apply(self._wanted())

    def color(self, name: str) -> QColor:
        return QColor(getattr(self.tokens, name))

    def detach(self) -> None:
        """Stop following the system (the program ends, or a test does)."""
        self._style_hints.colorSchemeChanged.disconnect(self._on_system_changed)
        self._hints.contrastPreferenceChanged.disconnect(self._on_contrast_changed)

    @Slot(Qt.ColorScheme)
    def _on_system_changed(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme
        self._apply(self._wanted())

    @Slot(Qt.ContrastPreference)
    def _on_contrast_changed(self, _preference: Qt.ContrastPreference) -> None:
        self._apply(self._wanted())

    def _set_style(self) -> None:
        # Qt asks it for sizes all the time, and each answer from Python takes time.
        wanted = _Style if scaled(t.SMALL_ICON) == t.SMALL_ICON else _GrownStyle
        if type(self._style) is not wanted:
            self._style = wanted("Fusion")
            self._app.setStyle(self._style)

    def _wanted(self) -> Tokens:
        dark = self._scheme == Qt.ColorScheme.Dark
        if self.appearance != "system":
            dark = self.appearance == "dark"
        high = self._hints.contrastPreference() == Qt.ContrastPreference.HighContrast
        if self.contrast != "system":
            high = self.contrast == "high"
        if high:
            return HIGH_DARK if dark else HIGH_LIGHT
        return DARK if dark else LIGHT

    def _apply(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._app.setPalette(palette(tokens))
        # Without one between, Qt polishes each widget once for every widget that it lies in: 750 ms
        # for four chats in place of 130.
        self._app.setStyleSheet("")
        self._app.setStyleSheet(stylesheet(tokens, scaled))
        self.changed.emit()


class _Style(QProxyStyle):
    """Fusion, with round corners for what lies over the window: a style sheet cannot do that."""

    def polish(self, polished: Any) -> None:
        _shape(polished)
        super().polish(polished)


class _GrownStyle(QProxyStyle):
    """The same, with icons that have grown with the text; a style sheet reaches not all of them."""

    def polish(self, polished: Any) -> None:
        _shape(polished)
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


_OVER_IT = (QMenu, QFrame)


def _shape(polished: Any) -> None:
    if isinstance(polished, _OVER_IT) and (
        isinstance(polished, QMenu)
        or polished.objectName() == "popover"
        or polished.inherits("QTipLabel")
    ):
        if QGuiApplication.platformName() == "xcb":  # maybe nobody draws what shines through
            polished.installEventFilter(_cutter)
        else:
            polished.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


_ICON_SIZES = {QStyle.PixelMetric.PM_SmallIconSize, QStyle.PixelMetric.PM_ButtonIconSize}


class _Cutter(QObject):
    """Cuts the corners off a window whenever it has another size."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            outline = QPainterPath()
            radius = t.RADIUS_SMALL if isinstance(watched, QMenu | QLabel) else t.RADIUS
            outline.addRoundedRect(QRectF(watched.rect()), radius, radius)
            watched.setMask(QRegion(outline.toFillPolygon().toPolygon()))
        return False


_cutter = _Cutter()
_theme: Theme | None = None


_scale = 1.0


def install(
    app: QApplication,
    appearance: str = "system",
    body_px: int = t.BODY_PX,
    zoom: int = 100,
    contrast: str = "system",
) -> Theme:
    """Make the theme of this process: after the QApplication and before any window."""
    global _theme
    if _theme is not None:
        _theme.detach()
        _theme.deleteLater()
    _theme = Theme(app, appearance, body_px, zoom, contrast)
    return _theme


def theme() -> Theme:
    """The theme in force. Raises RuntimeError before ``install``."""
    if _theme is None:
        raise RuntimeError("The theme is asked for before it was installed.")
    return _theme


def repolish(widget: QWidget) -> None:
    """Apply the style sheet anew to a widget whose properties have changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def focus_pen() -> QPen:
    """What the ring around a painted thing that has the keys is drawn with."""
    return QPen(QColor(theme().tokens.accent), t.RING)


def scaled(px: float) -> int:
    """A size that was chosen for text of usual size, for text of the size in force."""
    return round(px * _scale)


def grown(px: float, lines: int = 1) -> int:
    """A height that was chosen around lines of usual text: they are scaled, the rest stays."""
    return round(px + lines * 1.3 * (scaled(t.UI_PX) - t.UI_PX))


def _set_scale(zoom: int) -> None:
    """Take the system's size of text and the person's zoom together."""
    global _scale
    system = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    share = system / USUAL_PX if system > 0 else 1.0
    if abs(share - 1) < 0.15:  # desktops differ by a pixel or two where nobody has chosen
        share = 1.0
    _scale = min(max(share, 0.8), 2.0) * zoom / 100


def keep_font(label: QLabel, px: int, weight: QFont.Weight = QFont.Weight.Normal) -> None:
    """Give a label `ui_font` of this size, now and whenever all text becomes larger.

    The style sheet sets it. Qt replaces a label's own font with an older one when the style sheet
    changes or the label's pane moves.
    """
    label.setProperty("px", px)
    label.setProperty("weight", weight.value)


_UNFIT = ("DejaVu", "Bitstream", "Vera", "Liberation", "Nimbus", "Free", "Luxi", "Helvetica", "URW")
"""How families begin that a Linux desktop has where nobody has chosen one."""
_BUNDLED = "Inter"
_bundled = False


def is_fit(family: str) -> bool:
    """Whether a font of the system is good enough to read all day."""
    return bool(family) and not family.startswith(_UNFIT)


def _choose_face() -> None:
    """Take the bundled face where the system has none worth using."""
    global _bundled
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    _bundled = not is_fit(QFontInfo(system).family())
    if _bundled and _BUNDLED not in QFontDatabase.families():
        for file in sorted((resources() / "fonts").glob("*.ttf")):
            QFontDatabase.addApplicationFont(str(file))


def ui_font(px: int = t.UI_PX, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The window's font at ``px``, scaled, with digits that keep their width as they count."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if _bundled:
        font.setFamilies([_BUNDLED, font.family()])  # what it lacks is the system's as before
    font.setPixelSize(max(1, scaled(px)))
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font(px: int = t.CODE_PX) -> QFont:
    """The system's font of fixed width, scaled."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(max(1, scaled(px)))
    return font


def palette(tokens: Tokens) -> QPalette:
    """Our colours as Qt's palette, for what the style sheet does not reach."""
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
