"""Settings of a chat saved under a name: the menu that applies, saves and deletes them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from app.chats.options import ChatOptions
from app.settings import Settings
from app.ui.pane.options_popover import OptionsPopover

LONGEST = 60


def preset_of(popover: OptionsPopover) -> dict[str, object]:
    """What a preset keeps: the options but the seed, and the instructions."""
    options, system = popover.values()
    params = options.to_params()
    params.pop("seed", None)
    return {"params": params, "system": system}


def apply_preset(popover: OptionsPopover, preset: dict[str, object]) -> None:
    """Fill the panel with a preset; what it does not hold falls back to the default."""
    params, system = preset.get("params"), preset.get("system")
    options = ChatOptions.from_params(params if isinstance(params, dict) else {})
    popover.show_values(options, system if isinstance(system, str) else "")


class Presets:
    """Opens the menu of presets for a panel.

    ``gone`` is told in words what happened, and what the presets were before.
    """

    def __init__(
        self,
        settings: Settings,
        parent: QWidget,
        gone: Callable[[str, dict[str, dict[str, object]]], None],
    ) -> None:
        self._settings = settings
        self._parent = parent
        self._gone = gone

    def open(self, popover: OptionsPopover) -> QMenu:
        """The menu, shown below the panel's button."""
        menu = QMenu(popover)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        presets = self._settings.presets
        for name in sorted(presets, key=str.casefold):
            action = menu.addAction(name.replace("&", "&&"))
            action.triggered.connect(
                lambda _checked=False, name=name: apply_preset(popover, presets[name])
            )
        if not presets:
            menu.addAction("No presets yet").setEnabled(False)
        menu.addSeparator()
        menu.addAction("Save as Preset…", lambda: self._save(popover))
        if presets:
            for words, act in (("Rename", self._ask_new_name), ("Delete", self.delete)):
                submenu = menu.addMenu(words)
                for name in sorted(presets, key=str.casefold):
                    action = submenu.addAction(name.replace("&", "&&"))
                    action.triggered.connect(lambda _checked=False, name=name, act=act: act(name))
        button = popover.presets
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 2)))
        return menu

    def _save(self, popover: OptionsPopover) -> None:
        preset = preset_of(popover)
        name, fine = QInputDialog.getText(
            self._parent, "Save as Preset", "A name for these settings; one in use is replaced:"
        )
        if fine:
            self.save(name, preset)

    def _ask_new_name(self, old: str) -> None:
        name, fine = QInputDialog.getText(self._parent, "Rename Preset", "Another name:", text=old)
        if fine:
            self.rename(old, name)

    def save(self, name: str, preset: dict[str, object]) -> None:
        """Keep a preset under a name; one that had it can be brought back."""
        name = _tidy(name)
        before = self._settings.presets
        if name:
            self._settings.presets = {**before, name: preset}
            if before.get(name, preset) != preset:
                self._gone(f"Preset “{name}” replaced", before)

    def rename(self, old: str, name: str) -> None:
        """Keep a preset under another name; all can be taken back."""
        name, before = _tidy(name), self._settings.presets
        if name and name != old and old in before:
            kept = {n: p for n, p in before.items() if n not in (old, name)}
            self._settings.presets = {**kept, name: before[old]}
            self._gone(f"Preset renamed to “{name}”", before)

    def delete(self, name: str) -> None:
        """Take a preset away."""
        before = self._settings.presets
        if name in before:
            self._settings.presets = {n: p for n, p in before.items() if n != name}
            self._gone(f"Preset “{name}” deleted", before)

    def restore(self, before: dict[str, dict[str, object]]) -> None:
        """Bring back what was there; what was saved since stays."""
        self._settings.presets = {**self._settings.presets, **before}


def _tidy(name: str) -> str:
    return " ".join(name.split())[:LONGEST]
