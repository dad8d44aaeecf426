"""Compare: one message to several models, seeds or temperatures, side by side.

Imports: app.flows, app.chats, app.language, app.paths, app.settings, app.store,
app.ui.composer, app.ui.pane, app.ui.style, app.ui.transcript, app.ui.widgets, app.ui.window.
"""
