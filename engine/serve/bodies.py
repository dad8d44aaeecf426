"""Bodies of requests: read with limits of size and time, and as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope

from engine.errors import CAPACITY_EXHAUSTED
from engine.openai import json_text
from engine.serve.doors.fields import Fields
from engine.serve.doors.kinds import Table
from engine.serve.refusals import RefusedError
from engine.serve.served import Served

LEAST_LIMIT, MOST_LIMIT = 2**20, 64 * 2**20
"""Bytes of a request: no model's limit is outside of these."""
BYTES_PER_TOKEN = 64
"""What a token of a long context may take in a request. A JSON escape is six bytes a character."""
SILENCE_SECONDS, BODY_SECONDS = 20.0, 300.0
"""How long a body may pause, and how long it may take."""
MOST_HELD = 512 * 2**20
"""Bytes of all requests together that are being read, wait or are answered."""
LARGE = 64 * 2**10
"""Bytes of a body that is understood on another thread."""


class Held:
    """What the requests hold together. Lives on the server's event loop.

    Attributes:
        bytes: of their bodies.
    """

    def __init__(self) -> None:
        self.bytes = 0

    @contextmanager
    def share(self) -> Iterator[Callable[[int], None]]:
        """One request's share, until this is left. The function that is given enlarges it.

        It raises RefusedError, 429, where all together would hold too much.
        """
        mine = 0

        def enlarge(by: int) -> None:
            nonlocal mine
            if self.bytes + by > MOST_HELD:
                raise RefusedError(
                    429,
                    f"The requests that are here hold {self.bytes / 2**20:.3g} MB, and no more "
                    "may. Ask again later.",
                    CAPACITY_EXHAUSTED,
                )
            mine += by
            self.bytes += by

        try:
            yield enlarge
        finally:
            self.bytes -= mine


async def read(
    scope: Scope,
    receive: Receive,
    served: Served,
    silence: float,
    held: Callable[[int], None],
) -> bytes:
    """The whole body.

    Args:
        silence: seconds that it may pause.
        held: called with the size of each piece, before it is kept.

    Raises:
        RefusedError: it is too long, or does not come.
    """
    limit = MOST_LIMIT
    if len(models := served.models) == len(served.entries):
        context = max(model.context_length for model in models)
        limit = min(max(context * BYTES_PER_TOKEN, LEAST_LIMIT), MOST_LIMIT)
    return await _gathered(scope, receive, limit, silence, held)


async def small(request: Request, table: Table) -> Fields:
    """The fields of a request that is no prompt, and may have no body at all.

    Raises:
        RefusedError: it is too long or late, no object, or not what the table knows.
    """
    raw = await _gathered(request.scope, request.receive, LEAST_LIMIT, SILENCE_SECONDS)
    try:
        return Fields(json_text.decode(raw) if raw else {}, table)
    except ValueError as error:
        raise not_understood(error) from None


async def _gathered(
    scope: Scope,
    receive: Receive,
    limit: int,
    silence: float,
    held: Callable[[int], None] = lambda _: None,
) -> bytes:
    too_long = RefusedError(413, f"This request may have {limit / 2**20:.3g} MB, not more.")
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if int(announced) > limit:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            more = True
            while more:
                message = await asyncio.wait_for(receive(), silence)
                if message["type"] == "http.disconnect":
                    raise RefusedError(400, "The connection was closed within the request.")
                piece = message.get("body", b"")
                held(len(piece))
                body += piece
                more = message.get("more_body", False)
                if len(body) > limit:
                    raise too_long
    except TimeoutError:
        raise RefusedError(408, "The rest of the request did not come.") from None
    return bytes(body)


async def understood(raw: bytes) -> dict[str, Any]:
    """The JSON object that a body is.

    Raises:
        RefusedError: 400, it is none.
    """
    try:
        if len(raw) > LARGE:
            return await asyncio.to_thread(json_text.decode, raw)
        return json_text.decode(raw)
    except ValueError as error:
        raise not_understood(error) from None


def not_understood(error: ValueError) -> RefusedError:
    """The refusal of a body, with what is wrong with it."""
    end = "" if str(error).endswith((".", "?")) else "."
    return RefusedError(400, f"The request cannot be answered: {error}{end}")
