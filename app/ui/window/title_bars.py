"""The title bars of dock areas: the new-chat and split buttons, and what a press of a tab means."""

from __future__ import annotations

from collections.abc import Callable

import PySide6QtAds as QtAds
from PySide6.QtCore import QObject, Signal, Slot

from app.ui.style.theme import theme
from app.ui.widgets.buttons import IconButton
from app.ui.window.docking import set_dock_icons


class TitleBars(QObject):
    """Furnishes each area as it is made.

    Signals:
        asked(chat id, where): a new chat beside this one; "tab", "right" or "down".
        pressed(chat id): its tab was pressed.
        turned(): another tab of an area is its current one.
    """

    asked = Signal(str, str)
    pressed = Signal(str)
    turned = Signal()

    def __init__(self, manager: QtAds.CDockManager, parent: QObject) -> None:
        super().__init__(parent)
        self._manager = manager
        manager.dockAreaCreated.connect(self._on_area)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    @Slot(object)
    def _on_area(self, area: QtAds.CDockAreaWidget) -> None:
        _furnish(area, lambda where: self._on_asked(area, where))
        area.titleBar().tabBar().tabBarClicked.connect(lambda index: self._on_tab(area, index))
        area.currentChanged.connect(lambda index: self.turned.emit())

    def _on_asked(self, area: QtAds.CDockAreaWidget, where: str) -> None:
        current = area.currentDockWidget()
        self.asked.emit(current.objectName() if current is not None else "", where)

    def _on_tab(self, area: QtAds.CDockAreaWidget, index: int) -> None:
        dock = area.dockWidget(index)
        if dock is not None:
            self.pressed.emit(dock.objectName())

    @Slot()
    def _on_theme(self) -> None:
        set_dock_icons(self._manager)


def _furnish(area: QtAds.CDockAreaWidget, asked: Callable[[str], None]) -> None:
    """Put the new-chat and split buttons into an area's title bar.

    ``asked`` gets "tab", "right" or "down".
    """
    bar = area.titleBar()
    bar.layout().setContentsMargins(0, 0, 6, 0)
    plus = IconButton("plus", "New chat  Ctrl+N", bar)
    plus.clicked.connect(lambda: asked("tab"))
    bar.insertWidget(bar.indexOf(bar.tabBar()) + 1, plus)
    for name, tip, where in (
        ("columns", "New chat at the right  Ctrl+\\", "right"),
        ("rows", "New chat below  Ctrl+Shift+\\", "down"),
    ):
        button = IconButton(name, tip, bar)
        button.clicked.connect(lambda _=False, where=where: asked(where))
        bar.insertWidget(-1, button)
