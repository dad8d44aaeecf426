"""The models that answer elsewhere, below the table of those that are installed."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot
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

from app import background
from app.chats.library import ChatLibrary
from app.language import tr
from app.remote.address import Remote
from app.remote.remotes import Remotes
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
        taken = _Taken(self._loader.remotes, remote.address, self._loader)
        if self._loader.remove_remote(remote.ref):
            taken.take()
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)

        def restore() -> None:
            self._loader.add_remote(remote)
            taken.give_back()

        words = tr("{name} is no longer listed. Its chats stay.", name=remote.name)
        self._say(words, restore)


class _Taken:
    """An address's key that has left the keychain, and may go back. Off the GUI thread."""

    def __init__(self, remotes: Remotes, address: str, owner: QObject) -> None:
        self._remotes, self._address, self._owner = remotes, address, owner
        self._key: str | None = None
        self._took = self._wanted = False

    def take(self) -> None:
        self._took = True
        remotes, address = self._remotes, self._address
        background.start(
            self._owner, lambda: remotes.take_key(address), self._on_taken, threading.Event()
        )

    def give_back(self) -> None:
        self._wanted = self._took
        self._keep()

    def _on_taken(self, key: str | None, _error: Exception | None) -> None:
        self._key = key or ""
        self._keep()

    def _keep(self) -> None:
        if not self._wanted or not self._key:
            return
        remotes, address, key = self._remotes, self._address, self._key
        background.start(
            self._owner, lambda: remotes.keep_key(address, key), lambda *_: None, threading.Event()
        )
