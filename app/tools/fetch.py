"""One public address, fetched as text. Nothing of this machine or its network is reached."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

from app.tools.tool import ToolError

MOST_BYTES = 2_000_000
SECONDS = 20.0
REDIRECTS = 5
_TEXTS = ("text/", "application/json", "application/xml", "application/xhtml", "+json", "+xml")

Resolve = Callable[[str, int], Iterable[str]]


def addresses(host: str, port: int) -> list[str]:
    """The IP addresses of a name, as the system says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open internet, also where it hides within another."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None and not is_public(str(inner)):
            return False
    return ip.is_global and not ip.is_multicast


def fetch(url: str, resolve: Resolve = addresses, public: Callable[[str], bool] = is_public) -> str:
    """The text behind an address; HTML without its marks. Raises ToolError."""
    import httpcore2

    end = time.monotonic() + SECONDS
    backend = _guarded(resolve, public)
    context = ssl.create_default_context()
    with httpcore2.ConnectionPool(ssl_context=context, network_backend=backend) as pool:
        for _ in range(REDIRECTS + 1):
            _check(url)
            left = max(0.1, end - time.monotonic())
            limits = {"connect": left, "read": left, "write": left, "pool": left}
            headers = {"User-Agent": "Stretto", "Accept": "text/*, application/json"}
            headers["Host"] = urlsplit(url).netloc.rpartition("@")[2]
            try:
                with pool.stream(
                    "GET", url, headers=list(headers.items()), extensions={"timeout": limits}
                ) as answer:
                    told = {k.decode().lower(): v.decode("latin-1") for k, v in answer.headers}
                    if answer.status in (301, 302, 303, 307, 308) and "location" in told:
                        url = urljoin(url, told["location"])
                        continue
                    return _read(answer, told.get("content-type", ""), end)
            except ToolError:
                raise
            except Exception as error:
                raise ToolError(f"{url} could not be fetched: {_why(error)}.") from error
    raise ToolError(f"There were more than {REDIRECTS} redirects.")


def _check(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise ToolError("This is no address.") from error
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise ToolError("Only addresses that begin with http:// or https:// are fetched.")
    if parts.username is not None:
        raise ToolError("An address with a name and a password in it is not fetched.")


def _guarded(resolve: Resolve, public: Callable[[str], bool]) -> Any:
    """Connects to public addresses only, and to just those that were looked at.

    The name is resolved once, here: were it resolved again to connect, it might have become
    another address meanwhile.
    """
    import httpcore2

    class Guarded(httpcore2.SyncBackend):
        def connect_tcp(self, host: str, port: int, *args: Any, **options: Any) -> Any:
            try:
                found = list(resolve(host, port))
            except OSError as error:
                raise ToolError(f"There is no {host}.") from error
            if not found or not all(map(public, found)):
                raise ToolError(f"{host} is not on the open internet.")
            return super().connect_tcp(found[0], port, *args, **options)

        def connect_unix_socket(self, path: str, *args: Any, **options: Any) -> Any:
            raise ToolError("Only http:// and https:// are fetched.")

    return Guarded()


def _read(answer: Any, kind: str, end: float) -> str:
    if answer.status >= 400:
        raise ToolError(f"The server answered with status {answer.status}.")
    plain = kind.partition(";")[0].strip().lower() or "text/plain"
    if not any(plain.startswith(text) or plain.endswith(text) for text in _TEXTS):
        raise ToolError(f"Only text is fetched, and this is {plain[:80]}.")
    parts, size = [], 0
    for part in answer.iter_stream():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            break
        if time.monotonic() > end:
            raise ToolError(f"It was not there within {SECONDS:.0f} s.")
    charset = kind.lower().partition("charset=")[2].strip("\"' ;") or "utf-8"
    try:
        text = b"".join(parts)[:MOST_BYTES].decode(charset, "replace")
    except LookupError:
        text = b"".join(parts)[:MOST_BYTES].decode(errors="replace")
    return _without_marks(text) if "html" in plain else text


def _why(error: Exception) -> str:
    words = str(error).strip().rstrip(".")
    return words[:200] or type(error).__name__


class _Words(HTMLParser):
    SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
    BLOCKS = frozenset(
        {"p", "div", "li", "tr", "br", "section", "article", "pre", "table", "ul", "ol"}
        | {f"h{level}" for level in range(1, 7)}
    )

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in self.SILENT
        if tag in self.BLOCKS:
            self.found.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.SILENT and self._silent:
            self._silent -= 1
        if tag in self.BLOCKS:
            self.found.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found.append(data)


def _without_marks(text: str) -> str:
    words = _Words()
    words.feed(text)
    words.close()
    lines = (" ".join(line.split()) for line in "".join(words.found).splitlines())
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()
