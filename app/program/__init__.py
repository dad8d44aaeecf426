"""Start, shutdown and self-test of the application. Only this package may import all others.

Imports: app, app.bridge, app.chats, app.flows, app.markdown, app.models, app.serving, app.settings,
app.spelling, app.store, app.system, app.tools, app.ui.dialogs, app.ui.pane, app.ui.style,
app.ui.window, app.ui.workspace, engine, engine.files, engine.sandbox.
"""
