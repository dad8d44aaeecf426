"""The dialog with the program's settings.

Imports: app.chats, app.doctor, app.flows, app.language, app.newer_mlx_lm, app.paths, app.serving,
app.settings, app.spelling, app.tools, app.translation, app.ui.dialogs, app.ui.models, app.ui.pane,
app.ui.style, app.ui.widgets, app.updates.
"""
