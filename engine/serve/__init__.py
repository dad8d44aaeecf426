"""`python -m engine serve`: the engine behind OpenAI's chat completions, for other programs.

`server` listens and ends, `settings` has its limits, and `connection` limits what a client's
connection may cost. A request goes through `guard` (host, page, key, how often: `keys`, `limits`)
and `app` (the routes) to `completions`, which answers chats; `client` tells its client.
`places` finds where it is answered: in one of its client's `sessions`, or in one of the
`conversations` without a name, once its turn in the `line` has come. `served` knows the models and
loads them. `session_routes`, `model_routes` and `health` answer about all that; `metrics` counts.
`engine.openai` has the shapes of requests and answers.

Imports: engine.core, engine.engine, engine.errors, engine.hub, engine.messages, engine.model,
engine.openai, engine.params, engine.reply.
"""
