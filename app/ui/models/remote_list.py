"""The models that answer elsewhere, below the table of those that are installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.chats.library import ChatLibrary
from app.language import tr
from app.remote.address import Remote
from app.ui.models.model_row import ElidedLabel
from app.ui.models.remote_dialog import RemoteDialog
from app.ui.style.theme import ui_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.closing import open_dialog

Say = Callable[[str, Callable[[], None] | None], None]


class RemoteRow(QFrame):
    """One model: its name, whom its text goes to, and what can be done with it."""

    def __init__(self, remote: Remote, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("model-row")
        self.remote = remote
        self.name = ElidedLabel(remote.model, self)
        self.name.setFont(ui_font(14, QFont.Weight.Medium))
        self.name.setToolTip(remote.model)
        where = tr("On this machine") if remote.here else tr("Leaves this machine")
        self.place = ElidedLabel(f"{remote.address} · {where}", self)
        self.place.setProperty("muted", True)
        self.place.setToolTip(remote.address)
        self.open = IconButton("chat-circle", tr("Open in a Chat"), self)
        self.open.setAccessibleName(tr("Open {name} in a chat", name=remote.name))
        self.remove = IconButton("x", tr("Remove from List"), self)
        self.remove.setAccessibleName(tr("Remove {name} from the list", name=remote.name))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.name)
        words.addWidget(self.place)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(self.open)
        row.addWidget(self.remove)


class RemoteList(QWidget):
    """A row for each remote model. Removing one keeps its chats, and can be undone.

    Signals:
        opened(ref): the person wants to chat with that model.
    """

    MOST_SHOWN = 3
    """Rows that are in sight; the others are scrolled to."""

    opened = Signal(str)

    def __init__(self, library: ChatLibrary, say: Say, parent: QWidget) -> None:
        """``say``: tells a sentence, with what takes it back."""
        super().__init__(parent)
        self._library, self._say = library, say
        self._loader = library.loader
        self.rows: list[RemoteRow] = []
        self.head = QLabel(tr("Answered elsewhere"), self)
        self.add = QPushButton(tr("Add a Remote Model…"), self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(tr("A model at an address, such as vLLM, llama.cpp or another Stretto"))
        self.add.clicked.connect(self.ask)
        head = QHBoxLayout()
        head.addWidget(self.head)
        head.addStretch(1)
        head.addWidget(self.add)
        inner = QWidget(self)
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._area = QScrollArea(self)
        self._area.setAccessibleName(tr("Answered elsewhere"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidgetResizable(True)
        self._area.setWidget(inner)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._area)
        self._loader.changed.connect(self._on_model)
        self.refresh()

    @Slot(str)
    def _on_model(self, _ref: str) -> None:
        if tuple(row.remote.ref for row in self.rows) != self._loader.remotes.refs:
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Make the rows anew."""
        for row in self.rows:
            row.hide()
            self._column.removeWidget(row)
            row.deleteLater()
        models = (self._loader.remotes.model(ref) for ref in self._loader.remotes.refs)
        self.rows = [self._row(model.remote) for model in models if model is not None]
        if self.rows:
            self.rows[0].setProperty("first", True)
        self._area.setVisible(bool(self.rows))
        high = max((row.sizeHint().height() for row in self.rows), default=0)
        self._area.setFixedHeight(high * min(len(self.rows), self.MOST_SHOWN))

    def _row(self, remote: Remote) -> RemoteRow:
        row = RemoteRow(remote, self)
        row.open.clicked.connect(lambda: self.opened.emit(remote.ref))
        row.remove.clicked.connect(lambda: self._remove(remote))
        self._column.addWidget(row)
        return row

    @Slot()
    def ask(self) -> None:
        """Ask for another one."""
        open_dialog(RemoteDialog(self._loader, self._library.bridge, self.window()))

    def _remove(self, remote: Remote) -> None:
        loader, remotes, address = self._loader, self._loader.remotes, remote.address
        taking: asyncio.Task[str] | None = None
        if loader.remove_remote(remote.ref):
            # Of the loader: this list may be gone before the keychain has answered.
            taking = flows.start(loader, flows.aside(lambda _: remotes.take_key(address)))
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)

        async def give_back(taking: asyncio.Task[str]) -> None:
            if key := await taking:
                await flows.aside(lambda _: remotes.keep_key(address, key))

        def restore() -> None:
            loader.add_remote(remote)
            if taking is not None:
                flows.start(loader, give_back(taking))

        words = tr("{name} is no longer listed. Its chats stay.", name=remote.name)
        self._say(words, restore)
