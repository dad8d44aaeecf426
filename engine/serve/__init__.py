"""`python -m engine serve`: the engine for other programs, over HTTP.

`server` listens and ends. `connection` limits what a client's connection may cost, `guard` refuses
what is not for us, `keys` and `limits` say who may ask and how much. `app` holds the routes.
`answering` takes a request from any of the `doors`, `places` finds where it is answered (a named one
of `sessions`, or one of `conversations` that has read most of its messages), `replies` are the
engine's, and `client` tells them. `visits` shows who is here. `served` knows the models, loads them
when they are asked for, and again after a breakdown of the engine. `health` and `metrics` say how
it all is.

Imports: engine.core, engine.engine, engine.errors, engine.hub, engine.messages, engine.model,
engine.openai, engine.params, engine.reply, engine.serve.doors.
"""
