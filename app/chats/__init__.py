"""Chats while the program runs, whether a pane shows them or not. No widgets in here.

Imports: app.bridge, app.chats.attached, app.flows, app.language, app.paths, app.remote,
app.settings, app.store, app.tools, engine, engine.sandbox, engine.errors, engine.cache,
engine.params, engine.text.
"""
