"""Batches of requests from a file: `python -m engine batch`.

`requests` parses lines, `run` sends them to the engine, and `results` writes records, finds them
after an interruption, and keeps statistics. `engine.cli.batch` combines them. Only the engine's
public interface is used.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params, engine.reply,
engine.serve, engine.serve.routes.
"""
