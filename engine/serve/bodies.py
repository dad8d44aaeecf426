"""Reader of request bodies, with limits on size and time."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope

from engine.errors import CAPACITY_EXHAUSTED, CONTEXT_OVERFLOW
from engine.model.info import Model
from engine.serve import json_input
from engine.serve.auth import FairShare, KeyOwner
from engine.serve.errors import RequestError
from engine.serve.json_input import JSONCounter, message_parts, shorten
from engine.serve.routes.schema import B, Body, field_of, note_ignored, read_fields, validate
from engine.serve.threads import ServerThreads

MIN_LIMIT_BYTES, MAX_LIMIT_BYTES = 2**20, 64 * 2**20
"""The size limit depends on the model's context length, and is clamped to this range."""
BYTES_PER_TOKEN = 64
"""Text bytes allowed per context token. A JSON escape takes six bytes per character."""
MAX_PAUSE_S, BODY_TIMEOUT_S = 20.0, 300.0  # maximum pause within a body, and total time, in seconds
MAX_IN_FLIGHT_BODY_BYTES = 512 * 2**20  # total of all requests being read, queued or answered
DRAIN_BYTES, DRAIN_S = 256 * 2**20, 30.0
"""Limits for reading and discarding the rest of a rejected body."""
RELEASE_BYTES = 16 * 2**20  # size of a request after which free memory is returned to the system


class MemoryAccount:
    """Memory used by request bodies."""

    def __init__(self, sharing: FairShare) -> None:
        self.bytes = 0  # size of request bodies and the values parsed from them
        self.large_ended = False  # a large request has ended; reset by `Server`
        self._sharing = sharing
        self._bytes_by_owner: Counter[str] = Counter()  # bytes by key

    @contextlib.contextmanager
    def share(self, owner: KeyOwner) -> Iterator[Callable[[int], None]]:
        """Yield a function that charges bytes to a request until the block ends.

        The function raises RequestError (429) if the total or the owner's share would be exceeded.
        """
        charged_bytes = 0

        def charge(added_bytes: int) -> None:
            nonlocal charged_bytes
            if self.bytes + added_bytes > MAX_IN_FLIGHT_BODY_BYTES:
                raise RequestError(
                    429,
                    f"Too many request bytes in flight ({self.bytes / 2**20:.3g} MB). Retry later.",
                    CAPACITY_EXHAUSTED,
                )
            free = MAX_IN_FLIGHT_BODY_BYTES - self.bytes - added_bytes
            if not self._sharing.may_have(self._bytes_by_owner[owner.id] + added_bytes, free):
                raise self._sharing.refused("memory for requests")
            charged_bytes += added_bytes
            self.bytes += added_bytes
            self._bytes_by_owner[owner.id] += added_bytes

        try:
            yield charge
        finally:
            self.bytes -= charged_bytes
            self._bytes_by_owner[owner.id] -= charged_bytes
            self.large_ended |= charged_bytes >= RELEASE_BYTES


def check_size(size: int, body: Mapping[str, Any], model: Model) -> None:
    limit = min(max(model.context_length * BYTES_PER_TOKEN, MIN_LIMIT_BYTES), MAX_LIMIT_BYTES)
    if size > limit and size - media_bytes(body) > limit:
        raise _too_large_error(limit)


_MEDIA = ("image_url", "input_image", "image", "input_audio", "document", "file", "input_file")


def media_bytes(body: Mapping[str, Any]) -> int:
    """Return the bytes of images, sounds and documents in an unvalidated body.

    These have fewer tokens than their size suggests.
    """
    total = 0
    for item in message_parts(body):
        if item.get("type") in _MEDIA:
            nested = [part for part in item.values() if isinstance(part, dict)]
            values = [value for part in (item, *nested) for value in part.values()]
            total += sum(len(value) for value in values if isinstance(value, str))
        elif isinstance(images := item.get("images"), list):  # field in Ollama's format
            total += sum(len(image) for image in images if isinstance(image, str))
    return total


def _too_large_error(limit: int) -> RequestError:
    # Clients know this code from overlong prompts, and respond by shortening the conversation.
    return RequestError(
        413, f"Request is too large (limit {limit / 2**20:.3g} MB). Shorten it.", CONTEXT_OVERFLOW
    )


async def read_small(request: Request, kind: type[B]) -> B:
    """Read and parse the body of a request that isn't a prompt. An empty body is read as {}."""
    scope = request.scope
    raw = await read(scope, request.receive, MAX_PAUSE_S, lambda _: None, MIN_LIMIT_BYTES)
    try:
        body = json_input.decode(raw) if raw else {}
        parsed, ignored = read_fields(lambda: validate(kind, body))
    except ValueError as error:
        raise invalid_body_error(error, kind) from None
    note_ignored(scope, ignored)
    return parsed


