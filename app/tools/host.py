"""Connections to all tool servers on one asyncio thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from app.settings.language import mark
from app.tools import offers as offering
from app.tools import servers as files
from app.tools.connection import Connection, ConnectionState, ConnectionStatus
from app.tools.loop_thread import LoopThread
from app.tools.offers import Offers, Prompt, Resource
from app.tools.questions import Ask
from app.tools.servers import ServerConfig
from app.tools.tool import Tool, ToolError, ToolResult

log = logging.getLogger(__name__)

T = TypeVar("T")


class ToolHost:
    """Connections to the configured servers. Thread-safe. The first request starts the thread."""

    STOP_S = 4.0

    def __init__(self) -> None:
        # Server config file, or None until `open` is called.
        self.file: Path | None = None
        # Error messages about invalid entries in the config file.
        self.problems: tuple[str, ...] = ()
        # Called on any thread when the servers or their status change.
        self.changed: Callable[[], None] = lambda: None
        self._configs: dict[str, ServerConfig] = {}
        self._connections: dict[str, Connection] = {}
        self._thread = LoopThread("tools")

    def open(self, file: Path) -> None:
        """Load the servers from a file, if it exists. Errors go to `problems`."""
        self.file = file
        try:
            contents = files.read_file(file)
        except ToolError as error:
            self._configs, self.problems = {}, (str(error),)
            return
        self._configs = {server.name: server for server in contents.servers}
        self.problems = contents.problems

    @property
    def servers(self) -> tuple[ServerConfig, ...]:
        return tuple(self._configs.values())

    def config(self, name: str) -> ServerConfig | None:
        return self._configs.get(name)

    def set_servers(self, servers: Iterable[ServerConfig]) -> None:
        """Replace and save the list, and stop servers that changed."""
        configs = {server.name: server for server in servers}
        if self.file is not None:
            files.write_file(self.file, configs.values())
        self.problems = ()
        old, self._configs = self._configs, configs
        for name, config in old.items():
            if configs.get(name) != config:
                self.end(name)
        self.changed()

    def status(self, name: str) -> ConnectionStatus:
        connection = self._connections.get(name)
        return (
            connection.status if connection is not None else ConnectionStatus(ConnectionState.OFF)
        )

    def log(self, name: str) -> str:
        connection = self._connections.get(name)
        return connection.log.text if connection is not None else ""

    def tools(self, server: str) -> Future[list[Tool]]:
        return self._request(server, lambda connection: connection.tools())

    def call(
        self, tool: Tool, arguments: dict[str, Any], chat_id: str = "", ask: Ask | None = None
    ) -> Future[ToolResult]:
        """Run a tool the user has consented to. The future may fail with ToolError.

        It also fails if the server has changed the tool's description. Canceling it stops the call.
        ``ask`` receives the server's questions for the user.
        """
        return self._request(
            tool.server,
            lambda connection: connection.call(
                tool.name, arguments, tool.fingerprint, chat_id, ask
            ),
        )

    def offers(self, server: str) -> Future[Offers]:
        work = partial(offering.list_offers, server)
        return self._request(server, lambda connection: connection.send_request(work))

    def read(self, resource: Resource) -> Future[str]:
        work = partial(offering.read_resource, resource)
        return self._request(resource.server, lambda connection: connection.send_request(work))

    def prompt(self, prompt: Prompt, arguments: dict[str, str]) -> Future[str]:
        work = partial(offering.fetch_prompt, prompt, arguments)
        return self._request(prompt.server, lambda connection: connection.send_request(work))

    def end(self, server: str) -> None:
        """Stop a server's process. It's started again by the next request."""
        self._thread.start_if_begun(partial(self._end, server))

    async def _end(self, server: str) -> None:
        connection = self._connections.pop(server, None)
        if connection is not None:
            await connection.close()
            self._notify()

    def begin_shut_down(self) -> None:
        self._thread.shut_down(0.0, self._close_all)

    def shut_down(self, timeout_s: float = STOP_S) -> None:
        self._thread.shut_down(timeout_s, self._close_all)

    def _request(
        self, server: str, work: Callable[[Connection], Coroutine[Any, Any, T]]
    ) -> Future[T]:
        config = self._configs.get(server)
        if config is None or not config.enabled:
            words = mark("The server “{server}” was removed or is off.")
            return _failed_future(ToolError(words, server=server))
        future = self._thread.start(self._work(config, work))
        return future or _failed_future(ToolError(mark("Stretto is quitting.")))

    async def _work(
        self, config: ServerConfig, work: Callable[[Connection], Coroutine[Any, Any, T]]
    ) -> T:
        # The server may have been reconfigured while the request was waiting.
        if self._configs.get(config.name) != config:
            words = mark("The server “{server}” was changed. Try again.")
            raise ToolError(words, server=config.name)
        connection = self._connections.get(config.name)
        if connection is not None and connection.config != config:
            await self._end(config.name)
            connection = self._connections.get(config.name)
        if connection is None:
            connection = Connection(config, self._notify)
            self._connections[config.name] = connection
        return await work(connection)

    def _notify(self) -> None:
        self.changed()

    async def _close_all(self) -> None:
        connections = list(self._connections.values())
        self._connections = {}
        await asyncio.gather(*(c.close() for c in connections), return_exceptions=True)


def _failed_future(error: ToolError) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future
