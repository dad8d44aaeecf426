"""Compare replies to the same message, by model, seed or temperature, side by side.

Imports: app.chats, app.flows, app.markdown, app.models, app.settings, app.store, app.ui.composer,
app.ui.dialogs, app.ui.pane, app.ui.style, app.ui.transcript, app.ui.widgets, app.ui.workspace.
"""
