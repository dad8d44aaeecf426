"""HTTP requests with `httpx2`: model lists and streaming replies.

Each request has its own connection, headers and limits. Cookies aren't stored and redirects aren't
followed, so the key reaches no other host.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from app.remote import remote_errors
from app.remote.address import (
    ListedModel,
    Remote,
    host_of,
    is_ollama,
    parse_model_list,
    parse_ollama_vision,
    request_address,
)
from app.remote.stream import Piece, ReplyReader
from app.tools.message_limits import TooMuchError, check_parts

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger(__name__)

CONNECT_S = 15.0
LIST_S = 20.0  # for the entire model list
QUIET_S = 600.0
"""Timeout without data during a reply. Slow machines take minutes to prefill long prompts."""
MOST_LIST = 8_000_000  # bytes of a model list
_MOST_SHOWN = 50  # number of Ollama models to request details for
MOST_WHOLE = 32_000_000  # bytes of a reply that isn't streamed
MOST_ERROR = 65_536  # bytes of an error response
MOST_EVENT = 4_000_000  # bytes of a stream event


async def fetch_models(address: str, key: str) -> list[ListedModel]:
    response = await fetch_json(address, "/models", key)
    models = parse_model_list(response)
    if models is None:
        raise remote_errors.invalid_response_error(host_of(address))
    if is_ollama(response):
        details = await asyncio.gather(
            *(_listed_model(address, entry, key) for entry in models[:_MOST_SHOWN])
        )
        models[:_MOST_SHOWN] = details
    return models


async def _listed_model(address: str, entry: ListedModel, key: str) -> ListedModel:
    base = address.removesuffix("/v1")
    try:
        response = await fetch_json(base, "/api/show", key, "POST", {"model": entry.model})
    except remote_errors.RemoteError:
        return entry
    return replace(entry, sees=parse_ollama_vision(response))


async def fetch_json(
    address: str, path: str, key: str, method: str = "GET", body: dict[str, Any] | None = None
) -> object:
    host = host_of(address)
    try:
        async with asyncio.timeout(LIST_S), _send(method, address, path, key, body) as response:
            return await _json(response, MOST_LIST, host)
    except TimeoutError as error:
        raise remote_errors.timeout_error(host) from error


async def stream_reply(
    remote: Remote,
    key: str,
    body: dict[str, Any],
    reading: ReplyReader,
) -> AsyncGenerator[Piece, None]:
    """Yield the chunks of a reply as they arrive. ``reading`` collects everything else.

    Raises RemoteError if the response is invalid or incomplete.
    """
    path = "/chat/completions"
    async with _send("POST", remote.address, path, key, body, remote.model) as response:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":  # the server doesn't support streaming
            async with _limit_duration(remote.host):
                answer = await _json(response, MOST_WHOLE, remote.host)
            for piece in reading.take_chunk(answer):
                yield piece
        elif kind == "text/event-stream":
            async for data in _events(response, remote.host):
                for piece in reading.feed(data):
                    yield piece
                if reading.done:
                    break
        else:
            raise remote_errors.invalid_response_error(remote.host)
    reading.check_end()


async def _events(response: httpx2.Response, host: str) -> AsyncIterator[str]:
    """Yield the data of each event. Keep-alive comments don't reset the timeout."""
    import httpx2

    response.encoding = "utf-8"  # always UTF-8, whatever the server says
    events = aiter(httpx2.EventSource(response, MOST_EVENT))
    while True:
        try:
            async with _limit_duration(host):
                event = await anext(events)
        except StopAsyncIteration:
            return
        except httpx2.SSEError as error:
            raise remote_errors.too_long_error(host) from error
        if event.data:
            yield event.data


@asynccontextmanager
async def _limit_duration(host: str) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(QUIET_S):
            yield
    except TimeoutError as error:
        raise remote_errors.timeout_error(host) from error


@asynccontextmanager
async def _send(
    method: str,
    address: str,
    path: str,
    key: str,
    body: dict[str, Any] | None = None,
    model: str = "",
) -> AsyncIterator[httpx2.Response]:
    """Send a request and yield a successful response. Otherwise raise RemoteError."""
    import httpx2

    host = host_of(address)
    headers = {"Accept-Encoding": "identity", "Accept": "application/json"}
    if body is not None:
        headers["Accept"] = "text/event-stream, application/json"
    if key:
        headers["Authorization"] = f"Bearer {key}"
    client = httpx2.AsyncClient(
        timeout=httpx2.Timeout(QUIET_S, connect=CONNECT_S),
        verify=_load_certificates(),
        follow_redirects=False,
    )
    try:
        async with (
            client,
            client.stream(
                method, f"{request_address(address)}{path}", headers=headers, json=body
            ) as response,
        ):
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                # Compression wasn't requested, and a small compressed response could expand to
                # gigabytes.
                raise remote_errors.invalid_response_error(host)
            if response.status_code not in (200, 201):
                refusal_body = await _json(response, MOST_ERROR, host, forgiving=True)
                raise remote_errors.response_error(
                    response.status_code, response.headers, refusal_body, address, model
                )
            yield response
    except httpx2.ConnectTimeout as error:
        raise remote_errors.unreachable_error(host, error) from error
    except httpx2.TimeoutException as error:
        raise remote_errors.timeout_error(host) from error
    except (httpx2.ConnectError, httpx2.ProxyError, httpx2.UnsupportedProtocol) as error:
        raise remote_errors.unreachable_error(host, error) from error
    except httpx2.TransportError as error:
        log.info("connection of a remote model lost: %s", type(error).__name__)
        raise remote_errors.broken_stream_error(host) from error
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise remote_errors.unreachable_error(host, error) from error


async def _json(
    response: httpx2.Response, max_bytes: int, host: str, *, forgiving: bool = False
) -> object:
    """Return a JSON body of up to ``max_bytes``. If ``forgiving``, invalid JSON becomes None."""
    pieces, length = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        length += len(piece)
        if length > max_bytes:
            if forgiving:
                return None
            raise remote_errors.too_long_error(host)
    body = b"".join(pieces)
    try:
        check_parts(body)
        return json.loads(body)
    except TooMuchError as error:
        if forgiving:
            return None
        raise remote_errors.too_long_error(host) from error
    except (ValueError, RecursionError) as error:
        if forgiving:
            return None
        raise remote_errors.invalid_response_error(host) from error


@cache
def _load_certificates() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()
