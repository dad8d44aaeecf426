"""Tells the local network where this server is, by zeroconf (mDNS), for as long as it answers.

Said are the machine's name, the server's addresses and its port, and that it is a Stretto. Nothing
is said of models and keys.
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

SERVICE = "_stretto._tcp.local."  # what servers are found by
LONGEST_NAME = 63  # bytes of a name, by DNS


@contextlib.contextmanager
def announced(
    host: str, port: int, name: str = "", interfaces: list[str] | None = None
) -> Iterator[str]:
    """Announce a server until this is left. Gives the name by which it is found.

    Args:
        host: where it listens; 0.0.0.0 and :: stand for all addresses of this machine.
        name: the machine's own where it is empty.
        interfaces: addresses of those by which it is told; all where there are none.

    Raises:
        EngineError: the network cannot be told.
    """
    from zeroconf import Error, InterfaceChoice, IPVersion, ServiceInfo, Zeroconf

    name = _label(name or socket.gethostname().partition(".")[0])
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
        told = Zeroconf(interfaces or InterfaceChoice.All, ip_version=version)
    except (OSError, Error) as error:
        raise _failed(error) from error
    with contextlib.closing(told):
        try:
            told.register_service(info, allow_name_change=True)
        except (OSError, Error) as error:
            raise _failed(error) from error
        yield info.get_name()
        with contextlib.suppress(OSError, Error):
            told.unregister_service(info)


def addresses_of(host: str) -> list[str]:
    """The addresses at which others reach a server that listens there.

    Raises:
        OSError: there are none.
    """
    import ifaddr

    if host in ("0.0.0.0", "::"):
        ips = [ip.ip if ip.is_IPv4 else ip.ip[0] for a in ifaddr.get_adapters() for ip in a.ips]
        found = [str(ip) for ip in ips if host == "::" or ":" not in str(ip)]
        found = [each for each in found if _reachable(each)]
    else:
        found = [
            str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        ]
    if not found:
        raise OSError("this machine has no address in a network")
    return list(dict.fromkeys(found))


def _reachable(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    return not (ip.is_loopback or (ip.version == 6 and ip.is_link_local))


def _label(name: str) -> str:
    cleaned = clean_name(name).replace(".", " ").strip() or "Stretto"
    return cleaned.encode()[:LONGEST_NAME].decode("utf-8", "ignore").strip()


def _failed(error: Exception) -> EngineError:
    why = (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")
    return EngineError(INVALID_REQUEST, f"The network cannot be told where this server is: {why}.")
