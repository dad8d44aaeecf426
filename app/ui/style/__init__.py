"""Appearance of the window: colors, sizes, fonts, icons and the style sheet.

Imports: app.chats, app.markdown, app.models, app.settings, app.tools, engine.
"""
