"""The sidebar: the list of saved chats and the search above it.

Imports: app.chats, app.chats.attached, app.language, app.serving, app.store, app.ui.dialogs,
app.ui.style, app.ui.widgets, app.ui.window, engine.serve.
"""
