"""The window's spell checker: given to each message field, and its command."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.language import mark, tr
from app.settings import Settings
from app.spelling.speller import OFF, Speller
from app.ui.composer.misspelt import Misspelt
from app.ui.pane.pane import ChatPane
from app.ui.window.commands import Where, command
from app.ui.window.workspace import Workspace


class SpellingCommands(QObject):
    """Gives each pane its marks of misspelt words.

    Attributes:
        speller: what judges words, for all of the window.
        fields: by chat what marks the misspelt words of its message.
    """

    def __init__(self, settings: Settings, workspace: Workspace, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings
        self.speller = Speller(settings.spelling, self)
        self.fields: dict[str, Misspelt] = {}
        workspace.pane_made.connect(self._on_pane_made)
        workspace.forgotten.connect(self._on_forgotten)

    def _off(self, pane: ChatPane) -> str:
        if self._settings.spelling == OFF:
            return tr("Spelling is not checked. Settings > Writing switches it on.")
        return self.speller.why_not

    @command("next_misspelt", mark("Next Misspelt Word"), "F7", where=Where.PANE, why_not=_off)
    def next_misspelt(self, pane: ChatPane) -> None:
        """Select it in the message, with a menu of what may be meant."""
        pane.focus_composer()
        self.fields[pane.chat.id].next()

    @Slot()
    def take_over(self) -> None:
        """The settings are others."""
        self.speller.choose(self._settings.spelling)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        misspelt = self.fields[pane.chat.id] = Misspelt(pane.composer.field, self.speller)
        misspelt.said.connect(pane.said)

    @Slot(str)
    def _on_forgotten(self, chat_id: str) -> None:
        self.fields.pop(chat_id, None)
