"""Models: on disk, in download, in memory, spread over machines. No widgets.

Imports: app.bridge, app.flows, app.remote, app.settings, app.store, engine, engine.cache,
engine.errors, engine.hub, engine.hub.gguf, engine.runtime.
"""
