"""Models that answer elsewhere: any address that speaks OpenAI's chat completions.

`Remotes` holds those that the person has added, their keys, and one thread with an asyncio loop on
which all requests run; neither the window's thread nor the engine's waits for a socket. A chat
that is bound to a remote model gets a `RemoteSession`, which is asked as the engine's `Session` is
and tells the same events. What a server sends is data: bounded, cleaned, and never followed to
another place. Nothing is sent but what a person sends in a chat, and the question which models
there are, when they ask it. A chat at a Stretto has a session there (`elsewhere`), so that nothing
is sent or read twice, and the score asks how it is (`figures`).
The local network is searched for others (`finding`) only where the person has switched that on.

A model that is spread over several machines is one of them: `groups` starts what answers it.

No widgets and no Qt in here.

Imports: app.settings, app.tools, engine, engine.errors, engine.messages, engine.sandbox,
engine.serve, engine.text.
"""
