"""Many requests from a file, answered side by side into a file: `python -m engine batch`.

`run` reads the lines and has them answered. `results` writes the records, finds them again after an
interruption, and counts. `engine.cli.batch` puts these together. Of the engine only its public
interface is used.

Imports: engine.engine, engine.errors, engine.messages, engine.model, engine.params, engine.reply,
engine.serve, engine.serve.routes.
"""
