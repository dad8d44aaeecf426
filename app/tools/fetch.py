"""Download of web pages as text. Servers on this machine or its network are refused."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin, urlsplit

from app.settings.language import mark
from app.tools.tool import ToolError
from engine.errors import EngineError
from engine.sandbox.jobs import read_document
from engine.sandbox.lanes import MODELS, use_lane
from engine.text.encodings import NotTextError, decode
from engine.text.invisible import is_visible

MOST_BYTES = 2_000_000
MOST_TRANSFERRED = 2 * MOST_BYTES  # including headers, redirects and framing
LONGEST_URL = 8_000
SECONDS = 20.0
REDIRECTS = 5
_TEXTS = ("text/", "application/json", "application/xml", "application/xhtml", "+json", "+xml")

Resolve = Callable[[str, int], Iterable[str]]


def addresses(host: str, port: int) -> list[str]:
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def is_public(address: str) -> bool:
    """Return True if an address, or one embedded in it, is on the public internet.

    For IPv6, only the allocated range is public, because special ranges can lead to local machines.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        special = any(ip in network for network in _SPECIAL_4)
        return ip.is_global and not ip.is_multicast and not special
    if ip in _NAT64:  # networks without IPv4 map IPv4 addresses into this range
        return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    isatap = int(ip) >> 32 & 0xFCFFFFFF == 0x00005EFE
    special = any(ip in network for network in _SPECIAL_6)
    return ip in _GIVEN_OUT and ip.is_global and not special and not isatap and "%" not in address


_SPECIAL_4 = tuple(
    map(
        ipaddress.IPv4Network,
        # Azure host services, IETF protocols, 6to4 relays, benchmarks, reserved.
        ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"),
    )
)
_GIVEN_OUT = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SPECIAL_6 = tuple(
    map(
        ipaddress.IPv6Network,
        # Teredo and IETF protocols, 6to4, documentation, former test networks.
        ("2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20", "3ffe::/16"),
    )
)


class Deadline:
    """Limit of a download's time and size, which raises ToolError when exceeded."""

    def __init__(self, seconds: float, max_bytes: int) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._bytes_left = max_bytes

    def seconds_left(self) -> float:
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise self.make_error()
        return seconds

    def make_error(self) -> ToolError:
        return ToolError(
            mark("The page didn’t arrive within {seconds} s."), seconds=f"{self._seconds:.0f}"
        )

    def count_bytes(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise ToolError(mark("The page is too large."))


def fetch(
    url: str,
    resolve: Resolve = addresses,
    public: Callable[[str], bool] = is_public,
    seconds: float = SECONDS,
) -> str:
    """Download a page as text, with HTML as Markdown.

    ``seconds`` limits the time from name resolution to conversion.
    """
    import httpcore2

    deadline = Deadline(seconds, MOST_TRANSFERRED)
    backend = _make_checked_network(resolve, public, deadline)
    context = ssl.create_default_context()
    with httpcore2.ConnectionPool(ssl_context=context, network_backend=backend) as pool:
        for _ in range(REDIRECTS + 1):
            _check(url)
            headers = {"User-Agent": "Stretto", "Accept": "text/*, application/json"}
            headers["Host"] = urlsplit(url).netloc.rpartition("@")[2]
            try:
                with pool.stream("GET", url, headers=list(headers.items())) as answer:
                    answered = {k.decode().lower(): v.decode("latin-1") for k, v in answer.headers}
                    if answer.status in (301, 302, 303, 307, 308) and "location" in answered:
                        url = urljoin(url, answered["location"])
                        continue
                    return _read(answer, answered.get("content-type", ""), deadline)
            except ToolError:
                raise
            except Exception as error:
                deadline.seconds_left()
                raise ToolError(
                    mark("{url} couldn’t be fetched: {why}."), url=url[:200], why=_error_text(error)
                ) from error
    raise ToolError(mark("There were more than {most} redirects."), most=REDIRECTS)


def _check(url: str) -> None:
    if len(url) > LONGEST_URL:
        raise ToolError(mark("An address has at most {most} characters."), most=f"{LONGEST_URL:,}")
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise ToolError(mark("This isn’t an address.")) from error
    if parts.scheme not in ("http", "https") or not host or not is_visible(url) or " " in url:
        raise ToolError(mark("The address must begin with http:// or https://."))
    if parts.username is not None:
        raise ToolError(mark("The address can’t contain a name and password."))


def _resolve(resolve: Resolve, host: str, port: int, deadline: Deadline) -> list[str]:
    """Run `resolve` in a thread, because it has no timeout."""
    answer: Future[list[str]] = Future()

    def ask() -> None:
        try:
            answer.set_result(list(resolve(host, port)))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=ask, name="names", daemon=True).start()
    try:
        return answer.result(deadline.seconds_left())
    except FutureTimeout as error:
        raise deadline.make_error() from error
    except (OSError, UnicodeError) as error:
        raise ToolError(mark("There’s no server {host}."), host=host[:200]) from error


