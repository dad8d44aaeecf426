"""Models: on disk, on their way here, in memory, spread over machines. No widgets in here.

Imports: app.bridge, app.flows, app.remote, app.settings, app.store, engine, engine.cache,
engine.errors, engine.hub, engine.hub.gguf, engine.runtime.
"""
