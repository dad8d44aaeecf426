"""Prompts ("/") and resources ("@") in messages."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app import flows
from app.chats.file_attacher import MOST_FILES
from app.settings.language import mark, tr
from app.tools.offers import Offers, Prompt, Resource, Template
from app.tools.questions import Field, FieldError, FieldKind, Question
from app.tools.tool import to_visible_line
from app.ui.composer.variables import PromptVariables
from app.ui.palette.finder import EntryKind, PaletteEntry
from app.ui.palette.pickers import PromptPicker, ResourcePicker
from app.ui.pane.pane import ChatPane
from app.ui.transcript.question_form import QuestionField
from app.ui.widgets.sheet import Sheet
from app.ui.window.commands import CommandScope, command, pane_command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.reading_commands import ReadingCommands

if TYPE_CHECKING:
    from app.ui.dialogs.name_dialogs import PromptsDialog


class ArgumentsDialog(Sheet):
    arguments_entered = Signal(dict)  # (values by name)

    def __init__(self, prompt: Prompt | Template, parent: QWidget) -> None:
        super().__init__("arguments-dialog", prompt.title, parent, spacing=10)
        fields = (
            Field(a.name, a.title, FieldKind.TEXT, a.about, a.required) for a in prompt.arguments
        )
        self._question = Question(prompt.server, prompt.about, tuple(fields))
        writes = isinstance(prompt, Prompt)
        origin = mark("Prompt from {server}.") if writes else mark("Resource from {server}.")
        words = [tr(origin, server=to_visible_line(prompt.server)), prompt.about]
        self.inputs = [QuestionField(field, None, self) for field in self._question.fields]
        self.fault = self.make_label(muted=False)
        self.fault.setProperty("danger", True)
        self.fault.hide()
        self.add_rows(self.make_label("\n".join(filter(None, words))), *self.inputs, self.fault)
        self.use = self.button(tr("Use Prompt") if writes else tr("Attach"), self._on_use)
        self.add_buttons(self.use)
        self.setMinimumWidth(420)

    @Slot()
    def _on_use(self) -> None:
        try:
            data = self._question.content({entry.field.name: entry.value for entry in self.inputs})
        except FieldError as error:
            self.fault.setText(str(error))
            self.fault.show()
            for entry in self.inputs:
                entry.set_wrong(str(error) if entry.field.name == error.name else "")
            return
        self.arguments_entered.emit({name: str(value) for name, value in data.items()})
        self.accept()


class PaneOffers(QObject):
    """Prompts and resources of the chat's tool servers for the pickers."""

    changed = Signal()  # a server's list has arrived
    prompt_fetched = Signal(str)  # (text)

    def __init__(self, pane: ChatPane, chats: ReadingCommands) -> None:
        super().__init__(pane)
        self._pane = pane
        self._chats = chats
        field = pane.composer.field
        self.picker = ResourcePicker(field, pane.composer, self.resources, pane)
        self.changed.connect(self.picker.refresh)

    def resources(self, typed: str) -> list[PaletteEntry]:
        """Return resources, templates and failed servers, then chats with matching titles."""
        entries = self._entries(
            lambda offers: [
                *(self._resource(r) for r in offers.resources),
                *(self._template(t) for t in offers.templates),
            ]
        )
        return entries + self._chats.entries(self._pane, typed, self.picker.take_away)

    def prompts(self) -> list[PaletteEntry]:
        return self._entries(lambda offers: [self._prompt(p) for p in offers.prompts])

    def _entries(self, of: Callable[[Offers], list[PaletteEntry]]) -> list[PaletteEntry]:
        offers = self._pane.chat.tools.offers
        offers.ask(self._emit_changed)
        entries: list[PaletteEntry] = []
        for server in offers.servers:
            server_offers = offers.known.get(server, tr("Loading…"))
            if isinstance(server_offers, Offers):
                entries += of(server_offers)
            else:  # the text says that the server is loading or why it failed
                key, name = f"server:{server}", to_visible_line(server)
                entries.append(
                    PaletteEntry(EntryKind.SETTING, key, name, lambda: None, why_not=server_offers)
                )
        return sorted(entries, key=lambda entry: bool(entry.why_not))

    def _resource(self, resource: Resource) -> PaletteEntry:
        description = " · ".join(filter(None, (to_visible_line(resource.server), resource.about)))
        key = f"resource:{resource.server}/{resource.uri}"
        return PaletteEntry(
            EntryKind.RESOURCE, key, resource.name, partial(self._attach, resource), description
        )

    def _template(self, template: Template) -> PaletteEntry:
        description = " · ".join(filter(None, (to_visible_line(template.server), template.about)))
        key = f"resource:{template.server}/{template.uri}"
        on_chosen = partial(self._ask_which, template)
        return PaletteEntry(EntryKind.RESOURCE, key, f"{template.title}…", on_chosen, description)

    def _prompt(self, prompt: Prompt) -> PaletteEntry:
        description = " · ".join(filter(None, (to_visible_line(prompt.server), prompt.about)))
        key = f"prompt:{prompt.server}/{prompt.name}"
        return PaletteEntry(
            EntryKind.PROMPT, key, prompt.title, partial(self._ask_for, prompt), description
        )

    def _emit_changed(self) -> None:
        if shiboken6.isValid(self):
            self.changed.emit()

    def _attach(self, resource: Resource) -> None:
        self.picker.take_away()
        if len(self._pane.chat.attacher.files) >= MOST_FILES:
            self._pane.notice_posted.emit(tr("Attach up to {most} files.", most=MOST_FILES))
            return
        flows.start(self, self._read(resource))

    def _ask_which(self, template: Template) -> None:
        self.picker.take_away()
        dialog = ArgumentsDialog(template, self._pane.window())
        dialog.arguments_entered.connect(
            lambda arguments: self._attach(template.fill_in(arguments))
        )
        dialog.open()

    async def _read(self, resource: Resource) -> None:
        chat = self._pane.chat
        text = await self._text(chat.tools.offers.host.read(resource))
        if text is not None:
            chat.attacher.add_text(text, resource.name)

    def _ask_for(self, prompt: Prompt) -> None:
        if not prompt.arguments:
            flows.start(self, self._fetch(prompt, {}))
            return
        dialog = ArgumentsDialog(prompt, self._pane.window())
        dialog.arguments_entered.connect(
            lambda arguments: flows.start(self, self._fetch(prompt, arguments))
        )
        dialog.open()

    async def _fetch(self, prompt: Prompt, arguments: dict[str, str]) -> None:
        text = await self._text(self._pane.chat.tools.offers.host.prompt(prompt, arguments))
        if text is not None:
            self.prompt_fetched.emit(text)

    async def _text(self, future: Future[str]) -> str | None:
        """Return the text, or None if fetching it was canceled or failed. Errors are shown."""
        try:
            return await flows.wait_for_future(future)
        except CancelledError:
            return None
        except Exception as error:
            self._pane.notice_posted.emit(str(error))
            return None


