"""How the tools were described when the person last looked: only so are they offered to a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass

from app.tools.consent import Rows
from app.tools.tool import Tool


@dataclass(frozen=True)
class Change:
    """What is different between a server's tools and what the person has seen of them.

    Attributes:
        new: never seen.
        other: seen with other words: the tool as it was, and as it is.
        gone: no longer there.
    """

    new: tuple[Tool, ...] = ()
    other: tuple[tuple[Tool, Tool], ...] = ()
    gone: tuple[Tool, ...] = ()


class Pins:
    """The tools that the person has seen, as they were. On the GUI thread.

    What a model is offered comes from here and not from the server: a chat waits for no server,
    and no description reaches a model that nobody has seen.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._pins: dict[str, Tool] = {}
        for server, name, told, _ in rows.tool_rows("tool_pins"):
            try:
                value = json.loads(told)
                tool = Tool(server, name, str(value["description"]), dict(value["schema"]))
            except (ValueError, TypeError, KeyError):
                continue  # a damaged row: the tool is shown again
            self._pins[tool.key] = tool

    def get(self, key: str) -> Tool | None:
        return self._pins.get(key)

    def of(self, server: str) -> list[Tool]:
        return [tool for tool in self._pins.values() if tool.server == server]

    def compare(self, server: str, tools: Iterable[Tool]) -> Change:
        """What the person has not seen of what the server tells now."""
        now = {tool.key: tool for tool in tools}
        seen = {tool.key: tool for tool in self.of(server)}
        both = [(seen[key], now[key]) for key in now if key in seen]
        return Change(
            tuple(tool for key, tool in now.items() if key not in seen),
            tuple((a, b) for a, b in both if a.fingerprint != b.fingerprint),
            tuple(tool for key, tool in seen.items() if key not in now),
        )

    def pin(self, tools: Iterable[Tool]) -> None:
        """The person has seen these as they are."""
        for tool in tools:
            self._pins[tool.key] = tool
            told = json.dumps({"description": tool.description, "schema": tool.schema})
            self._rows.put_tool_row("tool_pins", tool.server, tool.name, told, time.time())

    def forget(self, server: str, tool: str = "") -> None:
        """Show it again before it is used; without ``tool`` all of the server's."""
        for each in self.of(server):
            if not tool or each.name == tool:
                del self._pins[each.key]
        self._rows.drop_tool_rows("tool_pins", server, *([tool] if tool else []))
