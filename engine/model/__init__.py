"""The model: loaded, probed, run for many sessions at once, sampled from.

Imports: engine.errors, engine.kv, engine.messages, engine.model.cpu, engine.model.kernel,
engine.model.patches, engine.params, engine.sandbox, engine.text.
"""
