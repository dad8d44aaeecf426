"""What a pane's chat gets from its servers: resources by "@", and prompts by "/"."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from functools import partial

import shiboken6
from PySide6.QtCore import QObject, Signal

from app import flows
from app.chats.attached.attaching import MOST_FILES
from app.language import tr
from app.tools.offers import Offers, Prompt, Resource, Template
from app.tools.tool import visible
from app.ui.dialogs.arguments_dialog import ArgumentsDialog
from app.ui.palette.entries import Entry, Kind
from app.ui.palette.resource_picker import ResourcePicker
from app.ui.pane.pane import ChatPane


class PaneOffers(QObject):
    """Lists what the servers of a pane's chat offer, and fetches what is chosen.

    Signals:
        changed(): a server has told its list.
        written(text): a prompt has come; it is to stand in the field.
    """

    changed = Signal()
    written = Signal(str)

    def __init__(self, pane: ChatPane) -> None:
        super().__init__(pane)
        self._pane = pane
        field = pane.composer.field
        self.picker = ResourcePicker(field, pane.composer, self.resources, pane)
        self.changed.connect(self.picker.refresh)

    def resources(self) -> list[Entry]:
        """A row for each resource and each kind, and one for each server that cannot be asked."""
        return self._entries(
            lambda offers: [
                *(self._resource(r) for r in offers.resources),
                *(self._template(t) for t in offers.templates),
            ]
        )

    def prompts(self) -> list[Entry]:
        """The same of prompts."""
        return self._entries(lambda offers: [self._prompt(p) for p in offers.prompts])

    def _entries(self, of: Callable[[Offers], list[Entry]]) -> list[Entry]:
        offers = self._pane.chat.tools.offers
        offers.ask(self._tell)
        found: list[Entry] = []
        for server in offers.servers:
            known = offers.known.get(server, tr("Being asked…"))
            if isinstance(known, Offers):
                found += of(known)
            else:  # it stands last, and says why there is nothing of it
                key, name = f"server:{server}", visible(server)
                found.append(Entry(Kind.SETTING, key, name, lambda: None, why_not=known))
        return sorted(found, key=lambda entry: bool(entry.why_not))

    def _resource(self, resource: Resource) -> Entry:
        beside = " · ".join(filter(None, (visible(resource.server), resource.about)))
        key = f"resource:{resource.server}/{resource.uri}"
        return Entry(Kind.RESOURCE, key, resource.name, partial(self._attach, resource), beside)

    def _template(self, template: Template) -> Entry:
        beside = " · ".join(filter(None, (visible(template.server), template.about)))
        key = f"resource:{template.server}/{template.uri}"
        chosen = partial(self._ask_which, template)
        return Entry(Kind.RESOURCE, key, f"{template.title}…", chosen, beside)

    def _prompt(self, prompt: Prompt) -> Entry:
        beside = " · ".join(filter(None, (visible(prompt.server), prompt.about)))
        key = f"prompt:{prompt.server}/{prompt.name}"
        return Entry(Kind.PROMPT, key, prompt.title, partial(self._ask_for, prompt), beside)

    def _tell(self) -> None:
        if shiboken6.isValid(self):
            self.changed.emit()

    # What was chosen.

    def _attach(self, resource: Resource) -> None:
        self.picker.take_away()
        if len(self._pane.chat.attaching.files) >= MOST_FILES:
            self._pane.said.emit(tr("A message takes {most} files.", most=MOST_FILES))
            return
        flows.start(self, self._read(resource))

    def _ask_which(self, template: Template) -> None:
        self.picker.take_away()
        dialog = ArgumentsDialog(template, self._pane.window())
        dialog.given.connect(lambda arguments: self._attach(template.filled(arguments)))
        dialog.open()

    async def _read(self, resource: Resource) -> None:
        chat = self._pane.chat
        text = await self._text(chat.tools.offers.host.read(resource))
        if text is not None:
            chat.attaching.add_text(text, resource.name)

    def _ask_for(self, prompt: Prompt) -> None:
        if not prompt.arguments:
            flows.start(self, self._fetch(prompt, {}))
            return
        dialog = ArgumentsDialog(prompt, self._pane.window())
        dialog.given.connect(lambda arguments: flows.start(self, self._fetch(prompt, arguments)))
        dialog.open()

    async def _fetch(self, prompt: Prompt, arguments: dict[str, str]) -> None:
        text = await self._text(self._pane.chat.tools.offers.host.prompt(prompt, arguments))
        if text is not None:
            self.written.emit(text)

    async def _text(self, future: Future[str]) -> str | None:
        """What comes; None where nothing does, which is said, or where nobody waits for it."""
        try:
            return await flows.arrived(future)
        except CancelledError:
            return None
        except Exception as error:
            self._pane.said.emit(str(error))
            return None
