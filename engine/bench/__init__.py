"""Benchmarks and long-running checks for the engine, documented in README.md.

Imports: engine.batch, engine.cli, engine.cluster, engine.sandbox,
engine.engine, engine.errors, engine.hub.gguf, engine.cache, engine.messages, engine.model,
engine.model.patches, engine.params, engine.reply,
engine.runtime.
"""
