"""`python -m engine serve`: the engine behind the APIs of OpenAI and Anthropic, over HTTP.

`server` puts everything together, listens and ends; `connection` limits what a client's connection
may cost, and `announcing` names the server on the local network. A request passes `app` (host,
page, key, how often: `auth`) and comes to its route (`routes`, one file a shape of API). One that
is answered by a model is one coroutine of `answering`: its body is read (`bodies`, `json_input`)
and checked, its model loaded (`models`), it waits in the `queue` for its place (`places`) in a
session that its client names (`sessions`), or in that of the conversation that it goes on
(`conversations`), and the replies' events go to its client. It runs in a cancel scope (`requests`),
by which its client's leaving, a revoked key and the server's end end it wherever it waits. `errors`
says why there is no answer, in the shape of the API; `metrics` counts.

Imports: engine.cache, engine.engine, engine.errors, engine.hub, engine.messages, engine.model,
engine.params, engine.reply, engine.runtime, engine.sandbox, engine.serve.routes,
engine.text.
"""
