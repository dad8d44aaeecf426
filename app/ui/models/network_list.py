"""Strettos on this network, in the dialog that adds a remote model: only where asked."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.bridge import Bridge
from app.language import mark, tr
from app.remote.finding import Found
from app.remote.remotes import Remotes
from app.ui.style.theme import grown
from engine import EngineError

_LOOKING = mark(
    "Looking while this window is open. Nothing is found yet: the other Stretto must have been "
    "started by “serve --announce”."
)
_CHOOSE = mark("Choose one, and write the key that was made there.")
_ROW, _ROWS = 28, 3
_ADDRESS = Qt.ItemDataRole.UserRole


class NetworkList(QWidget):
    """A switch, off at first, and under it what is found while it is on.

    Signals:
        chosen(address): one of those that were found.
        grew(): it takes more room, or less.
    """

    chosen = Signal(str)
    grew = Signal()

    def __init__(self, remotes: Remotes, bridge: Bridge, parent: QWidget) -> None:
        super().__init__(parent)
        self._remotes, self._bridge = remotes, bridge
        self._channel: int | None = None
        self._looking: Future[None] | None = None
        self.switch = QCheckBox(tr("Find Stretto on this network"), self)
        self.list = QListWidget(self)
        self.list.setObjectName("network-list")
        self.list.setAccessibleName(tr("Found on this network"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFixedHeight(grown(_ROW) * _ROWS)
        self.said = QLabel(self)
        self.said.setProperty("muted", True)
        self.said.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for each in (self.switch, self.list, self.said):
            layout.addWidget(each)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.switch.setChecked(remotes.finds)
        self.switch.toggled.connect(self._on_switched)
        self._look(remotes.finds)

    def stop(self) -> None:
        """The dialog goes: look no longer."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if self._channel is not None:
            self._bridge.close(self._channel)
            self._channel = None

    @Slot(bool)
    def _on_switched(self, on: bool) -> None:
        self._remotes.set_finds(on)
        self._look(on)

    def _look(self, on: bool) -> None:
        self.stop()
        self._show(())
        self.said.setVisible(on)
        if on:
            self._channel, tell = self._bridge.channel(self._show)
            self._looking = self._remotes.look(tell)
            flows.start(self, self._watch(self._looking))
        self.grew.emit()

    def _show(self, found: tuple[Found, ...]) -> None:
        current = self.list.currentItem()
        before = current.data(_ADDRESS) if current is not None else None
        self.list.blockSignals(True)
        self.list.clear()
        for each in found:
            item = QListWidgetItem(f"{each.name} · {each.host}", self.list)
            item.setData(_ADDRESS, each.address)
            item.setSizeHint(QSize(0, grown(_ROW)))
            if each.address == before:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        self.list.setVisible(bool(found))
        self.said.setText(tr(_CHOOSE if found else _LOOKING))
        self.grew.emit()

    async def _watch(self, looking: Future[None]) -> None:
        """Say why, where the network cannot be searched."""
        try:
            await flows.arrived(looking)
        except CancelledError:
            return
        except Exception as error:
            if looking is self._looking:
                self.said.setText(error.message if isinstance(error, EngineError) else str(error))
                self.grew.emit()

    @Slot(QListWidgetItem)
    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(_ADDRESS))
