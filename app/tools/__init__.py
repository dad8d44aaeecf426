"""Tools that a model may call: MCP servers, and built-in ones.

A `ServerConfig` describes a server. `ToolHost` keeps a connection to each on its own thread with an
asyncio loop, and returns results as `concurrent.futures.Future`. A connection is made when a server
is first needed, and again after it ended, with growing pauses.

Nothing here runs a tool without consent: callers of `ToolHost.call` have the user's consent
(`consent.py`). Data of a server is not trusted: names and descriptions are shown escaped, a changed
description is shown again before it is used (`consent.py`), and a result is text without escape
sequences (`tool.py`).

No widgets, and only sandboxed parts of the engine.

Imports: app.settings, engine.errors, engine.sandbox, engine.text.
"""
