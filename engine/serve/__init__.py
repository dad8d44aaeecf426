"""`python -m engine serve`: HTTP server with the APIs of OpenAI, Anthropic and Ollama.

`server` starts, runs and stops everything; `connection` limits what one client connection may use,
and `announcement` publishes the server on the local network. `app` checks the host, the origin, the
API key and rate limits (`auth`) of each request, then passes it to its route (`routes`, one file
per API). A request for a model is one coroutine of `model_requests`, with one object per layer: the
parsed body (`bodies`, `json_input`) and the `Generation` that it asks for (`routes`), the admission
(`queue.QueueEntry`), the engine's replies (`requests.ModelRequest`, with a `Choice` each), and the
response to the client (`ClientResponse`, formatted by the API's `Writer`). `agents` registers
requests and the agents that send them. `reply_slots` finds the session: that which the client names
(`sessions`) or that of the conversation it continues (`conversations`). `models` loads models,
`errors` formats errors for each API, and `metrics` counts.

Imports: engine.cache, engine.engine, engine.errors, engine.files, engine.hub, engine.messages,
engine.model, engine.params, engine.reply, engine.runtime, engine.sandbox, engine.serve.routes,
engine.text.
"""
