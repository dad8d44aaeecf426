"""HTTP requests to the hub, on separate threads because a blocking socket read can't be cancelled.

Responses are read in chunks and limited in size. Compressed responses are rejected, because a few
megabytes could expand to gigabytes.
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

READ_TIMEOUT_S = 60.0
"""Time limit for an entire metadata response, and for the start of any other response."""
MIN_PROGRESS_BYTES = 16 * 1024
"""Minimum bytes of a download within `READ_TIMEOUT_S`."""
MAX_WAIT_S = 3600.0
"""Maximum delay that a hub may request with status 429 or 503."""
MAX_WAITS = 20
"""Consecutive waits without receiving any data."""
BUSY_PAUSE_S = 10.0
"""Initial delay if the hub doesn't specify one, doubled every time."""
SEARCH_LABEL = "the search"  # used instead of a model name in error messages

_MAX_PARSED_WAIT_S = 10.0**6  # limit for the server's delay; longer delays are ignored
_CHECK_S = 0.05  # interval between checks for cancellation
_MAX_REASON_CHARACTERS = 200  # limit for the client's message quoted in our error
_BAD_TOKEN = "Hugging Face rejected this access token. Check it."


class BrokenError(Exception):
    """Raised if the connection failed or was interrupted. Retrying may help."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(_reason(cause))
        self.cause = cause  # exception raised by the HTTP client


OnWait = Callable[[float], object]
"""Callback before waiting for a busy hub, with the delay in seconds."""


class BusyWaiter:
    """Delays while the hub is busy, with limits on their number and length.

    Args:
        cancelled: set it to abort a wait with `download_cancelled`.
        most_s: longest delay to accept.
    """

    def __init__(
        self, cancelled: threading.Event, most_s: float = MAX_WAIT_S, on_wait: OnWait | None = None
    ) -> None:
        self._cancelled = cancelled
        self._most_s = most_s
        self._on_wait = on_wait
        self._in_a_row = 0

    def reset(self) -> None:
        self._in_a_row = 0

    def wait(self, error: HubStatusError, label: str) -> None:
        """Wait for the requested delay.

        Raises:
            EngineError: `download_failed` after too long a delay or too many waits;
                `download_cancelled`.
        """
        seconds = error.wait_s or min(BUSY_PAUSE_S * 2**self._in_a_row, MAX_WAIT_S)
        self._in_a_row += 1
        if seconds > self._most_s or self._in_a_row > MAX_WAITS:
            raise to_engine_error(error, label)
        log.info("hub asks to wait %g s", seconds)
        if self._on_wait is not None:
            self._on_wait(seconds)
        if self._cancelled.wait(seconds):
            raise cancelled_error()


class _TooSlowError(Exception):
    pass


class HubStatusError(Exception):
    """Response with an error status. The body isn't read."""

    def __init__(self, answer: Any) -> None:
        super().__init__(f"status {answer.status_code}")
        self.status: int = answer.status_code
        # The hub's error code, or "".
        self.code: str = answer.headers.get("X-Error-Code", "")
        # True if the request had an access token.
        self.sent_token = "authorization" in answer.request.headers
        self.wait_s = _parse_wait_s(answer.headers)  # delay requested by the server, or 0


def _parse_wait_s(headers: Mapping[str, str]) -> float:
    from huggingface_hub.utils import parse_ratelimit_headers

    retry_after = headers.get("Retry-After", "").strip()
    seconds = 0.0
    try:
        seconds = float(retry_after)
    except ValueError:
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            now = headers.get("Date")  # both times are based on the hub's clock
            sent_at = parsedate_to_datetime(now).timestamp() if now else time.time()
            seconds = parsedate_to_datetime(retry_after).timestamp() - sent_at
    if not retry_after and (limits := parse_ratelimit_headers(headers)) is not None:
        seconds = limits.reset_in_seconds
    return math.ceil(seconds) if 0 < seconds < _MAX_PARSED_WAIT_S else 0.0


def cancelled_error() -> EngineError:
    return EngineError(
        DOWNLOAD_CANCELLED, "The download was stopped. The received part is kept for resuming."
    )


def silence_client() -> None:
    """Turn off the client's telemetry and logging.

    The client would send a list of installed packages, request a list of known programs, and log
    every URL, including signatures.
    """
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


