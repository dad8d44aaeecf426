"""Models: the menu that chooses one, the window of those installed, and downloads from the hub.

Imports: app.bridge, app.chats, app.flows, app.markdown, app.models, app.remote, app.settings,
app.ui.style, app.ui.widgets, engine, engine.cluster, engine.errors, engine.hub, engine.sandbox.
"""
