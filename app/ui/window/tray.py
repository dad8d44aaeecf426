"""The program's icon in the system's tray, or in a Mac's menu bar, where a person wants one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from app.language import tr
from app.settings import Settings
from app.ui.style.icons import app_icon
from app.ui.window.commands import Commands

NAMES = ("quick_ask", "new", "settings", "quit")
"""The commands of its menu, below the one that shows the window."""


class Tray(QObject):
    """Comes and goes with the setting.

    Attributes:
        icon: it, while it is there.
    """

    def __init__(
        self,
        settings: Settings,
        commands: Callable[[], Commands],
        come_forward: Callable[[], object],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._settings = settings
        self._commands = commands
        self._come_forward = come_forward
        self._window = window
        self.icon: QSystemTrayIcon | None = None
        self._menu: QMenu | None = None

    @Slot()
    def refresh(self) -> None:
        """Show it or take it away, as the setting says."""
        wanted = self._settings.tray
        if wanted and self.icon is None:
            menu = self._menu = QMenu(self._window)
            menu.addAction(tr("Show Stretto"), self._come_forward)
            for name in NAMES:
                menu.addAction(self._commands()[name])
            self.icon = QSystemTrayIcon(app_icon(), self)
            self.icon.setToolTip("Stretto")
            self.icon.setContextMenu(menu)
            self.icon.activated.connect(self._on_activated)
            self.icon.show()
        elif not wanted and self.icon is not None and self._menu is not None:
            self.icon.hide()
            self.icon.deleteLater()
            self._menu.deleteLater()
            self.icon = self._menu = None

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self._come_forward()
