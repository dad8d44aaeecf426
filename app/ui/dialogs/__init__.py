"""Small dialogs.

Imports: app, app.chats, app.chats.exporting, app.chats.importing, app.flows, app.settings,
app.store, app.system, app.ui.style, app.ui.widgets.
"""
