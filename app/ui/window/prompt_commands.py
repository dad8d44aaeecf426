"""The prompts of the window: "/" in an empty message, and the dialog in which they are written."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.language import mark, tr
from app.settings import Settings
from app.ui.composer.variables import Variables
from app.ui.dialogs.prompts_dialog import PromptsDialog
from app.ui.palette.prompt_picker import PromptPicker
from app.ui.pane.pane import ChatPane
from app.ui.window.commands import Where, command
from app.ui.window.pane_offers import PaneOffers
from app.ui.window.workspace import Workspace


class PromptCommands(QObject):
    """Gives each pane its list of prompts, and opens the dialog."""

    def __init__(self, settings: Settings, workspace: Workspace, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings
        self._window = window
        self.pickers: dict[str, PromptPicker] = {}
        workspace.pane_made.connect(self._on_pane_made)
        workspace.forgotten.connect(self._on_forgotten)

    @command("prompts", mark("Prompts…"), where=Where.ANYWHERE)
    @Slot()
    def show_prompts(self) -> None:
        """Open the prompts to be written."""
        self._dialog()

    def _nothing_written(self, pane: ChatPane) -> str:
        return "" if pane.composer.text.strip() else tr("There is nothing in the message field.")

    @command(
        "save_prompt", mark("Save Message as Prompt…"), where=Where.PANE, why_not=_nothing_written
    )
    def save_prompt(self, pane: ChatPane) -> None:
        """Keep what stands in the message field as a prompt, to be named."""
        text = pane.composer.text
        words = text.split()
        self._dialog().add(text, " ".join(words[:5]))

    def _dialog(self) -> PromptsDialog:
        dialog = self._window.findChild(PromptsDialog) or PromptsDialog(
            self._settings, self._window
        )
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        field = pane.composer.field
        variables = Variables(field)
        variables.said.connect(pane.said)
        offers = PaneOffers(pane)
        offers.written.connect(partial(self._put_text, pane, variables))
        picker = PromptPicker(
            field, pane.composer, lambda: self._settings.prompts, offers.prompts, pane
        )
        offers.changed.connect(picker.refresh)
        picker.chosen.connect(partial(self._put_in, pane, variables))
        picker.manage_asked.connect(self.show_prompts)
        self.pickers[pane.chat.id] = picker

    @Slot(str)
    def _on_forgotten(self, chat_id: str) -> None:
        self.pickers.pop(chat_id, None)

    def _put_in(self, pane: ChatPane, variables: Variables, name: str) -> None:
        self._put_text(pane, variables, self._settings.prompts.get(name, ""))

    def _put_text(self, pane: ChatPane, variables: Variables, text: str) -> None:
        """The prompt takes the place of what looked for it; Ctrl+Z takes it back."""
        cursor = pane.composer.field.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)
        variables.begin()
