"""The dialog with the program's settings.

Imports: app.chats, app.paths, app.serving, app.settings, app.ui.dialogs, app.ui.models,
app.ui.pane, app.ui.style, app.ui.widgets, app.updates.
"""
