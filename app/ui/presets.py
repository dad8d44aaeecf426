"""Settings of a chat saved under a name: the menu that applies, saves and deletes them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from app.chats.options import ChatOptions
from app.settings import Settings
from app.ui.options_popover import OptionsPopover

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

    ``gone`` is told name, preset and what happened to it, so that it can be taken back.
    """

    def __init__(
        self,
        settings: Settings,
        parent: QWidget,
        gone: Callable[[str, dict[str, object], str], None],
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
        if name:
            replaced = self._settings.presets.get(name)
            self._settings.presets = {**self._settings.presets, name: preset}
            if replaced is not None and replaced != preset:
                self._gone(name, replaced, "replaced")

    def rename(self, old: str, name: str) -> None:
        """Keep a preset under another name; one that had that name can be brought back."""
        name, preset = _tidy(name), self._settings.presets.get(old)
        if name and name != old and preset is not None:
            self._settings.presets = {n: p for n, p in self._settings.presets.items() if n != old}
            self.save(name, preset)

    def delete(self, name: str) -> None:
        """Take a preset away."""
        kept = dict(self._settings.presets)
        preset = kept.pop(name, None)
        if preset is not None:
            self._settings.presets = kept
            self._gone(name, preset, "deleted")


def _tidy(name: str) -> str:
    return " ".join(name.split())[:LONGEST]
