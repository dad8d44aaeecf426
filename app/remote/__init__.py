"""Models on other servers with OpenAI's chat completions API.

`Remotes` has the models that the user has added, their keys, and a thread with an asyncio loop for
all requests. A chat with a remote model uses a `RemoteSession`, which has the interface and events
of the engine's `Session`. Data of a server is limited and cleaned, and redirects are not followed.
Nothing is sent but the user's messages, and requests for lists of models on demand.

A chat with another Stretto has a session there (`elsewhere`), so that nothing is sent or read
twice, and shows its figures (`figures`). The local network is searched for servers (`finding`) only
if the user has enabled that. `groups` starts the servers of models that are spread over several
machines.

No widgets and no Qt.

Imports: app.settings, app.tools, engine, engine.errors, engine.messages, engine.sandbox,
engine.serve, engine.text.
"""
