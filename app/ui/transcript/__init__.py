"""The transcript: a chat's messages on screen, and actions on each.

Imports: app.chats, app.flows, app.markdown, app.models, app.settings, app.store, app.tools,
app.ui.style, app.ui.widgets, engine.errors.
"""
