"""Settings of a chat saved under a name: the menu that applies, saves and deletes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from app import flows
from app.chats.options import ChatOptions
from app.language import tr
from app.settings import Settings
from app.ui.pane.options_popover import OptionsPopover
from app.ui.widgets import asking

LONGEST = 60

Preset = Mapping[str, object]
"""``params`` and ``system``, as `preset_of` makes it."""


def preset_of(popover: OptionsPopover) -> Preset:
    """What a preset keeps: the options but the seed, and the instructions."""
    options, system = popover.values()
    params = options.to_params()
    params.pop("seed", None)
    return {"params": params, "system": system}


def apply_preset(popover: OptionsPopover, preset: Preset) -> None:
    """Fill the panel with a preset; what it does not hold falls back to the default."""
    params, system = preset.get("params"), preset.get("system")
    options = ChatOptions.from_params(params if isinstance(params, dict) else {})
    popover.show_values(options, system if isinstance(system, str) else "")


class Presets:
    """Opens the menu of presets for a panel.

    ``changed`` is told in words what happened, and gets what takes it back.
    """

    def __init__(
        self,
        settings: Settings,
        parent: QWidget,
        changed: Callable[[str, Callable[[], None]], None],
    ) -> None:
        self._settings = settings
        self._parent = parent
        self._told = changed

    def open(self, popover: OptionsPopover) -> QMenu:
        """The menu, shown below the panel's button."""
        menu = QMenu(popover)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        presets = self._settings.presets
        for name in sorted(presets, key=str.casefold):
            action = menu.addAction(name.replace("&", "&&"))
            action.triggered.connect(
                lambda _checked=False, name=name: apply_preset(popover, presets[name])
            )
        if not presets:
            none = menu.addAction(tr("No presets yet"))
            none.setEnabled(False)
            none.setToolTip(tr("Choose “Save as Preset…” to keep these settings"))
        menu.addSeparator()
        menu.addAction(
            tr("Save as Preset…"),
            lambda: flows.start(self._parent, self._save(preset_of(popover))),
        )
        if presets:
            for words, act in ((tr("Rename"), self._on_rename), (tr("Delete"), self.delete)):
                submenu = menu.addMenu(words)
                for name in sorted(presets, key=str.casefold):
                    action = submenu.addAction(name.replace("&", "&&"))
                    action.triggered.connect(lambda _checked=False, name=name, act=act: act(name))
        button = popover.presets
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 2)))
        return menu

    async def _save(self, preset: Preset) -> None:
        words = tr("A name for these settings; one in use is replaced:")
        name = await asking.line(self._parent, tr("Save as Preset"), words)
        if name is not None:
            self.save(name, preset)

    def _on_rename(self, old: str) -> None:
        flows.start(self._parent, self._ask_for_name(old))

    async def _ask_for_name(self, old: str) -> None:
        name = await asking.line(self._parent, tr("Rename Preset"), tr("Another name:"), old)
        if name is not None:
            self.rename(old, name)

    def save(self, name: str, preset: Preset) -> None:
        """Keep a preset under a name; one that had it can be brought back."""
        if name := _tidy(name):
            before = self._settings.presets.get(name, preset)
            undo = self._change({name: preset})
            if before != preset:
                self._told(tr("Preset “{name}” replaced", name=name), undo)

    def rename(self, old: str, name: str) -> None:
        """Keep a preset under another name; one that has it gives way."""
        name, preset = _tidy(name), self._settings.presets.get(old)
        if name and name != old and preset is not None:
            undo = self._change({old: None, name: preset})
            self._told(tr("Preset renamed to “{name}”", name=name), undo)

    def delete(self, name: str) -> None:
        """Take a preset away."""
        if name in self._settings.presets:
            self._told(tr("Preset “{name}” deleted", name=name), self._change({name: None}))

    def _change(self, changes: Mapping[str, Preset | None]) -> Callable[[], None]:
        """Save presets, or take them away (None). What comes back undoes it.

        Undoing leaves alone what was changed again in between.
        """
        before = {name: self._settings.presets.get(name) for name in changes}
        self._put(changes)

        def undo() -> None:
            now = self._settings.presets
            self._put({n: before[n] for n, made in changes.items() if now.get(n) == made})

        return undo

    def _put(self, changes: Mapping[str, Preset | None]) -> None:
        presets = {**self._settings.presets, **changes}
        self._settings.set(presets={n: p for n, p in presets.items() if p is not None})


def _tidy(name: str) -> str:
    return " ".join(name.split())[:LONGEST]
