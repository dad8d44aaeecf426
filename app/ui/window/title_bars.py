"""The title bars of dock areas: the new-chat and split buttons, and what a press of a tab means."""

from __future__ import annotations

from collections.abc import Callable

import PySide6QtAds as QtAds
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractButton, QMenu
from shiboken6 import isValid

from app.language import mark, tr
from app.ui.style.theme import theme
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.keys import in_force
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
        StripButtons(area, lambda where: self._on_asked(area, where))
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


FOLDED = ("dots-three", mark("New chat here, at the right or below"))


class StripButtons(QObject):
    """The new-chat and split buttons of an area; where tabs would shrink, one with a menu."""

    CHOICES = (
        ("plus", mark("New chat  Ctrl+N"), "tab"),
        ("columns", mark("New chat at the right  Ctrl+\\"), "right"),
        ("rows", mark("New chat below  Ctrl+Shift+\\"), "down"),
    )

    def __init__(self, area: QtAds.CDockAreaWidget, asked: Callable[[str], None]) -> None:
        """``asked`` gets "tab", "right" or "down"."""
        bar = area.titleBar()
        super().__init__(bar)
        self._bar = bar
        self._asked = asked
        self.folded = False
        for own in bar.findChildren(QAbstractButton):
            own.setAccessibleName(own.toolTip())  # QtAds gives its buttons tooltips only
        bar.layout().setContentsMargins(0, 0, 6, 0)
        self.buttons: list[IconButton] = []
        for name, tip, where in self.CHOICES:
            button = IconButton(name, tr(tip), bar)
            button.clicked.connect(lambda _=False, where=where: self._on_clicked(where))
            self.buttons.append(button)
        bar.insertWidget(bar.indexOf(bar.tabBar()) + 1, self.buttons[0])
        for button in self.buttons[1:]:
            bar.insertWidget(-1, button)
        bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Its last events come while it is being destroyed.
        fits = event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}
        if fits and isValid(self._bar):
            self._fold()
        return super().eventFilter(watched, event)

    def _fold(self) -> None:
        """Fold where the titles and all three buttons have not room enough beside each other."""
        spacing = max(0, self._bar.layout().spacing())
        buttons = sum(button.width() + spacing for button in self.buttons)
        wanted = self._bar.tabBar().sizeHint().width() + buttons + 6
        folded = self._bar.width() < wanted
        if folded != self.folded:
            self.folded = folded
            for button in self.buttons[1:]:
                button.setVisible(not folded)
            name, tip = FOLDED if folded else self.CHOICES[0][:2]
            self.buttons[0].set_icon(name, tr(tip))

    def _on_clicked(self, where: str) -> None:
        if not self.folded:
            self._asked(where)
            return
        menu = QMenu(self._bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for _, tip, choice in self.CHOICES:
            action = menu.addAction(tr(tip).partition("  ")[0])
            keys = tip.partition("  ")[2]
            action.setShortcut(QKeySequence(in_force(keys)))
            action.setShortcutVisibleInContextMenu(True)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # the command has the key
            action.triggered.connect(lambda _=False, choice=choice: self._asked(choice))
        plus = self.buttons[0]
        menu.popup(plus.mapToGlobal(QPoint(0, plus.height() + 2)))
