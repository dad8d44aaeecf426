"""What the Models window says and asks while a model is removed, forgotten or put back."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.installed import InstalledModels
from app.language import tr
from app.removal import Removal, Removed
from app.ui.models.library_foot import LibraryFoot
from engine.hub.inventory import Installed


class RemovalTalk(QObject):
    """Talks in the window's foot.

    Signals:
        answered(): a question was answered: the keys go back to the table.

    Attributes:
        asked: the model of which it is asked whether it is to go.
        removed: what can be put back, the latest last.
    """

    answered = Signal()

    def __init__(self, installed: InstalledModels, removal: Removal, foot: LibraryFoot) -> None:
        super().__init__(foot)
        self._installed, self._removal, self._foot = installed, removal, foot
        self.asked: Installed | None = None
        self.removed: list[Removed] = []
        foot.sure.connect(self.remove)
        foot.kept.connect(self.keep)
        removal.removed.connect(self._on_removed)
        removal.restored.connect(self._on_restored)
        removal.failed.connect(foot.say)
        installed.changed.connect(self._on_changed)

    def begin(self, model: Installed) -> None:
        """Remove a model; ask first where somebody would miss it."""
        if model.facts.gone:
            self.forget(model)
        elif why := self._removal.why_not(model):
            self._foot.say(why)
        else:
            self.asked = model
            warning = self._removal.warning(model)
            if warning:
                self._foot.ask(
                    tr("Move {name} to the trash? {warning}", name=model.name, warning=warning)
                )
            else:
                self.remove()

    def forget(self, model: Installed) -> None:
        """List a model no longer, and what else is found by the same folder."""
        if self._installed.listed_by(model):
            restore = self._installed.forget(model)
            self._foot.say(
                tr("{name} is no longer listed. Its files stay.", name=model.name), restore
            )

    @Slot()
    def remove(self) -> None:
        """What was asked about goes."""
        asked, self.asked = self.asked, None
        if asked is not None:
            why = self._removal.remove(asked)
            self._foot.say(why or tr("{name} goes to the trash…", name=asked.name))
            self.answered.emit()

    @Slot()
    def keep(self) -> None:
        """What was asked about stays."""
        if self.asked is not None:
            self.asked = None
            self._foot.say("")
            self.answered.emit()

    @Slot()
    def _on_changed(self) -> None:
        if self.asked is not None and self.asked.folder not in self._installed.models:
            self.keep()  # another took it away

    @Slot(object)
    def _on_removed(self, removed: Removed) -> None:
        if not removed.can_come_back:
            self._foot.say(removed.words)
            return
        self.removed.append(removed)

        def restore() -> None:
            self.removed.remove(removed)
            self._removal.restore(removed)

        self._foot.say(removed.words, restore)

    @Slot(str)
    def _on_restored(self, name: str) -> None:
        self._foot.say(tr("{name} is back in its place.", name=name))
