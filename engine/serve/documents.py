"""Text extraction from documents in requests, with the reader for attachments.

Reading a document can take a minute, so such requests are parsed on separate threads with fair
queueing between keys.
"""

from __future__ import annotations

import asyncio
import base64
import contextvars
import hashlib
import re
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from msgspec.structs import replace

from engine.errors import ENGINE_STOPPED, EngineError
from engine.sandbox.jobs import read_document
from engine.sandbox.lanes import ReadingLane, use_lane
from engine.sandbox.protocol import DOCUMENT_LIMITS, TaskLimits
from engine.serve.auth import LOCAL, KeyOwner
from engine.serve.errors import RequestError
from engine.serve.json_input import message_parts
from engine.serve.queue import Queue, Report

MAX_DOCUMENTS = 64
READING_BUDGET_S = 120.0
"""CPU time of child processes for all documents of a request, in seconds."""
MAX_READ_AT_ONCE = 8
"""Number of requests whose documents are read concurrently. Half of these slots are reserved for
keys that have none.
"""
PIECE_CHARACTERS = 2**18
"""Characters decoded per step, which takes about 2 ms."""
MAX_KEPT_CHARACTERS = 16_000_000
"""Size of the text cache. Clients resend documents on every turn."""

T = TypeVar("T")

_ENDINGS = {
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "text/csv": ".csv",
}
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,10}")
_ADDRESS = re.compile(
    r'\s*data:(?P<kind>[^;,]{0,100})(?P<parameters>(?:;(?:"[^"]{0,300}"|[^",]){0,300})?),',
    re.IGNORECASE,
)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE)
_BASE64 = re.compile(r"\s*;\s*base64\s*$", re.IGNORECASE)
_BINARY = re.compile(r"image/(?!svg)|audio/|video/|application/(pdf|octet-stream)", re.IGNORECASE)
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_BLANKS = b" \t\r\n\f\v"
_TYPES = ("document", "file", "input_file")  # types of message parts that are slow to read


def read(data: str, kind: str = "", name: str = "") -> str:
    """Return the text of a document, with a note for PDF pages without text.

    Args:
        data: base64 or a data: URL.
        kind: media type. A data: URL's own type takes precedence.

    Raises:
        ValueError: if the document can't be read. The message is the second half of a sentence.
        RequestError: if the request has too many documents, or they take too long.
        EngineError: `engine_stopped` if the request was cancelled.
    """
    content, match = decode(data)
    suffix = _ENDING.fullmatch(Path(name[-300:]).suffix)
    charset = _CHARSET.search(match) or _CHARSET.search(kind)
    encoding = charset[1] if charset else ""
    kind = (match.partition(";")[0] or kind.partition(";")[0]).strip().lower()
    ending = _ENDINGS.get(kind) or (suffix[0] if suffix else ".bin")
    documents = _documents.get()
    if documents is None:
        return _text(content, ending, encoding)
    return documents.text(content, ending, encoding)


def _text(
    content: bytes,
    ending: str,
    encoding: str,
    stop: threading.Event | None = None,
    limits: TaskLimits = DOCUMENT_LIMITS,
) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"document{ending}"
        path.write_bytes(content)
        try:
            document = read_document(path, stop, limits, encoding)
        except EngineError as error:
            if error.code == ENGINE_STOPPED:
                raise
            raise ValueError(error.message.rstrip(".")) from None
    if document.is_scan:
        raise ValueError("it has no text, only images. Send its pages as images")
    pages = list(document.pages)
    for number in document.scans:
        pages[number - 1] = f"[Page {number} is an image without text.]"
    return "\n\n".join(pages)


