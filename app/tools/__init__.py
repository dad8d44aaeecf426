"""Tools that a model may call: servers that speak MCP, and those that come with the program.

A server is described by a `ServerConfig`. `ToolHost` keeps a connection to each on a thread of its
own with an asyncio loop, neither the engine's nor the window's; what is asked of it comes back as a
`concurrent.futures.Future`. A connection is made when a server is first needed, and made again
after its end, each time after a longer rest. Nothing here runs a tool unasked: who calls
`ToolHost.call` has the person's consent (`consent.py`). What a server says is data: names and
descriptions are shown escaped, a description that has changed is shown again before it is used
(`consent.py`), a result is text without escape sequences (`tool.py`).

No widgets in here, and of the engine only the work of confined children.

Imports: app.settings, engine.errors, engine.sandbox, engine.text.
"""
