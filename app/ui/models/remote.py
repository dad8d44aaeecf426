from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import CancelledError, Future

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app import flows
from app.bridge import Bridge
from app.chats.library import ChatLibrary
from app.models.loading import ModelLoader
from app.remote import address as addresses
from app.remote.address import AddressError, ListedModel, Remote
from app.remote.discovery import FoundServer
from app.remote.remotes import Remotes
from app.settings import keychain
from app.settings.language import counted, mark, tr
from app.ui.style import tokens as t
from app.ui.style.theme import scale_height, set_scaled_font
from app.ui.widgets.buttons import IconButton
from app.ui.widgets.fields import make_combo_box
from app.ui.widgets.labels import ElidedLabel, make_button, make_label
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout, scrolling
from app.ui.widgets.sheet import Sheet, retain_size_when_hidden
from engine import EngineError

_LOOKING = mark("Nothing found yet. Start the other Stretto with “serve --announce”.")
_CHOOSE = mark("Choose one, then enter its key.")
_ROW, _ROWS = 28, 3
_ADDRESS = Qt.ItemDataRole.UserRole


class NetworkList(QWidget):
    server_chosen = Signal(str)  # (address)
    height_changed = Signal()

    def __init__(self, remotes: Remotes, bridge: Bridge, parent: QWidget) -> None:
        super().__init__(parent)
        self._remotes, self._bridge = remotes, bridge
        self._channel: int | None = None
        self._looking: Future[None] | None = None
        self.switch = QCheckBox(tr("Look for Stretto on this network"), self)
        self.list = QListWidget(self)
        self.list.setObjectName("bordered-list")
        self.list.setAccessibleName(tr("Found on this network"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFixedHeight(scale_height(_ROW) * _ROWS)
        self.status_label = make_label(self)
        make_column_layout(self.switch, self.list, self.status_label, of=self, spacing=6)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.switch.setChecked(remotes.is_discovery_on)
        self.switch.toggled.connect(self._on_switched)
        self._set_searching(remotes.is_discovery_on)

    def stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if self._channel is not None:
            self._bridge.close(self._channel)
            self._channel = None

    @Slot(bool)
    def _on_switched(self, on: bool) -> None:
        self._remotes.set_discovery(on)
        self._set_searching(on)

    def _set_searching(self, on: bool) -> None:
        self.stop()
        self._show(())
        self.status_label.setVisible(on)
        if on:
            self._channel, tell = self._bridge.channel(self._show)
            self._looking = self._remotes.find_servers(tell)
            flows.start(self, self._watch(self._looking))
        self.height_changed.emit()

    def _show(self, services: tuple[FoundServer, ...]) -> None:
        current = self.list.currentItem()
        before = current.data(_ADDRESS) if current is not None else None
        self.list.blockSignals(True)
        self.list.clear()
        for service in services:
            item = QListWidgetItem(f"{service.name} · {service.host}", self.list)
            item.setData(_ADDRESS, service.address)
            item.setSizeHint(QSize(0, scale_height(_ROW)))
            if service.address == before:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        self.list.setVisible(bool(services))
        self.status_label.setText(tr(_CHOOSE if services else _LOOKING))
        self.height_changed.emit()

    async def _watch(self, looking: Future[None]) -> None:
        try:
            await flows.wait_for_future(looking)
        except CancelledError:
            return
        except Exception as error:
            if looking is self._looking:
                self.status_label.setText(
                    error.message if isinstance(error, EngineError) else str(error)
                )
                self.height_changed.emit()

    @Slot(QListWidgetItem)
    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.server_chosen.emit(item.data(_ADDRESS))


_PROVIDERS = (
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("OpenAI", "https://api.openai.com/v1"),
    ("Anthropic", "https://api.anthropic.com/v1"),
    ("Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    ("Mistral", "https://api.mistral.ai/v1"),
    ("OpenRouter", "https://openrouter.ai/api/v1"),
)
"""Names and addresses of common servers with OpenAI's API. The first three run on this computer."""
_KEPT = mark("Stored in your keychain and sent only to this address.")
_HERE_ONLY = mark("No keychain found. Stretto forgets this key when you quit.")
_LEAVES = mark("Messages to this model leave this computer and go to {host}.")
_STAYS = mark("This server is on this computer.")
_OPEN = mark(
    "The connection isn’t encrypted: others on the network can read your messages and the key."
)
_NONE = mark("Enter an address and choose or type a model.")


class RemoteDialog(Sheet):
    """Dialog for a remote model.

    Addresses are only contacted when the user presses the button or chooses a provider on this
    computer. The local network is only searched while the check box is on.
    """

    model_added = Signal(str)  # (ref)

    def __init__(self, loader: ModelLoader, bridge: Bridge, parent: QWidget) -> None:
        super().__init__("remote-dialog", tr("Add Remote Model"), parent, spacing=8)
        self._loader = loader
        self._listed: dict[str, ListedModel] = {}
        self._asking = flows.Latest(self)
        providers = ((tr("Other"), ""), *_PROVIDERS)
        self.provider = make_combo_box(self, tr("Provider"), providers)
        self.provider.activated.connect(self._on_provider)
        self.address = QLineEdit(self)
        self.address.setPlaceholderText("https://example.org/v1")
        self.address.setMaxLength(addresses.LONGEST)
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(tr("Optional"))
        self.model = QComboBox(self)
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.test = self.button(tr("Get Model List"), self.show_models)
        self.test.setToolTip(tr("Asks the server which models it has. Nothing else is sent."))
        self.sees = QCheckBox(tr("Supports images"), self)
        self.sees.setToolTip(tr("Images in your messages are sent to this model"))
        self.found = NetworkList(loader.remotes, bridge, self)
        self.found.server_chosen.connect(self.address.setText)
        self.address_note, self.key_note, self.status_label = (self.make_label() for _ in range(3))
        for label in (self.address_note, self.status_label):
            retain_size_when_hidden(label)
        self.ok = self.button(tr("Add"), self._on_ok)
        self.add_rows(self.found)
        below: dict[QWidget, QWidget] = {self.address: self.address_note, self.key: self.key_note}
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Provider"), self.provider),
            (tr("Address"), self.address),
            (tr("Key"), self.key),
            (tr("Model"), self.model),
        )
        for words, field in fields:
            label = QLabel(words, self)
            label.setBuddy(field)
            field.setAccessibleName(words)
            self.add_rows(label, field, *filter(None, [below.get(field)]))
        self.rows.addWidget(self.test, 0, Qt.AlignmentFlag.AlignLeft)
        self.add_rows(self.sees, self.status_label)
        self.add_buttons(self.ok)
        self.set_scaled_width(480)
        self.address.textChanged.connect(self._on_address)
        self.key.textChanged.connect(self._refresh)
        self.model.editTextChanged.connect(self._refresh)
        self.model.editTextChanged.connect(self._on_model)
        # Label heights aren't known until after the layout pass.
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self._fit_soon.timeout.connect(self.fit_height)
        self.found.height_changed.connect(self._fit_soon.start)
        self.finished.connect(self.found.stop)
        flows.start(self, self._show_key_storage())
        self._refresh()

    def has_changes(self) -> bool:
        return self.address.isModified() or self.key.isModified()  # set by typing only

    def _normalized_address(self) -> str:
        try:
            return addresses.normalize_address(self.address.text())
        except AddressError:
            return ""

    def _remote(self) -> Remote | None:
        base, model = self._normalized_address(), self.model.currentText().strip()
        listed = self._listed.get(model, ListedModel(model))
        remote = Remote(base, model, listed.kind, listed.context, self.sees.isChecked())
        return remote if addresses.parse_ref(remote.ref) is not None else None

    @Slot(int)
    def _on_provider(self, _: int) -> None:
        if address := self.provider.currentData():
            self.address.setText(address)
            if addresses.is_here(address):
                self.show_models()
        else:
            self.address.setFocus()

    @Slot()
    def _on_address(self) -> None:
        self._asking.cancel()  # the running request was for a different address
        self.provider.setCurrentIndex(max(0, self.provider.findData(self.address.text())))
        self._listed = {}
        self.status_label.setText("")
        self._refresh()

    @Slot(str)
    def _on_model(self, name: str) -> None:
        listed = self._listed.get(name.strip())
        if listed is not None and listed.sees is not None:  # otherwise, keep the user's choice
            self.sees.setChecked(listed.sees)

    @Slot()
    def _refresh(self) -> None:
        text, base, words = self.address.text().strip(), self._normalized_address(), list[str]()
        if base:
            is_local, host = addresses.is_here(base), addresses.host_of(base)
            words = [tr(_STAYS) if is_local else tr(_LEAVES, host=host)]
            words += [tr(_OPEN)] if addresses.is_open(base) else []
        elif text:
            try:
                addresses.normalize_address(text)
            except AddressError as error:
                words = [str(error)]
        self._set_label(self.address_note, " ".join(words))
        self.test.setEnabled(bool(base))
        ready = self._remote() is not None
        self.ok.setEnabled(ready)
        self.ok.setToolTip("" if ready else tr(_NONE))

    def _set_label(self, label: QLabel, words: str) -> None:
        label.setText(words)
        label.setVisible(bool(words))
        self._fit_soon.start()

    async def _show_key_storage(self) -> None:
        has_keychain = await flows.run_in_thread(lambda _: keychain.is_there())
        self._set_label(self.key_note, tr(_KEPT if has_keychain else _HERE_ONLY))

    @Slot()
    def show_models(self) -> None:
        base, key = self._normalized_address(), self.key.text().strip()
        if not base:
            return
        self._set_label(self.status_label, tr("Asking {host}…", host=addresses.host_of(base)))
        self._asking.start(self._ask(base, key))

    async def _ask(self, base: str, key: str) -> None:
        try:
            models = await flows.wait_for_future(self._loader.remotes.models_at(base, key or None))
        except CancelledError:
            return
        except Exception as error:
            self._set_label(
                self.status_label, error.message if isinstance(error, EngineError) else str(error)
            )
            return
        written = self.model.currentText().strip()
        self._listed = {listed.model: listed for listed in models}
        self.model.clear()
        self.model.addItems([listed.model for listed in models])
        if written:
            self.model.setEditText(written)
        self._set_label(
            self.status_label,
            counted("%n model available.", "%n models available.", len(models))
            if models
            else tr("The server lists no models. Type the name of one."),
        )
        self._refresh()

    @Slot()
    def _on_ok(self) -> None:
        remote = self._remote()
        if remote is None:
            return
        key = self.key.text().strip()
        self._loader.add_remote(remote, key or None)
        if key:
            remotes, address = self._loader.remotes, remote.address
            # The loader owns this task, since the dialog closes before the keychain is done.
            keeping = flows.run_in_thread(lambda _: remotes.store_key(address, key))
            flows.start(self._loader, keeping)
        self.model_added.emit(remote.ref)
        self.accept()


Say = Callable[[str, Callable[[], None] | None], None]


class RemoteRow(QFrame):
    def __init__(self, remote: Remote, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("model-row")
        self.remote = remote
        self.name = ElidedLabel(remote.model, self)
        set_scaled_font(self.name, t.LEAD_PX, QFont.Weight.Medium)
        self.name.setToolTip(remote.model)
        where = tr("On this computer") if remote.is_local else tr("On another computer")
        self.address_label = ElidedLabel(f"{remote.address} · {where}", self)
        self.address_label.setProperty("muted", True)
        self.address_label.setToolTip(remote.address)
        self.open = IconButton("chat-circle", tr("New Chat"), self)
        self.open.setAccessibleName(tr("New chat with {name}", name=remote.name))
        self.remove = IconButton("x", tr("Remove from List"), self)
        self.remove.setAccessibleName(tr("Remove {name} from the list", name=remote.name))
        words = make_column_layout(self.name, self.address_label, spacing=2)
        make_row_layout((words, 1), self.open, self.remove, of=self, margins=(0, 6, 0, 6))


class RemoteList(QWidget):
    """List of remote models. Removing a model keeps its chats and can be undone."""

    MOST_SHOWN = 3  # rows visible without scrolling

    chat_requested = Signal(str)  # (ref): start a chat with this model

    def __init__(self, library: ChatLibrary, say: Say, parent: QWidget) -> None:
        """``say`` shows a message with Undo."""
        super().__init__(parent)
        self._library, self._say = library, say
        self._loader = library.loader
        self.rows: list[RemoteRow] = []
        self.head = QLabel(tr("Remote models"), self)
        self.add = make_button(self, tr("Add Remote Model…"), self.ask)
        self.add.setToolTip(tr("A model at an address, such as vLLM, llama.cpp or another Stretto"))
        head = make_row_layout(self.head, SPRING, self.add, spacing=None)
        inner = QWidget(self)
        self._column = make_column_layout(of=inner, spacing=0)
        self._area = scrolling(inner, self)
        self._area.setAccessibleName(tr("Remote models"))
        make_column_layout(head, self._area, of=self, spacing=4)
        self._loader.changed.connect(self._on_model)
        self.refresh()

    @Slot(str)
    def _on_model(self, _ref: str) -> None:
        if tuple(row.remote.ref for row in self.rows) != self._loader.remotes.refs:
            self.refresh()

    @Slot()
    def refresh(self) -> None:
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
        row.open.clicked.connect(lambda: self.chat_requested.emit(remote.ref))
        row.remove.clicked.connect(lambda: self._remove(remote))
        self._column.addWidget(row)
        return row

    @Slot()
    def ask(self) -> None:
        RemoteDialog(self._loader, self._library.bridge, self.window()).open()

    def _remove(self, remote: Remote) -> None:
        loader, remotes, address = self._loader, self._loader.remotes, remote.address
        taking: asyncio.Task[str] | None = None
        if loader.remove_remote(remote.ref):
            # The loader owns this task, since the list may be gone before the keychain responds.
            taking = flows.start(loader, flows.run_in_thread(lambda _: remotes.take_key(address)))
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)

        async def give_back(taking: asyncio.Task[str]) -> None:
            if key := await taking:
                await flows.run_in_thread(lambda _: remotes.store_key(address, key))

        def restore() -> None:
            loader.add_remote(remote)
            if taking is not None:
                flows.start(loader, give_back(taking))

        words = tr("{name} removed from the list. Its chats stay.", name=remote.name)
        self._say(words, restore)
