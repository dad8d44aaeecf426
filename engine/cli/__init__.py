"""Commands of the engine: `python -m engine COMMAND`.

Imports: engine.batch, engine.bench, engine.cache, engine.cluster, engine.sandbox, engine.engine,
engine.errors, engine.files, engine.hub, engine.messages, engine.model, engine.model.patches,
engine.params, engine.reply, engine.runtime, engine.serve, engine.text.
"""