class DocumentTexts:
    """LRU cache of document texts by key and digest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, str], str | ValueError] = OrderedDict()
        self._characters = 0

    def get(self, owner_id: str, digest: str) -> str | ValueError | None:
        """Return a cached text, or the error from reading it, or None if not cached."""
        with self._lock:
            cached = self._cache.get((owner_id, digest))
            if cached is not None:
                self._cache.move_to_end((owner_id, digest))
            return cached

    def put(self, owner_id: str, digest: str, text: str | ValueError) -> None:
        with self._lock:
            self._drop((owner_id, digest))
            self._cache[owner_id, digest] = text
            self._characters += len(str(text))
            while self._characters > MAX_KEPT_CHARACTERS:
                self._drop(next(iter(self._cache)))

    def forget(self, owner_id: str) -> None:
        with self._lock:
            for key in [key for key in self._cache if key[0] == owner_id]:
                self._drop(key)

    def _drop(self, key: tuple[str, str]) -> None:
        self._characters -= len(str(self._cache.pop(key, "")))


class RequestDocuments:
    """Documents of one request, with limits on number and time."""

    def __init__(self, owner: KeyOwner, texts: DocumentTexts) -> None:
        self.stop = threading.Event()
        self._owner_id = owner.id
        self._texts = texts
        self._count = 0
        self._lane = ReadingLane(f"requests of {owner.id}")

    def text(self, content: bytes, ending: str, encoding: str = "") -> str:
        """Return the text of a document. Raises the errors of `read`."""
        self._count += 1
        if self._count > MAX_DOCUMENTS:
            raise RequestError(
                400, f"This request has more than {MAX_DOCUMENTS} documents. Send fewer."
            )
        digest = f"{hashlib.sha256(content).hexdigest()}{ending} {encoding}"
        result = self._texts.get(self._owner_id, digest)
        if result is None:
            result = self._read(content, ending, encoding)
            self._texts.put(self._owner_id, digest, result)
        if isinstance(result, ValueError):
            raise ValueError(str(result))
        return result

    def _read(self, content: bytes, ending: str, encoding: str) -> str | ValueError:
        seconds = READING_BUDGET_S - self._lane.busy_s
        if seconds <= 0:
            raise self._too_long()
        limits = replace(DOCUMENT_LIMITS, cpu_s=min(DOCUMENT_LIMITS.cpu_s, seconds))
        try:
            with use_lane(self._lane):
                return _text(content, ending, encoding, self.stop, limits)
        except ValueError as error:
            if self._lane.busy_s >= READING_BUDGET_S:
                raise self._too_long() from None
            return error

    def _too_long(self) -> RequestError:
        return RequestError(
            400,
            f"Reading this request's documents took longer than {READING_BUDGET_S:g} s. Send fewer "
            "or smaller ones.",
        )


_documents: contextvars.ContextVar[RequestDocuments | None] = contextvars.ContextVar(
    "documents", default=None
)


class DocumentReader:
    def __init__(self) -> None:
        self._queue = Queue(MAX_READ_AT_ONCE, spare=lambda: MAX_READ_AT_ONCE // 2)
        self._pool = ThreadPoolExecutor(MAX_READ_AT_ONCE, "serve-documents")
        self.texts = DocumentTexts()

    async def run(self, read: Callable[[], T], report: Report, owner: KeyOwner = LOCAL) -> T:
        """Call `read`, which parses a request with documents, on a thread.

        Args:
            report: called with the position in the queue.
        """
        ticket = self._queue.enter(owner_id=owner.id)
        documents = RequestDocuments(owner, self.texts)
        try:
            await ticket.wait(report, "documents to be read")
            context = contextvars.copy_context()
            context.run(_documents.set, documents)
            return await asyncio.wrap_future(self._pool.submit(context.run, read))
        finally:
            documents.stop.set()
            ticket.leave()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def is_data_url(data: str) -> bool:
    return _ADDRESS.match(data) is not None


def decode(data: str) -> tuple[bytes, str]:
    """Decode base64 or a data: URL. Return the bytes, and the URL's media type with parameters.

    Base64 may be unpadded, contain line breaks and use the URL-safe alphabet.
    """
    address = _ADDRESS.match(data)
    if address is None:
        return _from_base64(data), ""
    kind, parameters = address["kind"].strip().lower(), address["parameters"]
    data = data[address.end() :]
    content: bytes | None = None
    if "base64" in parameters.lower():
        content = _from_base64(data)
    elif _BINARY.match(kind):  # some tools omit ";base64"
        with suppress(ValueError):
            content = _from_base64(data)
    if content is None:
        content = b"".join(_percent_decoded(data))
    return content, kind + _BASE64.sub("", parameters)


def _from_base64(data: str) -> bytes:
    chunks, rest, is_padded = list[bytes](), b"", False
    try:
        for sent in _percent_decoded(data):
            piece = sent.translate(_URL_SAFE, _BLANKS)
            bare = piece.rstrip(b"=")
            if is_padded and bare:
                raise ValueError("it has padding before its end")
            is_padded = is_padded or len(bare) < len(piece)
            rest += bare
            length = len(rest) // 4 * 4
            chunks.append(base64.b64decode(rest[:length], validate=True))
            rest = rest[length:]
        chunks.append(base64.b64decode(rest + b"=" * (-len(rest) % 4), validate=True))
    except ValueError:
        raise ValueError("its base64 is damaged") from None
    return b"".join(chunks)


def _percent_decoded(data: str) -> Iterator[bytes]:
    """Percent-decode in chunks, because each step holds the GIL."""
    incomplete = b""
    for start in range(0, len(data), PIECE_CHARACTERS):
        piece = incomplete + data[start : start + PIECE_CHARACTERS].encode()
        cut = piece.rfind(b"%", -2)
        incomplete = piece[cut:] if cut >= 0 else b""
        yield unquote_to_bytes(piece.removesuffix(incomplete))
    yield incomplete


def has_documents(body: Mapping[str, Any]) -> bool:
    """Return True if an unvalidated body has documents that are slow to read."""
    return any(part.get("type") in _TYPES for part in message_parts(body))
