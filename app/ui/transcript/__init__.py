"""The transcript: a chat's messages and the actions on each of them.

Imports: app.chats, app.flows, app.markdown, app.models, app.settings, app.store, app.tools,
app.ui.style, app.ui.widgets, engine.errors.
"""
