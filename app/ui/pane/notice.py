from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.models.engine_errors import DOES_NOT_FIT, is_not_loaded_error
from app.models.loading import ModelStatus
from app.models.names import adapter_of
from app.remote.address import is_remote
from app.remote.remote_errors import NOT_STARTED
from app.settings.language import tr
from app.ui.style import tokens as t
from app.ui.transcript.answer_row import WITHOUT
from app.ui.widgets.labels import make_label
from app.ui.widgets.layout_helpers import SPRING, make_column_layout, make_row_layout
from app.ui.widgets.widget_behavior import announce
from engine.errors import OUT_OF_MEMORY


class Notice(QWidget):
    """Notice above the composer that the model wasn't loaded or can't see images, with remedies."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Notice"))
        self._text = make_label(self, muted=False, px=t.LEAD_PX)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._text.setSizePolicy(policy)
        self.retry = QPushButton(self)
        self.choose = QPushButton(tr("Choose Another Model…"), self)
        self.unload = QPushButton(self)
        self.without_adapter = QPushButton(tr(WITHOUT), self)
        self.other = QPushButton(self)
        self.get = QPushButton(tr("Get Model…"), self)
        self.ocr = QPushButton(tr("Extract Text"), self)
        self.ocr.setToolTip(tr("Replace the images with the text in them, read by this computer"))
        self._buttons = self.findChildren(QPushButton)
        row = make_row_layout(*self._buttons, SPRING)
        make_column_layout(self._text, row, of=self, margins=(14, 12, 14, 12), spacing=10)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def text(self) -> str:
        return self._text.text()

    def show_failure(self, model_status: ModelStatus, name: str) -> None:
        """Show why the model failed to load. ``name`` is its name in this chat."""
        error = model_status.error
        no_fit = model_status.fit is not None
        remote = is_remote(model_status.ref)  # retrying can't restore a removed model
        stopped = model_status.code == NOT_STARTED
        self.retry.setText(tr("Start Again") if stopped else tr("Try Again"))
        self.unload.setText(tr("Make It Fit…") if no_fit else tr("Unload a Model…"))
        # Only two buttons fit in a narrow pane.
        if model_status.code in {OUT_OF_MEMORY, DOES_NOT_FIT}:
            remedy = self.unload
        else:
            remedy = self.without_adapter if adapter_of(model_status.ref) else self.choose
        buttons = {remedy} if remote and not stopped else {self.retry, remedy}
        if remote or is_not_loaded_error(error):
            text = error
        elif no_fit:
            text = tr("{name} doesn’t fit in memory. {error}", name=name, error=error)
        else:
            text = tr("{name} couldn’t be loaded. {error}", name=name, error=error)
        self._show(text, buttons)

    def show_blind(self, text: str, other: str, *, reads: bool) -> None:
        """Show that the model doesn't accept images.

        ``other`` is an installed model that does, or "". ``reads`` is True if text recognition is
        available.
        """
        self.other.setText(tr("Use {model}", model=other))
        buttons = {self.other if other else self.get}
        self._show(text, buttons | {self.ocr} if reads else buttons)

    def _show(self, text: str, buttons: set[QPushButton]) -> None:
        for button in self._buttons:
            button.setVisible(button in buttons)
        if text != self.text:
            self._text.setText(text)
            self.setAccessibleName(text)
            announce(self, text, urgent=True)
