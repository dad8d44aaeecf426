"""Tools for models: MCP servers and built-in tools.

A server is configured by a `ServerConfig`. `ToolHost` has a connection to each server, runs them on
its own thread with an asyncio loop, and returns results as `concurrent.futures.Future`. It connects
when a server is needed for the first time, and reconnects with increasing pauses.

Nothing in here asks for consent before running a tool. That's up to whoever calls `ToolHost.call`
(see `consent.py`). Data from servers isn't trusted: names and descriptions are escaped for display,
changed descriptions have to be shown to the user before they're used (`consent.py`), and escape
sequences are removed from results (`tool.py`).

No widgets, and only sandboxed parts of the engine.

Imports: app.settings, engine.errors, engine.files, engine.sandbox, engine.text.
"""
