"""What the Models window asks and says where a small model is to draft for another."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Slot

from app import flows
from app.draft_candidates import candidates, smaller
from app.installed import InstalledModels
from app.language import tr
from app.ui.models.draft_dialog import DraftDialog
from app.ui.models.library_foot import LibraryFoot
from app.ui.models.library_words import drafted
from app.ui.widgets.closing import open_dialog
from engine.hub.inventory import Installed

log = logging.getLogger(__name__)


class DraftTalk(QObject):
    """Asks by a dialog, and says in the window's foot what came of it."""

    def __init__(self, installed: InstalledModels, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._foot = installed, foot
        self._claimed = ""
        installed.drafts.refused.connect(self._on_refused)

    def choose(self, model: Installed | None) -> None:
        """Ask what is to draft for this model."""
        if model is None:
            return
        told = drafted(self._installed.draft_figures(model))
        dialog = DraftDialog(model.name, told, self._foot.window())
        dialog.taken.connect(lambda ref: self._take(model, ref))
        chosen = self._installed.drafts.of(model.ref, str(model.folder))
        name = self._installed.draft_name(model)
        flows.start(dialog, self._offer(dialog, model, chosen, name))
        open_dialog(dialog)

    async def _offer(self, dialog: DraftDialog, model: Installed, chosen: str, name: str) -> None:
        base, others = smaller(model, self._installed.models.values())
        try:
            found = await flows.aside(lambda stop: candidates(base, others, stop))
        except Exception:
            log.exception("no draft models were found for %s", model.name)
            found = []
        dialog.offer(found, chosen, name)

    def _take(self, model: Installed, ref: str) -> None:
        self._installed.drafts.choose(ref, model.ref, str(model.folder))
        draft = self._installed.draft_name(model)
        if not ref:
            self._foot.say(tr("{name} has no draft model.", name=model.name))
        elif self._installed.status(model).model is not None:
            self._claimed = tr("{draft} drafts for {name}.", draft=draft, name=model.name)
            self._foot.say(self._claimed)
        else:
            words = tr(
                "{draft} drafts for {name} once that is loaded.", draft=draft, name=model.name
            )
            self._foot.say(words)

    @Slot(str)
    def _on_refused(self, words: str) -> None:
        """The foot says no longer that it drafts."""
        if self._claimed and self._foot.said.text() == self._claimed:
            self._foot.say(words)
