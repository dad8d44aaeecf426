"""Pages fetched for a model."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from app.tools import fetch as fetching
from app.tools.fetch import fetch, is_public
from app.tools.tool import ToolError

LATE = "didn’t arrive within"
LIMIT = 0.6
"""Time limit of a fetch in seconds. The servers here take twenty or more and then succeed."""

Send = Callable[[bytes], None]


@contextmanager
def raw(answer: Callable[[Send, threading.Event], object]) -> Iterator[str]:
    stop = threading.Event()
    server = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def one(peer: socket.socket) -> None:
        with closing(peer):
            try:
                peer.recv(65536)
                answer(peer.sendall, stop)
            except OSError:
                return  # the client has hung up

    def serve() -> None:
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=one, args=(peer,)))
            threads[-1].start()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"a.example:{server.getsockname()[1]}"
    finally:
        stop.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()
        for each in threads:
            each.join()


def here(url: str, seconds: float = LIMIT) -> str:
    return fetch(url, lambda host, port: ["127.0.0.1"], lambda address: True, seconds)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def dripped(text: bytes, before: bytes = b"") -> Callable[[Send, threading.Event], None]:
    def answer(send: Send, stop: threading.Event) -> None:
        send(before)
        for at in range(min(200, len(text))):
            send(text[at : at + 1])
            if stop.wait(0.1):
                return
        send(text[200:])

    return answer


def continued(send: Send, stop: threading.Event) -> None:
    for _ in range(400):
        send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if stop.wait(0.05):
            return
    send(HEAD + b"Content-Length: 2\r\n\r\nok")


def hints(send: Send, stop: threading.Event) -> None:
    for _ in range(400):
        send(b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")
        if stop.wait(0.05):
            return
    send(HEAD + b"Content-Length: 2\r\n\r\nok")


def silent(send: Send, stop: threading.Event) -> None:
    if not stop.wait(20):
        send(HEAD + b"Content-Length: 2\r\n\r\nok")


SLOW: dict[str, Callable[[Send, threading.Event], None]] = {
    "the head": dripped(HEAD + b"Content-Length: 2\r\n" + b"X: y\r\n" * 30 + b"\r\nok"),
    "the body": dripped(b"x" * 200, HEAD + b"Content-Length: 200\r\n\r\n"),
    "chunks": dripped(
        b"1\r\nx\r\n" * 40 + b"0\r\n\r\n", HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    ),
    "a body without length": dripped(b"x" * 200, HEAD + b"\r\n"),
    "100 Continue": continued,
    "103 Early Hints": hints,
    "nothing": silent,
}


@pytest.mark.parametrize("what", SLOW)
def test_fetch_has_one_deadline(what: str) -> None:
    """Each read arrives in time, but the total takes too long."""
    with raw(SLOW[what]) as place, pytest.raises(ToolError, match=LATE):
        here(f"http://{place}/")


def test_slow_handshake_times_out() -> None:
    """The server sends its TLS handshake a byte at a time."""
    hello = b"\x16\x03\x03\x40\x00" + b"\x02" * 300
    with raw(dripped(hello)) as place, pytest.raises(ToolError, match=LATE):
        here(f"https://{place}/")


def test_deadline_includes_redirects_and_lookups() -> None:
    """Six redirects of a third of a second each, and a name lookup that never returns."""

    def answer(send: Send, stop: threading.Event) -> None:
        if not stop.wait(LIMIT / 3):
            head = (
                b"HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
            send(head)

    with raw(answer) as place, pytest.raises(ToolError, match=LATE):
        here(f"http://{place}/")
    told = threading.Event()

    def resolve(host: str, port: int) -> list[str]:
        told.wait(20)
        return ["127.0.0.1"]

    with raw(silent) as place, pytest.raises(ToolError, match=LATE):
        fetch(f"http://{place}/", resolve, lambda address: True, LIMIT)
    told.set()
    for thread in threading.enumerate():
        if thread.name == "names":
            thread.join(20)


def test_fetch_follows_only_public_redirects() -> None:
    looked: list[str] = []
    answers: list[bytes] = []

    def resolve(host: str, port: int) -> list[str]:
        looked.append(host)
        return ["127.0.0.1"] if host.endswith(".example") else [host]

    def redirect(to: str) -> bytes:
        head = f"HTTP/1.1 302 F\r\nContent-Length: 0\r\nConnection: close\r\nLocation: {to}\r\n\r\n"
        return head.encode()

    def get(*what: bytes) -> str:
        answers[:] = what
        return fetch(f"http://{place}/", resolve, lambda address: looked[-1].endswith(".example"))

    with raw(lambda send, stop: send(answers.pop(0))) as place:
        port = place.rpartition(":")[2]
        html = HEAD.replace(b"plain", b"html") + b"\r\n<p>One</p><script>x</script>Two"
        assert get(redirect(f"http://b.example:{port}/"), html).split() == ["One", "Two"]
        assert len(get(HEAD + b"\r\n" + b"x" * 3_000_000)) == 2_000_000
        for to in (f"http://127.0.0.1:{port}/", "file:///etc/passwd", f"//127.0.0.1:{port}/"):
            with pytest.raises(ToolError):
                get(redirect(to))
        with pytest.raises(ToolError):
            get(HEAD.replace(b"text/plain", b"image/png") + b"\r\n")
        with pytest.raises(ToolError):
            get(*[redirect(f"http://{place}/")] * 9)
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(ToolError, match="isn’t on the public internet"):
                fetch(f"http://{host}:{port}/")


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://a.example/", "http://", "javascript:1", "http://u:p@a.example/"],
)
def test_only_http_is_fetched(url: str) -> None:
    with pytest.raises(ToolError):
        fetch(url, lambda host, port: ["8.8.8.8"], lambda address: False)


def test_response_framing_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endless interim responses at full speed must be limited by bytes as well as by time."""

    def answer(send: Send, stop: threading.Event) -> None:
        while not stop.is_set():
            send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)

    monkeypatch.setattr(fetching, "MOST_TRANSFERRED", 300_000)
    with raw(answer) as place, pytest.raises(ToolError, match="page is too large"):
        here(f"http://{place}/", 30)


