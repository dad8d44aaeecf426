"""Field for a Hugging Face access token."""

from __future__ import annotations

import logging

import shiboken6
from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from app import flows
from app.models.downloads import Downloads
from app.settings import keychain
from app.settings.language import mark, tr
from app.ui.widgets.labels import make_label, make_link
from app.ui.widgets.layout_helpers import make_column_layout, make_row_layout
from app.ui.widgets.standard_dialogs import ask_and_open
from engine import hub

log = logging.getLogger(__name__)

_SHOWN = mark("Sent only to Hugging Face. Stored in your keychain once accepted.")
_HERE_ONLY = mark("No keychain found. Stretto forgets this token when you quit.")
_NOT_KEPT = mark("The keychain couldn’t store the token. Stretto forgets it when you quit.")
_USED = mark("An access token is sent to Hugging Face.")


class TokenField(QWidget):
    """Token field with buttons. Without a keychain, the token is forgotten on exit."""

    changed = Signal()

    def __init__(self, downloads: Downloads, parent: QWidget) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self._keychain_flow = flows.Latest(self)
        self._typed = ""  # token entered by the user, but not yet accepted by the hub
        self._stored = True
        self.field = QLineEdit(self)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(tr("Access token"))
        self.field.setAccessibleName(tr("Access token"))
        self.note = make_label(self)
        self.forget = make_link(self, tr("Remove"))
        self.forget.setAccessibleName(tr("Remove access token"))
        self.page = make_link(self, tr("Open Model Page"))
        self.page.setToolTip(tr("Opens the model’s page on Hugging Face"))
        self._ref = ""
        top = Qt.AlignmentFlag.AlignTop
        foot = make_row_layout((self.note, 1), (self.forget, 0, top), (self.page, 0, top))
        make_column_layout(self.field, foot, of=self, spacing=6)
        self.field.textChanged.connect(self._on_text)
        self.forget.clicked.connect(self._on_forget)
        self.page.clicked.connect(self._on_page)

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        return self.field, self.page, self.forget

    @property
    def token(self) -> str:
        return self._typed or self._downloads.token

    def show_field(self, is_visible: bool, ref: str = "") -> None:
        source = hub.parse(ref)
        self._ref = source.repo if source is not None else ""
        self.page.setVisible(is_visible and bool(self._ref))
        if is_visible and not self.field.isVisibleTo(self):
            self.note.setText(tr(_SHOWN))
            # Looking for a keychain can be slow on some systems.
            self._keychain_flow.start(self._look_for_keychain())
        elif not is_visible:
            self._keychain_flow.cancel()
            words = tr(_USED) if self._stored else f"{tr(_USED)} {tr(_NOT_KEPT)}"
            self.note.setText(words)
        self.field.setVisible(is_visible)
        self.forget.setVisible(bool(self._downloads.token) and not is_visible)
        self.setVisible(is_visible or bool(self._downloads.token))

    def on_accepted(self, token: str) -> None:
        """Use a token with which a request has succeeded. If the user just entered it, store it."""
        typed, self._typed = self._typed, ""
        self._downloads.token = token
        if token and typed == token:
            # Owned by the downloads, since this field may be gone before the keychain is done.
            flows.start(self._downloads, self._store_token(token))

    @Slot()
    def _on_text(self) -> None:
        # Don't use this token for downloads yet, as it may be incomplete or wrong.
        self._typed = self.field.text().strip()
        self.changed.emit()

    @Slot()
    def _on_page(self) -> None:
        from huggingface_hub import constants

        ask_and_open(self, QUrl(f"{constants.ENDPOINT}/{self._ref}"))

    @Slot()
    def _on_forget(self) -> None:
        self._typed = ""
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self._downloads.token = ""
        flows.start(self._downloads, flows.run_in_thread(lambda _: keychain.delete()))
        self.show_field(False)
        self.changed.emit()

    async def _look_for_keychain(self) -> None:
        has_keychain = await flows.run_in_thread(lambda _: keychain.is_there())
        self.note.setText(tr(_SHOWN if has_keychain else _HERE_ONLY))

    async def _store_token(self, token: str) -> None:
        try:
            self._stored = await flows.run_in_thread(lambda _: keychain.store_secret(token))
        except Exception:
            log.exception("cannot store the token in the keychain")
            self._stored = False
        if shiboken6.isValid(self) and not self.field.isVisibleTo(self):
            self.show_field(False)
