"""The appearance in force: its tokens, and Qt's fonts, palette and style sheet made from them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.style import tokens as t
from app.ui.style.stylesheet import stylesheet
from app.ui.style.tokens import DARK, LIGHT, Tokens


class Theme(QObject):
    """Applies the system's appearance, or a chosen one, and reports each change.

    Signals:
        changed(): ``tokens`` or ``body_px`` have changed; widgets that paint themselves repaint.
    """

    changed = Signal()

    def __init__(
        self, app: QApplication, appearance: str = "system", body_px: int = t.BODY_PX
    ) -> None:
        super().__init__(app)
        self._body_px = body_px
        self._app = app
        self._appearance = appearance
        self._tokens = LIGHT
        self._scheme = app.styleHints().colorScheme()
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        self._apply(self._wanted())

    @property
    def tokens(self) -> Tokens:
        return self._tokens

    @property
    def appearance(self) -> str:
        """What was asked for: "system", "light" or "dark"."""
        return self._appearance

    @property
    def body_px(self) -> int:
        """Size of the conversations' text."""
        return self._body_px

    def set_body_px(self, px: int) -> None:
        if px != self._body_px:
            self._body_px = px
            self.changed.emit()

    def set_appearance(self, appearance: str) -> None:
        self._appearance = appearance
        self._apply(self._wanted())

    def color(self, name: str) -> QColor:
        return QColor(getattr(self._tokens, name))

    def detach(self) -> None:
        """Stop following the system (the program ends, or a test does)."""
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_system_changed)

    @Slot(Qt.ColorScheme)
    def _on_system_changed(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme
        self._apply(self._wanted())

    def _wanted(self) -> Tokens:
        if self._appearance != "system":
            return DARK if self._appearance == "dark" else LIGHT
        return DARK if self._scheme == Qt.ColorScheme.Dark else LIGHT

    def _apply(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._app.setPalette(palette(tokens))
        self._app.setStyleSheet(stylesheet(tokens))
        self.changed.emit()


_theme: Theme | None = None


def install(app: QApplication, appearance: str = "system", body_px: int = t.BODY_PX) -> Theme:
    """Make the theme of this process: after the QApplication and before any window."""
    global _theme
    if _theme is not None:
        _theme.detach()
        _theme.deleteLater()
    _theme = Theme(app, appearance, body_px)
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


def ui_font(px: int = t.UI_PX, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The system's own font at ``px``, with digits that keep their width while they count."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(px)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font(px: int = t.CODE_PX) -> QFont:
    """The system's font of fixed width."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(px)
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
        (role.ToolTipBase, "tooltip"),
        (role.ToolTipText, "tooltip_text"),
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
