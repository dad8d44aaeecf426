"""Where a dock widget is put: beside others, back where it was, or as a kept layout says."""

from __future__ import annotations

import PySide6QtAds as QtAds
from PySide6.QtWidgets import QWidget

from app.ui.pane.pane import ChatPane
from app.ui.window.docking import restore_state
from app.ui.window.docks import Dock, Docks


class DockPlacing:
    """Moves the docks of one dock manager.

    Attributes:
        restoring: a kept layout is being put back; what Qt tells meanwhile is no person's doing.
    """

    def __init__(self, manager: QtAds.CDockManager, docks: Docks) -> None:
        self._manager = manager
        self._docks = docks
        self.restoring = False

    def insert(self, dock: Dock, where: str, active: ChatPane | None) -> None:
        """Beside the active pane; where its area is a floating window, in that window.

        ``where``: "tab", "right" or "down".
        """
        area = self._docks.area(active)
        if area is None:
            area = self._docks.area(next(iter(self._docks.in_main_window()), None))
        if area is None:
            self._manager.addDockWidget(QtAds.DockWidgetArea.CenterDockWidgetArea, dock.widget)
        elif where == "tab":
            self._manager.addDockWidgetTabToArea(dock.widget, area)
        else:
            side = "RightDockWidgetArea" if where == "right" else "BottomDockWidgetArea"
            self._manager.addDockWidget(getattr(QtAds.DockWidgetArea, side), dock.widget, area)

    def put_back(self, dock: Dock, active: ChatPane | None) -> None:
        """Show a hidden dock widget where it was, or with the others if that place is gone."""
        if dock.widget.dockAreaWidget() is None:
            self.insert(dock, "tab", active)
        if dock.widget.isClosed():
            dock.widget.toggleView(True)

    def float(self, pane: ChatPane) -> None:
        """Move a pane out into a window of its own, or back into the main one."""
        widget = self._docks[pane.chat.id].widget
        if widget.isInFloatingContainer():
            self._manager.addDockWidget(QtAds.DockWidgetArea.RightDockWidgetArea, widget)
        else:
            widget.setFloating()
            window = pane.window()
            window.resize(max(480, pane.width()), max(520, pane.height()))

    def share_width(self, panes: list[ChatPane]) -> None:
        """Give the columns that stand with these panes the same width."""
        area = self._docks.area(panes[0])
        sizes = self._manager.splitterSizes(area) if area is not None else []
        if sizes:
            self._manager.setSplitterSizes(area, [sum(sizes) // len(sizes)] * len(sizes))

    def restore(self, state: str, around: QWidget, active: ChatPane | None) -> None:
        """Put all docks where a kept state says. ``around`` holds the manager."""
        # Splitters share out the size they have at this moment: let it be the final one.
        for widget in (around.window(), around.parentWidget(), around):
            layout = widget.layout() if widget is not None else None
            if layout is not None:
                layout.activate()
        self.restoring = True
        try:
            restore_state(self._manager, state)
            # What the arrangement did not know is nowhere now, or as it was.
            for dock in self._docks.all():
                if dock.closed and not dock.widget.isClosed():
                    dock.widget.toggleView(False)
            for dock in self._docks.all():
                if not dock.closed and dock.widget.isClosed():
                    self.put_back(dock, active)
        finally:
            self.restoring = False
