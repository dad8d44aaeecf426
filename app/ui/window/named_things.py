"""Named entries of the user (presets, layouts), which can be renamed and deleted with undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Generic, TypeVar

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.settings.language import tr
from app.ui.widgets.menus import add_action
from app.ui.window.context import WindowParts

_T = TypeVar("_T")


class NamedTexts(Struct, frozen=True):
    """Texts in English, translated by `tr`. Those in the second group have a ``{name}``."""

    save_entry: str
    save: str
    rename: str
    none: str
    how_to_save: str

    replaced: str
    renamed: str
    deleted: str
    saved: str = ""  # "" shows nothing
    about: str = ""  # explains the field


class NamedThings(Generic[_T]):
    def __init__(
        self,
        texts: NamedTexts,
        parts: WindowParts,
        read: Callable[[], Mapping[str, _T]],
        # saves things, or deletes those that are None
        write: Callable[[Mapping[str, _T | None]], object],
    ) -> None:
        self._texts = texts
        self._window, self._undos, self._toast = parts.window, parts.undos, parts.toast
        self._read, self._write = read, write

    def names(self) -> list[str]:
        return sorted(self._read(), key=str.casefold)

    def get(self, name: str) -> _T | None:
        return self._read().get(name)

    def fill(self, menu: QMenu, act: Callable[[str], object], make: Callable[[], _T]) -> QAction:
        """Fill a menu and return its entry for saving.

        ``act`` is called with the chosen name. ``make`` returns the thing to save.
        """
        names, texts = self.names(), self._texts
        menu.clear()
        for old in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            old.deleteLater()
        for name in names:
            add_action(menu, name, partial(act, name))
        if not names:
            add_action(menu, tr(texts.none), lambda: None, why_not=tr(texts.how_to_save))
        menu.addSeparator()
        save = add_action(menu, tr(texts.save_entry), lambda: self.ask_to_save(make()))
        if names:
            renaming, deleting = menu.addMenu(tr("Rename")), menu.addMenu(tr("Delete"))
            for name in names:
                add_action(renaming, f"{name}…", partial(self._ask_new_name, name))
                add_action(deleting, name, partial(self.delete, name))
        return save

    def ask_to_save(self, thing: _T) -> None:
        from app.ui.dialogs.name_dialogs import NameDialog

        dialog = NameDialog(tr(self._texts.save), tr("Save"), self.names(), self._window)
        if self._texts.about:
            dialog.hint = tr(self._texts.about)
        dialog.name_confirmed.connect(lambda name: self.save(name, thing))
        dialog.open()

    def save(self, name: str, thing: _T) -> None:
        from app.ui.dialogs.name_dialogs import clean_name

        if not (name := clean_name(name)):
            return
        before = self.get(name)
        undo = self._change({name: thing})
        if before is not None and before != thing:
            self._undos.offer_undo(tr(self._texts.replaced, name=name), undo)
        elif self._texts.saved:
            self._toast.show_text(tr(self._texts.saved, name=name))

    def _ask_new_name(self, old: str) -> None:
        from app.ui.dialogs.name_dialogs import NameDialog

        taken = [name for name in self.names() if name != old]
        dialog = NameDialog(tr(self._texts.rename), tr("Rename"), taken, self._window, old)
        dialog.name_confirmed.connect(lambda name: self.rename(old, name))
        dialog.open()

    def rename(self, old: str, name: str) -> None:
        from app.ui.dialogs.name_dialogs import clean_name

        name, thing = clean_name(name), self.get(old)
        if name and name != old and thing is not None:
            undo = self._change({old: None, name: thing})
            self._undos.offer_undo(tr(self._texts.renamed, name=name), undo)

    def delete(self, name: str) -> None:
        if self.get(name) is not None:
            undo = self._change({name: None})
            self._undos.offer_undo(tr(self._texts.deleted, name=name), undo)

    def _change(self, changes: Mapping[str, _T | None]) -> Callable[[], None]:
        """Change things and return an undo function, which skips things that have changed again."""
        before = {name: self.get(name) for name in changes}
        self._write(changes)

        def undo() -> None:
            self._write({n: before[n] for n, value in changes.items() if self.get(n) == value})

        return undo
