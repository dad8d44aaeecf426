"""The size of all text, by key, with the system's own size followed; and of the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from app.language import mark, tr
from app.settings import ZOOM, Settings
from app.ui.sidebar.sidebar import Sidebar
from app.ui.style import tokens as t
from app.ui.style.theme import scaled, theme
from app.ui.window.commands import Where, command

WIDEST_SIDEBAR = 400


class TextSize(QObject):
    """Keeps the size in the settings, and gives the sidebar room for it.

    Signals:
        said(text): what the size is now.
    """

    said = Signal(str)

    def __init__(self, settings: Settings, sidebar: Sidebar, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings
        self._sidebar = sidebar
        self._window = window
        theme().changed.connect(self._fit)
        window.installEventFilter(self)
        self._fit()

    def _largest(self) -> str:
        return "" if self._settings.zoom < ZOOM[-1] else tr("Text is as large as it can be")

    @command(
        "text_larger",
        mark("Larger Text"),
        "Ctrl++",
        "Ctrl+=",
        where=Where.ANYWHERE,
        why_not=_largest,
    )
    def larger(self) -> None:
        self._set(min(z for z in ZOOM if z > self._settings.zoom))

    def _smallest(self) -> str:
        return "" if self._settings.zoom > ZOOM[0] else tr("Text is as small as it can be")

    @command(
        "text_smaller", mark("Smaller Text"), "Ctrl+-", where=Where.ANYWHERE, why_not=_smallest
    )
    def smaller(self) -> None:
        self._set(max(z for z in ZOOM if z < self._settings.zoom))

    @command("text_usual", mark("Usual Text Size"), "Ctrl+0", where=Where.ANYWHERE)
    def usual(self) -> None:
        self._set(100)

    @command("full_screen", mark("Full Screen"), "F11")
    def toggle_full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def _set(self, zoom: int) -> None:
        self._settings.set(zoom=zoom)
        theme().set_zoom(zoom)
        self.said.emit(tr("Text at {zoom} %", zoom=zoom))

    def _fit(self) -> None:
        self._sidebar.setFixedWidth(max(t.SIDEBAR, min(scaled(t.SIDEBAR), WIDEST_SIDEBAR)))
        self._sidebar.list.scheduleDelayedItemsLayout()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ThemeChange:
            theme().follow_system_font()
        return super().eventFilter(watched, event)
