"""Commands for settings, text size, spelling and help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.settings.language import mark, percent, tr
from app.settings.settings import ZOOM
from app.spelling.speller import OFF
from app.ui.composer.spelling_marks import SpellingMarks
from app.ui.pane.pane import ChatPane
from app.ui.style import motion
from app.ui.style import tokens as t
from app.ui.style.theme import scaled, theme
from app.ui.widgets.sheet import store_geometry_in
from app.ui.window.commands import CommandScope, command, pane_command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.shortcuts import Shortcuts, show_shortcuts

if TYPE_CHECKING:
    from app.ui.settings.settings_window import SettingsWindow

WIDEST_SIDEBAR = 400


class TextSize(WindowController):
    """Commands for the text size. The sidebar's width changes with it."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        theme().changed.connect(self._fit)
        self._window.installEventFilter(self)
        self._fit()

    def _largest(self) -> str:
        return "" if self._settings.zoom < ZOOM[-1] else tr("Maximum zoom reached")

    @command(
        "text_larger",
        mark("Zoom In"),
        "Ctrl++",
        "Ctrl+=",
        where=CommandScope.ANYWHERE,
        why_not=_largest,
    )
    def enlarge(self) -> None:
        self._set(min(z for z in ZOOM if z > self._settings.zoom))

    def _smallest(self) -> str:
        return "" if self._settings.zoom > ZOOM[0] else tr("Minimum zoom reached")

    @command(
        "text_smaller", mark("Zoom Out"), "Ctrl+-", where=CommandScope.ANYWHERE, why_not=_smallest
    )
    def reduce(self) -> None:
        self._set(max(z for z in ZOOM if z < self._settings.zoom))

    @command("text_usual", mark("Actual Size"), "Ctrl+0", where=CommandScope.ANYWHERE)
    def reset_size(self) -> None:
        self._set(100)

    @command("full_screen", mark("Full Screen"), "F11")
    def toggle_full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def _set(self, zoom: int) -> None:
        self._settings.set(zoom=zoom)
        self._toast.show_text(tr("Zoom: {zoom}", zoom=percent(zoom / 100)))

    def _fit(self) -> None:
        self._sidebar.setFixedWidth(max(t.SIDEBAR, min(scaled(t.SIDEBAR), WIDEST_SIDEBAR)))
        self._sidebar.list.scheduleDelayedItemsLayout()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ThemeChange:
            theme().follow_system_font()
        return False


class SpellingCommands(WindowController):
    """Spelling command, and the spelling marks of each pane."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self.speller = parts.context.speller
        self._settings.announcer.changed.connect(self._on_changed)
        self._workspace.pane_made.connect(self._on_pane_made)

    def _off(self, pane: ChatPane) -> str:
        if self._settings.spelling == OFF:
            return tr("Spelling is off. Turn it on in Settings > General.")
        return self.speller.why_not

    @pane_command("next_misspelt", mark("Next Misspelling"), "F7", why_not=_off)
    def next_misspelt(self, pane: ChatPane) -> None:
        pane.focus_composer()
        if (marks := pane.composer.field.findChild(SpellingMarks)) is not None:
            marks.select_next()

    @Slot(str)
    def _on_changed(self, option: str) -> None:
        if option == "spelling":
            self.speller.choose(self._settings.spelling)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        marks = SpellingMarks(pane.composer.field, self.speller)
        marks.notice_posted.connect(pane.notice_posted)


class HelpCommands:
    def __init__(self, keys: Shortcuts, window: QWidget) -> None:
        self._keys = keys
        self._window = window

    @command("shortcuts", mark("Keyboard Shortcuts"), "Ctrl+/", where=CommandScope.ANYWHERE)
    def show_shortcuts(self) -> None:
        show_shortcuts(self._keys, self._window)

    @command("about", mark("About Stretto"), where=CommandScope.ANYWHERE)
    def show_about(self) -> None:
        from app.ui.dialogs.about import show_about

        show_about(self._window)


_OPTION_SETTERS: dict[str, Callable[[Any], None]] = {
    "appearance": lambda value: theme().set_appearance(value),
    "contrast": lambda value: theme().set_contrast(value),
    "zoom": lambda value: theme().set_zoom(value),
    "text_px": lambda value: theme().set_body_px(value),
    "motion": motion.set_preference,
}


class SettingsCommands(WindowController):
    restart_requested = Signal()  # restart to change the language

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        self._context = parts.context
        self.shown: SettingsWindow | None = None  # None while closed
        store_geometry_in(self._settings)
        self._settings.announcer.changed.connect(self._on_changed)

    @command("settings", mark("Settings…"), "Ctrl+,", where=CommandScope.ANYWHERE)
    def show_settings(self) -> None:
        self._ensure_window().show_or_raise()

    def show_setting(self, page: str, words: str) -> None:
        """Show a page by its English title, and focus a row by its English label."""
        pages = self._ensure_window().pages
        # Move the focus before showing the window. QDialog sends a FocusIn event to the widget with
        # the focus, so another field would keep a blinking caret.
        pages.show_row(page, words)
        self.show_settings()
        pages.show_row(page, words)  # scrolling needs the layout

    def _ensure_window(self) -> SettingsWindow:
        from app.ui.settings.settings_window import SettingsWindow

        if self.shown is None:
            parts = self._context
            services = (parts.updates, parts.serving, parts.speller)
            window = SettingsWindow(self._settings, parts.paths, self._window, *services)
            window.finished.connect(self._on_gone)
            window.command_requested.connect(self._run)
            window.restart_requested.connect(self.restart_requested)
            self.shown = window
        return self.shown

    @Slot(str)
    def _on_changed(self, option: str) -> None:
        if option in _OPTION_SETTERS:
            _OPTION_SETTERS[option](getattr(self._settings, option))

    @Slot()
    def _on_gone(self) -> None:
        self.shown = None
