"""The choice between the system's appearance, light and dark."""

from __future__ import annotations

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from app.language import mark, tr
from app.settings import Settings
from app.ui.style.theme import theme

CHOICES = (("system", mark("As the System")), ("light", mark("Light")), ("dark", mark("Dark")))


def add_appearance(menu: QMenu, settings: Settings) -> None:
    """Add the submenu; a choice holds at once and at later starts."""

    def choose(name: str) -> None:
        settings.set(appearance=name)
        theme().set_appearance(name)

    submenu = menu.addMenu(tr("Appearance"))
    group = QActionGroup(submenu)
    for name, words in CHOICES:
        action = submenu.addAction(tr(words))
        action.setCheckable(True)
        action.setChecked(name == settings.appearance)
        action.triggered.connect(lambda _checked=False, name=name: choose(name))
        group.addAction(action)