def test_python_specific_charset_is_not_used() -> None:
    """With a charset of "punycode" from the server, two megabytes took hours."""
    for charset in (
        "punycode",
        "idna",
        "unicode_escape",
        "utf-7",
        "rot13",
        "undefined",
        "\0",
        "zip",
    ):
        assert fetching._decode("é-a".encode(), f"text/plain; charset={charset}") == "é-a"
    assert fetching._decode("é".encode("latin-1"), "text/html; charset=ISO-8859-1") == "é"
    assert (
        fetching._decode("日本".encode("shift_jis"), 'text/plain; charset="Shift_JIS"; x') == "日本"
    )
    for charset in ("utf8", "windows-1252", "gb2312", "gbk", "big5", "euc-jp", "koi8-r", "utf-16"):
        text = "abc"
        assert fetching._decode(text.encode(charset), f"text/plain; charset={charset}") == text


@pytest.mark.parametrize(
    ("page", "encoding", "kind"),
    [
        ('<meta charset="gbk"><p>我们在学校学习中文</p>', "gbk", "text/html"),
        ('<meta charset="utf-8"><p>Привет, мир</p>', "cp1251", "text/html; charset=windows-1251"),
        ("<p>東京の天気は晴れです。</p>", "euc_jp", "text/html"),
        ('<?xml version="1.0" encoding="koi8-r"?><a>Ель</a>', "koi8_r", "application/xml"),
        ("Grüße, Jürgen", "utf-16", "text/plain; charset=utf-16"),
        ("Größe: 5 µm", "utf-8", "text/plain"),
    ],
)
def test_page_is_read_in_its_own_charset(page: str, encoding: str, kind: str) -> None:
    assert fetching._decode(page.encode(encoding), kind) == page


def test_page_arrives_as_markdown() -> None:
    page = (
        "<!doctype html><html><head><title>T</title><body class='a>b'><h1>A &amp; B</h1>"
        "<p>one <b>two</b><br>three<script>if (a<b) {'</p>'}</script> four<!-- <p>no</p> -->"
        "<svg><text>no</text></svg> five 1 < 2 &#233;&lt;p&gt;</p><ul><li>six</ul></body></html>"
    )
    html = HEAD.replace(b"plain", b"html")
    with raw(lambda send, stop: send(html + b"\r\n" + page.encode())) as place:
        text = here(f"http://{place}/", 60)
    assert text.startswith("# A & B\n\none **two**")
    assert "no" not in text.partition("[Not included")[0]
    assert "four five 1 < 2 é<p>" in text
    assert "- six" in text


def test_page_that_parses_too_slowly_is_abandoned() -> None:
    """Python's parser takes hours on this page."""
    html = HEAD.replace(b"plain", b"html")
    slow = html + b"\r\n" + b"<a b='" * 300_000
    with raw(lambda send, stop: send(slow)) as place, pytest.raises(ToolError, match=LATE):
        here(f"http://{place}/", 2)


