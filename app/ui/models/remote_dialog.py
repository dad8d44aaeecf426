"""Adds a model that answers elsewhere: its address, its key, and which of the models there."""

from __future__ import annotations

from concurrent.futures import CancelledError

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import flows, keychain
from app.bridge import Bridge
from app.chats.model_choice import ModelLoader
from app.language import counted, mark, tr
from app.remote import address as addresses
from app.remote.address import AddressError, Remote
from app.remote.kinds import Listed
from app.ui.models.network_list import NetworkList
from app.ui.widgets.width import keep_high, keep_wide
from engine import EngineError

_KEPT = mark("Kept in this system's keychain, and shown to this address alone.")
_HERE_ONLY = mark(
    "Kept until Stretto ends, and shown to this address alone: this system has no keychain that "
    "could keep it."
)
_LEAVES = mark("What you send in a chat with this model leaves this machine and goes to {host}.")
_STAYS = mark("{host} is another program of this machine.")
_OPEN = mark("The way there is not encrypted: others on it can read what you send, and the key.")
_NONE = mark("Write an address, and the name of a model or choose one of those there.")


class RemoteDialog(QDialog):
    """Nothing is asked of the address before the person presses the button for it.

    The network is searched only while the switch for it is on.

    Signals:
        added(ref): the model is in the list.
    """

    added = Signal(str)

    def __init__(self, loader: ModelLoader, bridge: Bridge, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("remote-dialog")
        self.setWindowTitle(tr("Add a Remote Model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._loader = loader
        self._listed: dict[str, Listed] = {}
        self._asking = flows.Latest(self)
        self.address = QLineEdit(self)
        self.address.setPlaceholderText("https://example.org/v1")
        self.address.setMaxLength(addresses.LONGEST)
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(tr("Only if it wants one"))
        self.model = QComboBox(self)
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.test = QPushButton(tr("Show Its Models"), self)
        self.test.setAutoDefault(False)
        self.test.setToolTip(tr("Asks the address which models it has, and sends nothing else"))
        self.found = NetworkList(loader.remotes, bridge, self)
        self.found.chosen.connect(self._on_found)
        self.where, self.kept, self.said = (self._note() for _ in range(3))
        buttons = QDialogButtonBox(self)
        self.go = buttons.addButton(tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        cancel = buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(8)
        layout.addWidget(self.found)
        below: dict[QWidget, QWidget] = {self.address: self.where, self.key: self.kept}
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Address"), self.address),
            (tr("Key"), self.key),
            (tr("Model"), self.model),
        )
        for words, field in fields:
            label = QLabel(words, self)
            label.setBuddy(field)
            field.setAccessibleName(words)
            layout.addWidget(label)
            layout.addWidget(field)
            if field in below:
                layout.addWidget(below[field])
        layout.addWidget(self.test, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.said)
        layout.addSpacing(8)
        layout.addWidget(buttons)
        keep_wide(self, 480)
        self.address.textChanged.connect(self._on_address)
        self.key.textChanged.connect(self._refresh)
        self.model.editTextChanged.connect(self._refresh)
        self.test.clicked.connect(self.show_models)
        buttons.accepted.connect(self._on_go)
        buttons.rejected.connect(self.reject)
        # What is said takes more lines or fewer; once the words are laid out it is known how many.
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self._fit_soon.timeout.connect(self._fit)
        self.found.grew.connect(self._fit_soon.start)
        self.finished.connect(self.found.stop)
        flows.start(self, self._say_where_kept())
        self._refresh()

    def _note(self) -> QLabel:
        label = QLabel(self)
        label.setProperty("muted", True)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _base(self) -> str:
        """The address as it is used; "" where it is none."""
        try:
            return addresses.normalised(self.address.text())
        except AddressError:
            return ""

    def _remote(self) -> Remote | None:
        """What stands in the fields; None where something is missing."""
        base, model = self._base(), self.model.currentText().strip()
        one = self._listed.get(model, Listed(model))
        found = Remote(base, model, one.kind, one.context)
        return found if addresses.named(found.ref) is not None else None

    @Slot()
    def _on_address(self) -> None:
        self._asking.cancel()  # that was about another address
        self._listed = {}
        self.said.setText("")
        self._refresh()

    @Slot(str)
    def _on_found(self, address: str) -> None:
        self.address.setText(address)

    @Slot()
    def _refresh(self) -> None:
        text, base, words = self.address.text().strip(), self._base(), list[str]()
        if base:
            here, host = addresses.is_here(base), addresses.host_of(base)
            words = [tr(_STAYS if here else _LEAVES, host=host)]
            words += [tr(_OPEN)] if addresses.is_open(base) else []
        elif text:
            try:
                addresses.normalised(text)
            except AddressError as error:
                words = [str(error)]
        self._say(self.where, " ".join(words))
        self.test.setEnabled(bool(base))
        ready = self._remote() is not None
        self.go.setEnabled(ready)
        self.go.setToolTip("" if ready else tr(_NONE))

    def _say(self, label: QLabel, words: str) -> None:
        label.setText(words)
        label.setVisible(bool(words))
        self._fit_soon.start()

    @Slot()
    def _fit(self) -> None:
        keep_high(self)

    async def _say_where_kept(self) -> None:
        there = await flows.aside(lambda _: keychain.is_there())
        self._say(self.kept, tr(_KEPT if there else _HERE_ONLY))

    # What there is.

    @Slot()
    def show_models(self) -> None:
        """Ask the address which models it has."""
        base, key = self._base(), self.key.text().strip()
        if not base:
            return
        self._say(self.said, tr("Asking {host}…", host=addresses.host_of(base)))
        self._asking.start(self._ask(base, key))

    async def _ask(self, base: str, key: str) -> None:
        try:
            found = await flows.arrived(self._loader.remotes.models_at(base, key or None))
        except CancelledError:
            return
        except Exception as error:
            self._say(self.said, error.message if isinstance(error, EngineError) else str(error))
            return
        written = self.model.currentText().strip()
        self._listed = {one.model: one for one in found}
        self.model.clear()
        self.model.addItems([one.model for one in found])
        if written:
            self.model.setEditText(written)
        self._say(
            self.said,
            counted("%n model answers there.", "%n models answer there.", len(found))
            if found
            else tr("It answers, but lists no models. Write the name of one."),
        )
        self._refresh()

    @Slot()
    def _on_go(self) -> None:
        remote = self._remote()
        if remote is None:
            return
        key = self.key.text().strip()
        self._loader.add_remote(remote, key or None)
        if key:
            remotes, address = self._loader.remotes, remote.address
            # Of the loader: this dialog is gone before the keychain has it.
            keeping = flows.aside(lambda _: remotes.keep_key(address, key))
            flows.start(self._loader, keeping)
        self.added.emit(remote.ref)
        self.accept()
