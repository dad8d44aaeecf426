"""Looking at one model on the hub: what it is, then its card. The latest question counts."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import flows, keychain
from app.download import fault
from app.downloads import Downloads
from engine import hub
from engine.hub import HubModel

log = logging.getLogger(__name__)


class Looking(QObject):
    """Asks the hub about one model at a time, at once or after a pause.

    Signals:
        began(ref): the hub is being asked.
        answered(model, token): what it is, and the token that the hub was given; "" for none.
        refused(error): the hub does not tell, as an EngineError.
        card(markdown): the card of the model that was answered last; "" where it has none.
    """

    began = Signal(str)
    answered = Signal(object, str)
    refused = Signal(object)
    card = Signal(str)

    def __init__(
        self, downloads: Downloads, token: Callable[[], str], parent: QObject | None = None
    ) -> None:
        """``token``: what a look is made with; the hub may not have taken it yet."""
        super().__init__(parent)
        self._downloads = downloads
        self._token = token
        self._looking = flows.Latest(self)
        self._reading = flows.Latest(self)
        self._ref = ""
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._ask)

    @property
    def pausing(self) -> bool:
        """Whether the hub is about to be asked."""
        return self._later.isActive()

    def look(self, ref: str, pause_ms: int = 0) -> None:
        """Ask about this model, unless another or `drop` comes within the pause."""
        self.drop()
        self._ref = ref
        if pause_ms:
            self._later.start(pause_ms)
        else:
            self._ask()

    def drop(self) -> None:
        """Nobody waits for an answer any more."""
        self._later.stop()
        self._looking.cancel()
        self._reading.cancel()

    def read_card(self, model: HubModel) -> None:
        """Ask for the card of a model that was looked at. One that does not come is left out."""
        self._reading.start(self._read_card(model, self._downloads.token or None))

    async def _read_card(self, model: HubModel, token: str | None) -> None:
        try:
            card = await flows.aside(lambda stop: hub.card(model, token, stop))
        except Exception:
            log.debug("no card of %s", model.repo, exc_info=True)
        else:
            self.card.emit(card)

    @Slot()
    def _ask(self) -> None:
        self._later.stop()
        ref, token = self._ref, self._token()
        self.began.emit(ref)
        self._looking.start(self._look_at(ref, token))

    async def _look_at(self, ref: str, token: str) -> None:
        def look(stop: threading.Event) -> tuple[HubModel, str]:
            return keychain.with_token(
                token, lambda given: hub.look_up(ref, token=given, cancelled=stop)
            )

        try:
            model, used = await flows.aside(look)
        except Exception as problem:
            self.refused.emit(fault(problem))
        else:
            self.answered.emit(model, used)
