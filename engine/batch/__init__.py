"""Batches of requests from a file: `python -m engine batch`.

`requests` parses lines, `run` sends them to the engine, and `results` writes records and finds
them after an interruption.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params, engine.reply,
engine.serve, engine.serve.routes.
"""
