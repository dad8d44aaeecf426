"""A pane: one chat's header, transcript, composer and its own settings.

Imports: app.chats, app.flows, app.models, app.remote, app.settings, app.store, app.tools,
app.ui.composer, app.ui.style, app.ui.transcript, app.ui.widgets, engine.errors.
"""
