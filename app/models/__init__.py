"""Models: installed, downloading, in memory, distributed over machines. No widgets.

Imports: app.bridge, app.flows, app.remote, app.settings, app.store, engine, engine.cache,
engine.errors, engine.hub, engine.hub.gguf, engine.runtime.
"""
