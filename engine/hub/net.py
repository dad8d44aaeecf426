"""Talking with the hub from a thread of its own, so that a caller can stop at once.

A read from a socket cannot be interrupted, and a hub that does not answer would hold a cancelled
download for as long as the time-out. So reads are done by a thread that touches nothing but its
queue and ends by itself.

Nothing that a hub sends is taken without a limit: answers are read piece by piece, as they come
over the line. Packed ones are refused, since a few megabytes of them can become gigabytes.
"""

from __future__ import annotations

import contextlib
import logging
import math
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from engine.errors import (
    DOWNLOAD_CANCELLED,
    DOWNLOAD_FAILED,
    GATED,
    NO_SPACE,
    NOT_FOUND,
    OFFLINE,
    EngineError,
)
from engine.hub.names import clean_name

log = logging.getLogger(__name__)

READ_SECONDS = 60.0
"""How long one answer about a model may take in all, and any answer until it begins."""
LEAST_BYTES = 16 * 1024
"""So much of a file must come in that time. Who sends a byte now and then is as good as gone."""
MAX_WAIT_S = 3600.0
"""The longest wait that a hub may ask for with status 429 or 503. A longer one is an error."""
MAX_WAITS = 20
"""Waits in a row that bring nothing."""
BUSY_PAUSE_S = 10.0
"""The first wait for a hub that names none. Each further one is twice as long."""
SEARCH = "the search"  # what an answer is about that is about no single model

_LONGEST_WAIT_S = 10.0**6  # what is longer makes no sense
_LOOK_S = 0.05  # between two checks whether the download was cancelled
_WORDS = 200  # characters that are shown of what the client says
_BAD_TOKEN = "The hub does not take this access token. Check it."


class BrokenError(Exception):
    """The connection broke, or could not be made. It may be tried again."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(_reason(cause))
        self.cause = cause  # the client's own error


class BusyError(Exception):
    """The hub asks to be left alone for a while."""

    def __init__(self, cause: _RefusedError) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.wait_s = cause.wait_s  # 0 if the hub does not say


OnWait = Callable[[float], object]
"""Called with the seconds that a hub wants to be left alone, before they are waited."""


class Waits:
    """Waits for a hub that is busy.

    Args:
        cancelled: ends a wait immediately, with `download_cancelled`.
        most_s: the longest wait.
    """

    def __init__(
        self, cancelled: threading.Event, most_s: float = MAX_WAIT_S, on_wait: OnWait | None = None
    ) -> None:
        self._cancelled = cancelled
        self._most_s = most_s
        self._on_wait = on_wait
        self._in_a_row = 0

    def progressed(self) -> None:
        """Count waits from zero again, because data has come."""
        self._in_a_row = 0

    def wait(self, error: BusyError, what: str) -> None:
        """Wait as long as the hub asks.

        Raises:
            EngineError: `download_failed`, the wait is too long or one too many, or
                `download_cancelled`.
        """
        seconds = error.wait_s or min(BUSY_PAUSE_S * 2**self._in_a_row, MAX_WAIT_S)
        self._in_a_row += 1
        if seconds > self._most_s or self._in_a_row > MAX_WAITS:
            raise translated(error.cause, what)
        log.info("hub asks to wait %g s", seconds)
        if self._on_wait is not None:
            self._on_wait(seconds)
        if self._cancelled.wait(seconds):
            raise cancelled_error()


class _SlowError(Exception):
    """The answer comes, but too slowly."""


class _RefusedError(Exception):
    """The hub's answer has a status that is an error. Its body is not read."""

    def __init__(self, answer: Any) -> None:
        super().__init__(f"status {answer.status_code}")
        self.status: int = answer.status_code  # of HTTP
        # the hub's own word for the cause, empty where there is none
        self.code: str = answer.headers.get("X-Error-Code", "")
        # whether the hub was given an access token
        self.sent_token = "authorization" in answer.request.headers
        self.wait_s = _wait_s(answer.headers)


def _wait_s(headers: Mapping[str, str]) -> float:
    """Return the seconds that the hub wants to be left alone, or 0 if it does not say."""
    from huggingface_hub.utils import parse_ratelimit_headers

    told = headers.get("Retry-After", "").strip()
    seconds = 0.0
    try:
        seconds = float(told)
    except ValueError:
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            now = headers.get("Date")  # by the hub's clock, as the other one
            begun = parsedate_to_datetime(now).timestamp() if now else time.time()
            seconds = parsedate_to_datetime(told).timestamp() - begun
    if not told and (limits := parse_ratelimit_headers(headers)) is not None:
        seconds = limits.reset_in_seconds
    return math.ceil(seconds) if 0 < seconds < _LONGEST_WAIT_S else 0.0


