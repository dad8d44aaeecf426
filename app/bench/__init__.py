"""Benchmarks and photographs of the window, run by commands and without a person.

Imports: app.application, app.bridge, app.chats, app.download, app.paths, app.settings, app.store,
app.tools, app.translation, app.ui.compare, app.ui.dialogs, app.ui.models, app.ui.pane,
app.ui.style, app.ui.transcript, app.ui.window, app.updates, engine, engine.hub.
"""
