"""The settings window, the tool server window, and a dialog for starting coding agents.

Imports: app.chats, app.flows, app.models, app.serving, app.settings, app.spelling, app.system,
app.tools, app.ui.dialogs, app.ui.palette, app.ui.pane, app.ui.style, app.ui.widgets,
engine.sandbox.
"""