async def read(
    scope: Scope,
    receive: Receive,
    silence: float,
    charge: Callable[[int], None],
    limit: int = MAX_LIMIT_BYTES,
) -> bytearray:
    """Read a whole body.

    Args:
        silence: longest allowed pause between chunks, in seconds.
        charge: called with the size of each chunk and its parsed values, before storing the chunk.

    Raises:
        RequestError: if the body is too large, has too many values, or arrives too slowly.
    """
    headers = dict(scope["headers"])
    body, parts, has_more = bytearray(), JSONCounter(), True
    try:
        if int(headers.get(b"content-length", b"0")) > limit:
            raise _too_large_error(limit)
        decompress = _decompressor(headers.get(b"content-encoding", b"").decode("latin-1"))
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while has_more:
                message = await asyncio.wait_for(receive(), silence)
                has_more = message.get("more_body", False)
                if message["type"] == "http.disconnect":
                    raise RequestError(400, "The connection was closed during the request.")
                async for piece in decompress(message.get("body", b""), not has_more):
                    before = parts.nbytes
                    parts.add(piece)
                    if maximum := parts.too_many:
                        raise RequestError(
                            413, f"Request is too large (limit: {maximum}). Shorten it."
                        )
                    charge(len(piece) + parts.nbytes - before)
                    body += piece
                    if len(body) > limit:
                        raise _too_large_error(limit)
    except TimeoutError:
        raise RequestError(408, "The rest of the request was not received.") from None
    except RequestError:
        body.clear()
        # Clients that send Expect haven't started sending the body yet.
        if has_more and b"expect" not in headers:
            await _drain(receive)
        raise
    return body


async def _drain(receive: Receive) -> None:
    """Read the rest of a rejected body, up to a limit.

    Closing a connection that is still receiving data resets it, and many clients then miss the
    error response.
    """
    remaining = DRAIN_BYTES
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_S):
            while remaining > 0:
                message = await receive()
                remaining -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    break


ZLIB_WBITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""Encodings that zlib can decode, with their `wbits`."""
DECOMPRESS_BYTES = 64 * 2**10  # decompressed bytes per step, so that other tasks run in between
WINDOW_LOG = 23  # zstd window of 8 MB, as recommended by RFC 8878


def _decompressor(encoding: str) -> Callable[[bytes, bool], AsyncIterator[bytes]]:
    """Return a function that decompresses a body chunk by chunk.

    The function's second argument is True for the last chunk.

    Raises:
        RequestError: 415 if the encoding is unknown.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _uncompressed
    work: Any
    damaged: tuple[type[Exception], ...]
    if name in ZLIB_WBITS:
        work, damaged = zlib.decompressobj(ZLIB_WBITS[name]), (zlib.error,)
    elif name == "zstd":
        work, damaged = _zstd()
    else:
        raise RequestError(
            415,
            f"Unsupported Content-Encoding {shorten(name)[:40]}. Use gzip, deflate, zstd or none.",
        )

    async def decompress(piece: bytes, last: bool) -> AsyncIterator[bytes]:
        try:
            has_more = bool(piece)
            while has_more:
                part = work.decompress(piece, DECOMPRESS_BYTES)
                piece = getattr(work, "unconsumed_tail", b"")  # only zlib leaves input
                has_more = not work.eof and (bool(piece) or len(part) == DECOMPRESS_BYTES)
                yield part
                await asyncio.sleep(0)
        except damaged:
            raise RequestError(400, f"The body is not valid {name}.") from None
        if work.unused_data or (last and not work.eof):
            raise RequestError(400, f"The {name} body is incomplete.")

    return decompress


def _zstd() -> tuple[Any, tuple[type[Exception], ...]]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    limits: dict[int, int] = {zstd.DecompressionParameter.window_log_max: WINDOW_LOG}
    return zstd.ZstdDecompressor(options=limits), (zstd.ZstdError, EOFError)


async def _uncompressed(piece: bytes, _: bool) -> AsyncIterator[bytes]:
    yield piece


async def parse(raw: bytearray, threads: ServerThreads) -> dict[str, Any]:
    try:
        return await threads.run_for_body(len(raw), partial(json_input.decode, raw))
    except ValueError as error:
        raise invalid_body_error(error) from None


def invalid_body_error(error: ValueError, kind: type[Body] = Body) -> RequestError:
    end = "" if str(error).endswith((".", "?")) else "."
    field = field_of(error, kind)
    return RequestError(400, f"The request cannot be answered: {error}{end}", field=field)
