"""Many requests from a file, answered side by side into a file: `python -m engine batch`.

`requests` reads the lines. `run` has them answered. `results` writes the records, and finds them
again after an interruption. `summary` counts. `engine.cli.batch` puts these together. Of the
engine only its public interface is used.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.openai, engine.params,
engine.reply.
"""