def cancelled_error() -> EngineError:
    return EngineError(
        DOWNLOAD_CANCELLED, "The download was stopped. What has come is kept, and it can go on."
    )


def say_little() -> None:
    """Keep the client quiet.

    By default it sends the hub a list of what else is installed, and asks it for a list of programs
    to recognise. It also logs every address that it asks, and some of them contain signatures.
    """
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


def timeout_s() -> float:
    """Seconds without an answer after which the hub counts as gone (HF_HUB_DOWNLOAD_TIMEOUT)."""
    from huggingface_hub import constants

    return float(constants.HF_HUB_DOWNLOAD_TIMEOUT)


def read(
    url: str,
    headers: Mapping[str, str],
    what: str,
    cancelled: threading.Event,
    most: int,
    waits: Waits | None = None,
) -> bytes:
    """A short answer of the hub about ``what``, in one piece.

    Args:
        waits: waits for a hub that is busy; without it that is an error.

    Raises:
        EngineError: `offline`, `not_found`, `gated`, `download_failed`, also for one longer than
            ``most`` bytes, or `download_cancelled` as soon as the event is set.
    """
    while True:
        try:
            return _read(url, headers, what, cancelled, most)
        except BusyError as error:
            (waits or Waits(cancelled, 0)).wait(error, what)


def _read(
    url: str, headers: Mapping[str, str], what: str, cancelled: threading.Event, most: int
) -> bytes:
    end = time.monotonic() + READ_SECONDS
    text = bytearray()
    try:
        for _, piece in pieces(url, headers, what, cancelled):
            text += piece
            if len(text) > most:
                raise EngineError(
                    DOWNLOAD_FAILED,
                    f"The hub's answer about {what} is longer than {most / 2**20:.0f} MB and was "
                    "not read. Try another name.",
                )
            if time.monotonic() > end:
                raise BrokenError(_SlowError())
    except BrokenError as error:
        raise translated(error.cause, what) from None
    return bytes(text)


def pieces(
    url: str, headers: Mapping[str, str], what: str, cancelled: threading.Event
) -> Iterator[tuple[int, bytes]]:
    """Yields pairs of the status and a piece of the body. The first piece is empty.

    Raises:
        BrokenError: the connection broke off, stalled, or brings next to nothing.
        BusyError: the hub asks to wait.
        EngineError: what the hub refused, or `download_cancelled` as soon as the event is set.
    """
    transfer = _Transfer(url, headers)
    begun, came, left = False, 0, READ_SECONDS
    try:
        while True:
            before = time.monotonic()
            good, answer = _next(transfer.said, cancelled, left)
            left -= time.monotonic() - before  # what is done with the pieces does not count
            if not good and _is_busy(answer):
                raise BusyError(answer)
            if not good and _is_transient(answer):
                raise BrokenError(answer)
            if not good:
                raise translated(answer, what)
            if answer is None:
                return
            came += len(answer[1])
            yield answer
            if not begun or came >= LEAST_BYTES:
                begun, came, left = True, 0, READ_SECONDS
    finally:
        transfer.let_go()


def _next(
    said: queue.Queue[tuple[bool, Any]], cancelled: threading.Event, seconds: float
) -> tuple[bool, Any]:
    """The next item of a transfer.

    Raises:
        BrokenError: so many seconds are over.
        EngineError: `download_cancelled`.
    """
    end = time.monotonic() + seconds
    while not cancelled.is_set():
        if time.monotonic() > end:
            raise BrokenError(_SlowError())
        with contextlib.suppress(queue.Empty):
            return said.get(timeout=_LOOK_S)
    raise cancelled_error()


class _Transfer:
    """One request whose body is read by a thread. At most a few pieces wait to be taken.

    Its connection is its own, so `let_go` can close it even before an answer has begun. A head may
    be dripped for ever, and no time-out of a single read ends that.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.said: queue.Queue[tuple[bool, Any]] = queue.Queue(32)
        self._url = url
        self._headers = {**headers, "Connection": "close"}
        self._gone = threading.Event()
        self._socket: socket.socket | None = None
        threading.Thread(target=self._run, name="hub-transfer", daemon=True).start()

    def let_go(self) -> None:
        """End the transfer. Closing the connection wakes its thread up."""
        self._gone.set()
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        from huggingface_hub.utils import get_session

        try:
            session = get_session()
            with session.stream(
                "GET",
                self._url,
                headers=self._headers,
                timeout=timeout_s(),
                extensions={"trace": self._note},
            ) as answer:
                if answer.status_code >= 400:
                    raise _RefusedError(answer)
                if answer.headers.get("Content-Encoding", "identity") != "identity":
                    raise EngineError(
                        DOWNLOAD_FAILED, "The hub packs what it was asked to send as it is."
                    )
                self._say(True, (answer.status_code, b""))
                for piece in answer.iter_raw():
                    if not self._say(True, (answer.status_code, piece)):
                        return
            self._say(True, None)
        except Exception as error:
            self._say(False, error)

    def _note(self, event: str, about: Mapping[str, Any]) -> None:
        """Take note of the connection as soon as there is one; a redirect makes another."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = about["return_value"].get_extra_info("socket")
            if self._gone.is_set():
                self.let_go()

    def _say(self, good: bool, what: object) -> bool:
        while not self._gone.is_set():
            with contextlib.suppress(queue.Full):
                self.said.put((good, what), timeout=_LOOK_S)
                return True
        return False


