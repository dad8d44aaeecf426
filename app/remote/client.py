"""The requests themselves, on `httpx2`: the list of models, and one streamed answer.

Each request has a connection, headers and limits of its own: nothing is shared between chats, no
cookie is kept, and no redirect is followed, so that a key is never shown to another host.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from app.remote import remote_errors
from app.remote.address import Listed, Remote, asked_at, host_of, is_ollama, listed, sees_at_ollama
from app.remote.stream import Piece, Reading
from app.tools.bounding import TooMuchError, check_parts

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger(__name__)

CONNECT_S = 15.0
LIST_S = 20.0  # for the whole list of models
QUIET_S = 600.0
"""Without anything of an answer. A long prompt on a slow machine takes minutes to read."""
MOST_LIST = 8_000_000  # bytes of a list of models
_MOST_SHOWN = 50  # models of Ollama's that are asked about
MOST_WHOLE = 32_000_000  # bytes of an answer that is not streamed
MOST_ERROR = 65_536  # bytes of the words for an error
MOST_EVENT = 4_000_000  # bytes of one event of a stream


async def models_at(address: str, key: str) -> list[Listed]:
    """The models of a server.

    Raises:
        RemoteError: there is no answer, or none that makes sense.
    """
    told = await document(address, "/models", key)
    found = listed(told)
    if found is None:
        raise remote_errors.no_sense(host_of(address))
    if is_ollama(told):
        shown = await asyncio.gather(*(_shown(address, one, key) for one in found[:_MOST_SHOWN]))
        found[:_MOST_SHOWN] = shown
    return found


async def _shown(address: str, one: Listed, key: str) -> Listed:
    """A model of Ollama's, with what it says of itself where it is asked."""
    base = address.removesuffix("/v1")
    try:
        told = await document(base, "/api/show", key, "POST", {"model": one.model})
    except remote_errors.RemoteError:
        return one
    return replace(one, sees=sees_at_ollama(told))


async def document(
    address: str, path: str, key: str, method: str = "GET", body: dict[str, Any] | None = None
) -> object:
    """The JSON of a small answer.

    Raises:
        RemoteError: as `models_at`.
    """
    host = host_of(address)
    try:
        async with asyncio.timeout(LIST_S), _answer(method, address, path, key, body) as response:
            return await _json(response, MOST_LIST, host)
    except TimeoutError as error:
        raise remote_errors.silent(host) from error


async def answer(
    remote: Remote,
    key: str,
    body: dict[str, Any],
    reading: Reading,
    # is given the headers of an answer before it is read, and raises where they are wrong
    check: Callable[[Mapping[str, str]], None] | None = None,
) -> AsyncGenerator[Piece, None]:
    """The pieces of an answer as they come. ``reading`` holds what there is besides.

    Raises:
        RemoteError: no answer, none to the end, or none that makes sense.
    """
    path = "/chat/completions"
    async with _answer("POST", remote.address, path, key, body, remote.model) as response:
        if check is not None:
            check(response.headers)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":  # a server that does not stream
            async with _not_longer(remote.host):
                whole = await _json(response, MOST_WHOLE, remote.host)
            for piece in reading.take_chunk(whole):
                yield piece
        elif kind == "text/event-stream":
            async for data in _events(response, remote.host):
                for piece in reading.take(data):
                    yield piece
                if reading.done:
                    break
        else:
            raise remote_errors.no_sense(remote.host)
    reading.check_end()


async def _events(response: httpx2.Response, host: str) -> AsyncIterator[str]:
    """The data of each event. A server that only says that it still lives is silent, too."""
    import httpx2

    response.encoding = "utf-8"  # events are always in UTF-8, whatever charset the server names
    events = aiter(httpx2.EventSource(response, MOST_EVENT))
    while True:
        try:
            async with _not_longer(host):
                event = await anext(events)
        except StopAsyncIteration:
            return
        except httpx2.SSEError as error:
            raise remote_errors.too_much(host) from error
        if event.data:
            yield event.data


@asynccontextmanager
async def _not_longer(host: str) -> AsyncIterator[None]:
    """What is within may take `QUIET_S`."""
    try:
        async with asyncio.timeout(QUIET_S):
            yield
    except TimeoutError as error:
        raise remote_errors.silent(host) from error


@asynccontextmanager
async def _answer(
    method: str,
    address: str,
    path: str,
    key: str,
    body: dict[str, Any] | None = None,
    model: str = "",
) -> AsyncIterator[httpx2.Response]:
    """An answer that is good; what goes wrong with the connection is a RemoteError."""
    import httpx2

    host = host_of(address)
    headers = {"Accept-Encoding": "identity", "Accept": "application/json"}
    if body is not None:
        headers["Accept"] = "text/event-stream, application/json"
    if key:
        headers["Authorization"] = f"Bearer {key}"
    client = httpx2.AsyncClient(
        timeout=httpx2.Timeout(QUIET_S, connect=CONNECT_S),
        verify=_trusted(),
        follow_redirects=False,
    )
    try:
        async with (
            client,
            client.stream(
                method, f"{asked_at(address)}{path}", headers=headers, json=body
            ) as response,
        ):
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise remote_errors.no_sense(host)  # not asked for, and small ones can become huge
            if response.status_code not in (200, 201):
                said = await _json(response, MOST_ERROR, host, forgiving=True)
                raise remote_errors.refusal(
                    response.status_code, response.headers, said, address, model
                )
            yield response
    except httpx2.ConnectTimeout as error:
        raise remote_errors.unreachable(host, error) from error
    except httpx2.TimeoutException as error:
        raise remote_errors.silent(host) from error
    except (httpx2.ConnectError, httpx2.ProxyError, httpx2.UnsupportedProtocol) as error:
        raise remote_errors.unreachable(host, error) from error
    except httpx2.TransportError as error:
        log.info("A remote model's connection broke off: %s", type(error).__name__)
        raise remote_errors.broken(host) from error
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise remote_errors.unreachable(host, error) from error


async def _json(
    response: httpx2.Response, most: int, host: str, *, forgiving: bool = False
) -> object:
    """The body, read no further than ``most`` bytes. ``forgiving``: None where it is no JSON."""
    pieces, length = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        length += len(piece)
        if length > most:
            if forgiving:
                return None
            raise remote_errors.too_much(host)
    body = b"".join(pieces)
    try:
        check_parts(body)
        return json.loads(body)
    except TooMuchError as error:
        if forgiving:
            return None
        raise remote_errors.too_much(host) from error
    except (ValueError, RecursionError) as error:
        if forgiving:
            return None
        raise remote_errors.no_sense(host) from error


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that are trusted. Reading them takes 20 ms."""
    import httpx2

    return httpx2.create_ssl_context()
