"""Benchmarks and long-running checks of the engine. README.md says what each one measures.

Imports: engine.batch, engine.cli, engine.cluster, engine.sandbox,
engine.engine, engine.errors, engine.hub.gguf, engine.cache, engine.messages, engine.model,
engine.model.patches, engine.params, engine.reply,
engine.runtime.
"""
