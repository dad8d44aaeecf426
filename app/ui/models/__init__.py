"""Models: the menu that chooses one, the list of folders, and downloads from the hub.

Imports: app.background, app.bridge, app.chats, app.download, app.downloads, app.keychain,
app.markdown, app.model_folders, app.paths, app.settings, app.suggestions, app.ui.style,
app.ui.widgets, engine, engine.errors, engine.hub.
"""
