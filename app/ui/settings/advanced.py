"""The settings of what few need: another mlx-lm than the program's own, from a wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QLabel

from app import flows
from app.settings.language import mark, tr
from app.system.newer_mlx_lm import NewerMlxLm, examine
from app.ui.dialogs.about import WheelDialog
from app.ui.settings.form_page import FormPage
from app.ui.style.theme import code_font
from app.ui.widgets import asking
from app.ui.widgets.laying import SPRING, across

_NOTE = mark(
    "Newer model architectures may need a newer mlx-lm. Choose its downloaded wheel; if it fails "
    "to start, Stretto goes back to its own."
)
_TRYING = mark("Testing in a separate process…")
_TRYING_ALL = mark("Testing every architecture; this takes a few minutes…")


class Advanced(QObject):
    """Rows of the settings' page."""

    def __init__(self, page: FormPage, newer: NewerMlxLm) -> None:
        super().__init__(page)
        self._page, self._newer = page, newer
        self._examining = flows.Latest(self)
        self._choosing = flows.Latest(self)
        self._tries: Literal["nothing", "it", "families"] = "nothing"
        self.which = self._label(tr("mlx-lm in use"))
        self.which.setProperty("muted", True)
        self.hash = self._label("SHA-256")
        self.hash.setFont(code_font())
        self.hash.setWordWrap(False)
        self.hash.setProperty("muted", True)
        self.choose = page.button(tr("Choose Wheel…"), self._on_choose)
        self.remove = page.button(tr("Remove"), newer.remove)
        self.remove.setToolTip(tr("Use the built-in version after a restart"))
        self.again = page.button(tr("Try Again"), newer.try_again)
        page.row("mlx-lm", across(self.remove, self.again, self.choose), tr(_NOTE))
        page.row("", self.which, below=True)
        self._hash_row = page.row("", self.hash, below=True)
        self.told = self._label(tr("Test result"))
        self.told.setProperty("muted", True)
        self._told_row = page.row("", self.told, below=True)
        self.all = page.button(tr("Test All Architectures"), self._on_all)
        self._all_row = page.row("", across(self.all, SPRING, spacing=None), below=True)
        newer.changed.connect(self._show)
        self._said = ""
        self._tried = newer.chosen.sha256 if newer.chosen is not None else ""
        self._show()

    def _label(self, name: str) -> QLabel:
        label = QLabel(self._page)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setAccessibleName(name)
        return label

    @Slot()
    def _show(self) -> None:
        chosen = self._newer.chosen
        if chosen is not None and chosen.sha256 != self._tried:
            self._tried = chosen.sha256
            self._try(families=False)
        elif chosen is None and self._tried:
            self._stop_trying()
            self._tried = self._said = ""
        self.which.setText(self._newer.words)
        self.hash.setText(f"{chosen.sha256[:32]}\n{chosen.sha256[32:]}" if chosen else "")
        self.told.setText(self._said)
        self.again.setVisible(chosen is not None and bool(chosen.failed))
        self.remove.setVisible(chosen is not None)
        families = self._tries == "families"
        self.all.setText(tr("Stop Testing") if families else tr("Test All Architectures"))
        self.all.setEnabled(self._tries != "it")
        self._hash_row.setVisible(chosen is not None)
        self._told_row.setVisible(bool(self._said))
        self._all_row.setVisible(chosen is not None)

    def say(self, words: str) -> None:
        """A sentence below the buttons."""
        self._said = words
        self._show()

    @Slot()
    def _on_choose(self) -> None:
        self._choosing.start(self._choose())

    async def _choose(self) -> None:
        kinds = tr("Wheels") + " (mlx_lm-*.whl)"
        wheel = await asking.file(self._page, tr("Choose mlx-lm Wheel"), kinds)
        if wheel is not None:
            await self._ask(wheel)

    def take(self, wheel: Path) -> None:
        """Show the hash of this file; once that is right, use it from the next start on."""
        self._choosing.start(self._ask(wheel))

    async def _ask(self, wheel: Path) -> None:
        try:
            sha256 = await self._newer.look(wheel)
        except ValueError as error:
            self.say(str(error))
            return
        dialog = WheelDialog(wheel, sha256, self._page.window())
        dialog.confirmed.connect(lambda: self._choosing.start(self._use(wheel, sha256)))
        dialog.open()

    async def _use(self, wheel: Path, sha256: str) -> None:
        try:
            await self._newer.take(wheel, sha256)
        except ValueError as error:
            self.say(str(error))

    @Slot()
    def _on_all(self) -> None:
        if self._tries == "nothing":
            self._try(families=True)
        else:
            self._stop_trying()
            self.say("")

    def _stop_trying(self) -> None:
        self._examining.cancel()
        self._tries = "nothing"

    def _try(self, *, families: bool) -> None:
        chosen = self._newer.chosen
        if chosen is None:
            return
        self._tries = "families" if families else "it"
        self._examining.start(self._examine(chosen.sha256, families))
        self.say(tr(_TRYING_ALL if families else _TRYING))

    async def _examine(self, sha256: str, families: bool) -> None:
        folder = self._newer.place(sha256)
        try:
            found = await flows.aside(lambda stop: examine(folder, families, stop))
        except Exception as error:
            self._tries = "nothing"
            self.say(tr("The test could not run: {error}.", error=error))
            return
        self._tries = "nothing"
        chosen = self._newer.chosen
        if chosen is not None and chosen.sha256 == sha256:
            self.say(found.words)
            if not found.starts:
                self._newer.refuse(found.why_not)
