"""The dialog that finds a model on the hub, says what it is, and downloads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.download import ref_of
from app.downloads import Downloads
from app.ui.models.download_list import DownloadList
from app.ui.models.found_model import DOWNLOAD, OPEN, FoundModel
from engine import EngineError, hub
from engine.errors import GATED

if TYPE_CHECKING:
    from engine.hub import HubModel

_PROMISE = (
    "Once this is a model's name, the Hugging Face hub is asked about it and told nothing else. "
    "Only data is downloaded, no code."
)
_NONE = "Downloads are listed here. They go on when this is closed."
_TOKEN = "Kept until Stretto ends, and shown to the hub alone."


class GetModelDialog(QDialog):
    """Stays open beside the window; downloads go on without it.

    Signals:
        opened(ref): the person wants to chat with that model.
    """

    TYPING_MS = 600

    opened = Signal(str)

    def __init__(
        self,
        downloads: Downloads,
        parent: QWidget,
        memory: Callable[[], int] = lambda: 0,
    ) -> None:
        """``memory`` tells how many bytes models and chats may take, 0 while that is not known."""
        super().__init__(parent)
        self.setObjectName("get-model")
        self.setWindowTitle("Get Model")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._downloads = downloads
        self._memory = memory
        self._number = -1  # of the question whose answer is waited for
        self._model: HubModel | None = None
        self._asked = ""
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("owner/name, or the address of its page")
        self.field.setAccessibleName("Model")
        self.field.setClearButtonEnabled(False)
        promise = _quiet(QLabel(_PROMISE, self))
        self.found = FoundModel(self)
        self.token = QLineEdit(self)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText("Access token")
        self.token.setAccessibleName("Access token")
        self._token_note = _quiet(QLabel(_TOKEN, self))
        self.go = QPushButton(DOWNLOAD, self)
        self.go.setDefault(True)
        self.close_button = QPushButton("Close", self)
        self.close_button.setAutoDefault(False)
        self.none = _quiet(QLabel(_NONE, self))
        self.list = DownloadList(downloads, self)
        self._lay_out(promise)
        self._typing = QTimer(self, singleShot=True, interval=self.TYPING_MS)
        self._typing.timeout.connect(self._look)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._on_return)
        self.token.textChanged.connect(self._on_token)
        self.go.clicked.connect(self._on_go)
        self.close_button.clicked.connect(self.close)
        downloads.looked.connect(self._on_looked)
        self.list.opened.connect(self._open)
        self.list.token_wanted.connect(self._ask_for_token)
        self.list.filled.connect(lambda rows: self.none.setVisible(not rows))
        self.none.setVisible(not self.list.rows)
        self._clear()

    def _lay_out(self, promise: QLabel) -> None:
        title = QLabel("Model", self)
        title.setBuddy(self.field)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 18)
        layout.setSpacing(8)
        for widget in (title, self.field, promise):
            layout.addWidget(widget)
        layout.addSpacing(8)
        for part in (self.found, self.token, self._token_note):
            layout.addWidget(part)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.none)
        layout.addSpacing(4)
        layout.addLayout(buttons)
        self.resize(500, 480)

    # Looking up.

    @Slot()
    def _on_text(self) -> None:
        self._downloads.look_no_more()
        self._number = -1
        self._clear()
        if self._wanted():
            self._typing.start()
        else:
            self._typing.stop()

    @Slot()
    def _on_return(self) -> None:
        """Whoever presses Enter does not wait for the pause in typing."""
        if self._typing.isActive():
            self._look()

    @Slot()
    def _on_token(self) -> None:
        self._downloads.token = self.token.text().strip()
        self._model = None
        self._number = -1
        self.go.setText("Look Up")
        self.go.setEnabled(bool(self._downloads.token and self._wanted()))

    def _wanted(self) -> str:
        """What stands in the field, if it is a model's name."""
        from huggingface_hub import constants

        text = self.field.text()
        return text if hub.parse(text, constants.HF_URL_HOSTS) is not None else ""

    @Slot()
    def _look(self) -> None:
        self._typing.stop()
        self._asked = self._wanted()
        if not self._asked:
            return
        self.go.setEnabled(False)
        self.found.say("Asking the hub…")
        self._number = self._downloads.look_up(self._asked)

    @Slot(int, object, object)
    def _on_looked(self, number: int, model: HubModel | None, error: EngineError | None) -> None:
        if number != self._number:
            return
        self._number = -1
        self._clear(keep_token=True)
        if model is None:
            gated = error is not None and error.code == GATED
            self._show_token(gated)
            self.found.say(error.message if error is not None else "", danger=not gated)
            self.go.setText("Look Up")
            self.go.setEnabled(not gated)
            if gated and not self.field.hasFocus():  # whoever types a name goes on typing it
                self.token.setFocus(Qt.FocusReason.OtherFocusReason)
                self.token.selectAll()
            return
        self.show_answer(model)

    def show_answer(self, model: HubModel) -> None:
        """Say what it is, and whether there is room for it."""
        self._typing.stop()
        self._model = model
        self._show_token(False)
        verb = self.found.show_model(model, self._memory())
        self.go.setText(verb or DOWNLOAD)
        self.go.setEnabled(bool(verb))

    def _clear(self, *, keep_token: bool = False) -> None:
        self._model = None
        self.found.clear()
        if not keep_token:
            self._show_token(False)
        self.go.setText(DOWNLOAD)
        self.go.setEnabled(False)

    def _show_token(self, shown: bool) -> None:
        self.token.setVisible(shown)
        self._token_note.setVisible(shown)

    # Downloading.

    @Slot()
    def _on_go(self) -> None:
        if self._model is None:
            self._look()
        elif self.go.text() == OPEN:
            self._open(ref_of(self._model))
        else:
            self._downloads.add(self._model)
            self.field.clear()
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _open(self, ref: str) -> None:
        self.opened.emit(ref)
        self.close()

    @Slot(str)
    def _ask_for_token(self, ref: str) -> None:
        self.field.setText(ref)
        self._look()

    def reject(self) -> None:
        """Escape closes it like the button."""
        self._downloads.look_no_more()
        super().reject()


def _quiet(label: QLabel) -> QLabel:
    label.setProperty("muted", True)
    label.setWordWrap(True)
    return label