def timeout_s() -> float:
    """Return the timeout for the start of a response (HF_HUB_DOWNLOAD_TIMEOUT)."""
    from huggingface_hub import constants

    return float(constants.HF_HUB_DOWNLOAD_TIMEOUT)


def fetch(
    url: str,
    headers: Mapping[str, str],
    label: str,
    cancelled: threading.Event,
    max_bytes: int,
    waits: BusyWaiter | None = None,
) -> bytes:
    """Fetch a short response about ``label``.

    Args:
        waits: waits for a busy hub. Without it, a busy hub is an error.

    Raises:
        EngineError: `offline`, `not_found`, `gated`, `download_failed` (also above ``max_bytes``),
            or `download_cancelled` as soon as the event is set.
    """
    while True:
        try:
            return _fetch_once(url, headers, label, cancelled, max_bytes)
        except HubStatusError as error:
            (waits or BusyWaiter(cancelled, 0)).wait(error, label)


def _fetch_once(
    url: str, headers: Mapping[str, str], label: str, cancelled: threading.Event, max_bytes: int
) -> bytes:
    end = time.monotonic() + READ_TIMEOUT_S
    text = bytearray()
    try:
        for _, piece in stream_chunks(url, headers, label, cancelled):
            text += piece
            if len(text) > max_bytes:
                raise EngineError(
                    DOWNLOAD_FAILED,
                    f"Hugging Face's answer about {label} is longer than {max_bytes / 2**20:.0f} "
                    "MB and was rejected. Try another name.",
                )
            if time.monotonic() > end:
                raise BrokenError(_TooSlowError())
    except BrokenError as error:
        raise to_engine_error(error.cause, label) from None
    return bytes(text)


def stream_chunks(
    url: str, headers: Mapping[str, str], label: str, cancelled: threading.Event
) -> Iterator[tuple[int, bytes]]:
    """Yield (status, chunk) for a response. The first chunk is empty.

    Raises:
        BrokenError: if the connection breaks, stalls or is too slow.
        HubStatusError: if the hub is busy.
        EngineError: if the hub rejects the request; `download_cancelled` as soon as the event is
            set.
    """
    transfer = HubTransfer(url, headers)
    has_answered, received, seconds_left = False, 0, READ_TIMEOUT_S
    try:
        while True:
            before = time.monotonic()
            good, answer = _next_item(transfer.items, cancelled, seconds_left)
            seconds_left -= time.monotonic() - before  # exclude the time spent in the caller
            if not good and _is_busy(answer):
                raise answer
            if not good and _is_transient(answer):
                raise BrokenError(answer)
            if not good:
                raise to_engine_error(answer, label)
            if answer is None:
                return
            received += len(answer[1])
            yield answer
            if not has_answered or received >= MIN_PROGRESS_BYTES:
                has_answered, received, seconds_left = True, 0, READ_TIMEOUT_S
    finally:
        transfer.close()


def _next_item(
    items: queue.Queue[tuple[bool, Any]], cancelled: threading.Event, seconds: float
) -> tuple[bool, Any]:
    """Return the next item of a transfer."""
    end = time.monotonic() + seconds
    while not cancelled.is_set():
        if time.monotonic() > end:
            raise BrokenError(_TooSlowError())
        with contextlib.suppress(queue.Empty):
            return items.get(timeout=_CHECK_S)
    raise cancelled_error()


class HubTransfer:
    """Request with a thread that reads the response body into a bounded queue.

    It has its own connection, so `close` can shut it down at any time. There is no timeout for
    slowly sent headers.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self.items: queue.Queue[tuple[bool, Any]] = queue.Queue(32)
        self._url = url
        self._headers = {**headers, "Connection": "close"}
        self._closed = threading.Event()
        self._socket: socket.socket | None = None
        threading.Thread(target=self._run, name="hub-transfer", daemon=True).start()

    def close(self) -> None:
        self._closed.set()
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
                extensions={"trace": self._on_trace},
            ) as answer:
                if answer.status_code >= 400:
                    raise HubStatusError(answer)
                if answer.headers.get("Content-Encoding", "identity") != "identity":
                    raise EngineError(
                        DOWNLOAD_FAILED,
                        "Hugging Face sent a compressed answer, which is not accepted.",
                    )
                self._enqueue(True, (answer.status_code, b""))
                for piece in answer.iter_raw():
                    if not self._enqueue(True, (answer.status_code, piece)):
                        return
            self._enqueue(True, None)
        except Exception as error:
            self._enqueue(False, error)

    def _on_trace(self, event: str, details: Mapping[str, Any]) -> None:
        """Store the socket of a new connection. Redirects open further connections."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = details["return_value"].get_extra_info("socket")
            if self._closed.is_set():
                self.close()

    def _enqueue(self, good: bool, item: object) -> bool:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self.items.put((good, item), timeout=_CHECK_S)
                return True
        return False


