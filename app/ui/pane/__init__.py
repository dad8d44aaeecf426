"""A pane: a chat's header, transcript, composer and options.

Imports: app.chats, app.flows, app.models, app.remote, app.settings, app.store, app.tools,
app.ui.composer, app.ui.style, app.ui.transcript, app.ui.widgets, engine.errors.
"""
