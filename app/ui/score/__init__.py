"""The score: a strip that shows what the engine does, one lane a chat.

Imports: app.chats, app.language, app.score, app.ui.style, app.ui.widgets.
"""
