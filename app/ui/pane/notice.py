"""A line across a pane that says what is wrong and offers the way on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.chats.fitting import DOES_NOT_FIT
from app.chats.model_choice import LoadState, ModelStatus
from app.language import tr
from app.paths import adapter_of
from app.remote.address import is_remote
from app.remote.errors import NOT_STARTED
from app.ui.style import tokens as t
from app.ui.style.theme import keep_font, theme
from app.ui.transcript.error_block import WITHOUT
from app.ui.widgets.aloud import announce
from engine.errors import OUT_OF_MEMORY


class Notice(QWidget):
    """Text with a few verbs below it, on a quiet wash of the danger colour."""

    def __init__(self, verbs: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Notice"))
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        keep_font(self._text, 14)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._text.setSizePolicy(policy)
        self.buttons = [QPushButton(verb, self) for verb in verbs]
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in self.buttons:
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(10)
        layout.addWidget(self._text)
        layout.addLayout(row)
        theme().changed.connect(self._on_theme)

    def set_text(self, text: str) -> None:
        if text != self.text:
            self._text.setText(text)
            self.setAccessibleName(text)
            announce(self, text, urgent=True)

    @property
    def text(self) -> str:
        return self._text.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.danger_wash))
        painter.drawRoundedRect(QRectF(self.rect()), t.RADIUS, t.RADIUS)

    @Slot()
    def _on_theme(self) -> None:
        self.update()


class LoadNotice(Notice):
    """Why a pane's model is not there."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(
            (tr("Try Again"), tr("Open Model Folder…"), tr("Unload a Model…"), tr(WITHOUT)), parent
        )

    def show_status(self, model_status: ModelStatus, name: str) -> None:
        """Say what has become of loading, and offer what helps. ``name``: the model's, here."""
        # Of memory; a narrow pane has room for two.
        short = model_status.code in {OUT_OF_MEMORY, DOES_NOT_FIT}
        no_fit = model_status.fit is not None
        variant = bool(adapter_of(model_status.ref))
        self.buttons[2].setText(tr("What Would Fit…") if no_fit else tr("Unload a Model…"))
        remote = is_remote(model_status.ref)  # neither trying nor a folder brings it back
        stopped = model_status.code == NOT_STARTED
        self.buttons[0].setText(tr("Start Again") if stopped else tr("Try Again"))
        self.buttons[0].setVisible(not remote or stopped)
        self.buttons[1].setVisible(not short and not variant and not remote)
        self.buttons[2].setVisible(short)
        self.buttons[3].setVisible(not short and variant)
        if model_status.state is LoadState.FAILED:
            error = model_status.error
            self.set_text(
                error
                if remote
                else tr("{name} does not fit into memory. {error}", name=name, error=error)
                if no_fit
                else tr("{name} could not be loaded. {error}", name=name, error=error)
            )
