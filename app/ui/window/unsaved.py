"""While chats cannot be saved the window says so, until they are; at the end it asks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject, Slot

from app.bridge import Bridge
from app.language import mark, tr
from app.store import Store, StoreError
from app.ui.dialogs.dialogs import Recovery
from app.ui.widgets.toast import Toast
from app.ui.window.main_window import MainWindow

log = logging.getLogger(__name__)

_DAMAGED = mark(
    "The file that holds your chats is damaged, so nothing more can be saved in it. "
    "End Stretto and start it again: it then offers to save what can be read."
)


class Unsaved(QObject):
    """Watches over a store's writing, from the window's side."""

    LAST_TRY_S = 5.0

    def __init__(self, store: Store, bridge: Bridge, window: MainWindow) -> None:
        super().__init__(window)
        self._store = store
        self._window = window
        # Beside the window's own toast, whose next word would take its place.
        self.notice = Toast(window, at_top=True)
        self.notice.acted.connect(self.try_now)
        _, self.post = bridge.channel(self.tell)  # `tell` for other threads
        store.on_error = self.post
        _, post = bridge.channel(self._on_saved)
        store.on_saved = lambda: post(None)

    def tell(self, error: StoreError) -> None:
        """Something could not be saved or read. Nothing is lost while the program runs."""
        log.warning("The chats' file: %s", error.code)
        if error.code in {"invalid", "closed"}:
            return
        words = tr(_DAMAGED) if error.code == "corrupt" else error.message
        self.notice.show_text(words, tr("Try Now"), seconds=0)

    @Slot()
    def try_now(self) -> None:
        """Have the writing tried at once."""
        with suppress(StoreError):
            self._store.flush(0)

    def save_the_rest(self, ask: Callable[[StoreError], Recovery]) -> None:
        """The program ends: try until all is saved or the person gives it up."""
        self._store.on_error = None
        self._store.on_saved = None
        while True:
            try:
                self._store.flush(self.LAST_TRY_S)
                return
            except StoreError as error:
                log.warning("Not saved at the end: %s", error.code)
                if ask(error) is Recovery.QUIT:
                    return

    def _on_saved(self, _: object) -> None:
        if not self.notice.isHidden():  # it is not visible in a window that is minimised
            self.notice.hide()
            self._window.toast.show_text(tr("Everything is saved again."))
