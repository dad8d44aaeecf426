"""The sidebar: search, saved chats, trash, and agents that use the local API.

Imports: app.chats, app.chats.importing, app.serving, app.settings, app.store, app.ui,
app.ui.dialogs, app.ui.style, app.ui.widgets, engine.serve.
"""
