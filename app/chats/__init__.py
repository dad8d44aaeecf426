"""Open chats, with or without a pane. No widgets.

Imports: app.bridge, app.flows, app.models, app.remote, app.settings, app.store, app.tools, engine,
engine.errors, engine.params, engine.sandbox, engine.text.
"""
