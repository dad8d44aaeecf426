"""The dialog that finds a model on the hub, says what it is, and downloads it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.background import Query
from app.download import fault, ref_of
from app.downloads import Downloads
from app.ui.models.downloads_view import DownloadList, ModelDialog
from app.ui.style.figures import bytes_line
from app.ui.style.theme import repolish, ui_font
from engine import EngineError, hub
from engine.errors import GATED

_PROMISE = (
    "Once this is a model's name, the Hugging Face hub is asked about it and told nothing else. "
    "Only data is downloaded, no code."
)
_NONE = "Downloads are listed here. They go on when this is closed."
_TOKEN = "Kept until Stretto ends, and shown to the hub alone."
DOWNLOAD, OPEN = "Download", "Open"
_NO_TOKEN = "The hub gives this model only to whom it knows: paste a token first"


class FoundModel(QWidget):
    """Three lines, of which those without words take no room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.name = QLabel(self)
        self.name.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.about = QLabel(self)
        self.fits = QLabel(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for label in (self.name, self.about, self.fits):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            layout.addWidget(label)

    def clear(self) -> None:
        for label in (self.name, self.about, self.fits):
            self._say(label, "")

    def say(self, words: str, *, danger: bool = False) -> None:
        """Nothing was found (yet): say why."""
        self.clear()
        self._say(self.about, words, danger=danger)

    def show_model(self, model: hub.HubModel, budget: int) -> str:
        """Say what it is. Returns the verb for what can be done with it, empty for nothing.

        Args:
            budget: bytes that models and chats may take, 0 where that is not known.
        """
        bits = f"{model.bits}-bit" if model.bits else ""
        at = "" if model.revision == "main" else f"at {model.revision}"
        parts = (bytes_line(model.size), model.architecture, bits, at)
        self._say(self.name, model.repo.rpartition("/")[2])
        self._say(self.about, " · ".join(part for part in parts if part))
        self.name.setToolTip(model.repo)
        if hub.whole(model) is not None:
            self._say(self.fits, "It is on this machine already.")
            return OPEN
        problem = _problem(model)
        if problem:
            self._say(self.fits, problem, danger=True)
            return ""
        small = not budget or model.weights <= budget
        room = f"models and chats may take {bytes_line(budget)} of memory."
        words = f"{'Fits' if small else 'Too large'}: {room}" if budget else ""
        self._say(self.fits, words, danger=not small)
        return DOWNLOAD

    def _say(self, label: QLabel, words: str, *, danger: bool = False) -> None:
        label.setText(words)
        label.setVisible(bool(words))
        label.setProperty("danger", danger)
        label.setProperty("muted", not danger and label is not self.name)
        repolish(label)


def _problem(model: hub.HubModel) -> str:
    """Why it cannot be downloaded, in a sentence; empty if it can."""
    if not model.known:
        return "This version does not know its architecture. A newer one may."
    try:
        hub.check_space(model)
    except EngineError as error:
        return error.message
    return ""


class GetModelDialog(ModelDialog):
    """Stays open beside the window; downloads go on without it."""

    TYPING_MS = 600

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
        self._query = Query(self)  # what the hub says of the model that is named
        self._model: hub.HubModel | None = None
        self._asked = ""
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("owner/name, or the address of its page")
        self.field.setAccessibleName("Model")
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
        self._query.drop()
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
        self._query.drop()
        self.go.setText("Look Up")
        self._allow("" if self._downloads.token and self._wanted() else _NO_TOKEN)

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
        self._allow("The hub is being asked")
        self.found.say("Asking the hub…")
        name, token = self._asked, self._downloads.token or None
        self._query.ask(
            lambda stop: hub.look_up(name, token=token, cancelled=stop),
            self.show_answer,
            self._on_refused,
        )

    def _on_refused(self, problem: Exception) -> None:
        """Nothing was found, or not let in: say why."""
        error = fault(problem)
        gated = error.code == GATED
        self._clear(keep_token=True)
        self._show_token(gated)
        self.found.say(error.message, danger=not gated)
        self.go.setText("Look Up")
        self._allow(_NO_TOKEN if gated else "")
        if gated and not self.field.hasFocus():  # whoever types a name goes on typing it
            self.token.setFocus(Qt.FocusReason.OtherFocusReason)
            self.token.selectAll()

    def show_answer(self, model: hub.HubModel) -> None:
        """Say what it is, and whether there is room for it."""
        self._typing.stop()
        self._query.drop()
        self._model = model
        self._show_token(False)
        verb = self.found.show_model(model, self._memory())
        self.go.setText(verb or DOWNLOAD)
        self._allow("" if verb else self.found.fits.text())

    def _clear(self, *, keep_token: bool = False) -> None:
        self._model = None
        self.found.clear()
        if not keep_token:
            self._show_token(False)
        self.go.setText(DOWNLOAD)
        asked = bool(self._wanted())
        self._allow("The hub is asked first" if asked else "Write the name of a model first")

    def _allow(self, why_not: str) -> None:
        """Let the main button be pressed, or say why it cannot be."""
        self.go.setEnabled(not why_not)
        self.go.setToolTip(why_not)

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
        self._query.drop()
        super().reject()


def _quiet(label: QLabel) -> QLabel:
    label.setProperty("muted", True)
    label.setWordWrap(True)
    return label
