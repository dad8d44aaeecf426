"""The sidebar: the search, the list of saved chats, the trash, and agents of other apps.

Imports: app.chats, app.chats.importing, app.serving, app.settings, app.store, app.ui,
app.ui.dialogs, app.ui.style, app.ui.widgets, engine.serve.
"""
