"""Models: the menu that chooses one, the window of those installed, and downloads from the hub.

Imports: app.bridge, app.chats, app.conversion, app.download, app.downloads,
app.draft_candidates, app.flows, app.installed, app.keychain, app.language, app.markdown,
app.model_folders, app.paths, app.remote, app.removal, app.settings, app.suggestions, app.ui.style,
app.ui.widgets, engine, engine.cluster, engine.errors, engine.hub, engine.sandbox.
"""
