"""Search for other Strettos on the local network (`serve --announce`) with zeroconf.

Data from the network is limited, sanitized and only displayed. Connections need the user's consent.
"""

from __future__ import annotations

import asyncio
import importlib
import ipaddress
import logging
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from app.remote.address import AddressError, host_of, normalize_address
from app.remote.remote_errors import UNREACHABLE, RemoteError
from app.settings.language import tr
from app.tools.tool import one_line
from engine.serve.announcement import SERVICE
from engine.text.invisible import is_visible

log = logging.getLogger(__name__)

MOST = 50  # maximum number of servers to display
LONGEST_NAME = 63
_ANSWER_MS = 3000


class FoundServer(Struct, frozen=True, order=True):
    name: str  # machine name
    address: str  # see `normalize_address`

    @property
    def host(self) -> str:
        return host_of(self.address)


Tell = Callable[[tuple[FoundServer, ...]], None]


def parse_announcement(name: str, addresses: Sequence[str], port: int | None) -> FoundServer | None:
    """Return an announced server, or None if its data is invalid.

    Only local network addresses are accepted, preferably IPv4.
    """
    label = one_line(name.removesuffix(f".{SERVICE}"), LONGEST_NAME).strip()
    good = [ip for text in addresses[:20] if (ip := _parse_local_address(text)) is not None]
    good.sort(key=lambda ip: ip.version)
    if not label or not is_visible(label) or not good or not port or not 0 < port < 65_536:
        return None
    host = f"[{good[0]}]" if good[0].version == 6 else str(good[0])
    try:
        return FoundServer(label, normalize_address(f"http://{host}:{port}/v1"))
    except AddressError:
        return None


def _parse_local_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        return None
    # Link-local IPv6 addresses require an interface.
    has_name = ip.version == 4 or not ip.is_link_local
    return ip if ip.is_private and not (ip.is_unspecified or ip.is_multicast) and has_name else None


async def look(tell: Tell, interfaces: Sequence[str] = ()) -> None:
    """Search until canceled. Raises RemoteError if the search fails.

    ``tell`` is called with the full list of servers whenever it changes. ``interfaces`` are
    addresses of network interfaces, all by default.
    """
    # Import in a thread, because this takes half a second.
    await asyncio.to_thread(importlib.import_module, "zeroconf.asyncio")
    from zeroconf import Error, InterfaceChoice
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

    try:
        network = AsyncZeroconf(interfaces=list(interfaces) or InterfaceChoice.All)
    except (OSError, Error) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise RemoteError(
            UNREACHABLE, tr("This network can’t be searched ({why}).", why=reason)
        ) from error
    servers = _Seen(network, tell)
    try:
        browser = AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[servers.on_change])
        try:
            await asyncio.Event().wait()
        finally:
            await browser.async_cancel()
    finally:
        servers.end()
        await network.async_close()


class _Seen:
    def __init__(self, network: Any, tell: Tell) -> None:
        self._network = network
        self._tell = tell
        self._servers: dict[str, FoundServer] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    def on_change(self, **change: Any) -> None:
        from zeroconf import ServiceStateChange

        name: str = change["name"]
        if change["state_change"] is ServiceStateChange.Removed:
            if self._servers.pop(name, None) is not None:
                self._report()
        elif name not in self._asking and self._has_room(name):
            task = asyncio.ensure_future(self._ask(name))
            self._asking[name] = task
            task.add_done_callback(lambda _: self._asking.pop(name, None))

    def _has_room(self, name: str) -> bool:
        return name in self._servers or len(self._servers) + len(self._asking) < MOST

    def end(self) -> None:
        for task in list(self._asking.values()):
            task.cancel()

    async def _ask(self, name: str) -> None:
        from zeroconf import Error
        from zeroconf.asyncio import AsyncServiceInfo

        try:
            info = AsyncServiceInfo(SERVICE, name)
            if not await info.async_request(self._network.zeroconf, _ANSWER_MS):
                return
        except (OSError, Error) as error:
            log.info("cannot query a server on the network: %s", type(error).__name__)
            return
        service = parse_announcement(name, info.parsed_addresses(), info.port)
        if service is not None:
            self._servers[name] = service
            self._report()

    def _report(self) -> None:
        self._tell(tuple(sorted(self._servers.values())))