def translated(error: Exception, what: str) -> EngineError:
    """The engine's error for one of the client's, in words that say what to do."""
    from httpx2 import TimeoutException, TransportError
    from huggingface_hub.errors import OfflineModeIsEnabled

    if isinstance(error, EngineError):
        return error
    if isinstance(error, OfflineModeIsEnabled):
        return EngineError(OFFLINE, "HF_HUB_OFFLINE is set, so the hub is not asked. Unset it.")
    if isinstance(error, _SlowError):
        return EngineError(OFFLINE, "The hub answers too slowly. Try again in a while.")
    if isinstance(error, TimeoutException):
        return EngineError(OFFLINE, "The hub does not answer. Try again in a while.")
    if isinstance(error, TransportError):
        log.info("The hub cannot be reached: %s", _reason(error))
        return EngineError(OFFLINE, "The hub cannot be reached. Check the connection.")
    if isinstance(error, _RefusedError):
        return _refusal(error, what)
    if isinstance(error, OSError):
        return disk_error(error)
    return EngineError(DOWNLOAD_FAILED, f"{what} could not be downloaded: {_reason(error)}.")


def disk_error(error: OSError) -> EngineError:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EngineError(NO_SPACE, "The disk is full. Free some space; the download can go on.")
    where = f"{error.filename}: " if error.filename else ""
    return EngineError(
        DOWNLOAD_FAILED,
        f"Downloads cannot be written ({where}{error.strerror or error}). Make their folder "
        "writable, or name another by HF_HOME.",
    )


def _refusal(error: _RefusedError, what: str) -> EngineError:
    status, code, sent_token = error.status, error.code, error.sent_token
    if status == 429:
        return EngineError(DOWNLOAD_FAILED, f"The hub is asked too often. {_later(error.wait_s)}")
    if what == SEARCH and status in (401, 403, 404):
        if not sent_token:
            return EngineError(
                GATED,
                "The hub lets nobody search without an access token. Write the model's whole name.",
            )
        return EngineError(GATED, _BAD_TOKEN)
    if code == "RevisionNotFound":
        return EngineError(NOT_FOUND, f"{what} has no such revision. Check its name.")
    if status == 404:
        return EngineError(NOT_FOUND, f"There is no model {what} on the hub. Check its name.")
    if code == "GatedRepo" or (status == 403 and code != "RepoNotFound"):
        way = (
            "the account of this access token has not been let in. Ask for access on its page"
            if sent_token
            else "it wants an access token. Ask for access on its page, then give the token"
        )
        return EngineError(GATED, f"{what} is given only to people who asked for it: {way}.")
    if status in (401, 403) and sent_token and code != "RepoNotFound":
        return EngineError(GATED, _BAD_TOKEN)
    if status in (401, 403):
        return EngineError(
            GATED,
            f"The hub shows no model {what} to just anybody: its name is wrong, or it is private "
            "and wants an access token.",
        )
    return EngineError(
        DOWNLOAD_FAILED, f"The hub could not serve {what} (status {status}). Try again in a while."
    )


def _later(wait_s: float) -> str:
    if not wait_s:
        return "Try again later."
    minutes = math.ceil(wait_s / 60)
    return f"Try again in {f'{wait_s:g} s' if wait_s < 100 else f'{minutes} minutes'}."


def _is_busy(error: Exception) -> bool:
    if not isinstance(error, _RefusedError):
        return False
    return error.status == 429 or (error.status == 503 and error.wait_s > 0)


def _is_transient(error: Exception) -> bool:
    from httpx2 import TransportError

    if isinstance(error, _RefusedError):
        return error.status in (408, 500, 502, 503, 504)
    return isinstance(error, TransportError)


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (clean_name(lines[0], _WORDS) if lines else type(error).__name__).rstrip(".")
