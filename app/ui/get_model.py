"""The dialog that finds a model on the hub, says what it is, and downloads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.downloads import Download, Downloads, ref_of
from app.ui.download_row import DownloadRow
from app.ui.figures import bytes_line
from app.ui.theme import ui_font
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
        self.rows: dict[str, DownloadRow] = {}
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("owner/name, or the address of its page")
        self.field.setAccessibleName("Model")
        self.field.setClearButtonEnabled(False)
        promise = _quiet(QLabel(_PROMISE, self))
        self.name = QLabel(self)
        self.name.setFont(ui_font(15, QFont.Weight.DemiBold))
        self.about = QLabel(self)
        self.fits = QLabel(self)
        for label in (self.name, self.about, self.fits):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.token = QLineEdit(self)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText("Access token")
        self.token.setAccessibleName("Access token")
        self._token_note = _quiet(QLabel(_TOKEN, self))
        self.go = QPushButton("Download", self)
        self.go.setDefault(True)
        self.close_button = QPushButton("Close", self)
        self.close_button.setAutoDefault(False)
        self.none = _quiet(QLabel(_NONE, self))
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self._lay_out(promise)
        self._typing = QTimer(self, singleShot=True, interval=self.TYPING_MS)
        self._typing.timeout.connect(self._look)
        self.field.textChanged.connect(self._on_text)
        self.token.textChanged.connect(self._on_token)
        self.go.clicked.connect(self._on_go)
        self.close_button.clicked.connect(self.close)
        downloads.looked.connect(self._on_looked)
        downloads.changed.connect(self._on_changed)
        for download in downloads.items:
            self._on_changed(download.ref)
        self._clear()

    def _lay_out(self, promise: QLabel) -> None:
        title = QLabel("Model", self)
        title.setBuddy(self.field)
        inner = QWidget(self)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._list)
        column.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setWidget(inner)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
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
        for widget in (self.name, self.about, self.fits, self.token, self._token_note):
            layout.addWidget(widget)
        layout.addWidget(self._area, 1)
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
        self._say(self.about, "Asking the hub…")
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
            self._say(self.about, error.message if error is not None else "", danger=not gated)
            self.go.setText("Look Up")
            self.go.setEnabled(not gated)
            if gated:
                self.token.setFocus(Qt.FocusReason.OtherFocusReason)
                self.token.selectAll()
            return
        self.show_answer(model)

    def show_answer(self, model: HubModel) -> None:
        """Say what it is, and whether there is room for it."""
        self._typing.stop()
        self._model = model
        self._show_token(False)
        bits = f"{model.bits}-bit" if model.bits else ""
        parts = [bytes_line(model.size), model.architecture, bits]
        parts.append("" if model.revision == "main" else f"at {model.revision}")
        self._say(self.name, model.repo.rpartition("/")[2])
        self._say(self.about, " · ".join(part for part in parts if part))
        self.name.setToolTip(model.repo)
        self.go.setText("Download")
        self.go.setEnabled(True)
        budget = self._memory()
        if hub.find(model.repo, model.revision) == hub.find(model.repo, model.commit) is not None:
            self._say(self.fits, "It is on this machine already.")
            self.go.setText("Open")
        elif not model.known:
            self._refuse("This version does not know its architecture. A newer one may.")
        elif problem := _no_space(model):
            self._refuse(problem)
        elif budget and model.weights > budget:
            self._say(
                self.fits,
                f"Too large: models and chats may take {bytes_line(budget)} of memory.",
                danger=True,
            )
        elif budget:
            self._say(self.fits, f"Fits: models and chats may take {bytes_line(budget)} of memory.")

    def _refuse(self, why: str) -> None:
        self._say(self.fits, why, danger=True)
        self.go.setEnabled(False)

    def _clear(self, *, keep_token: bool = False) -> None:
        self._model = None
        for label in (self.name, self.about, self.fits):
            self._say(label, "")
        if not keep_token:
            self._show_token(False)
        self.go.setText("Download")
        self.go.setEnabled(False)

    def _show_token(self, shown: bool) -> None:
        self.token.setVisible(shown)
        self._token_note.setVisible(shown)

    def _say(self, label: QLabel, words: str, *, danger: bool = False) -> None:
        label.setText(words)
        label.setVisible(bool(words))
        label.setProperty("danger", danger)
        label.setProperty("muted", not danger and label is not self.name)
        label.style().unpolish(label)
        label.style().polish(label)

    # Downloading.

    @Slot()
    def _on_go(self) -> None:
        if self._model is None:
            self._look()
        elif self.go.text() == "Open":
            self._open(ref_of(self._model))
        else:
            self._downloads.add(self._model)
            self.field.clear()
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open(self, ref: str) -> None:
        self.opened.emit(ref)
        self.close()

    @Slot(str)
    def _on_changed(self, ref: str) -> None:
        download = self._downloads.get(ref)
        row = self.rows.get(ref)
        if download is None:
            if row is not None:
                del self.rows[ref]
                self._list.removeWidget(row)
                row.hide()
                row.deleteLater()
        elif row is None:
            self._add_row(download)
        else:
            row.show_download(download)
        for number, shown in enumerate(self.rows.values()):
            first = number == 0
            if shown.property("first") != first:
                shown.setProperty("first", first)
                shown.style().unpolish(shown)
                shown.style().polish(shown)
        self.none.setVisible(not self.rows)

    def _add_row(self, download: Download) -> None:
        ref = download.ref
        row = self.rows[ref] = DownloadRow(download, self)
        row.paused.connect(lambda: self._downloads.pause(ref))
        row.resumed.connect(lambda: self._resume(ref))
        row.cancelled.connect(lambda: self._downloads.cancel(ref))
        row.opened.connect(lambda: self._open(ref))
        self._list.addWidget(row)

    def _resume(self, ref: str) -> None:
        """Go on; where the hub wanted a token, ask for that first."""
        download = self._downloads.get(ref)
        if download is None:
            return
        if download.code == GATED and not self._downloads.token:
            self.field.setText(ref)
            self._look()
            return
        self._downloads.resume(ref)

    def reject(self) -> None:
        """Escape closes it like the button."""
        self._downloads.look_no_more()
        super().reject()


def _no_space(model: HubModel) -> str:
    try:
        hub.check_space(model)
    except EngineError as error:
        return error.message
    return ""


def _quiet(label: QLabel) -> QLabel:
    label.setProperty("muted", True)
    label.setWordWrap(True)
    return label
