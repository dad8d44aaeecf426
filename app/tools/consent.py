"""The user's consents for tools and folders. Each is valid for one chat, until revoked.

`SeenTools` stores the tool descriptions the user has seen. Only these are passed to a model.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from app.tools.tool import BUILT_IN, Tool


class Decision(Enum):
    ONCE = "once"
    TOOL = "tool"
    SERVER = "server"
    DENY = "deny"


class Consent(Struct, frozen=True):
    chat_id: str
    server: str
    tool: str  # tool name, or "" for all tools of the server
    fingerprint: str  # tool fingerprint at that time; we ask again if the description changes
    given_at: float


class Grant(Struct, frozen=True):
    """Folder that built-in tools may read (and possibly write) in a chat."""

    chat_id: str
    path: Path
    writable: bool
    given_at: float


class ConsentRows(Protocol):
    def read(self, table: str) -> Iterable[tuple[Any, ...]]: ...

    def insert(self, table: str, *row: Any) -> None: ...

    def delete(self, table: str, *key: str) -> None: ...


class Consents:
    def __init__(self, rows: ConsentRows) -> None:
        self._rows = rows
        self._consents: dict[tuple[str, str, str], Consent] = {}
        self._grants: dict[tuple[str, str], Grant] = {}
        for chat_id, server, tool, fingerprint, given_at in rows.read("tool_consents"):
            consent = Consent(chat_id, server, tool, fingerprint, given_at)
            self._consents[chat_id, server, tool] = consent
        for chat_id, path, writable, given_at in rows.read("tool_folders"):
            self._grants[chat_id, path] = Grant(chat_id, Path(path), bool(writable), given_at)

    def is_allowed(self, chat_id: str, tool: Tool) -> bool:
        """Return True if a tool with its current description may run in a chat without asking."""
        if tool.asks_each_time:
            return False
        consent = self._consents.get((chat_id, tool.server, tool.name))
        if consent is not None and consent.fingerprint == tool.fingerprint:
            return True
        return tool.server != BUILT_IN and (chat_id, tool.server, "") in self._consents

    def remember(self, chat_id: str, tool: Tool, decision: Decision) -> None:
        """Store a decision if it also applies to later calls."""
        if tool.asks_each_time or not tool.name:  # "" would mean all tools of the server
            return
        if decision is Decision.TOOL:
            self._store(Consent(chat_id, tool.server, tool.name, tool.fingerprint, time.time()))
        elif decision is Decision.SERVER and tool.server != BUILT_IN:
            self._store(Consent(chat_id, tool.server, "", "", time.time()))

    def consents(self) -> list[Consent]:
        return sorted(self._consents.values(), key=lambda c: -c.given_at)

    def consents_of_chat(self, chat_id: str) -> list[Consent]:
        return [consent for consent in self._consents.values() if consent.chat_id == chat_id]

    def revoke(self, consent: Consent) -> None:
        self._consents.pop((consent.chat_id, consent.server, consent.tool), None)
        # Use the full key. A shorter key would also delete other consents for this server.
        self._rows.delete("tool_consents", consent.chat_id, consent.server, consent.tool)

    def _store(self, consent: Consent) -> None:
        key = (consent.chat_id, consent.server, consent.tool)
        self._consents[key] = consent
        self._rows.insert("tool_consents", *key, consent.fingerprint, consent.given_at)

    def folders(self, chat_id: str) -> list[Grant]:
        return [grant for grant in self._grants.values() if grant.chat_id == chat_id]

    def grants(self) -> list[Grant]:
        return sorted(self._grants.values(), key=lambda g: -g.given_at)

    def grant(self, chat_id: str, folder: Path, writable: bool) -> None:
        grant = Grant(chat_id, folder, writable, time.time())
        self._grants[chat_id, str(folder)] = grant
        self._rows.insert("tool_folders", chat_id, str(folder), int(writable), grant.given_at)

    def withdraw_grant(self, grant: Grant) -> None:
        self._grants.pop((grant.chat_id, str(grant.path)), None)
        self._rows.delete("tool_folders", grant.chat_id, str(grant.path))

    def forget_chat(self, chat_id: str) -> None:
        self._consents = {k: c for k, c in self._consents.items() if c.chat_id != chat_id}
        self._grants = {k: g for k, g in self._grants.items() if g.chat_id != chat_id}
        for table in ("tool_consents", "tool_folders"):
            self._rows.delete(table, chat_id)

    def forget_server(self, server: str) -> None:
        for consent in [c for c in self._consents.values() if c.server == server]:
            self.revoke(consent)


class ToolChanges(Struct, frozen=True):
    new: tuple[Tool, ...] = ()  # not seen yet
    # Changed descriptions: (old, new).
    other: tuple[tuple[Tool, Tool], ...] = ()
    gone: tuple[Tool, ...] = ()  # removed


class SeenTools:
    """Tools as last seen by the user.

    Models get these and not the servers' current tools, so chats don't wait for servers, and models
    never get a description that the user hasn't seen.
    """

    def __init__(self, rows: ConsentRows) -> None:
        self._rows = rows
        self._pins: dict[str, Tool] = {}
        for server, name, stored, _ in rows.read("tool_pins"):
            try:
                value = json.loads(stored)
                description, schema = str(value["description"]), dict(value["schema"])
                tool = Tool(server, name, description, schema, str(value.get("title", "")))
            except (ValueError, TypeError, KeyError):
                continue  # ignore a damaged row, so that the user sees the tool again
            self._pins[tool.key] = tool

    def get(self, key: str) -> Tool | None:
        return self._pins.get(key)

    def tools_of_server(self, server: str) -> list[Tool]:
        return [tool for tool in self._pins.values() if tool.server == server]

    def compare(self, server: str, tools: Iterable[Tool]) -> ToolChanges:
        now = {tool.key: tool for tool in tools}
        seen_tools = {tool.key: tool for tool in self.tools_of_server(server)}
        both = [(seen_tools[key], now[key]) for key in now if key in seen_tools]
        return ToolChanges(
            tuple(tool for key, tool in now.items() if key not in seen_tools),
            tuple((a, b) for a, b in both if a != b),
            tuple(tool for key, tool in seen_tools.items() if key not in now),
        )

    def mark_seen(self, tools: Iterable[Tool]) -> None:
        for tool in tools:
            self._pins[tool.key] = tool
            value = {"description": tool.description, "schema": tool.schema, "title": tool.title}
            stored = json.dumps(value)
            self._rows.insert("tool_pins", tool.server, tool.name, stored, time.time())

    def forget(self, server: str, tool: str = "") -> None:
        """Forget a tool (or all tools of the server), so that it's shown again before its
        next use.
        """
        for tool_seen in self.tools_of_server(server):
            if not tool or tool_seen.name == tool:
                del self._pins[tool_seen.key]
        self._rows.delete("tool_pins", server, *([tool] if tool else []))
