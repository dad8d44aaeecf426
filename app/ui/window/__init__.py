"""The main window with its panes, tabs, layouts and commands.

Imports: app.bridge, app.chats, app.chats.exporting, app.chats.importing, app.flows, app.models,
app.remote, app.score, app.serving, app.settings, app.spelling, app.store, app.system, app.tools,
app.ui, app.ui.compare, app.ui.composer, app.ui.dialogs, app.ui.models, app.ui.palette, app.ui.pane,
app.ui.settings, app.ui.sidebar, app.ui.style, app.ui.transcript, app.ui.widgets, app.ui.workspace,
engine.hub.
"""
