"""`python -m engine serve`: the engine behind OpenAI's chat completions, on this machine only.

`server` listens and ends. `connection` limits what a client's connection may cost. `app` holds the
routes and refuses what is not for us. `completions` answers a chat request, and `client` tells its
client of it. `conversations` finds the session that has read most of a request's messages already.
`served` knows the models, and loads them again after a breakdown of the engine. `engine.openai`
has the shapes of requests and answers.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.openai, engine.params,
engine.reply.
"""
