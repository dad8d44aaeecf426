"""What a chat asks of the tools: which it may offer, whether one may run, and that it runs."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from app.tools.builtin import BuiltIn, Context
from app.tools.consent import Consents, Rows
from app.tools.folders import Difference
from app.tools.host import ToolHost
from app.tools.pins import Pins
from app.tools.questions import Ask
from app.tools.results import ToolResult
from app.tools.tool import BUILT_IN, Tool, given_names


class Toolbox:
    """The tools of all chats. On the GUI thread.

    Attributes:
        host: the servers.
        consents: what the person has allowed, chat by chat.
        pins: the servers' tools as the person has seen them.
        builtin: the tools that need no server.
    """

    def __init__(self, host: ToolHost, rows: Rows, builtin: BuiltIn | None = None) -> None:
        self.host = host
        self.consents = Consents(rows)
        self.pins = Pins(rows)
        self.builtin = builtin or BuiltIn()

    def tool(self, key: str) -> Tool | None:
        """A tool as the person has seen it; None if it is unknown or its server switched off."""
        server, _, name = key.partition("/")
        if server == BUILT_IN:
            return self.builtin.get(name)
        config = self.host.config(server)
        return self.pins.get(key) if config is not None and config.enabled else None

    def offered(self, keys: Iterable[str]) -> dict[str, Tool]:
        """The tools that a chat has switched on, by the names that the model calls them by.

        Always in one order: they stand at the head of the prompt, which is read once only as long
        as it is the same.
        """
        found = (self.tool(key) for key in sorted(set(keys)))
        return given_names(tool for tool in found if tool is not None)

    def run(
        self,
        chat_id: str,
        tool: Tool,
        arguments: dict[str, Any],
        seen: str = "",
        ask: Ask | None = None,
    ) -> Future[ToolResult]:
        """Run a tool in a chat. The person has consented. Fails with ToolError.

        ``seen``: the digest of the difference that they were shown, see `preview`. ``ask``: asks
        them what a server wants to know meanwhile; nothing can be asked without it.
        """
        if tool.server == BUILT_IN:
            context = Context(self.consents.folders(chat_id), seen)
            return self.builtin.run(tool.name, arguments, context)
        return self.host.call(tool, arguments, chat_id, ask)

    def preview(
        self, chat_id: str, tool: Tool, arguments: dict[str, Any]
    ) -> Future[Difference] | None:
        """What the person is to be shown before this call; None where its arguments say it all."""
        if tool.server != BUILT_IN:
            return None
        context = Context(self.consents.folders(chat_id))
        return self.builtin.preview(tool.name, arguments, context)

    def is_previewed(self, tool: Tool) -> bool:
        """Whether a call of it may run only once the person has been shown its `preview`."""
        return tool.server == BUILT_IN and self.builtin.is_previewed(tool.name)

    def shut_down(self) -> None:
        """The program ends."""
        self.builtin.shut_down()
        self.host.shut_down()
