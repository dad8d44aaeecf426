"""The streams to a server that is reached over HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from app.tools.servers import ServerConfig


@asynccontextmanager
async def over_http(config: ServerConfig) -> AsyncGenerator[tuple[Any, Any], None]:
    """The streams to a server that speaks streamable HTTP."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    limits = httpx2.Timeout(30.0, read=None)  # calls have their own, which waits for the person
    async with (
        httpx2.AsyncClient(headers=dict(config.headers), timeout=limits) as http,
        streamable_http_client(config.url, http_client=http) as streams,
    ):
        yield streams
