"""Comparisons of replies to the same message.

Imports: app.chats, app.flows, app.markdown, app.models, app.settings, app.store, app.ui.composer,
app.ui.dialogs, app.ui.pane, app.ui.style, app.ui.transcript, app.ui.widgets, app.ui.workspace.
"""