_NOT_PUBLIC = mark("{host} isn’t on the public internet.")


def _make_checked_network(
    resolve: Resolve, public: Callable[[str], bool], deadline: Deadline
) -> Any:
    """Return a network backend that only connects to public addresses it has checked.

    Names are resolved once, so the address can't change after the check. All socket operations stop
    at the deadline.
    """
    import httpcore2

    class Limited(httpcore2.NetworkStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            piece: bytes = self._stream.read(max_bytes, deadline.seconds_left())
            deadline.count_bytes(len(piece))
            return piece

        def write(self, buffer: bytes, timeout: float | None = None) -> None:
            self._stream.write(buffer, deadline.seconds_left())

        def close(self) -> None:
            self._stream.close()

        def start_tls(
            self, ssl_context: Any, server_hostname: Any = None, timeout: float | None = None
        ) -> Any:
            stream = self._stream.start_tls(ssl_context, server_hostname, deadline.seconds_left())
            return Limited(stream)

        def get_extra_info(self, info: str) -> Any:
            return self._stream.get_extra_info(info)

    class Guarded(httpcore2.SyncBackend):
        def connect_tcp(
            self, host: str, port: int, timeout: float | None = None, *args: Any, **options: Any
        ) -> Any:
            ips = _resolve(resolve, host, port, deadline)
            if not ips or not all(map(public, ips)):
                raise ToolError(_NOT_PUBLIC, host=host[:200])
            failure: Exception | None = None
            for address in ips:
                try:
                    stream = super().connect_tcp(
                        address, port, deadline.seconds_left(), *args, **options
                    )
                except Exception as error:
                    failure = error
                    continue
                if _is_near(stream):
                    stream.close()
                    raise ToolError(_NOT_PUBLIC, host=host[:200])
                return Limited(stream)
            assert failure is not None
            raise failure

        def connect_unix_socket(self, path: str, *args: Any, **options: Any) -> Any:
            raise ToolError(mark("The address must begin with http:// or https://."))

    return Guarded()


def _is_near(stream: Any) -> bool:
    """Return True if a server is on this machine or, in the case of IPv6, on its network."""
    first, second = (
        ipaddress.ip_address(str(stream.get_extra_info(info)[0]).partition("%")[0])
        for info in ("client_addr", "server_addr")
    )
    if first.is_loopback:
        return False  # only happens in tests, because such addresses aren't public
    near = first.version == 6 == second.version and int(first) >> 64 == int(second) >> 64
    return first == second or near


def _read(answer: Any, kind: str, deadline: Deadline) -> str:
    if answer.status >= 400:
        raise ToolError(mark("The server replied with status {status}."), status=answer.status)
    plain = kind.partition(";")[0].strip().lower() or "text/plain"
    if not any(plain.startswith(text) or plain.endswith(text) for text in _TEXTS):
        raise ToolError(mark("Stretto only fetches text, and this is {kind}."), kind=plain[:80])
    parts, size = [], 0
    for part in answer.iter_stream():
        deadline.seconds_left()
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            break
    text = _decode(b"".join(parts)[:MOST_BYTES], kind)
    return _to_markdown(text, deadline) if "html" in plain else text


def _to_markdown(page: str, deadline: Deadline) -> str:
    """Convert a page to Markdown. The parser might take hours, so it runs in a sandbox."""
    late = threading.Event()
    timer = threading.Timer(deadline.seconds_left(), late.set)
    timer.start()
    try:
        with TemporaryDirectory() as folder, use_lane(MODELS):
            path = Path(folder, "page.html")
            path.write_text(page, "utf-8", "replace")
            return read_document(path, late, encoding="utf-8").pages[0]
    finally:
        timer.cancel()
        timer.join()  # no thread may outlive the call


def _decode(data: bytes, kind: str) -> str:
    charset = kind.lower().partition("charset=")[2].partition(";")[0].strip("\"' ")
    try:
        return decode(data, charset).text
    except NotTextError:
        return data.decode("utf-8", "replace")


def _error_text(error: Exception) -> str:
    words = error.message if isinstance(error, EngineError) else str(error)
    words = words.strip().rstrip(".")
    return words[:200] or type(error).__name__
