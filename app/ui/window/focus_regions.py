"""F6: the keys go from one part of the window to the next, Shift+F6 to the one before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.language import mark
from app.ui.score.score import ScoreView
from app.ui.sidebar.sidebar import Sidebar
from app.ui.window.commands import command
from app.ui.window.workspace import Workspace


class FocusRegions(QObject):
    """The composer, the conversation above it, the score and the sidebar, as far as there are."""

    def __init__(self, workspace: Workspace, score: ScoreView, sidebar: Sidebar) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._score = score
        self._sidebar = sidebar

    @command("next_part", mark("Next Part of the Window"), "F6")
    def next_region(self) -> None:
        self.step(1)

    @command("part_before", mark("Part of the Window Before"), "Shift+F6")
    def region_before(self) -> None:
        self.step(-1)

    def step(self, by: int) -> None:
        """Give the keys to the next region (+1) or to the one before (-1)."""
        regions = self._regions()
        if regions:
            here = QApplication.focusWidget()
            at = next(
                (n for n, (region, _) in enumerate(regions) if _holds(region, here)),
                0 if by > 0 else 1,
            )
            regions[(at + by) % len(regions)][1]()

    def _regions(self) -> list[tuple[QWidget, Callable[[], object]]]:
        regions: list[tuple[QWidget, Callable[[], object]]] = []
        pane = self._workspace.active
        if pane is not None:
            regions.append((pane.composer, lambda: self._workspace.activate(pane)))
            if pane.transcript.isVisible():
                regions.append((pane.transcript, pane.transcript.enter))
        if self._score.rows() and self._score.isVisible():
            regions.append((self._score, self._score.enter))
        if self._sidebar.isVisible():
            regions.append((self._sidebar, self._sidebar.enter))
        return regions


def _holds(region: QWidget, widget: QWidget | None) -> bool:
    return region is widget or (widget is not None and region.isAncestorOf(widget))
