"""The button in the search field that offers what narrows a search, as small words."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QPoint, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu

from app.chats.library import ChatLibrary
from app.language import tr
from app.store.filters import WORD
from app.ui.style.icons import icon
from app.ui.style.theme import theme

MOST = 20
"""Folders, tags or models that are offered; others are typed."""


class SearchFilters(QObject):
    """Puts a button into the field; what is chosen from its menu is written behind the words."""

    def __init__(self, field: QLineEdit, library: ChatLibrary) -> None:
        super().__init__(field)
        self._field = field
        self._library = library
        self._button = QAction(self)
        self._button.setText(tr("Narrow the search"))
        self._button.setToolTip(tr("Narrow the search  Alt+Down"))
        self._button.triggered.connect(self.open)
        field.addAction(self._button, QLineEdit.ActionPosition.TrailingPosition)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    @Slot()
    def open(self) -> None:
        """Offer what there is, below the field."""
        menu = self.menu()
        menu.popup(self._field.mapToGlobal(QPoint(0, self._field.height() + 4)))

    def menu(self) -> QMenu:
        """The kinds of filters, with what there is of each."""
        menu = QMenu(self._field)
        menu.aboutToHide.connect(menu.deleteLater)
        order, chats = self._library.order, self._library.chats()
        models = {self._library.loader.get(chat.model).name for chat in chats if chat.model}
        for words, name, values in (
            (tr("In Folder"), "in", [folder.name for folder in order.folders()]),
            (tr("With Tag"), "tag", order.tags()),
            (tr("Answered by Model"), "model", sorted(models)),
        ):
            if values:
                part = menu.addMenu(words)
                for value in values[:MOST]:
                    self._offer(part, value, f"{name}:{quoted(value)}")
        if not menu.isEmpty():
            menu.addSeparator()
        self._offer(menu, tr("Said by Me"), "from:me")
        self._offer(menu, tr("Said by the Model"), "from:model")
        menu.addSeparator()
        self._offer(menu, tr("Since Yesterday"), "after:yesterday")
        self._offer(menu, tr("In the Last 7 Days"), "after:week")
        self._offer(menu, tr("In the Last 30 Days"), "after:month")
        self._offer(menu, tr("Before This Year"), f"before:{_year()}")
        menu.addSeparator()
        self._offer(menu, tr("Pinned"), "is:pinned")
        self._offer(menu, tr("In the Archive"), "is:archived")
        return menu

    def _offer(self, menu: QMenu, words: str, written: str) -> None:
        action = menu.addAction(words.replace("&", "&&"))
        action.setToolTip(written)
        action.triggered.connect(lambda _checked=False: self.add(written))

    def add(self, written: str) -> None:
        """Write a filter behind the words, in the place of another of its kind."""
        name = written.partition(":")[0] + ":"
        rest = _without(self._field.text(), name)
        self._field.setText(f"{rest} {written} ".lstrip())
        self._field.setFocus()

    @Slot()
    def _on_theme(self) -> None:
        self._button.setIcon(icon("sliders", theme().tokens.muted))


def quoted(value: str) -> str:
    """A value as it is written behind the colon."""
    plain = value.replace('"', "")
    return f'"{plain}"' if " " in plain else plain


def _without(text: str, name: str) -> str:
    """The text without filters of this kind."""
    kept = WORD.sub(lambda match: "" if match[0].lower().startswith(name) else match[0], text)
    return " ".join(kept.split())


def _year() -> int:
    return time.localtime().tm_year
