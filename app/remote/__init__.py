"""Models on other servers that support OpenAI's chat completions API.

`Remotes` has the user's remote models and their keys, and runs all requests in an asyncio loop on
its own thread. A chat with a remote model uses a `RemoteSession`, which has the interface and
events of the engine's `Session`. Responses are limited and sanitized, and redirects aren't
followed. Requests contain nothing but the user's messages, except for model lists that the user
asks for.

`discovery` finds servers on the local network if the user turns it on. `groups` starts
servers for models distributed over several machines.

No widgets and no Qt.

Imports: app.settings, app.tools, engine, engine.errors, engine.messages, engine.sandbox,
engine.serve, engine.text.
"""
