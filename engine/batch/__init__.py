"""Batch answering of requests from a file: `python -m engine batch`.

`requests` parses the lines. `run` sends them to the engine. `results` writes the records, finds
them again after an interruption, and counts. `engine.cli.batch` combines these. Only the engine's
public interface is used.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params, engine.reply,
engine.serve, engine.serve.routes.
"""
