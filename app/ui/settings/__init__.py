"""The dialog with the program's settings.

Imports: app.background, app.chats, app.doctor, app.newer_mlx_lm, app.paths, app.serving,
app.settings, app.tools, app.ui.dialogs, app.ui.models, app.ui.pane, app.ui.style, app.ui.widgets,
app.updates.
"""