@pytest.mark.parametrize(
    "address",
    [
        *("fec0::1", "fec0:0:0:ffff::1", "64:ff9b:1::7f00:1", "64:ff9b:1::808:808", "::127.0.0.1"),
        *("::8.8.8.8", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "168.63.129.16"),
        *(
            "2a00:1450::5efe:7f00:1",
            "2a00:1450::200:5efe:a00:1",
            "2001:0:7f00:1::1",
            "2002:808:808::",
        ),
        *(
            "64:ff9b::a9fe:a9fe",
            "64:ff9b::a83f:8110",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "4000::1",
        ),
        *("ff02::1", "ff0e::1", "192.0.0.192", "192.88.99.1", "198.18.0.1", "255.255.255.255"),
        *("100.100.100.200", "fd00:ec2::254", "2a00:1450::1%eth0", "240.0.0.1", "0.1.2.3"),
        *("2130706433", "0x7f.1", "127.1", "", "1.1.1.1 ", "nonsense", "2002:7f00:1::"),
        *("127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
        *("::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "224.0.0.1"),
    ],
)
def test_special_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "64:ff9b::808:808"],
)
def test_internet_addresses_are_public(address: str) -> None:
    """The last address is how IPv6-only networks reach IPv4."""
    assert is_public(address)


class Names:
    """Replacement for the system's resolver and connections.

    Attributes:
        told: successive answers for each name. The last answer repeats.
        reached: addresses that were connected to.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **told: list[list[str]]) -> None:
        self.told = {f"{name}.example": answers for name, answers in told.items()}
        self.asked: list[str] = []
        self.reached: list[str] = []
        self.real = socket.getaddrinfo
        self.connect = socket.socket.connect
        monkeypatch.setattr(socket, "getaddrinfo", self._getaddrinfo)
        names = self

        def connect(self: socket.socket, place: Any) -> None:
            names.reached.append(place[0])
            names.connect(self, ("127.0.0.1", place[1]))

        monkeypatch.setattr(socket.socket, "connect", connect)

    def _getaddrinfo(self, host: Any, port: Any, *args: Any, **named: Any) -> Any:
        if host not in self.told:
            return self.real(host, port, *args, **named)
        self.asked.append(host)
        answers = self.told[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]


def test_rebound_name_is_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DNS rebinding: connect to the same address that was checked."""
    to = b""

    def answer(send: Send, stop: threading.Event) -> None:
        head = b"HTTP/1.1 302 F\r\nConnection: close\r\nContent-Length: 0\r\n" if to else HEAD
        send(head + (to + b"\r\n" if to else b"Connection: close\r\n\r\nreached"))

    with raw(answer) as place:
        port = place.rpartition(":")[2]
        names = Names(monkeypatch, a=[["8.8.8.8"], ["127.0.0.1"]])
        assert fetch(f"http://a.example:{port}/") == "reached"
        assert (names.asked, names.reached) == (["a.example"], ["8.8.8.8"])
        names = Names(monkeypatch, a=[["8.8.8.8"], ["127.0.0.1"]])
        to = f"Location: http://a.example:{port}/again\r\n".encode()
        with pytest.raises(ToolError, match="isn’t on the public internet"):
            fetch(f"http://a.example:{port}/")
        assert names.reached == ["8.8.8.8"]
        for mixed in (["8.8.8.8", "127.0.0.1"], ["10.0.0.1", "8.8.8.8"], []):
            names = Names(monkeypatch, a=[mixed])
            with pytest.raises(ToolError, match="isn’t on the public internet"):
                fetch(f"http://a.example:{port}/")
            assert names.reached == []


def test_next_address_is_tried_after_a_timeout() -> None:
    with raw(lambda send, stop: send(HEAD + b"\r\nreached")) as place:
        both = lambda host, port: ["127.0.0.2:no", "127.0.0.1"]  # noqa: E731
        assert fetch(f"http://{place}/", both, lambda address: True) == "reached"


class _Peers:
    def __init__(self, here: str, there: str) -> None:
        self._of = {"client_addr": (here, 1), "server_addr": (there, 2)}

    def get_extra_info(self, info: str) -> tuple[str, int]:
        return self._of[info]


@pytest.mark.parametrize(
    ("here", "there", "near"),
    [
        ("2a00:1::5", "2a00:1::5", True),
        ("2a00:1::5", "2a00:1::6", True),
        ("2a00:1::5", "2a00:2::6", False),
        ("203.0.114.7", "203.0.114.7", True),
        ("192.168.1.2", "8.8.8.8", False),
    ],
)
def test_fetch_refuses_own_public_address(here: str, there: str, near: bool) -> None:
    assert fetching._is_near(_Peers(here, there)) is near


def test_non_tls_server_is_reported() -> None:
    plain = b"HTTP/1.1 200 OK\r\n\r\nplain"
    with raw(lambda send, stop: send(plain)) as place, pytest.raises(ToolError, match="be fetched"):
        here(f"https://{place}/", 10)
