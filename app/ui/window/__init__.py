"""The main window: panes, tabs, layouts, and the commands that act on them.

Imports: app.awake, app.flows, app.bridge, app.chats, app.chats.attached, app.chats.exporting,
app.chats.importing, app.conversion, app.crash, app.downloads, app.idle, app.installed,
app.language, app.newer_mlx_lm, app.paths, app.pressure, app.remote, app.removal, app.score,
app.serving, app.settings, app.single, app.spelling, app.store, app.tools, app.ui.compare,
app.ui.composer, app.ui.dialogs, app.ui.models, app.ui.palette, app.ui.pane, app.ui.score,
app.ui.settings, app.ui.sidebar, app.ui.style, app.ui.transcript, app.ui.widgets, app.updates,
engine.hub.
"""
