"""A file of requests, answered many at a time into another file: `python -m engine batch`.

`requests` reads the lines, `run` answers them, `results` writes the records and finds them again
after an interruption, `summary` says how it went. Only the engine's public face is used.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.openai, engine.params,
engine.reply.
"""
