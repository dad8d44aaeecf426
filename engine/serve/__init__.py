"""`python -m engine serve`: the engine behind the APIs of OpenAI and Anthropic, over HTTP.

`server` puts everything together, listens and ends; `connection` limits what a client's connection
may cost, and `announcing` names the server on the local network. A request passes `app` (host,
page, key, how often: `auth`) and comes to its route (`routes`, one file a shape of API). For one
that is answered by a model, `bodies` reads the body, `answering` leads it to the engine and its
events back to the client, `places` finds the session where it is answered (`sessions`) once its
turn in the `queue` has come, and `replies` are the engine's answers. `models` are loaded when they
are asked for. `errors` says why there is no answer, in the shape of the API; `metrics` counts.

Imports: engine.engine, engine.errors, engine.hub, engine.messages, engine.model,
engine.params, engine.reply, engine.runtime, engine.serve.routes.
"""
