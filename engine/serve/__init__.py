"""`python -m engine serve`: HTTP server with the APIs of OpenAI, Anthropic and Ollama.

`server` starts, runs and stops everything; `connection` limits what one client connection may use,
and `announcement` publishes the server on the local network. `app` checks the host, the origin, the
API key and rate limits (`auth`) of each request, then passes it to its route (`routes`, one file
per API). A request for a model is one coroutine of `model_requests`: it reads and checks the body
(`bodies`, `json_input`), loads the model (`models`), waits in the `queue` for a place
(`reply_slots`) in the session that the client names (`sessions`) or in that of the conversation it
continues (`conversations`), and sends the replies' events to the client. It runs in a cancel scope
(`requests`), which ends it when the client disconnects, the key is revoked or the server stops.
`errors` formats errors for each API; `metrics` counts.

Imports: engine.cache, engine.engine, engine.errors, engine.files, engine.hub, engine.messages,
engine.model, engine.params, engine.reply, engine.runtime, engine.sandbox, engine.serve.routes,
engine.text.
"""
