"""Chats while the program runs, whether a pane shows them or not. No widgets in here.

Imports: app.bridge, app.flows, app.models, app.remote, app.settings, app.store, app.tools, engine,
engine.errors, engine.params, engine.sandbox, engine.text.
"""
