"""The engine thread: commands in, plan, execute, deliver, events out. `loop` is where to start.

Imports: engine.cluster, engine.sandbox, engine.errors,
engine.hub, engine.hub.gguf, engine.cache, engine.kernels, engine.messages, engine.model,
engine.params, engine.text.
"""
