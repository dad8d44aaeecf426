"""Small dialogs that stand alone: names, warnings, trash, backups, updates, licences, shortcuts.

Imports: app, app.flows, app.bridge, app.chats, app.chats.exporting, app.chats.importing,
app.language, app.licences, app.serving, app.settings, app.store, app.tools, app.ui.style,
app.ui.widgets, app.ui.window, app.updates, app.versions, engine.model.
"""
