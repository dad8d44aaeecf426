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
    params = preset.get("params")
    try:
        options = ChatOptions.from_params(params if isinstance(params, dict) else {})
    except (TypeError, ValueError):  # a file edited by hand
        options = ChatOptions()
    popover.show_values(options, str(preset.get("system", "")))


class Presets:
    """Opens the menu of presets for a panel.

    ``deleted`` is told name and preset, so that it can be taken back.
    """

    def __init__(
        self,
        settings: Settings,
        parent: QWidget,
        deleted: Callable[[str, dict[str, object]], None],
    ) -> None:
        self._settings = settings
        self._parent = parent
        self._deleted = deleted

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
            going = menu.addMenu("Delete")
            for name in sorted(presets, key=str.casefold):
                action = going.addAction(name.replace("&", "&&"))
                action.triggered.connect(lambda _checked=False, name=name: self.delete(name))
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

    def save(self, name: str, preset: dict[str, object]) -> None:
        """Keep a preset under a name."""
        name = " ".join(name.split())[:LONGEST]
        if name:
            self._settings.presets = {**self._settings.presets, name: preset}

    def delete(self, name: str) -> None:
        """Take a preset away."""
        kept = dict(self._settings.presets)
        preset = kept.pop(name, None)
        if preset is not None:
            self._settings.presets = kept
            self._deleted(name, preset)
