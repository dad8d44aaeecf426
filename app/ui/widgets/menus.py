"""Helpers for menus that are built when they open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget


def make_menu(parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    return menu


def add_action(
    menu: QMenu,
    words: str,
    act: Callable[[], object],
    *,
    checked: bool | None = None,
    why_not: str = "",
) -> QAction:
    """Add an action: checkable unless ``checked`` is None, disabled if there's a ``why_not``."""
    action = menu.addAction(words.replace("&", "&&"))
    action.triggered.connect(lambda _checked=False: act())
    if checked is not None:
        action.setCheckable(True)
        action.setChecked(checked)
    if why_not:
        action.setEnabled(False)
        action.setToolTip(why_not)
    return action


def pop_below(menu: QMenu, widget: QWidget, gap: int = 2) -> None:
    menu.popup(widget.mapToGlobal(QPoint(0, widget.height() + gap)))
