"""Announcement of the server on the local network over zeroconf (mDNS).

The record has the machine's name, the server's addresses and port, and Stretto's service type. It
says nothing about models or keys.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
from collections.abc import Iterator

from engine.errors import INVALID_REQUEST, EngineError
from engine.hub.names import clean_name

log = logging.getLogger(__name__)

SERVICE = "_stretto._tcp.local."  # service type
MAX_NAME_BYTES = 63  # limit of DNS


@contextlib.contextmanager
def announce(
    host: str, port: int, name: str = "", interfaces: list[str] | None = None
) -> Iterator[str]:
    """Announce a server while the block runs, and yield the announced name.

    Args:
        host: address of the server. 0.0.0.0 and :: mean all addresses of this machine.
        name: defaults to the machine's name.
        interfaces: addresses of the interfaces to announce on (default: all).
    """
    from zeroconf import Error, InterfaceChoice, IPVersion, ServiceInfo, Zeroconf

    name = _label(name or socket.gethostname().partition(".")[0])
    with contextlib.ExitStack() as cleanup:
        try:
            addresses = addresses_of(host)
            info = ServiceInfo(
                SERVICE,
                f"{name}.{SERVICE}",
                port=port,
                parsed_addresses=addresses,
                server=f"{name.replace(' ', '-')}-stretto.local.",
                properties={"version": "1"},
            )
            only4 = all(":" not in address for address in addresses)
            version = IPVersion.V4Only if only4 else IPVersion.All
            zeroconf = Zeroconf(interfaces or InterfaceChoice.All, ip_version=version)
            cleanup.enter_context(contextlib.closing(zeroconf))
            zeroconf.register_service(info, allow_name_change=True)
        except (OSError, Error) as error:
            raise _failed(error) from error
        yield info.get_name()
        with contextlib.suppress(OSError, Error):
            zeroconf.unregister_service(info)


def addresses_of(host: str) -> list[str]:
    import ifaddr

    if host in ("0.0.0.0", "::"):
        ips = [ip.ip if ip.is_IPv4 else ip.ip[0] for a in ifaddr.get_adapters() for ip in a.ips]
        addresses = [str(ip) for ip in ips if host == "::" or ":" not in str(ip)]
        addresses = [address for address in addresses if _reachable(address)]
    else:
        addresses = [
            str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        ]
    if not addresses:
        raise OSError("this machine has no network address")
    return list(dict.fromkeys(addresses))


def _reachable(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    return not (ip.is_loopback or (ip.version == 6 and ip.is_link_local))


def _label(name: str) -> str:
    cleaned = clean_name(name).replace(".", " ").strip() or "Stretto"
    return cleaned.encode()[:MAX_NAME_BYTES].decode("utf-8", "ignore").strip()


def _failed(error: Exception) -> EngineError:
    reason = (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")
    return EngineError(INVALID_REQUEST, f"Cannot announce this server on the network: {reason}.")