class PromptCommands(WindowController):
    """Commands for prompts, and the prompt picker of each pane."""

    def __init__(self, parts: WindowParts, chats: ReadingCommands) -> None:
        super().__init__(parts)
        self._chats = chats
        self._workspace.pane_made.connect(self._on_pane_made)

    @command("prompts", mark("Prompts…"), where=CommandScope.ANYWHERE)
    @Slot()
    def show_prompts(self) -> None:
        self._dialog()

    def _nothing_written(self, pane: ChatPane) -> str:
        return "" if pane.composer.text.strip() else tr("The message is empty.")

    @pane_command("save_prompt", mark("Save Message as Prompt…"), why_not=_nothing_written)
    def save_prompt(self, pane: ChatPane) -> None:
        """Save the message as a prompt and let the user name it."""
        text = pane.composer.text
        words = text.split()
        self._dialog().add(text, " ".join(words[:5]))

    def _dialog(self) -> PromptsDialog:
        from app.ui.dialogs.name_dialogs import PromptsDialog

        dialog = self._window.findChild(PromptsDialog) or PromptsDialog(
            self._settings, self._window
        )
        dialog.show_or_raise()
        return dialog

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        field = pane.composer.field
        variables = PromptVariables(field, self._settings)
        variables.notice_posted.connect(pane.notice_posted)
        offers = PaneOffers(pane, self._chats)
        offers.prompt_fetched.connect(partial(self._replace_typed, pane, variables))
        picker = PromptPicker(
            field, pane.composer, lambda: self._settings.prompts, offers.prompts, pane
        )
        offers.changed.connect(picker.refresh)
        picker.prompt_chosen.connect(partial(self._insert_prompt, pane, variables))
        picker.manage_requested.connect(self.show_prompts)

    def _insert_prompt(self, pane: ChatPane, variables: PromptVariables, name: str) -> None:
        self._replace_typed(pane, variables, self._settings.prompts.get(name, ""))

    def _replace_typed(self, pane: ChatPane, variables: PromptVariables, text: str) -> None:
        """Replace the typed text with a prompt. Ctrl+Z undoes this."""
        cursor = pane.composer.field.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)
        variables.begin()
