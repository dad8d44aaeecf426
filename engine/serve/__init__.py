"""`python -m engine serve`: the engine behind the APIs of OpenAI and Anthropic, over HTTP.

`server` listens and ends, `announcing` tells the network, `settings` has its limits, and
`connection` limits what a client's connection may cost. A request goes through `guard` (host, page,
key, how often: `keys`, `limits`) and `app` (the routes) to `answering`, which takes it from a door
(`doors`) to the engine: `bodies` reads it, `recalling` adds what its session has been `told`
before, `places` finds where it is answered (in one of its client's `sessions`, or in one of the
`conversations` without a name, once its turn in the `line` has come), `replies` are the engine's
answers, and `client` tells its client of them. `plain_routes` answers what needs no stream.
`visits` shows who is here. `served` knows the models and loads them. `session_routes`,
`model_routes` and `health` answer about all that; `metrics` counts. Each route is an `operation`,
and `openapi` tells programs of them all. `engine.openai` has the shapes that files of requests
share.

Imports: engine.engine, engine.errors, engine.hub, engine.messages, engine.model,
engine.openai, engine.params, engine.reply, engine.runtime, engine.serve.routes.
"""
