"""A pane: one chat's header, transcript, composer and its own settings.

Imports: app.chats, app.chats.attached, app.flows, app.language, app.paths, app.remote,
app.settings, app.store, app.suggestions, app.tools, app.ui.composer, app.ui.models, app.ui.style,
app.ui.transcript, app.ui.widgets, app.ui.window, engine.errors.
"""
