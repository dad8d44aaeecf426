"""`python -m engine serve`: HTTP server with the APIs of OpenAI, Anthropic and Ollama.

`server` starts, runs and stops everything. `app` checks the host, origin, API key and rate limits
(`auth`) of each request, then passes it to its route (`routes`, one file per API).

A request to a model is a coroutine of `model_requests`. It has an object per layer: the parsed
body (`bodies`, `json_input`), the requested `Generation` (`routes`), its place in the queue
(`queue.QueueEntry`), the engine's replies (`requests.ModelRequest`, with one `Choice` per
reply), and the response (`ClientResponse`, formatted by the API's `Writer`).

`agents` tracks requests and the agents that send them. `reply_slots` finds the session, either by
the client's name for it (`sessions`) or by the conversation (`conversations`).

Imports: engine.cache, engine.engine, engine.errors, engine.files, engine.hub, engine.messages,
engine.model, engine.params, engine.reply, engine.runtime, engine.sandbox, engine.serve.routes,
engine.text.
"""
