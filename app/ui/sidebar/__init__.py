"""The sidebar: the list of saved chats and the search above it.

Imports: app.chats, app.chats.importing, app.serving, app.settings, app.store, app.ui,
app.ui.dialogs, app.ui.style, app.ui.widgets, engine.serve.
"""
