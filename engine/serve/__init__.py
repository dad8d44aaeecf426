"""`python -m engine serve`: the engine behind the APIs of OpenAI and Anthropic, over HTTP.

`server` listens and ends. `connection` limits what a client's connection may cost. `app` holds the
routes, and `guard` refuses what is not for us. `answering` takes a request from a door (`doors`)
to the engine: `bodies` reads it, `places` finds where it is answered, `replies` are the engine's
answers, and `client` tells its client of them. `plain_routes` answers what needs no stream.

`sessions` are named by clients. `conversations` finds the session that has read most of a
request's messages already. `served` knows the models, loads them when they are asked for, and
again after a breakdown of the engine. `engine.openai` has the shapes that files of requests share.

Imports: engine.core, engine.engine, engine.errors, engine.hub, engine.messages, engine.model,
engine.openai, engine.params, engine.reply, engine.serve.doors.
"""
