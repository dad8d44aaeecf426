"""What the servers that are switched on in a chat offer: resources to attach, prompts to write."""

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
    """One chat's. On the GUI thread; nothing here waits for a server.

    Attributes:
        known: what each server has listed last, or why it has not, by its name.
        host: reads what was chosen.
    """

    FRESH_S = 15.0
    """How long a list holds before it is asked for again."""

    def __init__(
        self, owner: QObject, host: ToolHost, switched_on: Callable[[], list[str]]
    ) -> None:
        """``switched_on`` gives the keys of the chat's tools."""
        self._owner = owner
        self._switched_on = switched_on
        self._asked: dict[str, float] = {}
        self.host = host
        self.known: dict[str, Offers | str] = {}

    @property
    def servers(self) -> list[str]:
        """Those of which the chat has something switched on."""
        named = {key.partition("/")[0] for key in self._switched_on()} - {BUILT_IN}
        configs = (self.host.config(name) for name in sorted(named))
        return [config.name for config in configs if config is not None and config.enabled]

    def ask(self, changed: Callable[[], object]) -> None:
        """Have the lists that are not fresh told anew; ``changed`` is called for each that comes.

        A server that is not running is started for it.
        """
        now = monotonic()
        for server in self.servers:
            if now - self._asked.get(server, -self.FRESH_S) >= self.FRESH_S:
                self._asked[server] = now
                flows.start(self._owner, self._ask(server, changed))

    async def _ask(self, server: str, changed: Callable[[], object]) -> None:
        try:
            offers = await flows.arrived(self.host.offers(server))
        except CancelledError:
            return
        except Exception as error:
            self.known[server] = str(error)
        else:
            self.known[server] = offers
        changed()