def to_engine_error(error: Exception, label: str) -> EngineError:
    from httpx2 import TimeoutException, TransportError
    from huggingface_hub.errors import OfflineModeIsEnabled

    if isinstance(error, EngineError):
        return error
    if isinstance(error, OfflineModeIsEnabled):
        return EngineError(OFFLINE, "HF_HUB_OFFLINE is set. Unset it to use Hugging Face.")
    if isinstance(error, _TooSlowError):
        return EngineError(OFFLINE, "Hugging Face answers too slowly. Try again in a while.")
    if isinstance(error, TimeoutException):
        return EngineError(OFFLINE, "Hugging Face does not answer. Try again in a while.")
    if isinstance(error, TransportError):
        log.info("cannot reach the hub: %s", _reason(error))
        return EngineError(OFFLINE, "Hugging Face cannot be reached. Check the connection.")
    if isinstance(error, HubStatusError):
        return _status_error(error, label)
    if isinstance(error, OSError):
        return disk_error(error)
    return EngineError(DOWNLOAD_FAILED, f"{label} could not be downloaded: {_reason(error)}.")


def disk_error(error: OSError) -> EngineError:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EngineError(NO_SPACE, "The disk is full. Free some space; the download can go on.")
    prefix = f"{error.filename}: " if error.filename else ""
    return EngineError(
        DOWNLOAD_FAILED,
        f"Downloads cannot be written ({prefix}{error.strerror or error}). Make their folder "
        "writable, or set another one with HF_HOME.",
    )


def _status_error(error: HubStatusError, label: str) -> EngineError:
    status, code, sent_token = error.status, error.code, error.sent_token
    if status == 429:
        return EngineError(
            DOWNLOAD_FAILED, f"Too many requests to Hugging Face. {_retry_text(error.wait_s)}"
        )
    if label == SEARCH_LABEL and status in (401, 403, 404):
        if not sent_token:
            return EngineError(
                GATED,
                "Hugging Face requires an access token for a search. Enter the model's full name.",
            )
        return EngineError(GATED, _BAD_TOKEN)
    if code == "RevisionNotFound":
        return EngineError(NOT_FOUND, f"{label} has no such revision. Check its name.")
    if status == 404:
        return EngineError(NOT_FOUND, f"There is no model {label} on Hugging Face. Check its name.")
    if code == "GatedRepo" or (status == 403 and code != "RepoNotFound"):
        way = (
            "the account of this access token has no access. Request it on the model's page"
            if sent_token
            else "it needs an access token. Request access on the model's page, then set the token"
        )
        return EngineError(GATED, f"{label} is only available on request: {way}.")
    if status in (401, 403) and sent_token and code != "RepoNotFound":
        return EngineError(GATED, _BAD_TOKEN)
    if status in (401, 403):
        return EngineError(
            GATED,
            f"Hugging Face does not show model {label}: its name is wrong, or it is private "
            "and needs an access token.",
        )
    return EngineError(
        DOWNLOAD_FAILED,
        f"Hugging Face could not serve {label} (status {status}). Try again in a while.",
    )


def _retry_text(wait_s: float) -> str:
    if not wait_s:
        return "Try again later."
    minutes = math.ceil(wait_s / 60)
    return f"Try again in {f'{wait_s:g} s' if wait_s < 100 else f'{minutes} minutes'}."


def _is_busy(error: Exception) -> bool:
    if not isinstance(error, HubStatusError):
        return False
    return error.status == 429 or (error.status == 503 and error.wait_s > 0)


def _is_transient(error: Exception) -> bool:
    from httpx2 import TransportError

    if isinstance(error, HubStatusError):
        return error.status in (408, 500, 502, 503, 504)
    return isinstance(error, TransportError)


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (clean_name(lines[0], _MAX_REASON_CHARACTERS) if lines else type(error).__name__).rstrip(
        "."
    )
