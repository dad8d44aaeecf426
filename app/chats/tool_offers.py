from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from time import monotonic

from PySide6.QtCore import QObject

from app import flows
from app.tools.host import ToolHost
from app.tools.offers import Offers
from app.tools.tool import BUILT_IN


class ToolOffers:
    """Resources and prompts of the servers that are enabled in a chat."""

    FRESH_S = 15.0  # maximum age of a server's offers

    def __init__(
        self, owner: QObject, host: ToolHost, switched_on: Callable[[], list[str]]
    ) -> None:
        self._owner = owner
        self._switched_on = switched_on
        self._asked_at: dict[str, float] = {}
        self.host = host
        # latest offers by server, or an error message
        self.known: dict[str, Offers | str] = {}

    @property
    def servers(self) -> list[str]:
        names = {key.partition("/")[0] for key in self._switched_on()} - {BUILT_IN}
        configs = (self.host.config(name) for name in sorted(names))
        return [config.name for config in configs if config is not None and config.enabled]

    def ask(self, changed: Callable[[], object]) -> None:
        """Refresh outdated offers, starting servers if necessary. Calls ``changed`` after each."""
        now = monotonic()
        for server in self.servers:
            if now - self._asked_at.get(server, -self.FRESH_S) >= self.FRESH_S:
                self._asked_at[server] = now
                flows.start(self._owner, self._ask(server, changed))

    async def _ask(self, server: str, changed: Callable[[], object]) -> None:
        try:
            offers = await flows.wait_for_future(self.host.offers(server))
        except CancelledError:
            return
        except Exception as error:
            self.known[server] = str(error)
        else:
            self.known[server] = offers
        changed()
