"""Models on other servers that support OpenAI's chat completions API.

`Remotes` keeps the user's remote models and their keys, and runs all requests in an asyncio loop on
its own thread. A chat with a remote model uses a `RemoteSession`, which has the same interface and
events as the engine's `Session`. We limit and sanitize what servers send, don't follow redirects,
and send nothing but the user's messages, plus requests for model lists when asked to.

If the server is another Stretto, the chat has a session there (`server_sessions`), so nothing is
sent or prefilled twice, and its stats are shown. `discovery` searches the local network for
servers, but only if the user has enabled this. `groups` starts servers for models distributed over
several machines.

No widgets and no Qt.

Imports: app.settings, app.tools, engine, engine.errors, engine.messages, engine.sandbox,
engine.serve, engine.text.
"""
