"""The transcript: a chat's messages on screen and what can be done with each.

Imports: app.chats, app.chats.attached, app.language, app.markdown, app.store, app.tools,
app.ui.style, app.ui.widgets, engine.errors.
"""
