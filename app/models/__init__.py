"""Models: on disk, on their way here, in memory, spread over machines. No widgets in here.

Imports: app.bridge, app.chats, app.flows, app.remote, app.settings, engine, engine.cache,
engine.errors, engine.hub, engine.hub.gguf, engine.runtime.
"""
