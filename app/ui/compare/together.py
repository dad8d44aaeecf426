"""What goes with a comparison: answers that scroll together, and a count of what was kept."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot

from app.chats.library import ChatLibrary
from app.language import counted, mark, tr
from app.settings import Settings
from app.ui.compare.compare import Comparisons
from app.ui.pane.pane import ChatPane
from app.ui.window.commands import command
from app.ui.window.workspace import Workspace


class Together(QObject):
    """Ties the wheel of compared answers on request, and keeps a tally by model.

    Signals:
        tied(on): whether they scroll together.
        said(text): what the person should know.
    """

    tied = Signal(bool)
    said = Signal(str)

    def __init__(
        self,
        comparisons: Comparisons,
        library: ChatLibrary,
        settings: Settings,
        workspace: Workspace,
    ) -> None:
        super().__init__(workspace)
        self._comparisons = comparisons
        self._library = library
        self._settings = settings
        self._on = False
        self._panes: dict[QObject, ChatPane] = {}
        workspace.pane_made.connect(self._on_pane_made)
        comparisons.kept.connect(self._on_kept)

    @command("tie_scrolling", mark("Scroll Compared Answers Together"), checkable=True)
    def toggle(self) -> None:
        """Tie the wheel of the columns of each comparison, or let each scroll by itself."""
        self._on = not self._on
        self.tied.emit(self._on)
        self.said.emit(
            tr("Compared answers scroll together")
            if self._on
            else tr("Each answer scrolls by itself")
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pane = self._panes.get(watched)
        if self._on and pane is not None and event.type() == QEvent.Type.Wheel:
            before = pane.transcript.verticalScrollBar().value()
            # Once the wheel has moved it: only then is it known by how much.
            QTimer.singleShot(0, pane, partial(self._follow, pane, before))
        return super().eventFilter(watched, event)

    def _follow(self, pane: ChatPane, before: int) -> None:
        by = pane.transcript.verticalScrollBar().value() - before
        for other in self._comparisons.beside(pane):
            bar = other.transcript.verticalScrollBar()
            bar.setValue(bar.value() + by)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        viewport = pane.transcript.viewport()
        self._panes[viewport] = pane
        viewport.installEventFilter(self)
        viewport.destroyed.connect(partial(self._panes.pop, viewport, None))

    @Slot(str, list, str)
    def _on_kept(self, model: str, compared: list[str], names: str) -> None:
        """Of models only: a seed that was kept says nothing about the next question."""
        if len(set(compared)) < 2:
            if names:
                self.said.emit(names)
            return
        tally = {name: list(counts) for name, counts in self._settings.kept.items()}
        for name in set(compared):
            kept, times = tally.get(name, [0, 0])
            tally[name] = [kept + (name == model), times + 1]
        self._settings.set(kept=tally)
        kept, times = tally[model]
        name = self._library.loader.get(model).name
        words = counted(
            "{name} was kept {kept} of %n times so far",
            "{name} was kept {kept} of %n times so far",
            times,
            name=name,
            kept=kept,
        )
        self.said.emit(f"{names}. {words}" if names else words)
