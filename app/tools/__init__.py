"""Tools for models: MCP servers and built-in tools.

A server is configured by a `ServerConfig`. `ToolHost` runs a connection to each server on its own
thread with an asyncio loop, and returns results as `concurrent.futures.Future`. It connects on the
first use, and reconnects with increasing pauses.

Callers of `ToolHost.call` must ask for consent first (see `consent.py`). Data from servers isn't
trusted: names and descriptions are escaped for display, changed descriptions must be shown to the
user before they're used (`consent.py`), and escape sequences are removed from results (`tool.py`).

No widgets, and only sandboxed parts of the engine.

Imports: app.settings, engine.errors, engine.files, engine.sandbox, engine.text.
"""
