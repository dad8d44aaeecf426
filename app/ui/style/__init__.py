"""The window's look: colors, sizes, fonts, icons and style sheet.

Imports: app.chats, app.markdown, app.models, app.settings, app.store, app.tools, engine.
"""
