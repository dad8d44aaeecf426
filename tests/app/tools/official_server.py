"""A tool server written with the official package, over stdio or over HTTP in a thread."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Elicit, Resolve
from pydantic import BaseModel


class Trip(BaseModel):
    city: str
    nights: int = 1


def where() -> Elicit[Trip]:
    return Elicit("Where to?", Trip)


def make() -> MCPServer:
    server = MCPServer("official")

    @server.tool(title="Add \u202eNumbers")
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def environment() -> list[str]:
        """The names of the server's environment."""
        return sorted(os.environ)

    @server.tool()
    def fail() -> str:
        """Always fails."""
        raise ValueError("it failed")

    @server.tool()
    async def hang() -> str:
        """Never answers."""
        await asyncio.sleep(3600)
        return ""

    @server.tool()
    def book(said: Annotated[ElicitationResult[Trip], Resolve(where)]) -> str:
        """Asks for a trip."""
        return f"{said.action} {getattr(said, 'data', '')}".strip()

    @server.resource("note:///{name}")
    def template(name: str) -> str:
        return name

    @server.resource("note:///one", name="one", title="One\u202e note", description="The first.")
    def one() -> str:
        return "The first\x1b[31m note."

    @server.resource("note:///picture", mime_type="image/png")
    def picture() -> bytes:
        return b"png"

    @server.prompt(title="Explain it")
    def explain(topic: str) -> str:
        """Explains a topic."""
        return f"Explain {topic}."

    return server


@contextmanager
def over_http() -> Iterator[str]:
    import uvicorn

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        app = make().streamable_http_app()
        config = uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
        served = uvicorn.Server(config)
        listener.listen()
        thread = threading.Thread(target=served.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            served.should_exit = True
            thread.join(10)


if __name__ == "__main__":
    make().run("stdio")
